// SPDX-License-Identifier: Apache-2.0
//
// compute.test.mjs - kernels run, with all that can be bound and set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bind, create, open, pipelineOf, read, storage, submit, usage } from './fixture.mjs';

const add = `
  override step : u32 = 1;
  @group(0) @binding(0) var<storage, read_write> v : array<u32>;
  @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i : vec3u) { v[i.x] += step; }`;

test('a kernel runs, with constants by name', async () => {
  const device = await open();
  const pipeline = pipelineOf(device, add, { constants: { step: 7 } });
  const buffer = storage(device, Uint32Array.of(1, 2, 3, 4));
  submit(device, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, buffer));
    pass.dispatchWorkgroups(1);
    pass.dispatchWorkgroups(1, 0);
  });
  assert.deepEqual(new Uint32Array(await read(device, buffer)), Uint32Array.of(8, 9, 10, 11));
});

test('dynamic offsets come as a list and as a part of a Uint32Array', async () => {
  const device = await open();
  const layout = device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage', hasDynamicOffset: true } }] });
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ code: add }) },
  });
  const buffer = storage(device, new Uint32Array(192));
  const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer, size: 16 } }] });
  submit(device, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group, new Set([256]));
    pass.dispatchWorkgroups(1);
    pass.setBindGroup(0, group, Uint32Array.of(0, 512, 0), 1, 1);
    pass.dispatchWorkgroups(1);
    pass.dispatchWorkgroups(1);
    assert.throws(() => pass.setBindGroup(0, group, Uint32Array.of(1), 1, 1), RangeError);
    assert.throws(() => pass.setBindGroup(0, group, Uint32Array.of(1), 0), TypeError);
    assert.throws(() => pass.setBindGroup(0, group, Int32Array.of(1), 0, 1), TypeError);
  });
  const words = new Uint32Array(await read(device, buffer));
  assert.deepEqual([words[0], words[64], words[128]], [0, 1, 2]);
});

test('counts may come from a buffer, and data with the pass', async () => {
  const device = await open();
  const pipeline = pipelineOf(device, `
    var<immediate> value : vec2u;
    @group(0) @binding(0) var<storage, read_write> v : array<u32>;
    @compute @workgroup_size(1) fn main(@builtin(workgroup_id) i : vec3u) { v[i.x] = value.x * 10 + value.y; }`);
  const buffer = storage(device, new Uint32Array(4));
  const counts = storage(device, Uint32Array.of(9, 3, 1, 1), usage.INDIRECT);
  submit(device, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, buffer));
    pass.setImmediates(0, Uint32Array.of(0, 4, 2), 1);
    pass.dispatchWorkgroupsIndirect(counts, 4);
  });
  assert.deepEqual(new Uint32Array(await read(device, buffer)), Uint32Array.of(42, 42, 42, 0));
});

test('timestamps rise', async () => {
  const device = await open({}, { requiredFeatures: ['timestamp-query'] });
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
  assert.equal(querySet.count, 2);
  const pipeline = pipelineOf(device, add), buffer = storage(device, new Uint32Array(4));
  const results = device.createBuffer({ size: 16, usage: usage.QUERY_RESOLVE | usage.COPY_SRC });
  submit(device, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, buffer));
    pass.dispatchWorkgroups(1);
  }, { timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } });
  const encoder = device.createCommandEncoder();
  encoder.resolveQuerySet(querySet, 0, 2, results, 0);
  device.queue.submit([encoder.finish()]);
  const [begin, end] = new BigUint64Array(await read(device, results));
  assert.ok(begin > 0n && end >= begin);
});

test('a timestamp query needs its feature', async () => {
  const device = await open();
  assert.throws(() => device.createQuerySet({ type: 'timestamp', count: 1 }), TypeError);
});

test('data are written from arrays, views and buffers of all kinds', async () => {
  const device = await open();
  const buffer = storage(device, new Uint32Array(2));
  const shared = new Uint32Array(new SharedArrayBuffer(16));
  shared.set([1, 2, 3, 4]);
  const rows = [
    [[Uint32Array.of(1, 2, 3, 4), 2], [3, 4]],
    [[Uint32Array.of(1, 2, 3, 4), 1, 2], [2, 3]],
    [[Uint32Array.of(1, 2, 3, 4).buffer, 4, 8], [2, 3]],
    [[new DataView(Uint32Array.of(1, 2, 3, 4).buffer, 4), 4, 8], [3, 4]],
    [[shared, 2], [3, 4]],
    [[shared.buffer, 0, 8], [1, 2]],
  ];
  for (const [args, want] of rows) {
    device.queue.writeBuffer(buffer, 0, ...args);
    assert.deepEqual([...new Uint32Array(await read(device, buffer))], want);
  }
  const { queue } = device, four = new Uint8Array(4);
  assert.throws(() => queue.writeBuffer(buffer, 0, four, 5), { name: 'OperationError' });
  assert.throws(() => queue.writeBuffer(buffer, 0, four, 0, 8), { name: 'OperationError' });
  assert.throws(() => queue.writeBuffer(buffer, 0, four, 0, 3), { name: 'OperationError' });
  assert.throws(() => queue.writeBuffer(buffer, 0, [1, 2]), TypeError);
});

test('an adapter opens one device, with the limits it is asked for', async () => {
  const adapter = await create({ cache: 'memory' }).requestAdapter();
  const most = adapter.limits.maxStorageBufferBindingSize;
  const ask = (requiredLimits) => adapter.requestDevice({ requiredLimits });
  await assert.rejects(ask({ maxStorageBufferBindingSize: most + 4 }), { name: 'OperationError' });
  await assert.rejects(ask({ maxBindGroups: 2 ** 32 }), { name: 'OperationError' });
  await assert.rejects(ask({ minUniformBufferOffsetAlignment: 300 }), { name: 'OperationError' });
  await assert.rejects(ask({ maxWishes: 3 }), { name: 'OperationError' });
  await assert.rejects(adapter.requestDevice({ requiredFeatures: ['depth-clip-control'] }), TypeError);
  await assert.rejects(adapter.requestDevice({ requiredFeatures: ['telepathy'] }), TypeError);
  const device = await ask({ maxStorageBufferBindingSize: most, maxWishes: undefined });
  assert.equal(device.limits.maxStorageBufferBindingSize, most);
  assert.equal(device.features.has('core-features-and-limits'), true);
  await assert.rejects(adapter.requestDevice(), { name: 'OperationError' });
});

test('options choose threads, adapter, deadline and cache', async () => {
  const device = await open({ threads: 1, lanes: 4, adapter: 'cpu', deadline: 50 });
  const pipeline = pipelineOf(device, `
    @group(0) @binding(0) var<storage, read_write> v : array<u32>;
    @compute @workgroup_size(1) fn main() { for (;;) { v[0]++; if (v[0] == 0xffffffffu && v[1] == 1) { break; } } }`);
  submit(device, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, storage(device, new Uint32Array(2))));
    pass.dispatchWorkgroups(1);
  });
  const timer = setInterval(() => {}, 1000);           // the promise alone does not keep the process
  const lost = await device.lost;
  clearInterval(timer);
  assert.equal(lost.reason, 'unknown');
  assert.match(lost.message, /deadline/);
  assert.equal(await create(['adapter=no such thing']).requestAdapter(), null);
  assert.equal(await create().requestAdapter({ featureLevel: 'future' }), null);
});

test('wrong options say which and what is right', () => {
  assert.throws(() => create(['thread=2']), /no option 'thread'.*threads/);
  assert.throws(() => create(['threads']), /name=value/);
  assert.throws(() => create({ threads: -1 }), /threads is -1/);
  assert.throws(() => create({ cache: 'maybe' }), /'on', 'memory' or 'off'/);
  assert.throws(() => create({ lanes: 5 }), /lanes/);
  assert.throws(() => create(['deadline=soon']), /deadline/);
  assert.throws(() => create('threads=2'), TypeError);
});

test('a kernel chooses the size of its subgroups', async () => {
  const code = (groups) => `
    enable subgroup_size_control;
    override size : u32;
    @group(0) @binding(0) var<storage, read_write> v : array<vec4u>;
    @compute @workgroup_size(${groups}) @subgroup_size(size)
    fn main(@builtin(local_invocation_index) i : u32, @builtin(subgroup_size) n : u32,
            @builtin(num_subgroups) all : u32, @builtin(subgroup_id) id : u32) {
      v[i] = vec4u(n, all, id, subgroupAdd(i));
    }`;
  await assert.rejects((await open()).createComputePipelineAsync({ layout: 'auto',
    compute: { module: (await open()).createShaderModule({ code: 'enable subgroup_size_control;' }) } }));
  const device = await open({ adapter: 'cpu' }, { requiredFeatures: ['subgroup-size-control'] });
  assert.ok(device.features.has('subgroups'));
  const { subgroupMinSize, subgroupMaxSize } = device.adapterInfo;
  for (let size = subgroupMinSize; size <= subgroupMaxSize; size *= 2) {
    const pipeline = pipelineOf(device, code(64), { constants: { size } }), buffer = storage(device, new Uint32Array(256));
    submit(device, (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bind(device, pipeline, buffer));
      pass.dispatchWorkgroups(1);
    });
    const want = Uint32Array.from({ length: 256 }, (_, k) => {
      const first = (k >> 2) - (k >> 2) % size;
      return [size, 64 / size, first / size, first * size + size * (size - 1) / 2][k & 3];
    });
    assert.deepEqual(new Uint32Array(await read(device, buffer)), want);
  }
  for (const [groups, size] of [[64, subgroupMinSize / 2], [128, subgroupMaxSize * 2], [64, 6], [20, 8]]) {
    device.pushErrorScope('validation');
    pipelineOf(device, code(groups), { constants: { size } });
    assert.match((await device.popErrorScope()).message, /subgroup/, `${size} of ${groups}`);
  }
});

test('a binding of four gigabytes is reached to its last byte', async (t) => {
  const size = 2 ** 32;
  const adapter = await create([]).requestAdapter();
  if (adapter.limits.maxStorageBufferBindingSize < size || !adapter.features.has('shader-f16')) return t.skip('not this machine');
  const device = await adapter.requestDevice({
    requiredFeatures: ['shader-f16'], requiredLimits: { maxBufferSize: size, maxStorageBufferBindingSize: size } });
  const data = device.createBuffer({ size, usage: usage.STORAGE | usage.COPY_SRC });
  const end = device.createBuffer({ size: 16, usage: usage.MAP_READ | usage.COPY_DST });
  const lastOf = async (code) => {
    const pipeline = pipelineOf(device, `enable f16; requires buffer_view; @group(0) @binding(0) var<storage, read_write> v : ${code}`);
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, data));
    pass.dispatchWorkgroups(1);
    pass.end();
    encoder.copyBufferToBuffer(data, size - 16, end, 0, 16);
    device.queue.submit([encoder.finish()]);
    await end.mapAsync(1);
    const words = [...new Uint32Array(end.getMappedRange())];
    end.unmap();
    return words;
  };
  const main = '@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i : u32)';
  assert.deepEqual(await lastOf(`array<u32>; ${main} { let n = arrayLength(&v); v[n - 1 - i] = n - i; }`),
    [2 ** 30 - 3, 2 ** 30 - 2, 2 ** 30 - 1, 2 ** 30]);
  assert.deepEqual(await lastOf(`array<f16>; ${main} { let at = 0x80000000u - 4 + i; if at < arrayLength(&v) { v[at] = f16(i); } }`),
    [2 ** 30 - 3, 2 ** 30 - 2, 0x3c000000, 0x42004000]);
  assert.deepEqual(await lastOf(`buffer; ${main} { let p = bufferView<array<u32>>(&v, bufferLength(&v) - 12); (*p)[i] = arrayLength(p); }`),
    [3, 3, 3, 0x42004000]);
});
