// A small physics step in C++17: boxes fall, and bounce off each other and off walls.
//
// The world reads the bodies where they are, in an array of structs. Each frame, its pairs are
// compared with a count by brute force.
//
// usage: physics_cpp [simd_max], a tp_simd_level

#include "triphase.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr float time_step = 1.0f / 60.0f;
constexpr int frame_count = 240;

struct Crate {
  tp_vec2 position;
  tp_vec2 half_extents;
  tp_vec2 velocity;
  std::uint64_t id;
};

tp_box box_of(const Crate &crate)
{
  const auto [p, h] = std::pair(crate.position, crate.half_extents);
  return {p.x - h.x, p.y - h.y, p.x + h.x, p.y + h.y};
}

bool overlap(const tp_box &a, const tp_box &b)
{
  return a.min_x <= b.max_x && b.min_x <= a.max_x && a.min_y <= b.max_y && b.min_y <= a.max_y;
}

void verify(bool is_true, const char *what)
{
  if (!is_true) {
    throw std::logic_error(what);
  }
}

// Moves a crate out of a box along the axis on which they overlap least, by a share of the depth.
void separate(Crate &crate, const tp_box &other, float share)
{
  const tp_box own = box_of(crate);
  const float right = own.max_x - other.min_x, left = other.max_x - own.min_x;
  const float up = own.max_y - other.min_y, down = other.max_y - own.min_y;
  if (std::min(right, left) < std::min(up, down)) {
    const float sign = right < left ? -1.0f : 1.0f;
    crate.position.x += sign * share * std::max(0.0f, std::min(right, left));
    crate.velocity.x = sign * std::abs(crate.velocity.x) * 0.8f;
  } else {
    const float sign = up < down ? -1.0f : 1.0f;
    crate.position.y += sign * share * std::max(0.0f, std::min(up, down));
    crate.velocity.y = sign * std::abs(crate.velocity.y) * 0.5f;
  }
}

void run(std::uint32_t simd_max, const std::string &recording)
{
  tp_config config = tp_config_default();
  config.contact_tracking = 1;
  config.simd_max = simd_max;
  triphase::World world(config);
  triphase::Buffer buffer;
  world.record_to(recording); // to send with a bug report

  const std::vector<tp_box> walls = {
    {-1.0f, -1.0f, 41.0f, 0.0f}, {-1.0f, 0.0f, 0.0f, 80.0f}, {40.0f, 0.0f, 41.0f, 80.0f}, {10.0f, 4.0f, 30.0f, 5.0f}};
  tp_statics statics = {};
  statics.count = walls.size();
  statics.boxes = triphase::column(walls);
  world.set_statics(statics);

  std::vector<Crate> crates;
  for (int k = 0; k < 300; k++) {
    const float size = 0.2f + 0.05f * static_cast<float>(k % 9);
    const tp_vec2 position = {1.0f + 1.25f * static_cast<float>(k % 31), 7.0f + 1.3f * static_cast<float>(k / 31)};
    const tp_vec2 velocity = {static_cast<float>((k * 37) % 13) - 6.0f, 0.0f};
    crates.push_back({position, {size, 0.8f * size}, velocity, static_cast<std::uint64_t>(k) + 500});
  }

  std::size_t pairs_in_all = 0, began_in_all = 0;
  for (int frame = 0; frame < frame_count; frame++) {
    for (Crate &crate : crates) {
      crate.velocity.y -= 9.81f * time_step;
      crate.position.x += crate.velocity.x * time_step;
      crate.position.y += crate.velocity.y * time_step;
    }
    tp_bodies bodies = {};
    bodies.count = crates.size();
    bodies.form = TP_BODIES_CENTERS;
    bodies.centers = triphase::column(crates, &Crate::position);
    bodies.half_extents = triphase::column(crates, &Crate::half_extents);
    bodies.ids = triphase::column(crates, &Crate::id);
    world.step(bodies);

    std::size_t expected = 0, expected_static = 0, found = 0, found_static = 0;
    for (std::size_t i = 0; i < crates.size(); i++) {
      for (std::size_t j = i + 1; j < crates.size(); j++) {
        expected += overlap(box_of(crates[i]), box_of(crates[j]));
      }
      for (const tp_box &wall : walls) {
        expected_static += overlap(box_of(crates[i]), wall);
      }
    }
    world.for_each_pair(buffer, [&](tp_pair pair) {
      verify(overlap(box_of(crates[pair.a]), box_of(crates[pair.b])), "a pair overlaps");
      found++;
    });
    world.for_each_static_pair(buffer, [&](tp_static_pair pair) {
      verify(overlap(box_of(crates[pair.body]), walls[pair.static_row]), "a static pair overlaps");
      found_static++;
    });
    verify(found == expected && found_static == expected_static, "as many pairs as by brute force");
    pairs_in_all += found + found_static;
    began_in_all += world.events(buffer, TP_EVENTS_BEGAN).began_count;

    world.for_each_pair(buffer, [&](tp_pair pair) {
      const tp_box first = box_of(crates[pair.a]);
      separate(crates[pair.a], box_of(crates[pair.b]), 0.5f);
      separate(crates[pair.b], first, 0.5f);
    });
    world.for_each_static_pair(
      buffer, [&](tp_static_pair pair) { separate(crates[pair.body], walls[pair.static_row], 1.0f); });
  }
  verify(began_in_all > 500, "crates meet");

  // An error names the row and the value.
  crates[7].position.y = NAN;
  tp_bodies bodies = {};
  bodies.count = crates.size();
  bodies.form = TP_BODIES_UNIFORM;
  bodies.uniform_half_extents = {0.5f, 0.5f};
  bodies.centers = triphase::column(crates, &Crate::position);
  try {
    world.step(bodies);
    verify(false, "a NaN is an error");
  } catch (const triphase::Error &error) {
    const tp_error &details = error.details();
    verify(details.status == TP_STATUS_INVALID_BODY && details.row == 7 && details.axis == 1, "the error names row 7");
    std::printf("caught: %s\n", error.what());
  }

  // What a piece of the shelf is part of, and where a crate can fall.
  const triphase::Span<tp_hit> around = world.query_containing({19.0f, 4.4f, 21.0f, 4.6f}, buffer);
  verify(around.size() == 1 && around[0].kind == TP_HIT_STATIC && around[0].row == 3, "the shelf contains its piece");
  verify(world.cast_box_any({{15.0f, 70.0f, 16.0f, 71.0f}, {0.0f, -80.0f}}), "a falling crate lands");
  verify(!world.cast_box_any({{-3.0f, 70.0f, -2.0f, 71.0f}, {0.0f, -80.0f}}), "one beside the walls does not");

  // A ray down from above the shelf, in the sight of which are crates, and boxes near its origin.
  const tp_ray down = {{20.0f, 70.0f}, {0.0f, -1.0f}, INFINITY};
  tp_query_options only_statics = {};
  only_statics.targets = TP_TARGETS_STATICS;
  const auto landing = world.cast_ray(down, &only_statics);
  verify(landing && landing->target.row == 3 && landing->time == 65.0 && landing->normal.y == 1.0f, "on the shelf");
  verify(world.cast_ray_any(down) && !world.cast_ray_any({{20.0f, 70.0f}, {0.0f, 1.0f}, INFINITY}), "not upwards");
  const tp_circle around_shelf = {{20.0f, 4.5f}, 3.0f};
  const std::size_t in_circle = world.query_circle(around_shelf, buffer).size();
  const triphase::Span<tp_neighbor> near = world.nearest(around_shelf, 400, buffer);
  verify(near.size() == in_circle && near[0].target.row == 3 && near[0].distance == 0.0, "the shelf is nearest");
  verify(world.counts().body_count == crates.size() && world.counts().static_count == walls.size(), "counts");

  // A step that is told which crate moved finds the pairs of a step over all.
  crates[7].position.y = 75.0f;
  world.step(bodies);
  crates[7].position = crates[8].position;
  world.step_changed(bodies, {7});
  const std::uint64_t told_pairs = world.counts().body_pair_count;
  world.step(bodies);
  verify(told_pairs > 0 && world.counts().body_pair_count == told_pairs, "as many pairs as a step over all rows");

  // Made again, all calls return the same, the error included.
  const tp_recording_summary recorded = world.stop_recording();
  const tp_replay_result replayed = triphase::replay(recording);
  verify(recorded.call_count == frame_count + 5 && replayed.call_count == recorded.call_count, "all calls are recorded");
  verify(replayed.step_number == frame_count + 3 && replayed.is_complete == 1, "all steps are replayed");
  std::remove(recording.c_str());

  // A renderer on another thread sees the last step, which it may keep while the world steps on.
  const tp_box view = {0.0f, 0.0f, 40.0f, 20.0f};
  std::size_t in_view = 0;
  std::thread renderer([reader = world.reader(), view, &in_view] {
    const triphase::Snapshot snapshot = reader.latest();
    triphase::Buffer hits;
    in_view = snapshot.query_box(view, hits).size();
    verify(snapshot.counts().step_number == frame_count + 3, "the failed step is not seen");
  });
  renderer.join();
  verify(in_view == world.query_box(view, buffer).size(), "as many boxes as the world has in view");
  std::printf("%d frames of %zu crates: %zu pairs as by brute force, %zu contacts began, %zu boxes in view\n",
              frame_count, crates.size(), pairs_in_all, began_in_all, in_view);
}

} // namespace

int main(int argc, char **argv)
{
  try {
    run(argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : TP_SIMD_BEST,
        std::string(argv[0]) + ".recording");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
