// SPDX-License-Identifier: Apache-2.0
//
// work.test.mjs - when work is done, promises tell so, and until then the event loop goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { assertTurning, bind, create, mode, pipelineOf, read, storage, submit, usage } from './fixture.mjs';

// Each workgroup is busy for a while; the first counts the launch.
const spin = `
  @group(0) @binding(0) var<storage, read_write> v : array<u32>;
  @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id : vec3u) {
    var x = v[0] + id.x;
    for (var i = 0u; i < 10000u; i++) { x = x * 1664525u + 1013904223u; }
    if (x == 1u) { v[0] = 0u; }
    if (id.x == 0u) { v[1] += 1u; }
  }`;

const LONG = 2000, SHORT = 1;   // workgroups

/** On each kind of adapter that is there: `run` with a device, and a function that submits a
 * dispatch of so many workgroups. */
const onEach = (name, run) => {
  for (const adapter of ['cpu', 'vulkan']) {
    test(`${name}: ${adapter}`, async (t) => {
      const device = await (await create({ cache: 'memory', adapter, threads: 1 }).requestAdapter())?.requestDevice();
      if (!device) { t.skip('there is no such adapter'); return; }
      const buffer = storage(device, new Uint32Array(2));
      const pipeline = pipelineOf(device, spin), group = bind(device, pipeline, buffer);
      const launch = (workgroups) => submit(device, (pass) => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(workgroups);
      });
      await run(device, launch, async () => new Uint32Array(await read(device, buffer))[1]);
      device.destroy();
    });
  }
};

onEach('the event loop goes on while work is under way', async (device, launch) => {
  for (let i = 0; i < 3; i++) {
    await assertTurning((size) => {
      for (let k = 0; k < size; k++) launch(LONG);
      return device.queue.onSubmittedWorkDone();
    });
  }
});

onEach('long and short work by turns is heard of', async (device, launch, count) => {
  for (let i = 0; i < 40; i++) {
    launch(i % 10 === 5 ? LONG : SHORT);
    await device.queue.onSubmittedWorkDone();
    if (i % 7 === 0) await setTimeout(1);
  }
  assert.equal(await count(), 40);
});

onEach('many requests at once are answered in their order', async (device, launch, count) => {
  const order = [];
  const note = (i) => order.push(i);
  for (let i = 0; i < 30; i += 2) {
    launch(i === 10 ? LONG : SHORT);
    const target = device.createBuffer({ size: 4, usage: usage.MAP_READ | usage.COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(target);
    device.queue.submit([encoder.finish()]);
    target.mapAsync(mode.READ).then(() => note(i));
    device.queue.onSubmittedWorkDone().then(() => note(i + 1));
  }
  await device.queue.onSubmittedWorkDone();
  assert.deepEqual(order, [...order.keys()]);
  assert.equal(order.length, 30);
  assert.equal(await count(), 15);
});

onEach('a map that is given up does not stand in the way of others', async (device, launch, count) => {
  launch(LONG);
  const target = device.createBuffer({ size: 4, usage: usage.MAP_READ | usage.COPY_DST });
  device.queue.writeBuffer(target, 0, Uint32Array.of(1));
  const map = target.mapAsync(mode.READ);
  target.unmap();
  await assert.rejects(map, { name: 'AbortError' });
  launch(SHORT);
  assert.equal(await count(), 2);
});

onEach('a device that is destroyed answers what was asked of it', async (device, launch) => {
  launch(LONG);
  const done = device.queue.onSubmittedWorkDone();
  device.destroy();
  await done;
  await device.lost;
  await device.queue.onSubmittedWorkDone();
});
