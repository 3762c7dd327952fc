// SPDX-License-Identifier: Apache-2.0
//
// jax.mjs - the rows in jax-js, with its WebGPU device and jit().
import { pathToFileURL } from 'node:url';

export const open = async ({ require, numbers }) => {
  const file = require.resolve('@jax-js/jax').replace(/index\.cjs$/, 'index.js');
  const jax = await import(pathToFileURL(file).href);
  const { numpy: np, nn, lax, jit } = jax;
  await jax.init('webgpu');
  jax.defaultDevice('webgpu');

  const tensor = (...shape) => np.array(numbers(shape.reduce((x, y) => x * y, 1)), { shape });
  /* An array that is used is given away, unless it is passed as `.ref`. */
  const row = (name, inputs, compute) => [name, async () => {
    const x = inputs(), run = jit(compute);
    return async (wanted) => {
      const y = run(...x.map((t) => t.ref));
      if (wanted) return y.data();
      await y.blockUntilReady();
      y.dispose();
      return null;
    };
  }];
  const gelu = (v) => v.ref.mul(0.5).mul(lax.erf(v.mul(Math.SQRT1_2)).add(1));
  return [
    row('matmul', () => [tensor(1024, 1024), tensor(1024, 1024)], (a, b) => np.matmul(a, b)),
    row('bmm', () => [tensor(12, 128, 64), tensor(12, 64, 128)], (a, b) => np.matmul(a, b)),
    row('linear', () => [tensor(4096, 1024), tensor(1024, 1024), tensor(1024), tensor(4096, 1024)],
        (x, w, b, r) => gelu(np.matmul(x, w).add(b)).add(r)),
    row('elementwise', () => [tensor(4096, 1024), tensor(1024), tensor(1024), tensor(4096, 1024)],
        (x, w, b, r) => gelu(x.mul(w).add(b)).add(r)),
    row('sum 0', () => [tensor(4096, 4096)], (x) => np.sum(x, 0)),
    row('sum -1', () => [tensor(4096, 4096)], (x) => np.sum(x, -1)),
    row('sum all', () => [tensor(4096, 4096)], (x) => np.sum(x)),
    row('softmax', () => [tensor(64, 32000)], (x) => nn.softmax(x, -1)),
    row('layer_norm', () => [tensor(512, 768), tensor(768), tensor(768)],
        (x, g, b) => nn.standardize(x, -1, { epsilon: 1e-5 }).mul(g).add(b)),
    row('conv', () => [tensor(1, 64, 56, 56), tensor(64, 64, 3, 3)],
        (x, w) => lax.conv(x, w, [1, 1], 'SAME')),
    row('depthwise', () => [tensor(1, 96, 112, 112), tensor(96, 1, 3, 3)],
        (x, w) => lax.convGeneralDilated(x, w, [1, 1], 'SAME', { featureGroupCount: 96 })),
    row('attention', () => [tensor(12, 512, 64), tensor(12, 512, 64), tensor(12, 512, 64)],
        (q, k, v) => np.matmul(nn.softmax(
          np.matmul(q, np.transpose(k, [0, 2, 1])).mul(0.125), -1), v)),
    row('permute', () => [tensor(8, 512, 12, 64)], (x) => np.transpose(x, [0, 2, 1, 3]).mul(1)),
    row('gather', () => [tensor(30522, 384), np.array(
      Int32Array.from({ length: 4096 }, (_, i) => i * 7919 % 30522), { shape: [4096], dtype: np.int32 })],
        (x, at) => np.take(x, at, 0)),
    ['adds', async () => {
      const x = tensor(256), y = tensor(256);
      return async (wanted) => {
        let z = x.ref;
        for (let i = 0; i < 1000; i++) z = z.add(y.ref);
        if (wanted) return z.data();
        await z.blockUntilReady();
        z.dispose();
        return null;
      };
    }],
  ];
};
