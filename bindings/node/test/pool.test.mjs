// SPDX-License-Identifier: Apache-2.0
//
// pool.test.mjs - kernels on named typed arrays: the table of cases of all bindings, promises,
// resident data, errors, the ends of processes and workers.
//
// On the CPU device; WEFT_TEST_BACKEND names another, WEFT_WEBGPU another library.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { createPool, execute, PoolData, sharedContext, WeftError } from 'weft-gpu/pool';
import { program, top } from './fixture.mjs';

const library = process.env.WEFT_WEBGPU;
const basis = library
  ? { libraries: [library], noOwn: true, benchmarkTimeout: Infinity }
  : { adapters: [process.env.WEFT_TEST_BACKEND ?? 'cpu'], benchmarkTimeout: Infinity };
const isCpu = !library && basis.adapters[0] === 'cpu';
const pool = await createPool(basis);
const [device] = pool.devices;
after(() => pool.dispose());

const scale = `
  struct Params { factor : f32, n : u32 }
  @group(0) @binding(0) var<storage, read> x : array<f32>;
  @group(0) @binding(1) var<storage, read_write> y : array<f32>;
  @group(0) @binding(2) var<uniform> params : Params;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < params.n { y[id.x] = x[id.x] * params.factor; }
  }`;
const endless = `
  @group(0) @binding(0) var<storage, read_write> v : array<u32>;
  @compute @workgroup_size(1) fn main() { loop { v[0] = v[0] * 3u + 1u; if v[0] == 7u { break; } } }`;
const request = (n = 4) => ({
  wgsl: scale, outputs: { y: { type: 'f32', shape: [n] } },
  inputs: { x: Float32Array.from({ length: n }, (_, i) => i), 'params.factor': 10, 'params.n': Uint32Array.of(n) },
});

// ---- the table of cases ----

const folder = path.join(top, '..', 'cases'), cancelTries = 1000;
const table = JSON.parse(fs.readFileSync(path.join(folder, 'cases.json'), 'utf8'));
const fromHex = (text) => new Uint8Array(Buffer.from(text, 'hex'));

const inputsOf = (row, stranger) => Object.fromEntries((row.inputs ?? []).map(({ name, type, shape, data }) => [name,
  row.foreign?.includes(name) ? stranger.data(new Float32Array(fromHex(data).buffer))
    : { data: fromHex(data), type, shape: shape.length ? shape : undefined }]));

const runCase = async (row) => {
  const own = row.pool ? await createPool({ ...basis, deadline: row.pool.dispatch_deadline / 1e6 }) : pool;
  const context = own.context({ memoryQuota: row.context?.memory_quota });
  try {
    const run = (signal) => context.execute({
      wgsl: fs.readFileSync(path.join(folder, row.wgsl), 'utf8'), entry: row.entry, constants: row.constants,
      inputs: inputsOf(row, own.context()), groups: row.groups, invocations: row.invocations, memoryLimit: row.memory_limit,
      outputs: Object.fromEntries((row.outputs ?? []).map(({ name, type, shape }) => [name, { type, shape: shape.length ? shape : undefined }])),
      deadline: row.deadline && row.deadline / 1e6, noRetry: row.no_retry, signal,
    });
    let result;
    // A device that ends before it is cancelled gets another go.
    for (let i = 0; i < (row.cancel ? cancelTries : 1); i++) {
      const abort = new AbortController(), running = run(abort.signal);
      if (row.cancel) abort.abort();
      result = await running;
    }
    return result.outputs;
  } finally {
    context.dispose();
    if (own !== pool) own.dispose();
  }
};

const numbers = (bytes, type) => new ({ f32: Float32Array, f64: Float64Array })[type](bytes.buffer, bytes.byteOffset, bytes.byteLength / (type === 'f32' ? 4 : 8));

for (const row of table) {
  const missing = row.requires?.find((feature) => !device[feature]);
  test(`case ${row.name}`, { skip: missing ? `the device has no ${missing}` : row.pool && !isCpu ? 'CPU device alone' : false }, async () => {
    if (row.error) {
      const error = await runCase(row).then(() => assert.fail('no error'), (e) => e);
      assert.ok(error instanceof WeftError, String(error));
      assert.equal(error.kind, row.error.kind, error.message);
      if (row.error.name) assert.deepEqual(error.names, [row.error.name]);
      return;
    }
    const outputs = await runCase(row);
    for (const { name, data } of row.expected) {
      const got = outputs[name], bytes = new Uint8Array(got.buffer, got.byteOffset, got.byteLength), want = fromHex(data);
      if (row.tolerance === undefined) { assert.deepEqual(Buffer.from(bytes).toString('hex'), data); continue; }
      const { type } = row.outputs.find((output) => output.name === name), wanted = numbers(want, type);
      numbers(bytes, type).forEach((n, i) => assert.ok(Math.abs(n - wanted[i]) <= row.tolerance * Math.max(1, Math.abs(wanted[i])), `${name}[${i}]: ${n}, not ${wanted[i]}`));
    }
  });
}

// ---- the interface ----

test('outputs come as typed arrays, or in those that are given', async () => {
  const context = pool.context({ label: 'mine' });
  const { outputs: { y }, report } = await context.execute(request());
  assert.deepEqual(y, Float32Array.of(0, 10, 20, 30));
  assert.equal(report.device, device.name);
  assert.deepEqual(report.groups, [1, 1, 1]);
  assert.ok(report.totalMs > 0 && report.attempts === 1);
  const mine = new Float32Array(6).subarray(1, 5);
  for (const run of ['execute', 'executeSync']) {
    mine.fill(-1);
    const { outputs } = await context[run]({ ...request(), outputs: { y: mine } });
    assert.equal(outputs.y, mine);
    assert.deepEqual(new Float32Array(mine.buffer), Float32Array.of(0, 0, 10, 20, 30, 0));
  }
  assert.deepEqual(context.executeSync(request()).outputs.y, Float32Array.of(0, 10, 20, 30));
  const large = (await context.execute(request(50000))).outputs.y;
  assert.equal(large[49999], 499990);
  assert.equal(context.usage.errors, 0);
  assert.ok(context.usage.executions >= 5);
  assert.match(context.explain(request()), new RegExp(device.backend === 'cpu' ? 'CPU' : '.'));
});

test('resident data stays on the device between executions', async () => {
  const context = pool.context();
  const data = context.data(Float32Array.of(1, 2, 3, 4), { name: 'state' });
  const wgsl = `@group(0) @binding(0) var<storage, read_write> v : array<f32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id : vec3u) { if id.x < arrayLength(&v) { v[id.x] *= 2.0; } }`;
  for (let i = 0; i < 3; i++) assert.equal((await context.execute({ wgsl, outputs: { v: data } })).outputs.v, data);
  assert.deepEqual(await data.read(), Float32Array.of(8, 16, 24, 32));
  data.write(Float32Array.of(5), 2);
  assert.deepEqual(await data.read(), Float32Array.of(8, 16, 5, 32));
  assert.equal(data.size, 16);
  assert.throws(() => data.write(new Float32Array(9)), { kind: 'shape' });
  assert.throws(() => context.data(Float32Array.of(1), { name: 'state' }), { kind: 'exists' });
  data.dispose();
  assert.throws(() => data.size, { kind: 'invalid', message: /disposed/ });
  await assert.rejects(context.execute({ wgsl, outputs: { v: data } }), { kind: 'invalid' });
  assert.deepEqual(await context.data({ type: 'i32', length: 2 }).read(), Int32Array.of(0, 0));
  assert.throws(() => context.data({ type: 'i32', length: 0 }), { kind: 'shape' });
  assert.ok(data instanceof PoolData);
});

test('what is wrong is said at once', async () => {
  assert.throws(() => new PoolData(), { kind: 'invalid', message: /not made with new/ });
  const context = pool.context();
  for (const [given, kind, message] of [
    [undefined, 'invalid', /object/], [{}, 'invalid', /wgsl/], [{ wgls: '' }, 'invalid', /wgls/],
    [{ wgsl: 'fn' }, 'compile', /1:/], [{ ...request(), groups: [1, 2, 3, 4] }, 'invalid', /groups/],
    [{ ...request(), groups: ['a'] }, 'invalid', /groups/], [{ ...request(), policy: 'best' }, 'invalid', /best/],
    [{ ...request(), inputs: { x: [1, 2] } }, 'type', /'x'/], [{ ...request(), inputs: { x: new BigInt64Array(2) } }, 'type', /BigInt64Array/],
    [{ ...request(), outputs: { y: 'f31' } }, 'type', /f31/], [{ ...request(), inputs: 3 }, 'invalid', /inputs/],
  ]) {
    await assert.rejects(context.execute(given), (e) => e instanceof WeftError && e.kind === kind && message.test(e.message), String(message));
    assert.throws(() => context.executeSync(given), { kind });
  }
  assert.throws(() => pool.context({ weight: 5000 }), { kind: 'invalid' });
  assert.throws(() => pool.context({ policy: 'device' }), { kind: 'invalid' });
  await assert.rejects(createPool({ adapter: 'cpu' }), { kind: 'invalid', message: /adapter/ });
  await assert.rejects(createPool({ adapters: 'cpu' }), { kind: 'invalid', message: /adapters/ });
  const none = await createPool({ adapters: ['no such device'], benchmarkTimeout: Infinity });
  assert.deepEqual(none.devices, []);
  await assert.rejects(none.context().execute(request()), (e) => e instanceof WeftError);
  assert.equal(pool.findDevice('no such device'), null);
  assert.equal(pool.findDevice('#0').index, 0);
});

test('after dispose() calls are errors, and running executions end', async () => {
  const context = pool.context(), running = context.execute(request(1000));
  context.dispose();
  await running.catch((e) => assert.equal(e.kind, 'cancelled'));
  assert.ok(context.isDisposed);
  await assert.rejects(context.execute(request()), { kind: 'invalid', message: /disposed/ });
  assert.throws(() => context.usage, { kind: 'invalid' });
  const mine = await createPool(basis);
  mine.dispose();
  assert.throws(() => mine.devices, { kind: 'invalid' });
  assert.throws(() => mine.context(), { kind: 'invalid' });
});

test('hundreds of executions at once, with different results', async () => {
  const context = pool.context();
  const all = await Promise.all(Array.from({ length: 300 }, (_, i) => context.execute({ ...request(8), inputs: { ...request(8).inputs, 'params.factor': i } })));
  all.forEach(({ outputs: { y } }, i) => assert.equal(y[7], 7 * i));
});

test('a kernel that hangs is a timeout, and the pool works on', { skip: !isCpu }, async () => {
  const mine = await createPool({ ...basis, deadline: 2000 }), context = mine.context();
  await assert.rejects(context.execute({ wgsl: endless, outputs: { v: { type: 'u32', shape: [1] } }, noRetry: true }), { kind: 'timeout' });
  assert.equal((await context.execute(request())).outputs.y[3], 30);
  mine.dispose();
});

test('the process shares a pool, and ends with work under way', { skip: !isCpu }, async () => {
  const code = (end) => `
    import { execute, sharedContext } from 'weft-gpu/pool';
    import { Worker } from 'node:worker_threads';
    const wgsl = '@group(0) @binding(0) var<storage, read_write> v : array<u32>; @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) { for (var i = 0u; i < 2000u; i++) { v[id.x] = v[id.x] * 3u + id.x; } }';
    const { outputs: { v } } = await execute({ wgsl, outputs: { v: { type: 'u32', shape: [64] } } });
    const more = execute({ wgsl, outputs: { v: { type: 'u32', shape: [1000000] } } });
    ${end}`;
  for (const end of ['console.log("end"); process.exit(0);', 'await more; console.log("end");', 'more.then(() => console.log("end"));',
    'const w = new Worker("import(\'weft-gpu/pool\').then((p) => p.sharedContext())", { eval: true }); await new Promise((r) => w.on("exit", r)); console.log("end"); process.exit(0);']) {
    process.env.WEFT_ADAPTER = 'cpu';
    const { out, err, status } = await program(code(end));
    assert.deepEqual({ out, err, status }, { out: 'end\n', err: '', status: 0 }, end);
  }
  const context = await sharedContext();
  assert.equal(await sharedContext(), context);
  assert.equal((await execute(request())).outputs.y[1], 10);
});

test('three thousand executions leave nothing behind', { skip: !isCpu }, async () => {
  const { out, err, status } = await program(`
    import { createPool } from 'weft-gpu/pool';
    const pool = await createPool({ adapters: ['cpu'], benchmarkTimeout: Infinity });
    const wgsl = '@group(0) @binding(0) var<storage, read_write> v : array<f32>; @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) { v[id.x] += 1.0; }';
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const once = async (i) => {
      const context = pool.context(), size = i % 10 ? 64 : 8192;
      const { outputs: { v } } = await context.execute({ wgsl, inputs: { v: new Float32Array(size) }, outputs: { v: 'f32' } });
      if (v[size - 1] !== 1) throw new Error(v);
      await context.execute({ wgsl: 'fn', outputs: {} }).catch(() => {});
      context.data(new Float32Array(64));
      if (i % 100 === 0) { context.dispose(); await turn(); }
    };
    const measure = async () => {
      for (let i = 0; i < 6; i++) { gc(); await turn(); }
      const { heapUsed, external, arrayBuffers } = process.memoryUsage(), { memory, hostMemory } = pool.counters;
      return { heap: heapUsed, external: external + arrayBuffers, memory, hostMemory };
    };
    for (let i = 0; i < 500; i++) await once(i);
    const before = await measure();
    for (let i = 0; i < 2500; i++) await once(i);
    console.log(JSON.stringify([before, await measure(), pool.counters.contexts]));
  `, { args: ['--expose-gc'] });
  assert.equal(status, 0, err);
  const [before, after, contexts] = JSON.parse(out);
  assert.ok(after.heap - before.heap < 2e6, `the heap grew by ${after.heap - before.heap} bytes`);
  assert.ok(after.external - before.external < 1e6, `external memory grew by ${after.external - before.external} bytes`);
  assert.ok(after.memory - before.memory < 65536 && after.hostMemory - before.hostMemory < 65536, JSON.stringify([before, after]));
  assert.ok(contexts < 50, `${contexts} contexts are left`);
});
