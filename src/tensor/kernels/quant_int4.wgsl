// SPDX-License-Identifier: Apache-2.0
// quant_int4: integers x, already in range, as 4 bits each, eight a word, the first lowest.
${DECLARE}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let w = id.y * 16776960u + id.x;
  if w < ${WORDS} {
    var word = 0u;
    for (var k = 0u; k < 8u; k++) {
      let i = w * 8u + k;
      if i < ${COUNT} {
        word |= (u32(i32(x_at(${START} + ${ELEMENT}))) & 15u) << (k * 4u);
      }
    }
    y[w] = word;
  }
}
