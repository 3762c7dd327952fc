// SPDX-License-Identifier: Apache-2.0
// quant_q4_0: x in blocks of 32: a scale in f16, the element with the largest magnitude / -8, and 16
// bytes with elements k (low half) and k + 16 (high half) as round(x / scale) + 8. Blocks have 18
// bytes: one invocation writes two of them, 9 words.
${DECLARE}
var<private> words : array<u32, 10>;

fn element(i : u32) -> f32 {
  return f32(x_at(${START} + ${ELEMENT}));
}

fn put(at : u32, byte : u32) {
  words[at >> 2u] |= (byte & 255u) << ((at & 3u) << 3u);
}

fn pack_block(block : u32, to : u32) {
  var most = 0.0;
  for (var k = 0u; k < 32u; k++) {
    let v = element(block * 32u + k);
    most = select(most, v, abs(v) > abs(most));
  }
  let scale = most / -8.0;
  let half = pack2x16float(vec2f(scale, 0.0));
  put(to, half);
  put(to + 1u, half >> 8u);
  let inverse = select(1.0 / scale, 0.0, scale == 0.0);
  for (var k = 0u; k < 16u; k++) {
    let low = min(15u, u32(element(block * 32u + k) * inverse + 8.5));
    let high = min(15u, u32(element(block * 32u + k + 16u) * inverse + 8.5));
    put(to + 2u + k, low | (high << 4u));
  }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let pair = id.y * 4194240u + id.x;
  if pair * 2u < ${BLOCKS} {
    pack_block(pair * 2u, 0u);
    if pair * 2u + 1u < ${BLOCKS} {
      pack_block(pair * 2u + 1u, 18u);
    }
    for (var w = 0u; w < 9u; w++) {
      if pair * 9u + w < ${WORDS} {
        y[pair * 9u + w] = words[w];
      }
    }
  }
}
