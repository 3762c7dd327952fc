// SPDX-License-Identifier: Apache-2.0
//
// context.test.mjs - contexts, their errors, jobs, and how they end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Context, createContext, defaultContext, setDefaultContext, whyUnavailable, WeftError } from 'weft-gpu/context';
import { ones, tensor } from 'weft-gpu/tensor';
import { program } from './fixture.mjs';

const fails = (f, kind, message) => assert.throws(f, (error) => {
  assert.ok(error instanceof WeftError, `${error}`);
  assert.equal(error.kind, kind);
  assert.match(error.message, message);
  return true;
});

test('a context tells its device, memory and counters', async () => {
  const context = await createContext({ adapter: 'cpu', label: 'test', threads: 1 });
  assert.equal(context.device.backend, 'cpu');
  assert.match(context.device.reason, /\S/);
  assert.ok(context.device.limits.maxBufferSize > 0);
  const x = ones([1000], { context });
  await x.eval();
  assert.ok(context.memory.live >= 4000);
  assert.ok(context.counters['context.dispatches'] >= 1);
  x.dispose();
  context.trim();
  assert.equal(context.memory.pooled, 0);
  await context.wait();
});

test('wrong options are named', () => {
  fails(() => new Context({ thread: 1 }), 'invalid', /no option 'thread'/);
  fails(() => new Context({ threads: 'two' }), 'invalid', /threads/);
  fails(() => new Context({ threads: -1 }), 'invalid', /threads/);
  fails(() => new Context({ memoryMode: 'fast' }), 'invalid', /no 'fast'/);
  fails(() => new Context({ checked: 1 }), 'invalid', /checked/);
  fails(() => new Context({ label: 'a\0b' }), 'invalid', /NUL/);
  fails(() => new Context({ log: 3 }), 'invalid', /log/);
  fails(() => new Context({ share: {} }), 'invalid', /share/);
  fails(() => new Context(null), 'invalid', /options/);
  fails(() => setDefaultContext({}), 'invalid', /Context/);
});

test('a device that does not exist is an error, in both ways of asking', async () => {
  fails(() => new Context({ adapter: 'no such adapter' }), 'unsupported', /no such adapter/);
  await assert.rejects(createContext({ adapter: 'no such adapter' }), { name: 'WeftError', kind: 'unsupported' });
  assert.match(whyUnavailable({ adapter: 'no such adapter' }), /no such adapter/);
  assert.equal(whyUnavailable({ adapter: 'cpu' }), null);
  const files = new Context({ noDevice: true });
  assert.equal(files.device, null);
  assert.throws(() => ones([2], { context: files }).dataSync(), { kind: 'unsupported' });
});

test('contexts share a device, not their budget', async () => {
  const first = new Context({ adapter: 'cpu' });
  const second = await createContext({ share: first, memoryBudget: 1 << 20 });
  assert.equal(second.device.name, first.device.name);
  assert.equal(second.memory.budget, 1 << 20);
  const large = ones([1 << 20], { context: second });
  await assert.rejects(large.data(), { kind: 'memory' });
  assert.equal((await ones([4], { context: second }).sum().item()), 4);
  fails(() => ones([2], { context: first }).add(ones([2], { context: second })), 'invalid', /context/);
});

test('a log hears of kernels and dispatches', async () => {
  const heard = [];
  const context = new Context({ log: (topic, message) => heard.push([topic, message]) });
  await tensor([1, 2, 3], { context }).mul(2.5).sin().data();
  const heardOf = (wanted) => heard.some(([topic]) => topic === wanted);
  while (!heardOf('device') || !heardOf('compile')) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(heard.every(([, message]) => typeof message === 'string' && message.length > 0));
});

test('what was made outlives a context that is disposed of', async () => {
  const context = new Context();
  const x = tensor([1, 2], { context });
  const read = x.add(1).data();
  context.dispose();
  assert.deepEqual([...await read], [2, 3]);
  fails(() => ones([1], { context }), 'invalid', /disposed/);
  fails(() => context.memory, 'invalid', /disposed/);
  assert.ok(context.isDisposed && !defaultContext().isDisposed);
});

test('a job reports progress, and is cancelled by a signal or by what a callback throws', async () => {
  const { run } = await import('../lib/job.js').then((m) => m.default);
  const { native } = await import('../lib/native.js').then((m) => m.default);
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(run(null, () => assert.fail('not to be started'), { signal }), { kind: 'cancelled', cause: signal.reason });
  await assert.rejects(run(null, () => native.contextOpen(3, undefined, 1)), { kind: 'invalid' });
});

test('workers have contexts of their own, and may end in the middle of work', async () => {
  const { out, err, status } = await program(`
    import { Worker, isMainThread } from 'node:worker_threads';
    const code = \`
      import { parentPort } from 'node:worker_threads';
      import { ones, createContext } from 'weft-gpu/tensor';
      {
        const context = await createContext({ threads: 1 });
        const x = ones([512, 512], { context });
        const sum = await x.matmul(x).sum().item();
        for (let i = 0; i < 20; i++) ones([512, 512], { context }).matmul(x).data();
        createContext();
        parentPort.postMessage(sum);
      }\`;
    const ends = [];
    for (let i = 0; i < 6; i++) {
      const worker = new Worker(code, { eval: true });
      ends.push(new Promise((resolve, reject) => {
        worker.on('error', reject);
        worker.on('message', (sum) => worker.terminate().then(() => resolve(sum)));
      }));
    }
    console.log((await Promise.all(ends)).join(' '));
  `);
  assert.deepEqual({ out, err, status }, { out: `${Array(6).fill(512 ** 3).join(' ')}\n`, err: '', status: 0 });
});

test('a process ends with work under way, and when nothing is awaited', async () => {
  const { out, err, status } = await program(`
    import { ones, createContext } from 'weft-gpu/tensor';
    const x = ones([512, 512]);
    await x.eval();
    for (let i = 0; i < 50; i++) x.matmul(x).data();
    createContext();
    console.log('end');
    process.exit(0);
  `);
  assert.deepEqual({ out, err, status }, { out: 'end\n', err: '', status: 0 });
  const idle = await program('import { ones } from \'weft-gpu/tensor\'; globalThis.kept = ones([3]).add(1);');
  assert.deepEqual({ err: idle.err, status: idle.status }, { err: '', status: 0 });
});
