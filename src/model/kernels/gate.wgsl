// SPDX-License-Identifier: Apache-2.0
// y = act(gate) * up, or y = act(x): the middle of a feed-forward part.
//
//   x      [rows][stride]      gate from 0, up from up_first (with GATED 1)
//   bias   [stride]            as a row of x (with BIAS 1); with EXPERTS 1 one for each expert
//   chosen [rows]              the expert of each row (with EXPERTS 1)
//   y      [rows][n]
struct Params { n : u32, stride : u32, up_first : u32, limit : f32 }

override ACT : u32;             // 0 silu, 1 gelu by tanh, 2 gelu by erf, 3 relu, 4 clamped swiglu
override GATED : u32 = 1;
override BIAS : u32 = 0;
override EXPERTS : u32 = 0;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> bias : array<f32>;
@group(0) @binding(2) var<storage, read> chosen : array<u32>;
@group(0) @binding(3) var<storage, read_write> y : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

// A Chebyshev fit of the complementary error function, within 1.2e-7 everywhere.
fn erf(v : f32) -> f32 {
  let a = abs(v);
  let t = 1.0 / (1.0 + 0.5 * a);
  let e = t * exp(-a * a - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 +
          t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 +
          t * (-0.82215223 + t * 0.17087277)))))))));
  return select(e - 1.0, 1.0 - e, v >= 0.0);
}

fn act(v : f32) -> f32 {
  switch ACT {
    case 0u: { return v / (1.0 + exp(-v)); }
    case 1u: {
      let inner = 0.7978845608 * v * (1.0 + 0.044715 * v * v);
      return 0.5 * v * (1.0 + tanh(clamp(inner, -30.0, 30.0)));
    }
    case 2u: { return 0.5 * v * (1.0 + erf(v * 0.7071067812)); }
    case 3u: { return max(v, 0.0); }
    default: { return v / (1.0 + exp(-1.702 * v)); }
  }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.x;
  let t = id.y;
  if (i >= p.n) { return; }
  var v = x[t * p.stride + i];
  var of_expert = 0u;
  if (EXPERTS != 0u) { of_expert = chosen[t] * p.stride; }
  if (BIAS != 0u) { v += bias[of_expert + i]; }
  if (GATED == 0u) {
    y[t * p.n + i] = act(v);
    return;
  }
  var up = x[t * p.stride + p.up_first + i];
  if (BIAS != 0u) { up += bias[of_expert + p.up_first + i]; }
  if (ACT == 4u) {
    v = min(v, p.limit);
    up = clamp(up, -p.limit, p.limit) + 1.0;
  }
  y[t * p.n + i] = act(v) * up;
}
