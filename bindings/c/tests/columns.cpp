// Which columns compile: those of floats, ids, filters and flags. With REFUSED defined as 1 to 3, one
// that must not.
#include <triphase.hpp>

#include <array>
#include <cstdint>
#include <vector>

using triphase::column;

struct Vector {
  float x, y;
};
struct alignas(8) AlignedVector {
  float x, y;
};
struct Unit {
  Vector position;
  AlignedVector aligned;
  float box[4];
  alignas(16) float aligned_box[4];
  std::uint64_t id;
  tp_filter filter;
  bool is_asleep;
};
struct DoubleVector {
  double x, y;
};
struct DoubleUnit {
  DoubleVector position;
  double array[2];
};

int main()
{
  const std::vector<Unit> units(3);
  const std::vector<std::array<float, 2>> arrays(3);
  const std::vector<std::uint64_t> ids(3);
  const tp_column columns[] = {column(units, &Unit::position), column(units, &Unit::aligned), column(units, &Unit::box),
                               column(units, &Unit::aligned_box), column(units, &Unit::id),
                               column(units, &Unit::filter), column(units, &Unit::is_asleep), column(arrays),
                               column(ids)};
#ifdef REFUSED
  const std::vector<double> doubles(4);
  const std::vector<DoubleUnit> double_units(3);
#if REFUSED == 1
  column(doubles);
#elif REFUSED == 2
  column(double_units, &DoubleUnit::position);
#else
  column(double_units, &DoubleUnit::array);
#endif
#endif
  return columns[0].stride == sizeof(Unit) ? 0 : 1;
}
