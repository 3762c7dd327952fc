// SPDX-License-Identifier: Apache-2.0
// y[t][n] = x[t] . w[n]: quantised weights, activations in f32. Weights as in mul_i8.
//
//   x      [tokens / TILE][K / 4][TILE]    elements k..k+3 of a token
struct Params { stride : u32, first : u32, unit : f32${MORE_PARAMS} }

override K : u32;

@group(0) @binding(0) var<storage, read> w : array<u32>;
@group(0) @binding(1) var<storage, read> scale : array<u32>;
${LEAST_BINDING}
@group(0) @binding(3) var<storage, read> x : array<vec4f>;
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
    for (var i = 0u; i < 4u; i++) {
      ${WORDS}
      let v_low = ${LOW};
      let v_high = ${HIGH};
      let at = t0 * (K / 4u) + (b * 8u + i) * ${TILE};
      let then = at + 4u * ${TILE};
      sum#t += dot(v_low, x[at + ${COLUMN}]) + dot(v_high, x[then + ${COLUMN}]);
    }
  }
  let row = p.first + ${ROW_GROUP} * 16u + lane;
  y[${TO} * p.stride + row] = sum#t * p.unit;
}
