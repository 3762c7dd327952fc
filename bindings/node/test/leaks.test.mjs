// SPDX-License-Identifier: Apache-2.0
//
// leaks.test.mjs - a hundred thousand operations leave nothing behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { program } from './fixture.mjs';

/** Runs `body` until `count` operations are done, and compares memory after a tenth of them with
 * memory at the end, after collecting both times. */
const growth = async (body, count) => {
  const { out, err, status } = await program(`
    import * as weft from 'weft-gpu/tensor';
    const { tensor, scope, defaultContext } = weft;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const settle = async () => { for (let i = 0; i < 4; i++) { gc(); await turn(); } defaultContext().trim(); };
    const measure = async () => {
      await settle();
      const { live, pooled } = defaultContext().memory, { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return { live, pooled, heap: heapUsed, external: external + arrayBuffers };
    };
    const x = tensor(new Float32Array(256).fill(1)), y = tensor(new Float32Array(256).fill(2));
    const once = async (i) => { ${body} };
    for (let i = 0; i < ${count / 10}; i++) await once(i);
    const before = await measure();
    for (let i = 0; i < ${count * 9 / 10}; i++) await once(i);
    console.log(JSON.stringify([before, await measure()]));
  `, { args: ['--expose-gc'] });
  assert.equal(status, 0, err);
  const [before, after] = JSON.parse(out);
  const device = after.live + after.pooled - before.live - before.pooled;       // a buffer has 256 bytes or more
  assert.ok(device < 65536, `device memory grew by ${device} bytes`);
  assert.ok(after.heap - before.heap < 2e6, `the heap grew by ${after.heap - before.heap} bytes`);
  assert.ok(after.external - before.external < 1e6, `external memory grew by ${after.external - before.external} bytes`);
};

test('tensors that are dropped are collected', () => growth('const z = x.add(y); if (i % 10 === 9) await z.mul(2).data();', 60000));
test('scopes and dispose() give memory back at once', () => growth(`
  const data = await scope(async () => x.mul(y).add(i).sum().data());
  if (data[0] !== 256 * (2 + i)) throw new Error(data[0]);
  x.sub(1).dispose();`, 20000));
test('errors, views and kernels leave nothing', () => growth(`
  try { x.add(tensor([1, 2, 3])); throw new Error('no error'); } catch (error) { if (error.kind !== 'shape') throw error; }
  await x.slice([1, 5]).item().catch(() => {});
  if (i % 100 === 0) await weft.zeros([2]).data();`, 20000));
