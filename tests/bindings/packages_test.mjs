// SPDX-License-Identifier: Apache-2.0
//
// packages_test.mjs - a kernel, tensors and an error with the installed package weft-gpu.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { create } from 'weft-gpu';
import { execute, sharedContext } from 'weft-gpu/pool';
import { tensor } from 'weft-gpu/tensor';

assert.ok(await create([]).requestAdapter());
assert.ok(createRequire(import.meta.url)('weft-gpu/context'));

const wgsl = `
  @group(0) @binding(0) var<storage, read> x : array<f32>;
  @group(0) @binding(1) var<storage, read_write> y : array<f32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&x) { y[id.x] = 2.0 * x[id.x] + 1.0; }
  }`;
const { outputs } = await execute({ wgsl, inputs: { x: Float32Array.of(1, 2, 3) }, outputs: { y: { type: 'f32', shape: [3] } } });
assert.deepEqual([...outputs.y], [3, 5, 7]);
assert.equal(await tensor([1, 2]).matmul([[1], [1]]).item(), 3);
await assert.rejects((await sharedContext()).execute({ wgsl: 'fn', outputs: {} }), { name: 'WeftError', kind: 'compile' });
console.log('a kernel, tensors and an error are as they should be');
