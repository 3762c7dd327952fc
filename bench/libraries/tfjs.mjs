// SPDX-License-Identifier: Apache-2.0
//
// tfjs.mjs - the rows in TensorFlow.js, with its WebGPU backend.
export const open = async ({ require, gpu, numbers }) => {
  const tf = require('@tensorflow/tfjs-core');
  const { WebGPUBackend } = require('@tensorflow/tfjs-backend-webgpu');
  const adapter = await gpu.requestAdapter();
  const limits = ['maxComputeWorkgroupStorageSize', 'maxComputeWorkgroupsPerDimension',
    'maxStorageBufferBindingSize', 'maxBufferSize', 'maxComputeWorkgroupSizeX',
    'maxComputeInvocationsPerWorkgroup'];
  const device = await adapter.requestDevice({
    requiredLimits: Object.fromEntries(limits.map((name) => [name, adapter.limits[name]])) });
  device.addEventListener('uncapturederror', ({ error }) => { throw error; });
  tf.removeBackend('webgpu');           // its kernels are registered under this name
  tf.registerBackend('webgpu', () => new WebGPUBackend(device, adapter.info));
  await tf.setBackend('webgpu');
  await tf.ready();

  const finish = () => {
    const backend = tf.backend();
    backend.ensureCommandEncoderReady();
    backend.endComputePassEncoder();
    backend.submitQueue();
    return device.queue.onSubmittedWorkDone();
  };
  const tensor = (...shape) => tf.tensor(numbers(shape.reduce((x, y) => x * y, 1)), shape);
  const row = (name, prepare) => [name, async () => {
    const compute = prepare();
    return async (wanted) => {
      const y = tf.tidy(compute);
      const data = wanted ? await y.data() : null;
      if (!wanted) await finish();
      y.dispose();
      return data;
    };
  }];
  const gelu = (v) => tf.mul(tf.mul(v, 0.5), tf.add(tf.erf(tf.mul(v, Math.SQRT1_2)), 1));
  const normalize = (x, g, b) => {
    const mean = tf.mean(x, -1, true), d = tf.sub(x, mean);
    return tf.add(tf.mul(tf.mul(d, tf.rsqrt(tf.add(tf.mean(tf.square(d), -1, true), 1e-5))), g), b);
  };
  return [
    row('matmul', () => { const a = tensor(1024, 1024), b = tensor(1024, 1024); return () => tf.matMul(a, b); }),
    row('bmm', () => { const a = tensor(12, 128, 64), b = tensor(12, 64, 128); return () => tf.matMul(a, b); }),
    row('linear', () => {
      const x = tensor(4096, 1024), w = tensor(1024, 1024), b = tensor(1024), r = tensor(4096, 1024);
      return () => tf.add(gelu(tf.add(tf.matMul(x, w), b)), r);
    }),
    row('elementwise', () => {
      const x = tensor(4096, 1024), w = tensor(1024), b = tensor(1024), r = tensor(4096, 1024);
      return () => tf.add(gelu(tf.add(tf.mul(x, w), b)), r);
    }),
    row('sum 0', () => { const x = tensor(4096, 4096); return () => tf.sum(x, 0); }),
    row('sum -1', () => { const x = tensor(4096, 4096); return () => tf.sum(x, -1); }),
    row('sum all', () => { const x = tensor(4096, 4096); return () => tf.sum(x); }),
    row('softmax', () => { const x = tensor(64, 32000); return () => tf.softmax(x); }),
    row('layer_norm', () => {
      const x = tensor(512, 768), g = tensor(768), b = tensor(768);
      return () => normalize(x, g, b);
    }),
    row('conv', () => {
      const x = tensor(1, 56, 56, 64), w = tensor(3, 3, 64, 64);
      return () => tf.conv2d(x, w, 1, 'same');
    }),
    row('depthwise', () => {
      const x = tensor(1, 112, 112, 96), w = tensor(3, 3, 96, 1);
      return () => tf.depthwiseConv2d(x, w, 1, 'same');
    }),
    row('attention', () => {
      const q = tensor(12, 512, 64), k = tensor(12, 512, 64), v = tensor(12, 512, 64);
      return () => tf.matMul(tf.softmax(tf.mul(tf.matMul(q, k, false, true), 0.125)), v);
    }),
    row('permute', () => { const x = tensor(8, 512, 12, 64); return () => tf.transpose(x, [0, 2, 1, 3]); }),
    row('gather', () => {
      const x = tensor(30522, 384);
      const at = tf.tensor(Int32Array.from({ length: 4096 }, (_, i) => i * 7919 % 30522), [4096], 'int32');
      return () => tf.gather(x, at);
    }),
    row('adds', () => {
      const x = tensor(256), y = tensor(256);
      return () => { let z = x; for (let i = 0; i < 1000; i++) z = tf.add(z, y); return z; };
    }),
  ];
};
