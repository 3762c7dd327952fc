// SPDX-License-Identifier: Apache-2.0
//
// execute.mjs - a small known kernel from JavaScript: microseconds a call, blocking and as a promise.
import { createRequire } from 'node:module';

const { createPool } = createRequire(import.meta.url)('../../bindings/node/pool.js');

const wgsl = `
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }
}`;
const pool = await createPool({ adapters: ['cpu'], benchmarkTimeout: Infinity }), context = pool.context();
const x = new Float32Array(64).fill(1), y = new Float32Array(64), request = { wgsl, inputs: { x }, outputs: { y } };

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const turn = async (call) => {
  const start = performance.now();
  for (let i = 0; i < 200; i++) await call();
  return (performance.now() - start) * 5;
};
const blocking = [], promise = [];
for (let i = 0; i < 60; i++) {
  const start = performance.now();
  for (let k = 0; k < 200; k++) context.executeSync(request);
  blocking.push((performance.now() - start) * 5);
  promise.push(await turn(() => context.execute(request)));
}
if (y[63] !== 2) throw new Error('wrong result');
console.log(`Node.js(blocking) ${median(blocking).toFixed(1)}`);
console.log(`Node.js(promise) ${median(promise).toFixed(1)}`);
pool.dispose();
