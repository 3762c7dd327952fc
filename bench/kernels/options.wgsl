// SPDX-License-Identifier: Apache-2.0
// Prices of European options by the formula of Black and Scholes: exp, log and sqrt, and a
// polynomial for the normal distribution.
struct Option {
  price: f32,
  strike: f32,
  years: f32,
  volatility: f32,
}
const rate = 0.02;
@group(0) @binding(0) var<storage, read> option: array<Option>;
@group(0) @binding(1) var<storage, read_write> value: array<vec2f>;     // call, put

fn normal(x: f32) -> f32 {
  let t = 1.0 / (1.0 + 0.2316419 * abs(x));
  let p = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937
        + t * (-1.821255978 + t * 1.330274429))));
  let tail = 0.39894228 * exp(-0.5 * x * x) * p;
  return select(tail, 1.0 - tail, x >= 0.0);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&option)) { return; }
  let o = option[id.x];
  let spread = o.volatility * sqrt(o.years);
  let d1 = (log(o.price / o.strike) + (rate + 0.5 * o.volatility * o.volatility) * o.years)
         / spread;
  let d2 = d1 - spread;
  let later = o.strike * exp(-rate * o.years);
  let call = o.price * normal(d1) - later * normal(d2);
  value[id.x] = vec2f(call, call + later - o.price);
}
