// SPDX-License-Identifier: Apache-2.0
// quant_q8_0: x in blocks of 32: a scale in f16, max|x| / 127, and 32 bytes round(x / scale). Blocks
// have 34 bytes: one invocation writes two of them, 17 words.
${DECLARE}
var<private> words : array<u32, 18>;

fn element(i : u32) -> f32 {
  return f32(x_at(${START} + ${ELEMENT}));
}

fn put(at : u32, byte : u32) {
  words[at >> 2u] |= (byte & 255u) << ((at & 3u) << 3u);
}

fn pack_block(block : u32, to : u32) {
  var most = 0.0;
  for (var k = 0u; k < 32u; k++) {
    most = max(most, abs(element(block * 32u + k)));
  }
  let scale = most / 127.0;
  let half = pack2x16float(vec2f(scale, 0.0));
  put(to, half);
  put(to + 1u, half >> 8u);
  let inverse = select(1.0 / scale, 0.0, scale == 0.0);
  for (var k = 0u; k < 32u; k++) {
    let v = element(block * 32u + k) * inverse;
    put(to + 2u + k, u32(i32(sign(v) * floor(abs(v) + 0.5))));
  }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let pair = id.y * 4194240u + id.x;
  if pair * 2u < ${BLOCKS} {
    pack_block(pair * 2u, 0u);
    if pair * 2u + 1u < ${BLOCKS} {
      pack_block(pair * 2u + 1u, 34u);
    }
    for (var w = 0u; w < 17u; w++) {
      if pair * 17u + w < ${WORDS} {
        y[pair * 17u + w] = words[w];
      }
    }
  }
}
