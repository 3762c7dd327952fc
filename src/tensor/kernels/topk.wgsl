// SPDX-License-Identifier: Apache-2.0
// topk: positions of the K elements of each line with the smallest keys, in order.
// x[LINES, N], y[LINES, K]. One workgroup of 256 a line. The smallest keys of SEGMENTS parts of the
// line give a bound which at least K elements do not exceed; those that do not are usually few, and
// are sorted. If they are too many (equal elements), the bound is found exactly, bit by bit, first
// of the keys, then of the positions of those that have the last key.
${DECLARE}
const K = ${K};
const N = ${N};
const SEGMENTS = ${SEGMENTS};
const ROOM = ${ROOM};
var<workgroup> keys : array<u32, ROOM>;
var<workgroup> places : array<u32, ROOM>;
var<workgroup> found : atomic<u32>;
var<workgroup> shared_count : u32;

${KEY_OF}

fn key_at(start : u32, i : u32) -> u32 {
  return key_of(x_at(start + i * ${STEP}));
}

// Sorts the first `size` pairs (a power of two) by key and position.
fn sort_pairs(index : u32, size : u32) {
  for (var span = 2u; span <= size; span <<= 1u) {
    for (var apart = span / 2u; apart > 0u; apart >>= 1u) {
      for (var i = index; i < size / 2u; i += 256u) {
        let low = (i & ~(apart - 1u)) * 2u + (i & (apart - 1u));
        let high = low + apart;
        let k = keys[low];
        let p = places[low];
        let later = k > keys[high] || (k == keys[high] && p > places[high]);
        if later == ((low & span) == 0u) {
          keys[low] = keys[high];
          places[low] = places[high];
          keys[high] = k;
          places[high] = p;
        }
      }
      workgroupBarrier();
    }
  }
}

// How many elements have a key below `bound`, or that key and a position below `limit`.
fn count_below(index : u32, start : u32, bound : u32, limit : u32) -> u32 {
  var n = 0u;
  for (var i = index; i < N; i += 256u) {
    let k = key_at(start, i);
    n += select(0u, 1u, k < bound || (k == bound && i < limit));
  }
  workgroupBarrier();
  if index == 0u {
    atomicStore(&found, 0u);
  }
  workgroupBarrier();
  atomicAdd(&found, n);
  workgroupBarrier();
  if index == 0u {
    shared_count = atomicLoad(&found);
  }
  return workgroupUniformLoad(&shared_count);
}

// Collects the elements with keys below `bound`, or that key and a position below `limit`.
fn collect(index : u32, start : u32, bound : u32, limit : u32) -> u32 {
  workgroupBarrier();
  if index == 0u {
    atomicStore(&found, 0u);
  }
  workgroupBarrier();
  for (var i = index; i < N; i += 256u) {
    let k = key_at(start, i);
    if k < bound || (k == bound && i < limit) {
      let at = atomicAdd(&found, 1u);
      if at < ROOM {
        keys[at] = k;
        places[at] = i;
      }
    }
  }
  workgroupBarrier();
  if index == 0u {
    shared_count = atomicLoad(&found);
  }
  return workgroupUniformLoad(&shared_count);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let outer = group.y * 65535u + group.x;
  if outer >= ${LINES} {
    return;
  }
  let start = ${START} + ${LINE_START};
  for (var s = index; s < SEGMENTS; s += 256u) {
    var least = 0xffffffffu;
    for (var i = s; i < N; i += SEGMENTS) {
      least = min(least, key_at(start, i));
    }
    keys[s] = least;
    places[s] = s;
  }
  workgroupBarrier();
  sort_pairs(index, SEGMENTS);
  if index == 0u {
    shared_count = keys[K - 1u];
  }
  let bound = workgroupUniformLoad(&shared_count);
  var count = collect(index, start, bound, N);
  if count > ROOM {
    var exact = 0u;
    for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
      if count_below(index, start, exact | bit, 0u) < K {
        exact |= bit;
      }
    }
    var last = 0u;
    for (var bit = ${PLACE_BIT}; bit > 0u; bit >>= 1u) {
      if count_below(index, start, exact, last | bit) < K {
        last |= bit;
      }
    }
    count = collect(index, start, exact, last + 1u);
  }
  let size = 1u << (32u - countLeadingZeros(max(count, 2u) - 1u));
  for (var i = count + index; i < size; i += 256u) {
    keys[i] = 0xffffffffu;
    places[i] = 0xffffffffu;
  }
  workgroupBarrier();
  sort_pairs(index, size);
  for (var i = index; i < K; i += 256u) {
    y[outer * K + i] = finish(outer * K + i, i32(places[i]));
  }
}
