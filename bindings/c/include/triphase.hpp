// triphase for C++17: owning handles, exceptions and ranges over the C interface.
//
// Thin on purpose: everything else is called as in C, with `world.get()`.

#ifndef TRIPHASE_HPP
#define TRIPHASE_HPP

#include "triphase.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace triphase {

/// A call that failed; `details()` has the row, the column and the value.
class Error : public std::runtime_error {
public:
  Error() : std::runtime_error(tp_last_error_message()) { tp_last_error(&details_); }
  const tp_error &details() const noexcept { return details_; }

private:
  tp_error details_ = {};
};

/// Throws the last error of this thread if a call failed.
inline void check(tp_status status)
{
  if (status != TP_STATUS_OK) {
    throw Error();
  }
}

/// An array that belongs to a buffer or a world, for range loops. (std::span is C++20.)
template <typename T>
class Span {
public:
  Span() = default;
  Span(const T *data, std::size_t size) : data_(data), size_(size) {}
  const T *begin() const noexcept { return data_; }
  const T *end() const noexcept { return data_ + size_; }
  const T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T &operator[](std::size_t k) const noexcept { return data_[k]; }

private:
  const T *data_ = nullptr;
  std::size_t size_ = 0;
};

/// Refuses types that no column has. Of those with the right size, only some can be told apart.
template <typename Value>
constexpr void check_column_of()
{
  static_assert(sizeof(Value) == 8 || sizeof(Value) == 16 || sizeof(Value) == 1,
                "a value has 8 bytes (vectors of two floats, ids, filters), 16 (boxes) or 1 (flags); for two fields "
                "beside each other, write tp_column{&units[0].x, sizeof(Unit)}");
  static_assert(!std::is_same<std::remove_all_extents_t<Value>, double>::value &&
                    !(sizeof(Value) == 16 && alignof(Value) == 8),
                "coordinates are floats, not doubles");
}

/// The column of one member of an array of structs: `column(units, &Unit::position)`.
template <typename Struct, typename Member>
tp_column column(const Struct *structs, Member Struct::*member)
{
  check_column_of<Member>();
  return {structs == nullptr ? nullptr : &(structs->*member), sizeof(Struct)};
}

template <typename Struct, typename Member>
tp_column column(const std::vector<Struct> &structs, Member Struct::*member)
{
  return column(structs.empty() ? nullptr : structs.data(), member);
}

/// An array of its own as a column.
template <typename Value>
tp_column column(const std::vector<Value> &values)
{
  check_column_of<Value>();
  return {values.data(), sizeof(Value)};
}

// A column does not keep the array: a temporary one would be gone before the step.
template <typename Struct, typename Member>
tp_column column(const std::vector<Struct> &&structs, Member Struct::*member) = delete;
template <typename Value>
tp_column column(const std::vector<Value> &&values) = delete;

/// Results of calls, reused from frame to frame.
class Buffer {
public:
  Buffer()
  {
    tp_buffer *buffer = nullptr;
    check(tp_buffer_create(&buffer));
    buffer_.reset(buffer);
  }
  tp_buffer *get() const noexcept { return buffer_.get(); }

private:
  struct Destroy {
    void operator()(tp_buffer *buffer) const noexcept { tp_buffer_destroy(buffer); }
  };
  std::unique_ptr<tp_buffer, Destroy> buffer_;
};

/// The hits of tp_query_box() or another query with the same arguments.
inline Span<tp_hit> query_hits(decltype(&tp_query_box) query, const tp_world *world, const tp_query_options *options,
                               const tp_box &area, Buffer &buffer)
{
  const tp_hit *hits = nullptr;
  std::size_t count = 0;
  check(query(world, options, area, buffer.get(), &hits, &count));
  return {hits, count};
}

/// A completed step, which other threads query while the world steps on.
class Snapshot {
public:
  explicit Snapshot(tp_snapshot *snapshot) : snapshot_(snapshot) {}
  tp_snapshot *get() const noexcept { return snapshot_.get(); }

  tp_snapshot_counts counts() const
  {
    tp_snapshot_counts counts = {};
    check(tp_snapshot_get_counts(get(), &counts));
    return counts;
  }

  /// Options of queries of this snapshot; pass null as their world.
  tp_query_options options() const
  {
    tp_query_options options = {};
    options.snapshot = get();
    return options;
  }

  Span<tp_hit> query_box(const tp_box &area, Buffer &buffer) const
  {
    const tp_query_options options = this->options();
    return query_hits(tp_query_box, nullptr, &options, area, buffer);
  }

private:
  struct Destroy {
    void operator()(tp_snapshot *snapshot) const noexcept { tp_snapshot_destroy(snapshot); }
  };
  std::unique_ptr<tp_snapshot, Destroy> snapshot_;
};

/// Gives another thread, such as the renderer, the steps of a world.
class Reader {
public:
  explicit Reader(tp_reader *reader) : reader_(reader) {}
  tp_reader *get() const noexcept { return reader_.get(); }

  Snapshot latest() const
  {
    tp_snapshot *snapshot = nullptr;
    check(tp_reader_latest(get(), &snapshot, nullptr));
    return Snapshot(snapshot);
  }

private:
  struct Destroy {
    void operator()(tp_reader *reader) const noexcept { tp_reader_destroy(reader); }
  };
  std::unique_ptr<tp_reader, Destroy> reader_;
};

/// A world that is destroyed with its last owner.
class World {
public:
  explicit World(const tp_config &config = tp_config_default())
  {
    tp_world *world = nullptr;
    check(tp_world_create(&config, &world));
    world_.reset(world);
  }

  tp_world *get() const noexcept { return world_.get(); }

  void set_statics(const tp_statics &statics) { check(tp_set_statics(get(), &statics)); }
  void step(const tp_bodies &bodies) { check(tp_step(get(), &bodies, 1)); }
  void step(const std::vector<tp_bodies> &chunks) { check(tp_step(get(), chunks.data(), chunks.size())); }

  /// Steps one frame of which only these rows changed since the last step; see tp_step_changed().
  void step_changed(const tp_bodies &bodies, const std::vector<std::uint32_t> &rows)
  {
    tp_changed changed = {};
    changed.rows = rows.data();
    changed.row_count = rows.size();
    check(tp_step_changed(get(), &bodies, 1, &changed));
  }

  tp_counts counts() const
  {
    tp_counts counts = {};
    check(tp_world_counts(get(), &counts));
    return counts;
  }

  /// Calls `each(tp_pair)` for each pair of bodies of the last step. `each` must not change the world
  /// or use the buffer.
  template <typename Each>
  void for_each_pair(Buffer &buffer, Each &&each) const
  {
    const tp_pair_page *pages = nullptr;
    std::size_t count = 0;
    check(tp_body_pages(get(), buffer.get(), &pages, &count));
    for (const tp_pair_page &page : Span<tp_pair_page>(pages, count)) {
      for (const tp_pair &pair : Span<tp_pair>(page.pairs, page.count)) {
        each(pair);
      }
    }
  }

  /// Calls `each(tp_static_pair)` for each pair of a body and a static of the last step, like
  /// for_each_pair().
  template <typename Each>
  void for_each_static_pair(Buffer &buffer, Each &&each) const
  {
    const tp_static_pair_page *pages = nullptr;
    std::size_t count = 0;
    check(tp_static_pages(get(), buffer.get(), &pages, &count));
    for (const tp_static_pair_page &page : Span<tp_static_pair_page>(pages, count)) {
      for (const tp_static_pair &pair : Span<tp_static_pair>(page.pairs, page.count)) {
        each(pair);
      }
    }
  }

  tp_events events(Buffer &buffer, std::uint32_t which = TP_EVENTS_ALL) const
  {
    tp_events events = {};
    check(tp_read_events(get(), which, buffer.get(), &events));
    return events;
  }

  /// Records all further calls that change the world in a file; see tp_record_to().
  void record_to(const std::string &path) { check(tp_record_to(get(), path.c_str())); }

  tp_recording_summary stop_recording()
  {
    tp_recording_summary summary = {};
    check(tp_stop_recording(get(), &summary));
    return summary;
  }

  Reader reader() const
  {
    tp_reader *reader = nullptr;
    check(tp_reader_create(get(), &reader));
    return Reader(reader);
  }

  Span<tp_hit> query_box(const tp_box &area, Buffer &buffer, const tp_query_options *options = nullptr) const
  {
    return query_hits(tp_query_box, get(), options, area, buffer);
  }

  Span<tp_hit> query_containing(const tp_box &aabb, Buffer &buffer, const tp_query_options *options = nullptr) const
  {
    return query_hits(tp_query_containing, get(), options, aabb, buffer);
  }

  Span<tp_hit> query_circle(const tp_circle &circle, Buffer &buffer, const tp_query_options *options = nullptr) const
  {
    const tp_hit *hits = nullptr;
    std::size_t count = 0;
    check(tp_query_circle(get(), options, circle, buffer.get(), &hits, &count));
    return {hits, count};
  }

  /// Up to `k` boxes that a circle overlaps, those nearest to its center first.
  Span<tp_neighbor> nearest(const tp_circle &circle, std::size_t k, Buffer &buffer,
                            const tp_query_options *options = nullptr) const
  {
    const tp_neighbor *neighbors = nullptr;
    std::size_t count = 0;
    check(tp_query_nearest(get(), options, circle, k, buffer.get(), &neighbors, &count));
    return {neighbors, count};
  }

  /// The first box that a ray hits, if there is one.
  std::optional<tp_cast_hit> cast_ray(const tp_ray &ray, const tp_query_options *options = nullptr) const
  {
    tp_cast_hit hit = {};
    std::uint8_t is_hit = 0;
    check(tp_cast_ray(get(), options, ray, &hit, &is_hit));
    return is_hit == 1 ? std::optional<tp_cast_hit>(hit) : std::nullopt;
  }

  /// Whether a ray hits anything, such as a wall in the line of sight.
  bool cast_ray_any(const tp_ray &ray, const tp_query_options *options = nullptr) const
  {
    std::uint8_t is_hit = 0;
    check(tp_cast_ray_any(get(), options, ray, &is_hit));
    return is_hit == 1;
  }

  bool cast_box_any(const tp_box_cast &cast, const tp_query_options *options = nullptr) const
  {
    std::uint8_t is_hit = 0;
    check(tp_cast_box_any(get(), options, cast, &is_hit));
    return is_hit == 1;
  }

private:
  struct Destroy {
    void operator()(tp_world *world) const noexcept { tp_world_destroy(world); }
  };
  std::unique_ptr<tp_world, Destroy> world_;
};

/// Makes the calls of a recording again; throws if one does not return what was recorded.
inline tp_replay_result replay(const std::string &path)
{
  tp_replay_result result = {};
  check(tp_replay(path.c_str(), &result));
  return result;
}

} // namespace triphase

#endif // TRIPHASE_HPP
