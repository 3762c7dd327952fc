// SPDX-License-Identifier: Apache-2.0
// kernels.js - made by tools/gen-web-kernels from src/tensor/kernels/plain. Do not edit.

export const matmul = `// SPDX-License-Identifier: Apache-2.0
// matmul: c = a b, one element an invocation.
//
//   a [m, k]   b [k, n]   c [m, n]      groups ceil(n / X), ceil(m / Y)
struct Sizes { m : u32, n : u32, k : u32 }

override X : u32 = 16;
override Y : u32 = 16;

@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> size : Sizes;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= size.n || id.y >= size.m {
    return;
  }
  var sum = 0.0;
  for (var k = 0u; k < size.k; k++) {
    sum += a[id.y * size.k + k] * b[k * size.n + id.x];
  }
  c[id.y * size.n + id.x] = sum;
}
`;

export const matmul_tiled = `// SPDX-License-Identifier: Apache-2.0
// matmul_tiled: c = a b through square tiles in workgroup memory: each element of a and b is
// read from memory once for TILE results.
//
//   a [m, k]   b [k, n]   c [m, n]      groups ceil(n / TILE), ceil(m / TILE)
struct Sizes { m : u32, n : u32, k : u32 }

override TILE : u32 = 16;

@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> size : Sizes;

var<workgroup> tile_a : array<f32, TILE * TILE>;
var<workgroup> tile_b : array<f32, TILE * TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_id) at : vec3u) {
  let inside = id.x < size.n && id.y < size.m;
  let mine = at.y * TILE + at.x;
  var sum = 0.0;
  for (var start = 0u; start < size.k; start += TILE) {
    let row = start + at.y;
    let column = start + at.x;
    tile_a[mine] = select(0.0, a[id.y * size.k + column], id.y < size.m && column < size.k);
    tile_b[mine] = select(0.0, b[row * size.n + id.x], row < size.k && id.x < size.n);
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) {
      sum += tile_a[at.y * TILE + k] * tile_b[k * TILE + at.x];
    }
    workgroupBarrier();
  }
  if inside {
    c[id.y * size.n + id.x] = sum;
  }
}
`;

export const rmsnorm = `// SPDX-License-Identifier: Apache-2.0
// rmsnorm: y = x / sqrt(mean(x^2) + epsilon) * weight of each row. A workgroup is a row.
//
//   x, y [rows, width]   weight [width] groups rows (at most 65,535)
struct Sizes { rows : u32, width : u32, epsilon : f32 }

override WIDE : u32 = 256;              // a power of two

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> weight : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<uniform> size : Sizes;

var<workgroup> part : array<f32, WIDE>;

@compute @workgroup_size(WIDE)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let row = group.x * size.width;
  var squares = 0.0;
  for (var i = lane; i < size.width; i += WIDE) {
    squares += x[row + i] * x[row + i];
  }
  part[lane] = squares;
  workgroupBarrier();
  for (var half = WIDE / 2u; half > 0u; half /= 2u) {
    if lane < half {
      part[lane] += part[lane + half];
    }
    workgroupBarrier();
  }
  let scale = inverseSqrt(part[0] / f32(size.width) + size.epsilon);
  for (var i = lane; i < size.width; i += WIDE) {
    y[row + i] = x[row + i] * scale * weight[i];
  }
}
`;

export const rope = `// SPDX-License-Identifier: Apache-2.0
// rope: rotary position embedding. The pairs (2i, 2i + 1) of each head turn by
// position * base^(-2i / width); positions begin at \`offset\`, the tokens in the cache before.
//
//   x, y [tokens, heads, width]         groups ceil(tokens * heads * width / 2 / WIDE)
struct Sizes { tokens : u32, heads : u32, width : u32, offset : u32, base : f32 }

override WIDE : u32 = 64;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> size : Sizes;

@compute @workgroup_size(WIDE)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let pairs = size.width / 2u;
  if id.x >= size.tokens * size.heads * pairs {
    return;
  }
  let pair = id.x % pairs;
  let token = id.x / (pairs * size.heads);
  let exponent = -2.0 * f32(pair) / f32(size.width);
  let angle = f32(size.offset + token) * pow(size.base, exponent);
  let even = x[2u * id.x];
  let odd = x[2u * id.x + 1u];
  y[2u * id.x] = even * cos(angle) - odd * sin(angle);
  y[2u * id.x + 1u] = even * sin(angle) + odd * cos(angle);
}
`;

export const silu = `// SPDX-License-Identifier: Apache-2.0
// silu: y = x / (1 + exp(-x)), elementwise.
//
//   x, y [n]                            groups ceil(n / WIDE)
override WIDE : u32 = 64;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(WIDE)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x < arrayLength(&x) {
    y[id.x] = x[id.x] / (1.0 + exp(-x[id.x]));
  }
}
`;

export const softmax = `// SPDX-License-Identifier: Apache-2.0
// softmax: y = exp(x - max) / sum(exp(x - max)) of each row. A workgroup is a row.
//
//   x, y [rows, width]                  groups rows (at most 65,535)
struct Sizes { rows : u32, width : u32 }

override WIDE : u32 = 256;              // a power of two

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> size : Sizes;

var<workgroup> part : array<f32, WIDE>;

@compute @workgroup_size(WIDE)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let row = group.x * size.width;
  var most = -3.4e38;
  for (var i = lane; i < size.width; i += WIDE) {
    most = max(most, x[row + i]);
  }
  part[lane] = most;
  workgroupBarrier();
  for (var half = WIDE / 2u; half > 0u; half /= 2u) {
    if lane < half {
      part[lane] = max(part[lane], part[lane + half]);
    }
    workgroupBarrier();
  }
  most = part[0];
  workgroupBarrier();

  var sum = 0.0;
  for (var i = lane; i < size.width; i += WIDE) {
    sum += exp(x[row + i] - most);
  }
  part[lane] = sum;
  workgroupBarrier();
  for (var half = WIDE / 2u; half > 0u; half /= 2u) {
    if lane < half {
      part[lane] += part[lane + half];
    }
    workgroupBarrier();
  }
  sum = part[0];
  for (var i = lane; i < size.width; i += WIDE) {
    y[row + i] = exp(x[row + i] - most) / sum;
  }
}
`;
