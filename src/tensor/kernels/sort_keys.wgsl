// SPDX-License-Identifier: Apache-2.0
// sort_keys: pairs[LINES, N] of key and position, the start of a radix sort.
${DECLARE}
${KEY_OF}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * 16776960u + id.x;
  if i < ${COUNT} {
    let outer = i / ${N};
    let place = i % ${N};
    pairs[2u * i] = key_of(x_at(${START} + ${LINE_START} + place * ${STEP}));
    pairs[2u * i + 1u] = place;
  }
}
