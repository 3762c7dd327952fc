// SPDX-License-Identifier: Apache-2.0
//
// weft.mjs - the rows of tfjs.mjs with weft-gpu/tensor: the same numbers, the same results.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const open = async ({ weft, numbers }) => {
  const wt = await import(pathToFileURL(path.resolve(weft, 'tensor.mjs')).href);
  const context = new wt.Context({ threads: 2 });
  const tensor = (...shape) => wt.tensor(numbers(shape.reduce((x, y) => x * y, 1)), { shape, context });
  /** The tensor in another order of axes, in memory too. */
  const ordered = async (t, ...axes) => t.permute(axes).copy().eval();
  const row = (name, prepare) => [name, async () => {
    const compute = await prepare();
    return async (wanted) => {
      const y = wt.scope(compute);
      const data = wanted ? await y.data() : null;
      if (!wanted) {
        await y.eval();
        await context.wait();
      }
      y.dispose();
      return data;
    };
  }];
  return [
    row('matmul', () => { const a = tensor(1024, 1024), b = tensor(1024, 1024); return () => a.matmul(b); }),
    row('bmm', () => { const a = tensor(12, 128, 64), b = tensor(12, 64, 128); return () => a.matmul(b); }),
    row('linear', () => {
      const x = tensor(4096, 1024), w = tensor(1024, 1024), b = tensor(1024), r = tensor(4096, 1024);
      return () => x.matmul(w).add(b).gelu().add(r);
    }),
    row('elementwise', () => {
      const x = tensor(4096, 1024), w = tensor(1024), b = tensor(1024), r = tensor(4096, 1024);
      return () => x.mul(w).add(b).gelu().add(r);
    }),
    row('sum 0', () => { const x = tensor(4096, 4096); return () => x.sum(0); }),
    row('sum -1', () => { const x = tensor(4096, 4096); return () => x.sum(-1); }),
    row('sum all', () => { const x = tensor(4096, 4096); return () => x.sum(); }),
    row('softmax', () => { const x = tensor(64, 32000); return () => x.softmax(); }),
    row('layer_norm', () => {
      const x = tensor(512, 768), g = tensor(768), b = tensor(768);
      return () => x.layerNorm(g, b, 1e-5);
    }),
    row('conv', async () => {
      const x = await ordered(tensor(1, 56, 56, 64), 0, 3, 1, 2);
      const w = await ordered(tensor(3, 3, 64, 64), 3, 2, 0, 1);
      return () => x.conv2d(w, null, { padding: 1 });
    }),
    row('depthwise', async () => {
      const x = await ordered(tensor(1, 112, 112, 96), 0, 3, 1, 2);
      const w = await ordered(tensor(3, 3, 96, 1), 2, 3, 0, 1);
      return () => x.conv2d(w, null, { padding: 1, groups: 96 });
    }),
    row('attention', () => {
      const q = tensor(1, 12, 512, 64), k = tensor(1, 12, 512, 64), v = tensor(1, 12, 512, 64);
      return () => q.attention(k, v, { scale: 0.125 });
    }),
    row('permute', () => { const x = tensor(8, 512, 12, 64); return () => x.permute(0, 2, 1, 3).copy(); }),
    row('gather', () => {
      const x = tensor(30522, 384);
      const at = wt.tensor(Int32Array.from({ length: 4096 }, (_, i) => i * 7919 % 30522), { shape: [4096], context });
      return () => x.take(at, 0);
    }),
    row('adds', () => {
      const x = tensor(256), y = tensor(256);
      return () => { let z = x; for (let i = 0; i < 1000; i++) z = z.add(y); return z; };
    }),
  ];
};
