// Walks the error paths of the C interface, and calls what the examples do not.

#include "triphase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed_count;

#define EXPECT(condition)                                                                     \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, tp_last_error_message()); \
      failed_count++;                                                                         \
    }                                                                                         \
  } while (0)

#define OK(call) EXPECT((call) == TP_STATUS_OK)
#define FAILS(status, call) EXPECT((call) == (status))
#define MESSAGE(text) EXPECT(strstr(tp_last_error_message(), text) != NULL)

typedef struct Unit {
  char kind;
  tp_vec2 center;
  tp_vec2 half;
  uint64_t id;
  tp_filter filter;
  uint8_t asleep;
} Unit;

enum { UNIT_COUNT = 3 };

static Unit units[UNIT_COUNT] = {
  {'a', {0.0f, 0.0f}, {0.5f, 0.5f}, 70, {1, 1}, 0},
  {'b', {0.8f, 0.0f}, {0.5f, 0.5f}, 71, {1, 1}, 0},
  {'c', {9.0f, 0.0f}, {0.5f, 0.5f}, 72, {2, 2}, 0},
};

static tp_error last_error(void)
{
  tp_error error;
  OK(tp_last_error(&error));
  return error;
}

static tp_bodies unit_bodies(void)
{
  return (tp_bodies){
    .count = UNIT_COUNT,
    .centers = {&units[0].center, sizeof(Unit)},
    .half_extents = {&units[0].half, sizeof(Unit)},
    .ids = {&units[0].id, sizeof(Unit)},
    .filters = {&units[0].filter, sizeof(Unit)},
    .asleep = {&units[0].asleep, sizeof(Unit)},
  };
}

static tp_world *new_world(uint8_t tracking, uint32_t simd_max)
{
  tp_config config = tp_config_default();
  config.contact_tracking = tracking;
  config.partner_lists = tracking;
  config.simd_max = simd_max;
  tp_world *world = NULL;
  OK(tp_world_create(&config, &world));
  return world;
}

static void test_no_error(void)
{
  EXPECT(tp_last_error_message()[0] == '\0');
  EXPECT(last_error().status == TP_STATUS_OK);
  EXPECT(tp_abi_version() == TP_ABI_VERSION);
}

static void test_config(void)
{
  tp_world *world = NULL;
  FAILS(TP_STATUS_NULL_POINTER, tp_world_create(NULL, NULL));
  MESSAGE("world is null");
  OK(tp_world_create(NULL, &world));
  OK(tp_world_destroy(world));
  OK(tp_world_destroy(NULL));

  tp_config config = tp_config_default();
  config.margin = 0.5f;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  MESSAGE("margin is 0.5");
  EXPECT(last_error().value == 0.5);
  config = tp_config_default();
  config.bound_count = 9;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  config = tp_config_default();
  config.bound_count = 1;
  config.bounds[0] = -1.0f;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  EXPECT(last_error().value == -1.0);
  config = tp_config_default();
  config.simd_max = 77;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  MESSAGE("simd_max is 77");
  config = tp_config_default();
  config.body_shape = 2;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  config = tp_config_default();
  config.contact_tracking = 2;
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_world_create(&config, &world));
  config = tp_config_default();
  config.reserved[3] = 1;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  config = tp_config_default();
  config.thread_count = 100000;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  memset(&config, 0, sizeof config);
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  MESSAGE("struct_size is 0");
  config.struct_size = 4096;
  FAILS(TP_STATUS_INVALID_CONFIG, tp_world_create(&config, &world));
  FAILS(TP_STATUS_NULL_POINTER, tp_config_init(NULL, (uint32_t)sizeof config, TP_ABI_VERSION));
  FAILS(TP_STATUS_INVALID_CONFIG, tp_config_init(&config, 3, TP_ABI_VERSION));
  FAILS(TP_STATUS_INVALID_CONFIG, tp_config_init(&config, (uint32_t)sizeof config, TP_ABI_VERSION + 1));
  MESSAGE("the header has version 2 of the interface, the library 1");
  FAILS(TP_STATUS_MISALIGNED_POINTER, tp_world_create((const tp_config *)((const char *)&config + 1), &world));
}

static void test_step(tp_world *world)
{
  tp_bodies bodies = unit_bodies();
  tp_counts counts;
  OK(tp_step(world, &bodies, 1));
  OK(tp_world_counts(world, &counts));
  EXPECT(counts.body_pair_count == 1 && counts.body_count == 3 && counts.step_number == 1);

  FAILS(TP_STATUS_NULL_POINTER, tp_step(NULL, &bodies, 1));
  FAILS(TP_STATUS_NULL_POINTER, tp_step(world, NULL, 1));
  FAILS(TP_STATUS_MISALIGNED_POINTER, tp_step(world, (const tp_bodies *)((const char *)&bodies + 1), 1));
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_step(world, &bodies, SIZE_MAX));

  bodies.centers.data = NULL;
  FAILS(TP_STATUS_NULL_POINTER, tp_step(world, &bodies, 1));
  MESSAGE("centers: data is null");
  EXPECT(last_error().column == TP_COLUMN_CENTER);
  bodies = unit_bodies();
  bodies.half_extents.stride = 4;
  FAILS(TP_STATUS_INVALID_STRIDE, tp_step(world, &bodies, 1));
  MESSAGE("half_extents: the stride is 4 bytes");
  EXPECT(last_error().column == TP_COLUMN_HALF_EXTENT && last_error().expected == 8 && last_error().found == 4);
  bodies = unit_bodies();
  bodies.ids.stride = 0;
  FAILS(TP_STATUS_INVALID_STRIDE, tp_step(world, &bodies, 1));
  EXPECT(last_error().column == TP_COLUMN_ID);
  bodies = unit_bodies();
  bodies.filters.stride = SIZE_MAX / 2;
  FAILS(TP_STATUS_INVALID_STRIDE, tp_step(world, &bodies, 1));
  EXPECT(last_error().column == TP_COLUMN_FILTER);
  bodies = unit_bodies();
  bodies.form = 3;
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_step(world, &bodies, 1));
  MESSAGE("form is 3");

  // NaN, in one chunk and in the second of two.
  bodies = unit_bodies();
  units[2].center.y = NAN;
  FAILS(TP_STATUS_INVALID_BODY, tp_step(world, &bodies, 1));
  MESSAGE("body row 2: center.y is NaN");
  tp_error error = last_error();
  EXPECT(error.row == 2 && error.axis == 1 && error.column == TP_COLUMN_CENTER && isnan(error.value));
  EXPECT(error.chunk == TP_NONE && error.row_in_chunk == TP_NONE);
  tp_bodies chunks[2] = {unit_bodies(), unit_bodies()};
  chunks[0].count = 1;
  chunks[1].count = 2;
  chunks[1].centers.data = &units[1].center;
  FAILS(TP_STATUS_INVALID_BODY, tp_step(world, chunks, 2));
  error = last_error();
  EXPECT(error.row == 2 && error.chunk == 1 && error.row_in_chunk == 1);
  units[2].center.y = 0.0f;
  units[1].half.x = -2.0f;
  FAILS(TP_STATUS_INVALID_BODY, tp_step(world, &bodies, 1));
  EXPECT(last_error().value == -2.0 && last_error().column == TP_COLUMN_HALF_EXTENT);
  units[1].half.x = 0.5f;
  chunks[1].ids.data = NULL;
  FAILS(TP_STATUS_INCONSISTENT_IDS, tp_step(world, chunks, 2));
  chunks[1].centers.stride = 1;
  FAILS(TP_STATUS_INVALID_STRIDE, tp_step(world, chunks, 2));
  MESSAGE("chunk 1: centers");
  EXPECT(last_error().chunk == 1);

  // After all these errors the last successful step is still there.
  OK(tp_world_counts(world, &counts));
  EXPECT(counts.body_pair_count == 1 && counts.step_number == 1);

  // Nothing at all is fine.
  const tp_bodies none = {0};
  OK(tp_step(world, &none, 1));
  OK(tp_step(world, NULL, 0));
  OK(tp_world_counts(world, &counts));
  EXPECT(counts.body_count == 0 && counts.step_number == 3);

  // Boxes; a packed struct, whose values are not aligned.
  unsigned char packed[3 * 17];
  const tp_box boxes[3] = {{0, 0, 1, 1}, {1, 1, 2, 2}, {3, 3, 4, 4}};
  for (size_t k = 0; k < 3; k++) {
    memcpy(&packed[k * 17 + 1], &boxes[k], sizeof boxes[k]);
  }
  bodies = (tp_bodies){.count = 3, .form = TP_BODIES_BOXES, .boxes = {&packed[1], 17}};
  OK(tp_step(world, &bodies, 1));
  tp_pair pair;
  size_t count;
  OK(tp_copy_body_pairs(world, TP_ORDER_SORTED, &pair, 1, &count));
  EXPECT(count == 1 && pair.a == 0 && pair.b == 1);
}

static void test_changed(tp_world *world)
{
  tp_bodies bodies = unit_bodies();
  OK(tp_step(world, &bodies, 1));
  const uint32_t row = 2, no_row = 3;
  const uint8_t flags[3] = {0, 0, 1}, wrong_flags[3] = {0, 2, 0};
  const uint64_t bits = 4;
  units[2].center.x = 1.6f;
  units[2].filter = (tp_filter){1, 1};
  tp_changed changed = {.rows = &row, .row_count = 1};
  OK(tp_step_changed(world, &bodies, 1, &changed));
  const tp_pair *pairs;
  size_t count;
  OK(tp_changed_pairs(world, &pairs, &count));
  EXPECT(count == 1 && pairs[0].a == 1 && pairs[0].b == 2);
  const tp_static_pair *static_pairs;
  OK(tp_changed_static_pairs(world, &static_pairs, &count));
  EXPECT(count == 0);
  changed = (tp_changed){.flags = flags, .flag_count = 3};
  OK(tp_step_changed(world, &bodies, 1, &changed));
  changed = (tp_changed){.bits = &bits, .bit_word_count = 1};
  OK(tp_step_changed(world, &bodies, 1, &changed));
  OK(tp_step_changed(world, &bodies, 1, &(tp_changed){0}));

  FAILS(TP_STATUS_NULL_POINTER, tp_step_changed(world, &bodies, 1, NULL));
  FAILS(TP_STATUS_NULL_POINTER, tp_step_changed(world, &bodies, 1, &(tp_changed){.row_count = 1}));
  FAILS(TP_STATUS_NOT_FOUND, tp_step_changed(world, &bodies, 1, &(tp_changed){.rows = &no_row, .row_count = 1}));
  EXPECT(last_error().row == 3 && last_error().expected == 3);
  FAILS(TP_STATUS_LENGTH_MISMATCH, tp_step_changed(world, &bodies, 1, &(tp_changed){.flags = flags, .flag_count = 2}));
  FAILS(TP_STATUS_NULL_POINTER, tp_step_changed(world, &bodies, 1, &(tp_changed){.flag_count = 3}));
  FAILS(TP_STATUS_NULL_POINTER, tp_step_changed(world, &bodies, 1, &(tp_changed){.bit_word_count = 1}));
  changed = (tp_changed){.row_count = 1, .flags = flags, .flag_count = 3};
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_step_changed(world, &bodies, 1, &changed));
  bodies.reserved = 1;
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_step(world, &bodies, 1));
  bodies.reserved = 0;
  FAILS(TP_STATUS_INVALID_ARGUMENT,
        tp_step_changed(world, &bodies, 1, &(tp_changed){.flags = wrong_flags, .flag_count = 3}));
  MESSAGE("flag of changed row 1 is 2; must be 0 or 1");
  EXPECT(last_error().row == 1 && last_error().value == 2.0);
  changed = (tp_changed){.rows = &row, .row_count = 1, .bits = &bits, .bit_word_count = 1};
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_step_changed(world, &bodies, 1, &changed));
}

static void test_statics(tp_world *world)
{
  const struct {
    uint64_t id;
    tp_box box;
    tp_filter filter;
  } walls[2] = {{900, {-5, -2, 20, -0.4f}, {3, 3}}, {901, {50, 50, 51, 51}, {3, 3}}};
  tp_statics statics = {2, {&walls[0].box, sizeof walls[0]}, {&walls[0].id, sizeof walls[0]},
                        {&walls[0].filter, sizeof walls[0]}};
  OK(tp_set_statics(world, &statics));
  FAILS(TP_STATUS_NULL_POINTER, tp_set_statics(world, NULL));
  statics.boxes.data = NULL;
  FAILS(TP_STATUS_NULL_POINTER, tp_set_statics(world, &statics));
  EXPECT(last_error().column == TP_COLUMN_BOX);
  const tp_box inverted[2] = {{0, 0, 1, 1}, {0, 1, 1, 0}};
  FAILS(TP_STATUS_INVALID_STATIC, tp_set_statics(world, &(tp_statics){.count = 2, .boxes = {inverted, 16}}));
  EXPECT(last_error().row == 1 && last_error().axis == 1 && last_error().min == 1.0);

  const tp_box bridge = {60, 0, 61, 1};
  const uint64_t bridge_id = 902;
  uint32_t first_row = 0;
  statics = (tp_statics){.count = 1, .boxes = {&bridge, 16}, .ids = {&bridge_id, 8}};
  OK(tp_insert_statics(world, &statics, &first_row));
  EXPECT(first_row == 2);
  FAILS(TP_STATUS_DUPLICATE_ID, tp_insert_statics(world, &statics, NULL));
  EXPECT(last_error().id == 902 && last_error().row == 2 && last_error().second_row == 3);
  statics.ids.data = NULL;
  FAILS(TP_STATUS_INCONSISTENT_IDS, tp_insert_statics(world, &statics, NULL));
  statics.ids.data = &bridge_id;
  const uint32_t rows[2] = {2, 7}, same_row[2] = {2, 2};
  OK(tp_replace_statics(world, rows, 1, &statics));
  FAILS(TP_STATUS_LENGTH_MISMATCH, tp_replace_statics(world, same_row, 2, &statics));
  FAILS(TP_STATUS_NOT_FOUND, tp_replace_statics(world, &rows[1], 1, &statics));
  FAILS(TP_STATUS_NOT_FOUND, tp_remove_statics(world, rows, 2));
  OK(tp_remove_statics(world, rows, 1));
  FAILS(TP_STATUS_REMOVED, tp_set_static_enabled(world, 2, 1));
  FAILS(TP_STATUS_NOT_FOUND, tp_set_static_enabled(world, 9, 1));
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_set_static_enabled(world, 0, 2));
  OK(tp_set_static_enabled(world, 1, 0));
  tp_static found;
  OK(tp_get_static(world, 1, &found));
  EXPECT(found.id == 901 && found.has_id == 1 && found.enabled == 0 && found.removed == 0 && found.aabb.min_x == 50.0f);
  OK(tp_get_static(world, 2, &found));
  EXPECT(found.removed == 1);
  FAILS(TP_STATUS_NOT_FOUND, tp_get_static(world, 3, &found));
}

static void test_contacts(tp_world *world, tp_buffer *buffer)
{
  tp_bodies bodies = unit_bodies();
  OK(tp_step(world, &bodies, 1));
  size_t count = 0;
  tp_pair pairs[4];
  FAILS(TP_STATUS_BUFFER_TOO_SMALL, tp_copy_body_pairs(world, TP_ORDER_FOUND, NULL, 0, &count));
  EXPECT(count == 2 && last_error().expected == 2 && last_error().found == 0);
  FAILS(TP_STATUS_NULL_POINTER, tp_copy_body_pairs(world, TP_ORDER_FOUND, NULL, 4, &count));
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_copy_body_pairs(world, 2, pairs, 4, &count));
  OK(tp_copy_body_pairs(world, TP_ORDER_SORTED, pairs, 4, &count));
  EXPECT(count == 2 && pairs[0].a == 0 && pairs[1].a == 1);
  tp_static_pair static_pairs[4];
  OK(tp_copy_static_pairs(world, TP_ORDER_SORTED, static_pairs, 4, &count));
  EXPECT(count == 3 && static_pairs[2].body == 2 && static_pairs[2].static_row == 0);

  uint64_t id;
  OK(tp_body_id(world, 1, &id));
  EXPECT(id == 71);
  FAILS(TP_STATUS_NOT_FOUND, tp_body_id(world, 3, &id));
  FAILS(TP_STATUS_NULL_POINTER, tp_body_id(world, 1, NULL));
  tp_box box;
  OK(tp_body_box(world, 0, &box));
  EXPECT(box.min_x == -0.5f && box.max_y == 0.5f);
  FAILS(TP_STATUS_NOT_FOUND, tp_body_box(world, 3, &box));
  EXPECT(last_error().row == 3);

  const uint32_t *rows;
  OK(tp_partners(world, 1, &rows, &count));
  EXPECT(count == 2 && rows[0] == 0 && rows[1] == 2);
  OK(tp_static_partners(world, 1, &rows, &count));
  EXPECT(count == 1 && rows[0] == 0);
  tp_islands islands;
  OK(tp_build_islands(world, 0, buffer, &islands));
  EXPECT(islands.island_count == 1 && islands.row_count == 3 && islands.starts[1] == 3 && islands.rows[2] == 2);
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_build_islands(world, 3, buffer, &islands));
  FAILS(TP_STATUS_NULL_POINTER, tp_build_islands(world, 0, NULL, &islands));
  uint32_t order[3];
  OK(tp_spatial_order(world, order, 3, &count));
  EXPECT(count == 3 && (1 << order[0] | 1 << order[1] | 1 << order[2]) == 7);
  FAILS(TP_STATUS_BUFFER_TOO_SMALL, tp_spatial_order(world, order, 2, &count));
}

static void test_events(tp_world *world, tp_buffer *buffer)
{
  tp_events events;
  OK(tp_read_events(world, TP_EVENTS_ALL, buffer, &events));
  EXPECT(events.began_count + events.persisted_count == 2);
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_read_events(world, 8, buffer, &events));
  tp_tracked_pair values[2] = {{{0, 1}, 42}, {{0, 2}, 43}};
  FAILS(TP_STATUS_NOT_FOUND, tp_set_contact_values(world, values, 2));
  uint32_t value = 7;
  OK(tp_contact_value(world, (tp_pair){0, 1}, &value));
  EXPECT(value == 0);
  OK(tp_set_contact_values(world, values, 1));
  OK(tp_contact_value(world, (tp_pair){0, 1}, &value));
  EXPECT(value == 42);
  FAILS(TP_STATUS_NOT_FOUND, tp_contact_value(world, (tp_pair){0, 2}, &value));
  FAILS(TP_STATUS_NOT_FOUND, tp_contact_value(world, (tp_pair){1, 0}, &value));
  MESSAGE("rows 1 and 0 have no tracked contact (of two bodies, the lower row is first)");
  const tp_tracked_static_pair static_value = {{2, 0}, 44};
  OK(tp_set_static_contact_values(world, &static_value, 1));
  OK(tp_static_contact_value(world, (tp_static_pair){2, 0}, &value));
  EXPECT(value == 44);

  // Values are reported when contacts end.
  OK(tp_step(world, NULL, 0));
  OK(tp_read_events(world, TP_EVENTS_ENDED, buffer, &events));
  EXPECT(events.ended_count == 2 && events.static_ended_count == 3 && events.began_count == 0);
  uint32_t sum = 0;
  for (size_t k = 0; k < events.ended_count; k++) {
    sum += events.ended[k].value;
    EXPECT(events.ended[k].a_id >= 70 && events.ended[k].b_id <= 72);
  }
  for (size_t k = 0; k < events.static_ended_count; k++) {
    sum += events.static_ended[k].value;
    EXPECT(events.static_ended[k].static_id == 900);
  }
  EXPECT(sum == 42 + 44);
  tp_bodies bodies = unit_bodies();
  OK(tp_step(world, &bodies, 1));
}

static void test_queries(tp_world *world, tp_buffer *buffer)
{
  const tp_hit *hits;
  const tp_neighbor *neighbors;
  const tp_cast_hit *cast_hits;
  size_t count;
  const tp_box all = {-10, -10, 30, 30};
  OK(tp_query_box(world, NULL, all, buffer, &hits, &count));
  EXPECT(count == 4);
  FAILS(TP_STATUS_INVALID_SHAPE, tp_query_box(world, NULL, (tp_box){1, 0, 0, 1}, buffer, &hits, &count));
  MESSAGE("max.x is 0");
  FAILS(TP_STATUS_NULL_POINTER, tp_query_box(NULL, NULL, all, buffer, &hits, &count));
  FAILS(TP_STATUS_NULL_POINTER, tp_query_box(world, NULL, all, NULL, &hits, &count));
  FAILS(TP_STATUS_NULL_POINTER, tp_query_box(world, NULL, all, buffer, NULL, &count));
  const uint32_t self = 0;
  tp_query_options options = {.targets = TP_TARGETS_BODIES, .excluded_bodies = &self, .excluded_body_count = 1};
  OK(tp_query_box(world, &options, all, buffer, &hits, &count));
  EXPECT(count == 2 && hits[0].kind == TP_HIT_BODY && hits[0].id == hits[0].row + 70u && hits[0].has_id == 1);
  options.excluded_bodies = NULL;
  FAILS(TP_STATUS_NULL_POINTER, tp_query_box(world, &options, all, buffer, &hits, &count));
  options = (tp_query_options){.targets = 9};
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_query_box(world, &options, all, buffer, &hits, &count));
  options = (tp_query_options){.has_filter = 1, .filter = {UINT32_MAX, 2}};
  OK(tp_query_box(world, &options, all, buffer, &hits, &count));
  EXPECT(count == 1 && hits[0].kind == TP_HIT_STATIC && hits[0].id == 900);
  OK(tp_query_contained(world, NULL, (tp_box){-1, -1, 1, 1}, buffer, &hits, &count));
  EXPECT(count == 1);
  OK(tp_query_point(world, NULL, (tp_vec2){0.4f, 0.0f}, buffer, &hits, &count));
  EXPECT(count == 2);
  OK(tp_query_containing(world, NULL, (tp_box){0.4f, 0, 0.5f, 0.2f}, buffer, &hits, &count));
  EXPECT(count == 2);
  OK(tp_query_containing(world, NULL, (tp_box){0.4f, 0, 0.6f, 0.2f}, buffer, &hits, &count));
  EXPECT(count == 1 && hits[0].row == 1);
  FAILS(TP_STATUS_INVALID_SHAPE, tp_query_containing(world, NULL, (tp_box){1, 0, 0, 1}, buffer, &hits, &count));
  OK(tp_query_circle(world, NULL, (tp_circle){{5, 5}, 1}, buffer, &hits, &count));
  EXPECT(count == 0);
  FAILS(TP_STATUS_INVALID_SHAPE, tp_query_circle(world, NULL, (tp_circle){{5, 5}, -1}, buffer, &hits, &count));
  EXPECT(last_error().value == -1.0);
  OK(tp_query_nearest(world, NULL, (tp_circle){{0, 9}, INFINITY}, 2, buffer, &neighbors, &count));
  EXPECT(count == 2 && neighbors[0].target.row == 0 && neighbors[0].distance == 8.5);

  tp_cast_hit hit;
  uint8_t is_hit;
  const tp_ray ray = {{-5, 0}, {1, 0}, 100};
  OK(tp_cast_ray(world, NULL, ray, &hit, &is_hit));
  EXPECT(is_hit == 1 && hit.target.row == 0 && hit.time == 4.5 && hit.normal.x == -1.0f);
  OK(tp_cast_ray(world, NULL, (tp_ray){{0, 5}, {0, 1}, 100}, &hit, &is_hit));
  EXPECT(is_hit == 0 && isinf(hit.time));
  OK(tp_cast_ray_all(world, NULL, ray, buffer, &cast_hits, &count));
  EXPECT(count == 3 && cast_hits[2].target.row == 2);
  OK(tp_cast_ray_any(world, NULL, ray, &is_hit));
  EXPECT(is_hit == 1);
  OK(tp_cast_box(world, NULL, (tp_box_cast){{-3, 0, -2, 1}, {4, 0}}, &hit, &is_hit));
  EXPECT(is_hit == 1 && hit.time == 0.375);
  OK(tp_cast_box_all(world, NULL, (tp_box_cast){{-3, 0, -2, 1}, {4, 0}}, buffer, &cast_hits, &count));
  EXPECT(count == 3);
  OK(tp_cast_box_any(world, NULL, (tp_box_cast){{-3, 0, -2, 1}, {1.5f, 0}}, &is_hit));
  EXPECT(is_hit == 1);
  OK(tp_cast_box_any(world, NULL, (tp_box_cast){{-3, 0, -2, 1}, {1.25f, 0}}, &is_hit));
  EXPECT(is_hit == 0);
  FAILS(TP_STATUS_INVALID_SHAPE, tp_cast_box_any(world, NULL, (tp_box_cast){{-3, 0, -2, 1}, {NAN, 0}}, &is_hit));
  FAILS(TP_STATUS_NULL_POINTER, tp_cast_box_any(world, NULL, (tp_box_cast){{-3, 0, -2, 1}, {1, 0}}, NULL));
  FAILS(TP_STATUS_INVALID_SHAPE, tp_cast_ray(world, NULL, (tp_ray){{NAN, 0}, {1, 0}, 1}, &hit, &is_hit));
  FAILS(TP_STATUS_NULL_POINTER, tp_cast_ray(world, NULL, ray, NULL, &is_hit));

  tp_hit_batch batch;
  tp_box areas[3] = {all, {100, 100, 101, 101}, {-0.6f, 0, -0.4f, 1}};
  OK(tp_query_boxes(world, NULL, areas, 3, buffer, &batch));
  EXPECT(batch.hit_count == 5 && batch.offsets[1] == 4 && batch.offsets[2] == 4 && batch.offsets[3] == 5);
  EXPECT(batch.hits[4].row == 0);
  areas[1].min_x = NAN;
  FAILS(TP_STATUS_INVALID_SHAPE, tp_query_boxes(world, NULL, areas, 3, buffer, &batch));
  MESSAGE("query 1: ");
  EXPECT(last_error().row == 1 && last_error().axis == 0);
  OK(tp_query_boxes(world, NULL, NULL, 0, buffer, &batch));
  EXPECT(batch.hit_count == 0 && batch.offsets[0] == 0);
  const tp_circle circles[2] = {{{0, 9}, 1}, {{0, 0}, 1}};
  OK(tp_query_circles(world, NULL, circles, 2, buffer, &batch));
  EXPECT(batch.offsets[1] == 0 && batch.hit_count == 3);
  tp_neighbor_batch near;
  OK(tp_query_nearests(world, NULL, circles, 2, 1, buffer, &near));
  EXPECT(near.neighbor_count == 1 && near.neighbors[0].distance == 0.0);
  tp_cast_batch casts;
  const tp_ray rays[2] = {{{0, 5}, {0, 1}, 100}, {{-5, 0}, {1, 0}, 100}};
  OK(tp_cast_rays(world, NULL, rays, 2, buffer, &casts));
  EXPECT(casts.hit_count == 1 && casts.offsets[1] == 0 && casts.hits[0].time == 4.5);
  FAILS(TP_STATUS_NULL_POINTER, tp_cast_rays(world, NULL, NULL, 2, buffer, &casts));
}

static void test_snapshots(tp_world *world, tp_buffer *buffer)
{
  tp_reader *reader = NULL;
  tp_snapshot *snapshot = NULL;
  uint64_t step_number = 0;
  OK(tp_reader_create(world, &reader));
  OK(tp_reader_latest(reader, &snapshot, &step_number));
  OK(tp_step(world, NULL, 0));
  const tp_query_options options = {.snapshot = snapshot, .targets = TP_TARGETS_BODIES};
  const tp_hit *hits;
  size_t count;
  const tp_box all = {-10, -10, 30, 30};
  OK(tp_query_box(NULL, &options, all, buffer, &hits, &count));
  EXPECT(count == 3);
  tp_hit_batch batch;
  OK(tp_query_boxes(NULL, &options, &all, 1, buffer, &batch));
  EXPECT(batch.hit_count == 3);
  tp_counts counts;
  OK(tp_world_counts(world, &counts));
  EXPECT(counts.step_number == step_number + 1);
  FAILS(TP_STATUS_NULL_POINTER, tp_reader_latest(NULL, &snapshot, NULL));

  // The snapshot is of the step before, also where it is not queried.
  tp_snapshot_counts of_snapshot;
  OK(tp_snapshot_get_counts(snapshot, &of_snapshot));
  EXPECT(of_snapshot.step_number == step_number && of_snapshot.body_count == UNIT_COUNT);
  EXPECT(of_snapshot.static_count == counts.static_count && counts.body_count == 0);
  uint64_t id = 0;
  OK(tp_snapshot_body_id(snapshot, 2, &id));
  EXPECT(id == 72);
  FAILS(TP_STATUS_NOT_FOUND, tp_snapshot_body_id(snapshot, UNIT_COUNT, &id));
  EXPECT(last_error().row == UNIT_COUNT);
  tp_box aabb;
  OK(tp_snapshot_body_box(snapshot, 2, &aabb));
  EXPECT(aabb.min_x == units[2].center.x - units[2].half.x && aabb.max_y == units[2].center.y + units[2].half.y);
  FAILS(TP_STATUS_NOT_FOUND, tp_snapshot_body_box(snapshot, UNIT_COUNT, &aabb));
  tp_static first, found;
  OK(tp_get_static(world, 0, &first));
  OK(tp_snapshot_static(snapshot, 0, &found));
  EXPECT(found.aabb.min_x == first.aabb.min_x && found.id == first.id && found.enabled == first.enabled);
  FAILS(TP_STATUS_NOT_FOUND, tp_snapshot_static(snapshot, (uint32_t)of_snapshot.static_count, &found));
  FAILS(TP_STATUS_NULL_POINTER, tp_snapshot_get_counts(NULL, &of_snapshot));

  tp_snapshot *newer = NULL;
  uint8_t is_closed = 1;
  OK(tp_reader_wait_newer(reader, step_number, 60.0, &newer, &is_closed));
  EXPECT(newer != NULL && is_closed == 0);
  OK(tp_snapshot_get_counts(newer, &of_snapshot));
  EXPECT(of_snapshot.step_number == step_number + 1);
  OK(tp_snapshot_destroy(newer));
  OK(tp_reader_wait_newer(reader, step_number + 1, 0.001, &newer, NULL));
  EXPECT(newer == NULL);
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_reader_wait_newer(reader, 0, -1.0, &newer, NULL));
  OK(tp_reader_destroy(reader));
  OK(tp_query_box(NULL, &options, all, buffer, &hits, &count));
  EXPECT(count == 3);
  OK(tp_snapshot_destroy(snapshot));
  OK(tp_reader_destroy(NULL));
  OK(tp_snapshot_destroy(NULL));
  tp_bodies bodies = unit_bodies();
  OK(tp_step(world, &bodies, 1));
}

// A world with threads of its own whose snapshots are used after it was destroyed.
static void test_snapshots_outlive_worlds(tp_buffer *buffer)
{
  tp_config config = tp_config_default();
  config.thread_count = 2;
  tp_world *world = NULL;
  tp_reader *reader = NULL;
  tp_snapshot *snapshot = NULL;
  OK(tp_world_create(&config, &world));
  const tp_bodies bodies = unit_bodies();
  OK(tp_step(world, &bodies, 1));
  OK(tp_reader_create(world, &reader));
  OK(tp_world_destroy(world));
  OK(tp_reader_latest(reader, &snapshot, NULL));
  tp_snapshot *newer = NULL;
  uint8_t is_closed = 0;
  OK(tp_reader_wait_newer(reader, 1, INFINITY, &newer, &is_closed));
  EXPECT(newer == NULL && is_closed == 1);
  OK(tp_reader_destroy(reader));
  const tp_query_options options = {.snapshot = snapshot};
  const tp_vec2 last = units[2].center;
  const tp_box areas[2] = {{-10, -10, 30, 30}, {last.x, last.y, last.x, last.y}};
  tp_hit_batch batch;
  OK(tp_query_boxes(NULL, &options, areas, 2, buffer, &batch));
  EXPECT(batch.hit_count == 4 && batch.offsets[1] == 3);
  OK(tp_snapshot_destroy(snapshot));
}

static void test_whole_world(tp_world *world)
{
  tp_report report;
  OK(tp_get_report(world, &report));
  EXPECT(report.common_count == 3 && report.body_pair_count == 2 && report.static_count == 3);
  char text[4096];
  size_t count;
  OK(tp_report_text(world, text, sizeof text, &count));
  EXPECT(count == strlen(text) + 1);
  FAILS(TP_STATUS_BUFFER_TOO_SMALL, tp_report_text(world, text, 3, &count));
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_shift_origin(world, (tp_vec2){NAN, 0}));
  OK(tp_shift_origin(world, (tp_vec2){100, 0}));
  tp_box box;
  OK(tp_body_box(world, 0, &box));
  EXPECT(box.min_x == -100.5f);
  OK(tp_shrink(world));
  FAILS(TP_STATUS_NULL_POINTER, tp_shrink(NULL));
}

static void test_off(uint32_t simd_max, tp_buffer *buffer)
{
  tp_world *world = new_world(0, simd_max);
  tp_events events;
  uint32_t value;
  const uint32_t *rows;
  size_t count;
  const tp_tracked_pair pair = {{0, 1}, 2};
  FAILS(TP_STATUS_OFF, tp_read_events(world, TP_EVENTS_ALL, buffer, &events));
  MESSAGE("contact_tracking");
  FAILS(TP_STATUS_OFF, tp_contact_value(world, (tp_pair){0, 1}, &value));
  FAILS(TP_STATUS_OFF, tp_set_contact_values(world, &pair, 1));
  FAILS(TP_STATUS_OFF, tp_partners(world, 0, &rows, &count));
  MESSAGE("partner_lists");
  OK(tp_world_destroy(world));

  tp_config config = tp_config_default();
  config.invalid_rows = TP_INVALID_ROWS_SKIP;
  config.pair_limit = 0;
  config.thread_count = 2;
  config.parallel_threshold = 0;
  config.simd_max = simd_max;
  OK(tp_world_create(&config, &world));
  const tp_vec2 centers[2] = {{0, NAN}, {0, 0}};
  tp_bodies bodies = {.count = 2, .form = TP_BODIES_UNIFORM, .centers = {centers, sizeof centers[0]}};
  OK(tp_step(world, &bodies, 1));
  tp_error skipped;
  OK(tp_skipped_rows(world, &skipped, 1, &count));
  EXPECT(count == 1 && skipped.row == 0 && skipped.axis == 1);
  bodies = unit_bodies();
  FAILS(TP_STATUS_TOO_MANY_PAIRS, tp_step(world, &bodies, 1));
  units[1].id = 70;
  config.contact_tracking = 1;
  config.pair_limit = 100;
  OK(tp_world_destroy(world));
  OK(tp_world_create(&config, &world));
  FAILS(TP_STATUS_DUPLICATE_ID, tp_step(world, &bodies, 1));
  units[1].id = 71;
  OK(tp_world_destroy(world));
}

typedef struct File {
  unsigned char bytes[4096];
  size_t size;
} File;

static File read_file(const char *path)
{
  File file = {.size = 0};
  FILE *stream = fopen(path, "rb");
  EXPECT(stream != NULL);
  if (stream != NULL) {
    file.size = fread(file.bytes, 1, sizeof file.bytes, stream);
    fclose(stream);
  }
  return file;
}

static void write_file(const char *path, const File *file)
{
  FILE *stream = fopen(path, "wb");
  EXPECT(stream != NULL);
  if (stream != NULL) {
    EXPECT(fwrite(file->bytes, 1, file->size, stream) == file->size);
    fclose(stream);
  }
}

// Where the last outcome of a recording begins.
static size_t last_outcome(const File *file)
{
  size_t at = file->size - 4;
  while (at > 0 && memcmp(&file->bytes[at], "DONE", 4) != 0) {
    at--;
  }
  return at;
}

// A recording of a refused step, and one with `pair_count` pairs.
static File record(const char *path, uint32_t simd_max, uint64_t pair_count)
{
  tp_world *world = new_world(0, simd_max);
  tp_bodies bodies = unit_bodies();
  tp_recording_summary summary = {1, 1};
  OK(tp_stop_recording(world, &summary));
  EXPECT(summary.call_count == 0 && summary.byte_count == 0);
  OK(tp_record_to(world, path));
  OK(tp_record_to(world, path)); // begins anew
  units[2].center.x = NAN;
  FAILS(TP_STATUS_INVALID_BODY, tp_step(world, &bodies, 1));
  units[2].center.x = pair_count > 1 ? 1.6f : 9.0f;
  OK(tp_step(world, &bodies, 1));
  tp_counts counts;
  OK(tp_world_counts(world, &counts));
  EXPECT(counts.body_pair_count == pair_count);
  OK(tp_stop_recording(world, &summary));
  OK(tp_step(world, &bodies, 1));
  OK(tp_stop_recording(world, NULL));
  OK(tp_world_destroy(world));
  const File file = read_file(path);
  EXPECT(summary.call_count == 2 && summary.byte_count == file.size);
  return file;
}

static void test_recordings(uint32_t simd_max, const char *path)
{
  tp_world *world = new_world(0, simd_max);
  tp_replay_result result;
  FAILS(TP_STATUS_NULL_POINTER, tp_record_to(NULL, path));
  FAILS(TP_STATUS_NULL_POINTER, tp_record_to(world, NULL));
  MESSAGE("path is null");
  FAILS(TP_STATUS_INVALID_ARGUMENT, tp_record_to(world, "\xff"));
  MESSAGE("path is not UTF-8");
  FAILS(TP_STATUS_IO, tp_record_to(world, "no such folder/a file"));
  MESSAGE("cannot record to no such folder/a file: ");
  FAILS(TP_STATUS_NULL_POINTER, tp_stop_recording(NULL, NULL));
  FAILS(TP_STATUS_NULL_POINTER, tp_replay(NULL, &result));
  FAILS(TP_STATUS_NULL_POINTER, tp_replay(path, NULL));
  FAILS(TP_STATUS_IO, tp_replay("no such file", &result));
  MESSAGE("no such file: cannot open the recording: ");
  EXPECT(result.call_count == 0 && result.is_complete == 0);
  OK(tp_world_destroy(world));

  const File other = record(path, simd_max, 2);
  const File file = record(path, simd_max, 1);
  OK(tp_replay(path, &result));
  EXPECT(result.call_count == 2 && result.step_number == 1 && result.is_complete == 1);

  // The outcome of another recording; a damaged byte; a file that ends early; no recording.
  const size_t outcome = last_outcome(&file);
  File changed = file;
  EXPECT(other.size == file.size && last_outcome(&other) == outcome);
  memcpy(&changed.bytes[outcome], &other.bytes[outcome], file.size - outcome);
  write_file(path, &changed);
  FAILS(TP_STATUS_DIFFERENT, tp_replay(path, &result));
  MESSAGE(": recorded step 1 with 2 body pairs and 0 static pairs, ");
  MESSAGE("call 1, at byte ");
  EXPECT(result.call_count == 1 && result.step_number == 1 && result.is_complete == 0);
  changed = file;
  changed.bytes[outcome - 1] ^= 1;
  write_file(path, &changed);
  FAILS(TP_STATUS_INVALID_RECORDING, tp_replay(path, &result));
  MESSAGE("checksum");
  EXPECT(result.call_count == 1 && result.step_number == 0);
  changed = file;
  changed.size = outcome;
  write_file(path, &changed);
  OK(tp_replay(path, &result));
  EXPECT(result.call_count == 2 && result.is_complete == 0);
  changed.size = outcome + 1;
  write_file(path, &changed);
  FAILS(TP_STATUS_INVALID_RECORDING, tp_replay(path, &result));
  MESSAGE("the file ends within the record");
  changed.bytes[0] = 'x';
  write_file(path, &changed);
  FAILS(TP_STATUS_INVALID_RECORDING, tp_replay(path, &result));
  MESSAGE("not a recording");
  EXPECT(remove(path) == 0);
}

int main(int argc, char **argv)
{
  const uint32_t simd_max = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : TP_SIMD_BEST;
  test_no_error();
  test_config();
  tp_world *world = new_world(1, simd_max);
  tp_buffer *buffer = NULL;
  FAILS(TP_STATUS_NULL_POINTER, tp_buffer_create(NULL));
  OK(tp_buffer_create(&buffer));
  test_step(world);
  test_changed(world);
  test_statics(world);
  test_contacts(world, buffer);
  test_events(world, buffer);
  test_queries(world, buffer);
  test_snapshots(world, buffer);
  test_snapshots_outlive_worlds(buffer);
  test_whole_world(world);
  test_off(simd_max, buffer);
  char path[4096];
  EXPECT(snprintf(path, sizeof path, "%s.recording", argv[0]) < (int)sizeof path);
  test_recordings(simd_max, path);
  OK(tp_buffer_destroy(buffer));
  OK(tp_buffer_destroy(NULL));
  OK(tp_world_destroy(world));
  if (failed_count > 0) {
    return 1;
  }
  puts("all error paths are as expected");
  return 0;
}
