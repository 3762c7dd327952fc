// SPDX-License-Identifier: Apache-2.0
// sort_merge: merges sorted runs of RUN positions pairwise: runs[LINES, N] -> merged[LINES, N].
// Each element finds its place by a search in the other run of its pair; elements of the first run
// are before equal ones of the second.
${DECLARE}
${KEY_OF}

fn key_at(line : u32, place : u32) -> ${KEY} {
  let outer = line;
  return key_of(x_at(${START} + ${LINE_START} + place * ${STEP}));
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * 16776960u + id.x;
  if i < ${COUNT} {
    let line = i / ${N};
    let at = i % ${N};
    let second = at / ${RUN} % 2u == 1u;
    let own = at / ${RUN} * ${RUN};
    let other = min(select(own + ${RUN}, own - ${RUN}, second), ${N});
    let place = runs[i];
    let key = key_at(line, place);
    var low = other;
    var high = min(other + ${RUN}, ${N});
    while low < high {
      let middle = (low + high) / 2u;
      let there = key_at(line, runs[line * ${N} + middle]);
      let before = select(earlier(there, key), !earlier(key, there), second);
      low = select(low, middle + 1u, before);
      high = select(middle, high, before);
    }
    let to = min(own, other) + (at - own) + (low - other);
    merged[line * ${N} + to] = place;
  }
}
