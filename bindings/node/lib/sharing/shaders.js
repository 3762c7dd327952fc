// SPDX-License-Identifier: Apache-2.0
//
// shaders.js - WGSL of the operations that getOptimizedShader() shows.
//
// in     settings: workgroup memory, an elementwise operation
// out    WGSL whose workgroup size are the overrides wx, wy and wz
// knows  bindings: inputs, then outputs, then the uniform `params`
// not    devices
'use strict';

const head = (sizes) => ['wx', 'wy', 'wz'].map((name, i) => `override ${name} : u32 = ${sizes[i]}u;`).join('\n');

/** c[m, n] = sum of a[m, k] b[k, n], one element an invocation. */
const matmulPlain = (sizes) => `${head(sizes)}
struct Params { m : u32, n : u32, k : u32 }
@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> params : Params;

@compute @workgroup_size(wx, wy, wz)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= params.n || id.y >= params.m { return; }
  var sum = 0.0;
  for (var k = 0u; k < params.k; k++) {
    sum += a[id.y * params.k + k] * b[k * params.n + id.x];
  }
  c[id.y * params.n + id.x] = sum;
}
`;

/** The same over tiles in workgroup memory; the workgroup is square. */
const matmulTiled = (sizes) => `${head(sizes)}
struct Params { m : u32, n : u32, k : u32 }
@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> params : Params;

const TILE = ${sizes[0]}u;
var<workgroup> tile_a : array<array<f32, TILE>, TILE>;
var<workgroup> tile_b : array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_id) at : vec3u) {
  var sum = 0.0;
  for (var from_k = 0u; from_k < params.k; from_k += TILE) {
    let ka = from_k + at.x;
    let kb = from_k + at.y;
    tile_a[at.y][at.x] = select(0.0, a[id.y * params.k + ka], id.y < params.m && ka < params.k);
    tile_b[at.y][at.x] = select(0.0, b[kb * params.n + id.x], kb < params.k && id.x < params.n);
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) { sum += tile_a[at.y][k] * tile_b[k][at.x]; }
    workgroupBarrier();
  }
  if id.y < params.m && id.x < params.n { c[id.y * params.n + id.x] = sum; }
}
`;

const expressions = { relu: 'max(x, 0.0)', sigmoid: '1.0 / (1.0 + exp(-x))', tanh: 'tanh(x)' };

const elementwise = (sizes, operation) => `${head(sizes)}
@group(0) @binding(0) var<storage, read> input : array<f32>;
@group(0) @binding(1) var<storage, read_write> output : array<f32>;

@compute @workgroup_size(wx, wy, wz)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= arrayLength(&output) { return; }
  let x = input[id.x];
  output[id.x] = ${expressions[operation]};
}
`;

/** Rows of \`size\` elements, one row an invocation. */
const softmax = (sizes) => `${head(sizes)}
struct Params { size : u32 }
@group(0) @binding(0) var<storage, read> input : array<f32>;
@group(0) @binding(1) var<storage, read_write> output : array<f32>;
@group(0) @binding(2) var<uniform> params : Params;

@compute @workgroup_size(wx, wy, wz)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let first = id.x * params.size;
  if first >= arrayLength(&output) { return; }
  var most = input[first];
  for (var i = 1u; i < params.size; i++) { most = max(most, input[first + i]); }
  var sum = 0.0;
  for (var i = 0u; i < params.size; i++) { sum += exp(input[first + i] - most); }
  for (var i = 0u; i < params.size; i++) { output[first + i] = exp(input[first + i] - most) / sum; }
}
`;

/** Symmetric 8-bit values in 32-bit integers. */
const quantize = (sizes) => `${head(sizes)}
@group(0) @binding(0) var<storage, read> input : array<f32>;
@group(0) @binding(1) var<storage, read> scale : array<f32>;
@group(0) @binding(2) var<storage, read_write> output : array<i32>;

@compute @workgroup_size(wx, wy, wz)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= arrayLength(&output) { return; }
  output[id.x] = i32(clamp(round(input[id.x] * scale[0]), -127.0, 127.0));
}
`;

module.exports = { matmulPlain, matmulTiled, elementwise, softmax, quantize, expressions };
