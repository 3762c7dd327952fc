// SPDX-License-Identifier: Apache-2.0
//
// small.mjs - small operations on tensors from JavaScript; small.c has the same from C.
//
// out    a line for each row: its name, microseconds an operation (the median of some rounds)
import { Context, full, ones } from '../../../bindings/node/tensor.mjs';
import weft from '../../../bindings/node/lib/native.js';

const ELEMENTS = 256, ROUNDS = 60, OPERATIONS = 500;
const context = new Context({ threads: 2 });
const x = ones([ELEMENTS], { context }), y = full([ELEMENTS], 2, { context });
await x.eval();
await y.eval();

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const measure = async (name, run) => {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await run();
    times.push((performance.now() - start) * 1e3 / OPERATIONS);
    await context.wait();
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(`${name} ${median(times).toFixed(3)}`);
};

const { native } = weft;
const [HANDLE] = Object.getOwnPropertySymbols(x).filter((s) => s.description === 'handle');
await measure('build', () => { for (let i = 0; i < OPERATIONS; i++) x.add(y).dispose(); });
await measure('evaluate', () => {
  for (let i = 0; i < OPERATIONS; i++) {
    const z = x.add(y);
    native.tensorEval([z[HANDLE]]);
    z.dispose();
  }
});
await measure('read', async () => {
  for (let i = 0; i < OPERATIONS; i++) {
    const z = x.add(y);
    await z.data();
    z.dispose();
  }
});
