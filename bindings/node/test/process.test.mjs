// SPDX-License-Identifier: Apache-2.0
//
// process.test.mjs - the event loop goes on, the process ends, workers have their own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertTurning, globals, open, pipelineOf, program, storage, submit, bind } from './fixture.mjs';

const slow = `
  @group(0) @binding(0) var<storage, read_write> v : array<u32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i : vec3u) {
    for (var k = 0u; k < 1000u; k++) { v[i.x] = v[i.x] * 1664525u + k; } }`;

const prelude = `
  import { create, globals } from 'weft-gpu';
  const open = async () => (await create({ cache: 'memory' }).requestAdapter()).requestDevice();
  const slow = \`${slow}\`;
  const work = (device) => {
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code: slow }) } });
    const buffer = device.createBuffer({ size: 1 << 16, usage: 128 });
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] });
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline); pass.setBindGroup(0, group);
    for (let i = 0; i < 50; i++) pass.dispatchWorkgroups(256);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };`;

test('the loop turns while kernels compile and run', async () => {
  const device = await open();
  const buffer = storage(device, new Uint32Array(1 << 14));
  const compiled = (code) => device.createComputePipelineAsync({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
  const line = (i) => `v[i.x] += v[(i.x * ${2 * i + 1}u) & 255u] ^ ${i}u;`;
  await assertTurning((size) => compiled(slow.replace('} }', `} ${Array.from({ length: 4 * size }, (_, i) => line(i)).join('\n')} }`)), 512);
  const pipeline = await compiled(slow);
  await assertTurning((size) => {
    submit(device, (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bind(device, pipeline, buffer));
      for (let i = 0; i < 4 * size; i++) pass.dispatchWorkgroups(256);
    });
    return device.queue.onSubmittedWorkDone();
  });
});

test('thousands of promises in flight', async () => {
  const device = await open();
  const { queue } = device;
  const buffers = Array.from({ length: 2000 }, () => device.createBuffer({ size: 4, usage: 1 }));
  const order = [];
  const done = [];
  for (let i = 0; i < 20000; i++) done.push(queue.onSubmittedWorkDone().then(() => order.push(i)));
  await Promise.all([...done, ...buffers.map((b) => b.mapAsync(1))]);
  assert.equal(order.length, 20000);
  assert.ok(order.every((n, i) => n === i), 'in the order of the calls');
});

test('a process that waits for nothing ends', async () => {
  const { status, err } = await program(`${prelude}
    const device = await open();
    device.lost.then(() => console.log('lost'));
    device.addEventListener('uncapturederror', () => {});
    globalThis.kept = device;
  `);
  assert.deepEqual({ status, err }, { status: 0, err: '' });
});

test('what is awaited comes before the end, the loss of a destroyed device too', async () => {
  const { out, status } = await program(`${prelude}
    const device = await open();
    work(device);
    await device.queue.onSubmittedWorkDone();
    console.log('done');
    device.destroy();
    console.log((await device.lost).reason);
    const other = await open();
    work(other);
    other.destroy();
    console.log((await other.lost).reason);
  `);
  assert.deepEqual({ out, status }, { out: 'done\ndestroyed\ndestroyed\n', status: 0 });
});

test('a process may end in the middle of work', async () => {
  const { status, signal, err } = await program(`${prelude}
    const device = await open();
    work(device);
    device.queue.onSubmittedWorkDone();
    device.createBuffer({ size: 4, usage: 1 }).mapAsync(1);
    setTimeout(() => process.exit(7), 20);
  `);
  assert.deepEqual({ status, signal, err }, { status: 7, signal: null, err: '' });
});

test('workers have their own, and may be terminated in the middle of work', async () => {
  const { out, err, status } = await program(`
    import { Worker } from 'node:worker_threads';
    const code = (end) => \`import { createRequire } from 'node:module';
      import { parentPort } from 'node:worker_threads';
      const { create } = createRequire(process.cwd() + '/index.js')('weft-gpu');
      \${${JSON.stringify(prelude.replace("import { create, globals } from 'weft-gpu';", ''))}}
      const device = await open();
      work(device);
      \${end}\`;
    const start = (end) => new Worker(new URL('data:text/javascript,' + encodeURIComponent(code(end))));
    const ended = (worker) => new Promise((resolve, reject) => { worker.on('exit', resolve); worker.on('error', reject); });
    const whole = start("await device.queue.onSubmittedWorkDone(); parentPort.postMessage('done');");
    whole.on('message', (text) => console.log(text));
    const cut = start("parentPort.postMessage('go'); await device.queue.onSubmittedWorkDone(); setInterval(() => {}, 1000);");
    cut.on('message', () => cut.terminate());
    const left = start("device.queue.onSubmittedWorkDone(); device.createBuffer({ size: 4, usage: 1 }).mapAsync(1); process.exit(3);");
    console.log(JSON.stringify(await Promise.all([ended(whole), ended(cut), ended(left)])));
  `);
  assert.deepEqual({ out, err, status }, { out: 'done\n[0,1,3]\n', err: '', status: 0 });
});

test('one module, however it is loaded', async () => {
  const { out, status } = await program(`
    import { createRequire } from 'node:module';
    import * as a from 'weft-gpu';
    const b = createRequire(process.cwd() + '/index.js')('weft-gpu');
    console.log(a.create === b.create, a.globals.GPU === b.globals.GPU, typeof a.create([]).requestAdapter);
  `);
  assert.deepEqual({ out, status }, { out: 'true true function\n', status: 0 });
});

test('the addon reports its own misuse', async () => {
  const { out, status } = await program(`
    import { createRequire } from 'node:module';
    const { native } = createRequire(process.cwd() + '/index.js')('./lib/native.js');
    for (const name of Object.keys(native)) {
      for (const args of [[], [1], [{}], [null, 'x'], [undefined, [], {}, 1n]]) {
        try { native[name](...args); } catch (error) { if (!(error instanceof Error)) console.log(name, error); }
      }
    }
    console.log('alive');
  `);
  assert.deepEqual({ out, status }, { out: 'alive\n', status: 0 });
});

test('classes know their objects', async () => {
  const device = await open();
  const { GPUBuffer, GPUDevice } = globals;
  const buffer = device.createBuffer({ size: 4, usage: 8 });
  assert.ok(buffer instanceof GPUBuffer && device instanceof GPUDevice);
  assert.throws(() => pipelineOf({ createShaderModule() {} , createComputePipeline: GPUDevice.prototype.createComputePipeline }, ''), TypeError);
});
