// SPDX-License-Identifier: Apache-2.0
// The `k` largest scores of each query, in falling order.
//
//   scores  [queries][stride], of which `count` count; the chosen ones become NOTHING
//   maxima  [queries][64 * spans]       of `maxima`; changed
//   found   [queries][k], from element `to` on: the score as bits (SQUARED: the root of the
//           negative score, a distance) and the element; NO_PLACE: no more
//
// A workgroup is a query. A lane knows the best of its own maxima. Each round takes the best
// lane's best group of 64 scores, its largest element, and puts the second in its place.
struct Params { count : u32, stride : u32, spans : u32, k : u32, to : u32 }

override SQUARED : u32 = 0;
const NOTHING = -3.0e38;
const NO_PLACE = 0xffffffffu;

@group(0) @binding(0) var<storage, read_write> scores : array<f32>;
@group(0) @binding(1) var<storage, read_write> maxima : array<f32>;
@group(0) @binding(2) var<storage, read_write> found : array<vec2u>;
@group(0) @binding(3) var<uniform> p : Params;

var<workgroup> best : array<f32, 64>;       // of each lane's groups
var<workgroup> span : array<u32, 64>;       // and which group it is
var<workgroup> v : array<f32, 64>;          // for reductions
var<workgroup> at : array<u32, 64>;

// v[0] becomes the largest, at[0] its lane; of equal ones the first.
fn reduce(l : u32) {
  for (var s = 32u; s > 0u; s /= 2u) {
    workgroupBarrier();
    if (l < s && (v[l + s] > v[l] || (v[l + s] == v[l] && at[l + s] < at[l]))) {
      v[l] = v[l + s];
      at[l] = at[l + s];
    }
  }
  workgroupBarrier();
}

fn find_best(first : u32, l : u32) {
  var b = NOTHING;
  var s = 0u;
  for (var i = 0u; i < p.spans; i++) {
    let m = maxima[first + i * 64u + l];
    if (m > b) { b = m; s = i; }
  }
  best[l] = b;
  span[l] = s;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let query = group.x;
  let first = query * p.spans * 64u;
  find_best(first, l);
  for (var round = 0u; round < p.k; round++) {
    v[l] = best[l];
    at[l] = l;
    reduce(l);
    let lane = at[0];
    let largest = v[0];
    let s = span[lane];
    workgroupBarrier();
    let element = s * 4096u + l * 64u + lane;
    let there = element < p.count;
    var score = NOTHING;
    if (there) { score = scores[query * p.stride + element]; }
    v[l] = score;
    at[l] = l;
    reduce(l);
    let row = at[0];
    workgroupBarrier();
    v[l] = select(score, NOTHING, l == row);
    at[l] = l;
    reduce(l);
    if (l == row) {
      let value = select(largest, sqrt(max(-largest, 0.0)), SQUARED != 0u);
      let place = select(NO_PLACE, element, largest > NOTHING);
      if (there) { scores[query * p.stride + element] = NOTHING; }
      found[p.to + query * p.k + round] = vec2u(bitcast<u32>(value), place);
    }
    if (l == lane) {
      maxima[first + s * 64u + lane] = v[0];
      find_best(first, l);
    }
    workgroupBarrier();
  }
}
