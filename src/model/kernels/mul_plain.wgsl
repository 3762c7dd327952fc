// SPDX-License-Identifier: Apache-2.0
// y[t][n] = x[t] . w[n]: weights in f32, f16 or bf16, activations in f32.
//
//   w      [rows / 16][K / (elements of a word)][16]   one or two neighbours k of a row
//   x      [tokens / TILE][K / 4][TILE]    elements k..k+3 of a token
//   y      [tokens][stride]
struct Params { stride : u32, first : u32, unit : f32${MORE_PARAMS} }

override K : u32;

@group(0) @binding(0) var<storage, read> w : array<${WORD}>;
@group(0) @binding(3) var<storage, read> x : array<vec4f>;
@group(0) @binding(5) var<storage, read_write> y : array<f32>;
${MORE_BINDINGS}
@group(0) @binding(8) var<uniform> p : Params;

@compute @workgroup_size(${SIZE})
fn main(@builtin(local_invocation_index) local : u32, @builtin(workgroup_id) group : vec3u) {
  ${START}
  let quads = K / 4u;
  var sum#t = 0.0;
  for (var k = 0u; k < quads; k++) {
    ${LOAD}
    let at = t0 * quads + k * ${TILE};
    let x#t = x[at + ${COLUMN}];
    sum#t = ${PLAIN_SUM};
  }
  let row = p.first + ${ROW_GROUP} * 16u + lane;
  y[${TO} * p.stride + row] = sum#t * p.unit;
}
