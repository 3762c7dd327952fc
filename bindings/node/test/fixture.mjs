// SPDX-License-Identifier: Apache-2.0
//
// fixture.mjs - what the tests share: a device, a kernel that runs, another process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { create, globals } from '../index.mjs';

export { create, globals };
export const here = path.dirname(fileURLToPath(import.meta.url));
export const top = path.join(here, '..');

export const { GPUBufferUsage: usage, GPUMapMode: mode } = globals;

/** A device with a cache in memory, so that tests leave nothing behind. */
export const open = async (options = {}, descriptor = {}) => {
  const adapter = await create({ cache: 'memory', ...options }).requestAdapter();
  return adapter.requestDevice(descriptor);
};

/** The bytes of `buffer`, copied out. */
export const read = async (device, buffer) => {
  const back = device.createBuffer({ size: buffer.size, usage: usage.MAP_READ | usage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, back);
  device.queue.submit([encoder.finish()]);
  await back.mapAsync(mode.READ);
  const bytes = back.getMappedRange().slice(0);
  back.destroy();
  return bytes;
};

/** A storage buffer with these 32-bit numbers. */
export const storage = (device, numbers, more = 0) => {
  const buffer = device.createBuffer({ size: numbers.byteLength, usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST | more });
  device.queue.writeBuffer(buffer, 0, numbers);
  return buffer;
};

export const pipelineOf = (device, code, more = {}) => device.createComputePipeline({
  layout: 'auto', compute: { module: device.createShaderModule({ code }), ...more },
});

export const bind = (device, pipeline, ...buffers) => device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0), entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
});

/** Records a pass by `fill(pass)` and submits it. */
export const submit = (device, fill, descriptor) => {
  const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass(descriptor);
  fill(pass, encoder);
  pass.end();
  device.queue.submit([encoder.finish()]);
};

/** That the event loop turns while `work(size)` is under way. On a busy machine little work may end
 * before the loop has had its turn: then there is more of it. A loop that is held up never turns. */
export const assertTurning = async (work, largest = 1024) => {
  let turns = 0;
  for (let size = 1; size <= largest; size *= 2) {
    let done = false;
    turns = 0;
    const end = work(size).finally(() => { done = true; });
    end.catch(() => {});                // told below
    while (!done) { await setImmediate(); turns++; }
    await end;
    if (turns > 2) return;
  }
  assert.fail(`${turns} turns of the loop while the largest work was under way`);
};

/** A program of its own; what it printed, and how it ended. */
export const program = (code, { args = [], seconds = 300 } = {}) => new Promise((resolve) => {
  // Node.js complains about certificates that it cannot read, which has nothing to do with us.
  const { NODE_EXTRA_CA_CERTS, ...env } = process.env;
  const child = spawn(process.execPath, [...args, '--input-type=module', '-e', code], { cwd: top, env, timeout: seconds * 1000 });
  let out = '', err = '';
  child.stdout.on('data', (data) => { out += data; });
  child.stderr.on('data', (data) => { err += data; });
  child.on('close', (status, signal) => resolve({ out, err, status, signal }));
});
