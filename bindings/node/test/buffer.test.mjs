// SPDX-License-Identifier: Apache-2.0
//
// buffer.test.mjs - mapping: real memory, detached in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mode, open, program, read, usage } from './fixture.mjs';

const mappable = (device, size = 16) => device.createBuffer({ size, usage: usage.MAP_WRITE | usage.COPY_SRC });

test('a buffer mapped at creation is written through its ranges', async () => {
  const device = await open();
  const buffer = device.createBuffer({ size: 32, usage: usage.COPY_SRC, mappedAtCreation: true });
  assert.equal(buffer.mapState, 'mapped');
  const first = buffer.getMappedRange(0, 8), second = buffer.getMappedRange(8);
  assert.equal(second.byteLength, 24);
  new Uint32Array(first).set([1, 2]);
  new Uint32Array(second).fill(9);
  buffer.unmap();
  assert.equal(first.byteLength + second.byteLength, 0);
  assert.equal(buffer.mapState, 'unmapped');
  assert.deepEqual([...new Uint32Array(await read(device, buffer))], [1, 2, 9, 9, 9, 9, 9, 9]);
});

test('a range is the memory itself: it shows what another view of it wrote', async () => {
  const device = await open();
  const buffer = mappable(device);
  for (let i = 1; i < 4; i++) {
    await buffer.mapAsync(mode.WRITE);
    const words = new Uint32Array(buffer.getMappedRange());
    assert.equal(words[0], i - 1);
    words[0] = i;
    buffer.unmap();
  }
});

test('ranges are checked', async () => {
  const device = await open();
  const buffer = mappable(device, 64);
  const refused = { name: 'OperationError' };
  assert.throws(() => buffer.getMappedRange(), refused);
  await buffer.mapAsync(mode.WRITE, 16, 32);
  assert.throws(() => buffer.getMappedRange(), refused);
  assert.throws(() => buffer.getMappedRange(20, 4), refused);
  assert.throws(() => buffer.getMappedRange(16, 3), refused);
  assert.throws(() => buffer.getMappedRange(16, 36), refused);
  assert.throws(() => buffer.getMappedRange(-1), TypeError);
  const range = buffer.getMappedRange(16, 16);
  assert.throws(() => buffer.getMappedRange(24, 8), refused);
  assert.equal(buffer.getMappedRange(48, 0).byteLength, 0);
  assert.equal(buffer.getMappedRange(32, 16).byteLength, 16);
  assert.equal(range.byteLength, 16);
});

test('a map that does not come to pass is rejected with the right error', async () => {
  const device = await open();
  const errors = [];
  device.onuncapturederror = (event) => errors.push(event.error.constructor.name);
  const buffer = mappable(device);
  const first = buffer.mapAsync(mode.WRITE);
  assert.equal(buffer.mapState, 'pending');
  await assert.rejects(buffer.mapAsync(mode.WRITE), { name: 'OperationError' });
  await first;
  buffer.unmap();

  const unmapped = buffer.mapAsync(mode.WRITE);
  buffer.unmap();
  assert.equal(buffer.mapState, 'unmapped');
  await assert.rejects(unmapped, { name: 'AbortError' });
  await assert.rejects(buffer.mapAsync(mode.READ), { name: 'OperationError' });
  const destroyed = buffer.mapAsync(mode.WRITE);
  buffer.destroy();
  await assert.rejects(destroyed, { name: 'AbortError' });
  await assert.rejects(buffer.mapAsync(mode.WRITE), { name: 'OperationError' });
  await device.queue.onSubmittedWorkDone();
  assert.deepEqual(errors, ['GPUValidationError', 'GPUValidationError', 'GPUValidationError']);
});

test('a device that is destroyed detaches and rejects', async () => {
  const device = await open();
  const mapped = mappable(device), pending = mappable(device);
  await mapped.mapAsync(mode.WRITE);
  const range = mapped.getMappedRange();
  const waiting = pending.mapAsync(mode.WRITE);
  device.destroy();
  assert.equal(range.byteLength, 0);
  assert.equal(mapped.mapState, 'unmapped');
  await assert.rejects(waiting, { name: 'AbortError' });
  assert.equal((await device.lost).reason, 'destroyed');
});

test('a range that is taken away all the same stays memory', async () => {
  const device = await open();
  const buffer = mappable(device);
  await buffer.mapAsync(mode.WRITE);
  const range = buffer.getMappedRange();
  if (range.transfer) assert.throws(() => range.transfer(), TypeError);
  let taken = new ArrayBuffer(16);
  try { taken = structuredClone(range, { transfer: [range] }); } catch (error) { assert.equal(error.name, 'DataCloneError'); }
  assert.equal(range.byteLength, 16);
  assert.equal(taken.byteLength, 16);
  const { transfer } = ArrayBuffer.prototype;
  if (transfer) taken = transfer.call(range);
  buffer.unmap();
  buffer.destroy();
  assert.equal(range.byteLength, 0);
  new Uint32Array(taken).fill(7);
  assert.equal(taken.byteLength, 16);
});

test('sizes that cannot be mapped are a RangeError', async () => {
  const device = await open();
  const create = (size) => device.createBuffer({ size, usage: usage.COPY_SRC, mappedAtCreation: true });
  assert.throws(() => create(6), RangeError);
  assert.throws(() => create(2 ** 53 - 8), RangeError);
});

test('unreachable buffers are freed, and their ranges stay as long as they are held', async () => {
  const { out, err, status } = await program(`
    import { create, globals } from 'weft-gpu';
    const device = await (await create({ cache: 'memory' }).requestAdapter()).requestDevice();
    const make = () => device.createBuffer({ size: 1 << 24, usage: 2, mappedAtCreation: true }).getMappedRange();
    const kept = new Uint32Array(make());
    const tick = () => new Promise((resolve) => setImmediate(resolve));
    let most = 0;
    for (let i = 0; i < 100; i++) {
      new Uint32Array(make()).fill(i);
      gc(); await tick(); gc(); await tick();
      kept[i] = i;
      most = Math.max(most, process.memoryUsage().rss);
    }
    console.log(kept[99], most < 600e6 ? 'small' : most);
    device.destroy();
    console.log(kept.length);
  `, { args: ['--expose-gc'] });
  assert.deepEqual({ out, err, status }, { out: '99 small\n0\n', err: '', status: 0 });
});

test('memory of buffers is known to the garbage collector, and given back by destroy()', async () => {
  const { out, err, status } = await program(`
    import { createRequire } from 'node:module';
    import { create } from 'weft-gpu';
    const { native } = createRequire(process.cwd() + '/index.js')('./lib/native.js');
    const device = await (await create({ cache: 'memory' }).requestAdapter()).requestDevice();
    const external = () => native.externalMemory();
    const before = external();
    const buffer = device.createBuffer({ size: 1 << 26, usage: 8 });
    console.log(external() - before > 6e7);
    buffer.destroy();
    console.log(external() - before < 1 << 25);
    // Without a call of gc(): what is reported is what makes the collector run.
    for (let i = 0; i < 400; i++) {
      device.queue.writeBuffer(device.createBuffer({ size: 1 << 24, usage: 8 }), 0, new Uint8Array(4));
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    console.log(external() - before < 3e9);
  `);
  assert.deepEqual({ out, err, status }, { out: 'true\ntrue\ntrue\n', err: '', status: 0 });
});
