// SPDX-License-Identifier: Apache-2.0
// y[t][n] = x[t] . w[n]: quantised weights, activations of 8 bits.
//
// 16 invocations compute 16 rows n of the matrix for a tile of tokens t; a lane is a row, so
// that 16 rows of weights lie interleaved. A workgroup is one or several of these. Lines with #t
// stand for one line for each token of the tile.
//
//   w, scale, least   weights as in formats.def: [rows / 16][words of a row][16]
//   x      [tokens / TILE][K / 4][TILE]    four signed bytes of a token
//   xs     [tokens / TILE][K / 32][TILE]   scale; scale * sum of bytes 0..15; of 16..31; of all
//   y      [tokens][stride]
struct Params { stride : u32, first : u32, unit : f32${MORE_PARAMS} }

override K : u32;

@group(0) @binding(0) var<storage, read> w : array<u32>;
@group(0) @binding(1) var<storage, read> scale : array<u32>;
${LEAST_BINDING}
@group(0) @binding(3) var<storage, read> x : array<u32>;
@group(0) @binding(4) var<storage, read> xs : array<vec4f>;
@group(0) @binding(5) var<storage, read_write> y : array<f32>;
${MORE_BINDINGS}
@group(0) @binding(8) var<uniform> p : Params;

@compute @workgroup_size(${SIZE})
fn main(@builtin(local_invocation_index) local : u32, @builtin(workgroup_id) group : vec3u) {
  ${START}
  let blocks = K / 32u;
  var sum#t = 0.0;
  for (var b = 0u; b < blocks; b++) {
    ${SCALES}
    ${PLANES}
    var low_dot#t = 0;
    ${HIGH_START}
    for (var i = 0u; i < 4u; i++) {
      ${WORDS}
      let at = t0 * (K / 4u) + (b * 8u + i) * ${TILE};
      let then = at + 4u * ${TILE};
      low_dot#t += dot4I8Packed(low, x[at + ${COLUMN}]);
      ${HIGH_DOT}
    }
    let base = t0 * blocks + b * ${TILE};
    let part#t = xs[base + ${SCALE_COLUMN}];
    sum#t += ${SUM};
  }
  let row = p.first + ${ROW_GROUP} * 16u + lane;
  y[${TO} * p.stride + row] = sum#t * p.unit;
}
