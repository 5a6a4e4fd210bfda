// A small physics step in C: circles fall, and bounce off each other and off walls.
//
// The world reads the bodies where they are, in an array of structs. Each frame, its pairs are
// compared with a count by brute force.
//
// usage: physics [simd_max], a tp_simd_level

#include "triphase.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODY_COUNT = 300, WALL_COUNT = 4, FRAME_COUNT = 240 };

static const float RADIUS = 0.5f;
static const float TIME_STEP = 1.0f / 60.0f;
static const float GRAVITY = -9.81f;

typedef struct Body {
  uint64_t id;
  tp_vec2 position;
  tp_vec2 velocity;
  float brightness; // the renderer's: shows that a struct may have fields of its own
} Body;

// Ends the program if a call failed.
static void check(tp_status status)
{
  if (status != TP_STATUS_OK) {
    fprintf(stderr, "status %d: %s\n", (int)status, tp_last_error_message());
    exit(1);
  }
}

static void verify(bool is_true, const char *what)
{
  if (!is_true) {
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
  }
}

static tp_box box_of(const Body *body)
{
  const tp_vec2 p = body->position;
  return (tp_box){p.x - RADIUS, p.y - RADIUS, p.x + RADIUS, p.y + RADIUS};
}

static bool overlap(tp_box a, tp_box b)
{
  return a.min_x <= b.max_x && b.min_x <= a.max_x && a.min_y <= b.max_y && b.min_y <= a.max_y;
}

// Pushes a body out of something that it penetrates by `depth` along the unit normal, and reflects
// its velocity.
static void bounce(Body *body, tp_vec2 normal, float depth)
{
  body->position.x += normal.x * depth;
  body->position.y += normal.y * depth;
  const float speed = body->velocity.x * normal.x + body->velocity.y * normal.y;
  if (speed < 0.0f) {
    body->velocity.x -= 1.8f * speed * normal.x;
    body->velocity.y -= 1.8f * speed * normal.y;
  }
}

// Resolves a contact of two circles, if they touch.
static void collide(Body *a, Body *b)
{
  const tp_vec2 d = {b->position.x - a->position.x, b->position.y - a->position.y};
  const float distance = sqrtf(d.x * d.x + d.y * d.y);
  const float depth = 2.0f * RADIUS - distance;
  if (depth <= 0.0f || distance == 0.0f) {
    return;
  }
  const tp_vec2 normal = {d.x / distance, d.y / distance};
  bounce(b, normal, 0.5f * depth);
  bounce(a, (tp_vec2){-normal.x, -normal.y}, 0.5f * depth);
}

// Resolves a contact of a circle and a wall, if they touch.
static void collide_wall(Body *body, tp_box wall)
{
  const tp_vec2 p = body->position;
  const tp_vec2 nearest = {fminf(fmaxf(p.x, wall.min_x), wall.max_x), fminf(fmaxf(p.y, wall.min_y), wall.max_y)};
  const tp_vec2 d = {p.x - nearest.x, p.y - nearest.y};
  const float distance = sqrtf(d.x * d.x + d.y * d.y);
  if (distance > 0.0f && distance < RADIUS) {
    bounce(body, (tp_vec2){d.x / distance, d.y / distance}, RADIUS - distance);
  }
}

static size_t brute_force_pairs(const Body *bodies)
{
  size_t count = 0;
  for (size_t i = 0; i < BODY_COUNT; i++) {
    for (size_t j = i + 1; j < BODY_COUNT; j++) {
      count += overlap(box_of(&bodies[i]), box_of(&bodies[j]));
    }
  }
  return count;
}

static size_t brute_force_wall_pairs(const Body *bodies, const tp_box *walls)
{
  size_t count = 0;
  for (size_t i = 0; i < BODY_COUNT; i++) {
    for (size_t k = 0; k < WALL_COUNT; k++) {
      count += overlap(box_of(&bodies[i]), walls[k]);
    }
  }
  return count;
}

int main(int argc, char **argv)
{
  tp_config config = tp_config_default();
  config.contact_tracking = 1;
  config.simd_max = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : TP_SIMD_BEST;
  tp_world *world = NULL;
  tp_buffer *buffer = NULL;
  check(tp_world_create(&config, &world));
  check(tp_buffer_create(&buffer));

  const tp_box walls[WALL_COUNT] = {
    {-1.0f, -1.0f, 31.0f, 0.0f}, {-1.0f, 0.0f, 0.0f, 60.0f}, {30.0f, 0.0f, 31.0f, 60.0f}, {10.0f, 5.0f, 20.0f, 6.0f}};
  const tp_statics statics = {.count = WALL_COUNT, .boxes = {walls, sizeof walls[0]}};
  check(tp_set_statics(world, &statics));

  static Body bodies[BODY_COUNT];
  for (size_t i = 0; i < BODY_COUNT; i++) {
    const float column = (float)(i % 25), row = (float)(i / 25);
    bodies[i].id = 1000 + i;
    bodies[i].position = (tp_vec2){1.5f + column * 1.08f + 0.03f * (float)(i % 7), 8.0f + row * 1.3f};
    bodies[i].velocity = (tp_vec2){(float)((i * 31) % 11) - 5.0f, 0.0f};
  }

  size_t open_contacts = 0, began_in_all = 0, pairs_in_all = 0;
  for (int frame = 0; frame < FRAME_COUNT; frame++) {
    for (size_t i = 0; i < BODY_COUNT; i++) {
      bodies[i].velocity.y += GRAVITY * TIME_STEP;
      bodies[i].position.x += bodies[i].velocity.x * TIME_STEP;
      bodies[i].position.y += bodies[i].velocity.y * TIME_STEP;
    }

    const tp_bodies input = {
      .count = BODY_COUNT,
      .form = TP_BODIES_UNIFORM,
      .uniform_half_extents = {RADIUS, RADIUS},
      .centers = {&bodies[0].position, sizeof bodies[0]},
      .ids = {&bodies[0].id, sizeof bodies[0]},
    };
    check(tp_step(world, &input, 1));

    tp_counts counts;
    check(tp_world_counts(world, &counts));
    verify(counts.body_pair_count == brute_force_pairs(bodies), "the number of body pairs");
    verify(counts.static_pair_count == brute_force_wall_pairs(bodies, walls), "the number of static pairs");
    pairs_in_all += (size_t)(counts.body_pair_count + counts.static_pair_count);

    // Each contact begins once and ends once.
    tp_events events;
    check(tp_read_events(world, TP_EVENTS_ALL, buffer, &events));
    open_contacts += events.began_count;
    open_contacts -= events.ended_count;
    began_in_all += events.began_count;
    verify(open_contacts == counts.body_pair_count, "the number of contacts that have not ended");
    verify(events.began_count + events.persisted_count == counts.body_pair_count, "the number of tracked contacts");
    for (size_t k = 0; k < events.ended_count; k++) {
      verify(events.ended[k].a_id >= 1000 && events.ended[k].b_id >= 1000, "the ids of a contact that ended");
    }

    // The solver: pages are read in place.
    const tp_pair_page *pages;
    size_t page_count;
    check(tp_body_pages(world, buffer, &pages, &page_count));
    for (size_t p = 0; p < page_count; p++) {
      for (size_t k = 0; k < pages[p].count; k++) {
        collide(&bodies[pages[p].pairs[k].a], &bodies[pages[p].pairs[k].b]);
      }
    }
    const tp_static_pair_page *static_pages;
    check(tp_static_pages(world, buffer, &static_pages, &page_count));
    for (size_t p = 0; p < page_count; p++) {
      for (size_t k = 0; k < static_pages[p].count; k++) {
        const tp_static_pair pair = static_pages[p].pairs[k];
        collide_wall(&bodies[pair.body], walls[pair.static_row]);
      }
    }
  }
  verify(began_in_all > 1000, "bodies meet");

  // What a player sees, and what a ray from above hits first.
  const tp_box view = {0.0f, 0.0f, 30.0f, 10.0f};
  const tp_hit *hits;
  size_t hit_count;
  check(tp_query_box(world, NULL, view, buffer, &hits, &hit_count));
  tp_cast_hit hit;
  uint8_t is_hit;
  const tp_query_options only_statics = {.targets = TP_TARGETS_STATICS};
  check(tp_cast_ray(world, &only_statics, (tp_ray){{15.0f, 50.0f}, {0.0f, -1.0f}, 100.0f}, &hit, &is_hit));
  verify(is_hit == 1 && hit.target.row == 3 && hit.time == 44.0 && hit.normal.y == 1.0f, "the ray hits the shelf");

  printf("%d frames of %d circles: %zu pairs as by brute force, %zu contacts began, %zu boxes in view\n",
         FRAME_COUNT, BODY_COUNT, pairs_in_all, began_in_all, hit_count);
  check(tp_buffer_destroy(buffer));
  check(tp_world_destroy(world));
  return 0;
}
