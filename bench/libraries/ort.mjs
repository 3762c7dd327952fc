// SPDX-License-Identifier: Apache-2.0
//
// ort.mjs - the rows in ONNX Runtime web, with its WebGPU provider: models of one node or
// a few, whose inputs and outputs stay on the device.
import { pathToFileURL } from 'node:url';
import { model, INT64 } from './onnx.mjs';

const GELU = [
  { op: 'Add', in: ['y', 'b'], out: 'v' }, { op: 'Gelu', in: ['v'], out: 'g' },
  { op: 'Add', in: ['g', 'r'], out: 'out' },
];

/* name: what model() takes */
const rows = {
  matmul: {
    nodes: [{ op: 'MatMul', in: ['a', 'b'], out: 'out' }],
    inputs: [['a', [1024, 1024]], ['b', [1024, 1024]]], outputs: [['out', [1024, 1024]]],
  },
  bmm: {
    nodes: [{ op: 'MatMul', in: ['a', 'b'], out: 'out' }],
    inputs: [['a', [12, 128, 64]], ['b', [12, 64, 128]]], outputs: [['out', [12, 128, 128]]],
  },
  linear: {
    nodes: [{ op: 'MatMul', in: ['x', 'w'], out: 'y' }, ...GELU],
    inputs: [['x', [4096, 1024]], ['w', [1024, 1024]], ['b', [1024]], ['r', [4096, 1024]]],
    outputs: [['out', [4096, 1024]]],
  },
  elementwise: {
    nodes: [{ op: 'Mul', in: ['x', 'w'], out: 'y' }, ...GELU],
    inputs: [['x', [4096, 1024]], ['w', [1024]], ['b', [1024]], ['r', [4096, 1024]]],
    outputs: [['out', [4096, 1024]]],
  },
  'sum 0': {
    nodes: [{ op: 'ReduceSum', in: ['x', 'axes'], out: 'out', keepdims: 0 }],
    inputs: [['x', [4096, 4096]]], outputs: [['out', [4096]]], constants: [['axes', [0]]],
  },
  'sum -1': {
    nodes: [{ op: 'ReduceSum', in: ['x', 'axes'], out: 'out', keepdims: 0 }],
    inputs: [['x', [4096, 4096]]], outputs: [['out', [4096]]], constants: [['axes', [1]]],
  },
  'sum all': {
    nodes: [{ op: 'ReduceSum', in: ['x', 'axes'], out: 'out', keepdims: 0 }],
    inputs: [['x', [4096, 4096]]], outputs: [['out', []]], constants: [['axes', [0, 1]]],
  },
  softmax: {
    nodes: [{ op: 'Softmax', in: ['x'], out: 'out', axis: -1 }],
    inputs: [['x', [64, 32000]]], outputs: [['out', [64, 32000]]],
  },
  layer_norm: {
    nodes: [{ op: 'LayerNormalization', in: ['x', 'g', 'b'], out: 'out', epsilon: 1e-5 }],
    inputs: [['x', [512, 768]], ['g', [768]], ['b', [768]]], outputs: [['out', [512, 768]]],
  },
  conv: {
    nodes: [{ op: 'Conv', in: ['x', 'w'], out: 'out', pads: [1, 1, 1, 1], kernel_shape: [3, 3] }],
    inputs: [['x', [1, 64, 56, 56]], ['w', [64, 64, 3, 3]]], outputs: [['out', [1, 64, 56, 56]]],
  },
  depthwise: {
    nodes: [{ op: 'Conv', in: ['x', 'w'], out: 'out', pads: [1, 1, 1, 1], kernel_shape: [3, 3], group: 96 }],
    inputs: [['x', [1, 96, 112, 112]], ['w', [96, 1, 3, 3]]], outputs: [['out', [1, 96, 112, 112]]],
  },
  attention: {
    nodes: [
      { op: 'Transpose', in: ['k'], out: 't', perm: [0, 2, 1] },
      { op: 'MatMul', in: ['q', 't'], out: 's' }, { op: 'Softmax', in: ['s'], out: 'p', axis: -1 },
      { op: 'MatMul', in: ['p', 'v'], out: 'out' },
    ],
    inputs: [['q', [12, 512, 64]], ['k', [12, 512, 64]], ['v', [12, 512, 64]]],
    outputs: [['out', [12, 512, 64]]],
  },
  'fused attention': {
    nodes: [{ op: 'MultiHeadAttention', in: ['q', 'k', 'v'], out: 'out', domain: 'com.microsoft', num_heads: 12 }],
    inputs: [['q', [1, 512, 768]], ['k', [1, 512, 768]], ['v', [1, 512, 768]]],
    outputs: [['out', [1, 512, 768]]],
  },
  permute: {
    nodes: [{ op: 'Transpose', in: ['x'], out: 'out', perm: [0, 2, 1, 3] }],
    inputs: [['x', [8, 512, 12, 64]]], outputs: [['out', [8, 12, 512, 64]]],
  },
  gather: {
    nodes: [{ op: 'Gather', in: ['x', 'at'], out: 'out' }],
    inputs: [['x', [30522, 384]]], outputs: [['out', [4096, 384]]],
    constants: [['at', Array.from({ length: 4096 }, (_, i) => i * 7919 % 30522)]],
  },
  adds: {
    nodes: Array.from({ length: 1000 }, (_, i) => (
      { op: 'Add', in: [i ? `x${i}` : 'x', 'y'], out: i < 999 ? `x${i + 1}` : 'out' })),
    inputs: [['x', [256]], ['y', [256]]], outputs: [['out', [256]]],
  },
};

export const open = async ({ require, gpu, numbers }) => {
  const file = require.resolve('onnxruntime-web').replace(/[^/]*$/, 'ort.all.min.mjs');
  const ort = await import(pathToFileURL(file).href);
  ort.env.logLevel = 'error';
  ort.env.wasm.numThreads = 1;
  const adapter = await gpu.requestAdapter();
  ort.env.webgpu.adapter = adapter;
  const count = (shape) => shape.reduce((x, y) => x * y, 1);

  const place = (device, shape) => {
    const size = Math.max(16, 4 * count(shape));
    const buffer = device.createBuffer({ size, usage: 128 | 8 | 4 });
    device.queue.writeBuffer(buffer, 0, numbers(count(shape)));
    return ort.Tensor.fromGpuBuffer(buffer, { dataType: 'float32', dims: shape });
  };
  return Object.entries(rows).map(([name, row]) => [name, async () => {
    const session = await ort.InferenceSession.create(model(row), {
      executionProviders: ['webgpu'], preferredOutputLocation: 'gpu-buffer' });
    const device = await ort.env.webgpu.device;
    const feeds = Object.fromEntries(row.inputs.map(([input, shape]) => [input, place(device, shape)]));
    return async (wanted) => {
      const { out } = await session.run(feeds);
      await device.queue.onSubmittedWorkDone();
      const data = wanted ? await out.getData() : null;
      out.dispose();
      return data;
    };
  }]);
};
export { INT64 };
