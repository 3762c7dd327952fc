// What an expression is made of decides whether its value is uniform.
struct Pair { a : u32, b : u32 }
const fixed = 3u;
override chosen : u32 = 4;
@group(0) @binding(0) var<storage> same : array<u32, 4>;
var<private> own : u32;
var<private> own_pair : Pair;

fn known_early() {
  const local = 5u;
  if true { workgroupBarrier(); }
  if fixed > 1 { workgroupBarrier(); }
  if local + fixed > 1 { workgroupBarrier(); }
  if chosen > 1 { workgroupBarrier(); }
  if chosen * 2 + fixed > 1 { workgroupBarrier(); }
  if array(1u, 2u)[fixed - 3] > 1 { workgroupBarrier(); }
}

fn operators() {
  if same[0] + same[1] > 1 { workgroupBarrier(); }
  if same[0] + own > 1 { workgroupBarrier(); }              // error workgroup_uniformity:
  if own + same[0] > 1 { workgroupBarrier(); }              // error workgroup_uniformity:
  if (1 + own) * 2 - fixed > chosen { workgroupBarrier(); } // error workgroup_uniformity:
  if ~same[0] > 1 { workgroupBarrier(); }
  if ~own > 1 { workgroupBarrier(); }                       // error workgroup_uniformity:
  if -i32(own) > 1 { workgroupBarrier(); }                  // error workgroup_uniformity:
  if !(own > 1) { workgroupBarrier(); }                     // error workgroup_uniformity:
  if own - own == 0 { workgroupBarrier(); }                 // error workgroup_uniformity:
}

fn parts() {
  let pair = own_pair;
  let good = Pair(same[0], same[1]);
  let bad = Pair(same[0], own);
  let row = array(same[0], same[1], same[2]);
  if pair.a > 1 { workgroupBarrier(); }                     // error workgroup_uniformity:
  if good.a > 1 { workgroupBarrier(); }
  if bad.a > 1 { workgroupBarrier(); }                      // error workgroup_uniformity:
  if row[same[0]] > 1 { workgroupBarrier(); }
  if row[own] > 1 { workgroupBarrier(); }                   // error workgroup_uniformity:
  if same[own] > 1 { workgroupBarrier(); }                  // error workgroup_uniformity:
  if vec3u(own, 1, 2).y > 1 { workgroupBarrier(); }         // error workgroup_uniformity:
  if vec3u(same[0]).zyx.y > 1 { workgroupBarrier(); }
}

fn constructors_and_builtins() {
  if u32(f32(same[0])) > 1 { workgroupBarrier(); }
  if u32(f32(own)) > 1 { workgroupBarrier(); }              // error workgroup_uniformity:
  if max(same[0], 1) > 1 { workgroupBarrier(); }
  if max(1, own) > 1 { workgroupBarrier(); }                // error workgroup_uniformity:
  // `select` evaluates all: no control flow depends on it.
  if select(1u, meets(), own > 1) > 1 { workgroupBarrier(); } // error workgroup_uniformity:
}
fn meets() -> u32 {
  workgroupBarrier();
  return 1;
}

// ---- && and || ----

fn meet() -> bool {
  workgroupBarrier();    // error workgroup_uniformity:
  return true;
}
fn meet_first() -> bool {
  workgroupBarrier();
  return true;
}

fn the_left_side_decides_about_the_right() {
  _ = same[0] > 1 && meet();
  _ = same[0] > 1 || meet();
  _ = meet_first() && own > 1;
  _ = meet_first() || own > 1;
  _ = own > 1 && meet();
}

fn in_a_chain() {
  _ = meet_first() && same[0] > 1 && meet_first() && own > 1 && same[1] > 1;
  _ = same[0] > 1 || own > 1 || meet_2();
}
fn meet_2() -> bool {
  storageBarrier();      // error workgroup_uniformity: 'storageBarrier'
  return true;
}

fn values_of_them() {
  if same[0] > 1 && same[1] > 1 { workgroupBarrier(); }
  if same[0] > 1 || same[1] > 1 { workgroupBarrier(); }
  if same[0] > 1 && own > 1 { workgroupBarrier(); }         // error workgroup_uniformity:
  if own > 1 && same[0] > 1 { workgroupBarrier(); }         // error workgroup_uniformity:
  if same[0] > 1 || own > 1 { workgroupBarrier(); }         // error workgroup_uniformity:
  if own > 1 || same[0] > 1 { workgroupBarrier(); }         // error workgroup_uniformity:
  // Decided by the left side alone, but that is not looked at.
  if true || own > 1 { workgroupBarrier(); }                // error workgroup_uniformity:
  if false && own > 1 { workgroupBarrier(); }               // error workgroup_uniformity:
  if !(true || own > 1) { workgroupBarrier(); }             // error workgroup_uniformity:
}

// Control flow is together again behind them.
fn after_them() {
  let both = own > 1 && same[0] > 1;
  workgroupBarrier();
  _ = max(select(1u, 2u, own > 1 || both), after());
}
fn after() -> u32 {
  workgroupBarrier();
  return 1;
}
