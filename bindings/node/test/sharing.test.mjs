// SPDX-License-Identifier: Apache-2.0
//
// sharing.test.mjs - tensors that models share by name: operations, memory, storage, errors.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, mock, test } from 'node:test';
import {
  BrowserType, Context, detectBrowserType, detectBrowserVersion, FusionPattern, fromGpuBuffer, getBrowserCapabilities, getDefaultOptimizationSettings,
  getOptimizedShader, gpuDevice, kernel, ones, SharedTensor, SharedTensorLocation, SharedTensorView, shares, StorageManager, tensor, TensorSharing,
  TensorSharingIntegration, WebGPUBackend, WebGPUOperationFusion, WebGPUTensorSharing, WeftError,
} from 'weft-gpu/tensor';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'weft-sharing-'));
after(() => fs.rmSync(folder, { recursive: true }));

const rejects = (promise, kind, message) => assert.rejects(promise, (error) => {
  assert.ok(error instanceof WeftError, error.stack);
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, message);
  return true;
});
const open = (options = {}) => {
  const sharing = new TensorSharingIntegration({ enablePersistence: false });
  return { sharing, gpu: new WebGPUTensorSharing(sharing, { browserOptimizations: false, ...options }) };
};
const data = async (sharing, name) => [...(await sharing.getSharedTensor(name)).getData()];

test('operations register their results with the model that owns them', async () => {
  const { sharing, gpu } = open();
  await sharing.registerSharedTensor('a', [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6), 'float32', 'm1', ['m1']);
  await sharing.registerSharedTensor('b', [2, 3], Float32Array.of(1, 0, -1, 2, 1, 0), 'cpu', 'm1', ['m2']);
  assert.equal(await gpu.matmul('a', 'm1', 'b', 'm2', 'c', 'm3', false, true), 'c');
  assert.deepEqual(await data(sharing, 'c'), [-2, 4, -2, 13]);
  const c = await sharing.getSharedTensor('c');
  assert.deepEqual({ shape: c.getShape(), type: c.getDataType(), producer: c.producerModel, size: c.getSize(), references: c.referenceCount },
    { shape: [2, 2], type: 'float32', producer: 'm3', size: 4, references: 1 });
  await gpu.matmul('a', 'm1', 'b', 'm2', 'd', 'm3', true, false);
  assert.deepEqual((await sharing.getSharedTensor('d')).shape, [3, 3]);
  await gpu.elementwise('c', 'm3', 'r', 'm3');
  assert.deepEqual(await data(sharing, 'r'), [0, 4, 0, 13]);
  await gpu.elementwise('c', 'm3', 's', 'm3', 'tanh');
  assert.ok(Math.abs((await data(sharing, 's'))[0] - Math.tanh(-2)) < 1e-6);
  await gpu.softmax('c', 'm3', 'p', 'm3', 0);
  const p = await data(sharing, 'p');
  assert.ok(Math.abs(p[0] + p[2] - 1) < 1e-6);
  assert.equal(await gpu.executeOperation('softmax', { input: { tensorName: 'c', modelName: 'm3' } }, 'p2', 'm4', { axis: -1 }), 'p2');
  assert.equal(await gpu.executeOperation('matmul', { a: { tensorName: 'a', modelName: 'm1' }, b: { tensorName: 'b', modelName: 'm1' } }, 'e', 'm4', { transposeB: true }), 'e');
  assert.deepEqual(await data(sharing, 'e'), [-2, 4, -2, 13]);
  gpu.dispose();
});

test('quantize multiplies by 127 / max|x| and dequantize divides', async () => {
  const { sharing, gpu } = open();
  await sharing.registerSharedTensor('x', [4], Float32Array.of(-2, 0.5, 1, 0), 'cpu', 'm');
  await sharing.registerSharedTensor('zero', [2], new Float32Array(2), 'cpu', 'm');
  assert.deepEqual(await gpu.quantize('x', 'm', 'q', 'm'), { tensorName: 'q', scaleTensorName: 'q_scale' });
  assert.deepEqual(await data(sharing, 'q'), [-127, 32, 64, 0]);
  assert.deepEqual([(await sharing.getSharedTensor('q')).dtype, await data(sharing, 'q_scale')], ['int32', [63.5]]);
  await gpu.dequantize('q', 'm', 'q_scale', 'm', 'y', 'm');
  assert.ok(Math.abs((await data(sharing, 'y'))[1] - 32 / 63.5) < 1e-6);
  await gpu.quantize('zero', 'm', 'qz', 'm');
  assert.deepEqual([await data(sharing, 'qz'), await data(sharing, 'qz_scale')], [[0, 0], [1]]);
  assert.equal(await gpu.executeOperation('quantize', { input: { tensorName: 'x', modelName: 'm' } }, 'q2', 'm'), 'q2');
  await gpu.executeOperation('dequantize', { input: { tensorName: 'q2', modelName: 'm' }, scale: { tensorName: 'q2_scale', modelName: 'm' } }, 'y2', 'm');
});

test('views share memory, are registered, and are promoted to rows by matmul', async () => {
  const { sharing, gpu } = open();
  await sharing.registerSharedTensor('x', [2, 4], Float32Array.from({ length: 8 }, (_, i) => i), 'cpu', 'm');
  assert.equal(await gpu.createTensorView('x', 'm', 'tail', 'other', 4), 'tail');
  assert.deepEqual(await data(sharing, 'tail'), [4, 5, 6, 7]);
  await gpu.createTensorView('x', 'm', 'mid', 'other', [0, 1], [2, 2]);
  assert.deepEqual(await data(sharing, 'mid'), [1, 2, 5, 6]);
  await sharing.registerSharedTensor('w', [4, 2], new Float32Array(8).fill(1), 'cpu', 'm');
  await gpu.matmul('tail', 'other', 'w', 'm', 'y', 'other');
  assert.deepEqual([(await sharing.getSharedTensor('y')).shape, await data(sharing, 'y')], [[1, 2], [22, 22]]);
  const before = gpu.getGPUMemoryUsage();
  await gpu.elementwise('mid', 'other', 'z', 'other');
  assert.equal(gpu.getGPUMemoryUsage() - before, 16, 'the view takes no memory of its own');
  const view = await sharing.getSharedTensor('mid', 'reader');
  assert.ok(view instanceof SharedTensorView && view.parent.consumers.includes('reader'));
  assert.ok(view.release('reader') && !view.parent.consumers.includes('reader'));
  view.setData([10, 20, 50, 60]);
  assert.deepEqual(await data(sharing, 'x'), [0, 10, 20, 3, 4, 50, 60, 7]);
  await sharing.registerSharedTensor('x', [1], Float32Array.of(9), 'cpu', 'm');
  assert.deepEqual(await data(sharing, 'tail'), [4, 50, 60, 7], 'a view keeps the memory of a tensor that was replaced');
  await rejects(gpu.createTensorView('x', 'm', 'bad', 'm', 5), 'shape', /Failed to create tensor view bad/);
  assert.equal(await sharing.createTensorView('x', 'bad', [0], [9]), null);
  assert.equal(await sharing.createTensorView('none', 'bad', [0], [1]), null);
  const copying = new WebGPUTensorSharing(sharing, { enableZeroCopy: false, browserOptimizations: false });
  await copying.createTensorView('w', 'm', 'copy', 'm', 0, 2);
  assert.ok(!(await sharing.getSharedTensor('copy') instanceof SharedTensorView));
});

test('custom shaders bind by name, then by order', async () => {
  const { sharing, gpu } = open({ debug: false });
  await sharing.registerSharedTensor('x', [4], Float32Array.of(1, 2, 3, 4), 'cpu', 'm');
  await sharing.registerSharedTensor('y', [4], Float32Array.of(1, 1, 2, 2), 'cpu', 'm');
  await gpu.createCustomShader('sub', `
    @group(0) @binding(0) var<storage, read> first : array<f32>;
    @group(0) @binding(1) var<storage, read> second : array<f32>;
    @group(0) @binding(2) var<storage, read_write> out : array<f32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i : vec3u) { out[i.x] = first[i.x] - second[i.x]; }`);
  const run = (inputs, out) => gpu.executeCustomShader('sub', inputs, { [out]: { tensorName: `r_${out}`, shape: [4], dataType: 'float32' } }, 'm');
  assert.deepEqual(await run({ second: { tensorName: 'y', modelName: 'm' }, first: { tensorName: 'x', modelName: 'm' } }, 'out'), { out: 'r_out' });
  assert.deepEqual(await data(sharing, 'r_out'), [0, 1, 1, 2]);
  await run({ p: { tensorName: 'y', modelName: 'm' }, q: { tensorName: 'x', modelName: 'm' } }, 'o');
  assert.deepEqual(await data(sharing, 'r_o'), [0, -1, -1, -2]);
  const whole = await gpu.executeCustomShader('sub', { first: { tensorName: 'x', modelName: 'm' }, second: { tensorName: 'y', modelName: 'm' } },
    { out: { tensorName: 'whole', shape: [4], dataType: 'int32' } }, 'm', [4, 1, 1], [1, 1, 1]);
  assert.deepEqual([whole, (await sharing.getSharedTensor('whole')).dtype], [{ out: 'whole' }, 'int32']);
  assert.equal(gpu.pipelineCache.size, 3);
  await rejects(gpu.executeCustomShader('none', {}, {}, 'm'), 'not-found', /Custom shader none not found/);
  await rejects(gpu.createCustomShader('bad', 'fn f( {'), 'compile', /Custom shader bad: 1:/);
  await rejects(gpu.createCustomShader('bad', 3), 'invalid', /WGSL/);
  await rejects(gpu.createCustomShader('bad', '', { a: 'float31' }), 'type', /float31/);
});

test('errors say what the caller looks for', async () => {
  const { sharing, gpu } = open();
  await sharing.registerSharedTensor('a', [2, 3], new Float32Array(6), 'cpu', 'm');
  await rejects(gpu.matmul('a', 'm', 'a', 'm', 'c', 'm'), 'shape', /^Matrix multiplication dimension mismatch: 3 !== 2$/);
  await rejects(gpu.executeOperation('matmul', { a: { tensorName: 'a', modelName: 'm' }, b: { tensorName: 'a', modelName: 'm' } }, 'c', 'm'), 'shape',
    /^Failed to execute operation matmul: .*dimension mismatch/);
  await rejects(gpu.executeOperation('fft', {}, 'c', 'm'), 'unsupported', /Failed to execute operation fft: Unsupported operation: fft/);
  await rejects(gpu.executeOperation('softmax', {}, 'c', 'm'), 'invalid', /'input' is missing/);
  await rejects(gpu.elementwise('a', 'm', 'c', 'm', 'fft'), 'unsupported', /Unsupported operation: fft/);
  await rejects(gpu.softmax('a', 'm', 'c', 'm', 2), 'shape', /Invalid softmax axis: 2/);
  await rejects(gpu.softmax('b', 'm', 'c', 'm'), 'not-found', /Tensor b not found for model m/);
  await rejects(gpu.createGPUBufferFromSharedTensor('b', 'm'), 'not-found', /Shared tensor b not found for model m/);
  await rejects(gpu.shareTensorBetweenModels('b', 'm', ['n']), 'not-found', /Tensor b not found for model m/);
  await rejects(gpu.shareTensorBetweenModels('a', 'stranger', ['n']), 'denied', /stranger/);
  await rejects(gpu.synchronizeTensor('a', 'm', 'sideways'), 'invalid', /sideways/);
  await rejects(gpu.matmul('a', 'm', 'a', 'm', '', 'm', false, true), 'invalid', /name/);
  await rejects(sharing.registerSharedTensor('x', [2], new Float32Array(3)), 'shape', /2 elements, data has 3/);
  await rejects(sharing.registerSharedTensor('x', 'no', new Float32Array(3)), 'shape', /shape/);
  await rejects(sharing.registerSharedTensor('x', [1], 'no'), 'type', /data/);
  await rejects(sharing.registerSharedTensor('x', [1], [1], 'nowhere'), 'invalid', /nowhere/);
  await rejects(sharing.registerSharedTensor('', [1], [1]), 'invalid', /name/);
  assert.throws(() => new WebGPUTensorSharing({}), { kind: 'invalid' });
  assert.throws(() => new WebGPUTensorSharing(sharing, { priorityMode: 'fast' }), { kind: 'invalid' });
});

test('without a device initialize() is false with a warning, and operations say why', async () => {
  const warn = mock.method(console, 'warn', () => {});
  const { sharing, gpu } = open({ webgpuOptions: { adapter: 'no such adapter' } });
  await sharing.registerSharedTensor('a', [1, 1], Float32Array.of(1), 'cpu', 'm');
  assert.equal(await gpu.initialize(), false);
  assert.match(warn.mock.calls[0].arguments[0], /Failed to initialize WebGPU Tensor Sharing/);
  assert.equal(gpu.isInitialized(), false);
  assert.equal(gpu.getGPUMemoryUsage(), 0);
  await rejects(gpu.matmul('a', 'm', 'a', 'm', 'c', 'm'), 'unsupported', /Failed to initialize WebGPU Tensor Sharing.*WebGPU not supported/);
  const needs = new WebGPUBackend({ requiredLimits: { maxBufferSize: 1e300 } });
  assert.equal(await needs.initialize(), false);
  const lacks = new WebGPUBackend({ requiredFeatures: ['texture-compression-bc'] });
  await rejects(lacks.open(), 'unsupported', /WebGPU not supported.*texture-compression-bc/);
  assert.equal(await new WebGPUBackend({ adapter: 'no such adapter' }).isSupported(), false);
  warn.mock.restore();
});

test('a facade that was disposed of leaves its results on the host', async () => {
  const { sharing, gpu } = open();
  await sharing.registerSharedTensor('a', [2], Float32Array.of(-1, 2), 'cpu', 'm');
  await gpu.elementwise('a', 'm', 'b', 'm');
  assert.equal((await sharing.getSharedTensor('b')).location, SharedTensorLocation.WEBGPU);
  gpu.dispose();
  gpu.dispose();
  assert.equal((await sharing.getSharedTensor('b')).location, 'cpu');
  assert.deepEqual(await data(sharing, 'b'), [0, 2]);
  await rejects(gpu.elementwise('a', 'm', 'c', 'm'), 'unsupported', /disposed/);
  const backend = new WebGPUBackend();
  assert.throws(() => backend.context, { message: 'WebGPU backend not initialized' });
  await backend.initialize();
  const other = new WebGPUTensorSharing(sharing, { webgpuBackend: backend, browserOptimizations: false });
  await other.elementwise('b', 'm', 'c', 'm');
  other.dispose();
  assert.ok(backend.isInitialized, 'a backend that was given stays');
});

test('references are one for each model, and memory is counted and freed', async () => {
  const sharing = new TensorSharing({ enablePersistence: false });
  const t = await sharing.registerSharedTensor('e', [256, 1024], new Float32Array(1 << 18), 'cpu', 'bert', ['t5', 't5']);
  assert.equal(t.referenceCount, 2);
  await sharing.getSharedTensor('e', 't5');
  await sharing.getTensor('e', 't5');
  assert.equal(t.referenceCount, 2);
  assert.deepEqual(await sharing.shareTensorBetweenModels('e', 'bert', ['clip', 'llava']), {
    status: 'success', message: 'Shared tensor e from bert to clip, llava',
    tensorInfo: { name: 'e', shape: [256, 1024], storageType: 'cpu', memoryBytes: 1 << 20 },
  });
  assert.equal((await sharing.shareTensorBetweenModels('none', 'bert', ['clip'])).status, 'not_found');
  assert.equal((await sharing.shareTensorBetweenModels('e', 'nobody', ['clip'])).status, 'error');
  assert.equal((await sharing.shareTensorBetweenModels('e', 'bert', 'clip')).status, 'error');
  assert.deepEqual(sharing.analyzeSharingOpportunities(), { text_embedding: ['bert', 't5'], vision_text_joint: ['clip', 'llava'] });
  assert.deepEqual(sharing.getTensorMemoryUsage().e, {
    memory_bytes: 1 << 20, memory_mb: 1, shape: [256, 1024], dtype: 'float32', storage_type: 'cpu', reference_count: 4, consumer_count: 3,
    consumers: ['t5', 'clip', 'llava'], producer: 'bert',
  });
  assert.deepEqual(sharing.getModelMemoryUsage().clip, { total_memory_bytes: 1 << 20, total_memory_mb: 1, tensor_count: 1, tensors: { e: { memory_bytes: 1 << 20, memory_mb: 1, shape: [256, 1024] } } });
  const advice = sharing.getOptimizationRecommendations();
  assert.deepEqual([advice.largest_tensors, advice.low_reference_tensors, advice.total_memory_mb, advice.potential_savings_mb], [[{ name: 'e', memory_mb: 1 }], [], 1, 0]);
  assert.equal(await sharing.releaseModelTensors('t5'), 1);
  assert.equal(await sharing.releaseModelTensors('t5'), 0);
  for (const model of ['bert', 'clip', 'llava']) await sharing.releaseModelTensors(model);
  assert.ok(!t.canBeFreed(), 'it was used a moment ago');
  t.lastAccessed -= 40000;
  t.pin();
  assert.ok(!t.canBeFreed());
  t.unpin();
  assert.ok(t.canBeFreed());
  assert.deepEqual(await sharing.optimizeMemoryUsage(), {
    initial_memory_bytes: 1 << 20, current_memory_bytes: 0, freed_memory_bytes: 1 << 20, freed_tensors_count: 1, freed_tensors: ['e'],
    memory_reduction_percent: 100, remaining_tensor_count: 0,
  });
  assert.deepEqual(sharing.getRegisteredTensors(), []);
  const stats = sharing.getStats();
  assert.deepEqual([stats.total_tensors, stats.cache_misses, stats.hit_rate > 0.5], [0, 1, true]);
  const tight = new TensorSharingIntegration({ enablePersistence: false, maxMemoryMb: 1 });
  await tight.registerSharedTensor('one', [1 << 17], new Float32Array(1 << 17));
  await rejects(tight.registerSharedTensor('two', [1 << 18], new Float32Array(1 << 18)), 'memory', /beyond the 1 MB/);
});

test('copies on the device move when they are idle, as the priority says', async () => {
  for (const [priorityMode, stays] of [['memory', false], ['balanced', true], ['speed', true]]) {
    const { sharing, gpu } = open({ priorityMode });
    await sharing.registerSharedTensor('x', [1 << 19], new Float32Array(1 << 19).fill(-1), 'cpu', 'm');
    await gpu.elementwise('x', 'm', 'y', 'm');
    await gpu.optimizeMemoryUsage();
    assert.equal(gpu.getGPUMemoryUsage(), 4 << 20, 'they were used a moment ago');
    const now = Date.now();
    mock.method(Date, 'now', () => now + 6 * 60 * 1000);
    await gpu.optimizeMemoryUsage();
    mock.restoreAll();
    assert.equal(gpu.getGPUMemoryUsage(), stays ? 4 << 20 : 0, priorityMode);
    assert.equal((await sharing.getSharedTensor('y')).getData()[7], 0);
    await sharing.releaseModelTensors('m');
    await gpu.cleanupUnusedTensors(0);
    assert.equal(gpu.getGPUMemoryUsage(), 0);
    gpu.dispose();
  }
});

test('elements are synchronized where they are asked for', async () => {
  const { sharing, gpu } = open();
  const x = await sharing.registerSharedTensor('x', [2], Float32Array.of(1, -2), 'cpu', 'm');
  await gpu.synchronizeTensor('x', 'm', 'cpu-to-gpu');
  assert.equal(x.location, 'multi');
  await gpu.elementwise('x', 'm', 'y', 'm');
  const y = await sharing.getSharedTensor('y');
  assert.equal(y.location, 'webgpu');
  await gpu.synchronizeTensor('y', 'm', 'gpu-to-cpu');
  assert.equal(y.location, 'multi');
  x.setData([5, 6]);
  assert.equal(x.location, 'cpu');
  await gpu.elementwise('x', 'm', 'y', 'm');
  assert.deepEqual(await data(sharing, 'y'), [5, 6]);
  await gpu.synchronizeTensor('y', 'm');
  const copy = x.copyTo('webgpu');
  assert.deepEqual([copy.name, copy.storageType, [...copy.data]], ['x_webgpu', 'webgpu', [5, 6]]);
  assert.match(`${x}`, /^SharedTensor\(name=x, shape=2, type=float32, storage=cpu, refs=1, producer=m\)$/);
});

test('buffers of tensors are those of WebGPU, and tensors of other layers are seen', async () => {
  const { sharing, gpu } = open();
  await sharing.registerSharedTensor('x', [3], Float32Array.of(1, -2, 3), 'cpu', 'm');
  await gpu.elementwise('x', 'm', 'y', 'm');
  const info = await gpu.createGPUBufferFromSharedTensor('y', 'm');
  assert.deepEqual([info.shape, info.dataType, info.size], [[3], 'float32', 12]);
  assert.equal((await gpu.createGPUBufferFromSharedTensor('y', 'm')).buffer, info.buffer);
  const backend = gpu.webgpuBackend;
  assert.deepEqual([...await backend.readBuffer(info.buffer)].slice(0, 3), [1, 0, 3]);
  assert.equal(gpu.tensorBufferCache.get('y').size, 12);
  shares(backend.context).put('model', 'logits', ones([2], { context: backend.context }));
  await rejects(gpu.elementwise('logits', 'reader', 'z', 'm'), 'not-found', /logits/);
  shares(backend.context).grant('model', 'logits', 'reader');
  await gpu.elementwise('logits', 'reader', 'z', 'm');
  assert.deepEqual(await data(sharing, 'z'), [1, 1]);
  const t = tensor([4, 9], { context: backend.context });
  await sharing.registerSharedTensor('direct', [2], t, 'webgpu', 'm');
  await gpu.elementwise('direct', 'm', 'root', 'm', 'sqrt');
  assert.deepEqual(await data(sharing, 'root'), [2, 3]);
  assert.throws(() => fromGpuBuffer(info.buffer, { shape: [3] }), { kind: 'invalid' }, 'it belongs to another device');
});

test('tensors are stored and found again by the next process', async () => {
  const dbName = path.join(folder, 'db');
  const first = new TensorSharingIntegration({ dbName });
  assert.equal(await first.initialize(), true);
  await first.registerSharedTensor('kept', [2, 2], Int32Array.of(1, 2, 3, 4), 'cpu', 'm');
  await first.registerSharedTensor('kept', [2], Int32Array.of(5, 6), 'cpu', 'm');
  assert.equal(first.getStats().persistentTensorCount, 1);
  const second = new TensorSharingIntegration({ dbName });
  await second.initialize();
  const kept = await second.getSharedTensor('kept', 'reader');
  assert.deepEqual([[...kept.getData()], kept.shape, kept.dtype, kept.producerModel], [[5, 6], [2], 'int32', 'm']);
  assert.equal(await second.getSharedTensor('none'), null);
  assert.deepEqual(await second.synchronizePersistentStorage(), { success: true, message: 'Synchronized 0 tensors with persistent storage', updatedCount: 0, failedUpdates: [] });
  assert.equal((await new TensorSharingIntegration({ enablePersistence: false }).synchronizePersistentStorage()).message, 'Persistence is not enabled');
  assert.equal(await second.createWebNNTensorsFromShared(['kept'], 'm'), null);
  assert.equal(await second.saveAsWebNNModel('id', 'name', ['kept']), false);
  assert.deepEqual(await second.loadFromWebNNModel('id'), []);
  const webnn = { createTensor: async (array, shape, dtype) => ({ tensor: { array, shape, dtype } }) };
  const third = new TensorSharingIntegration({ dbName });
  await third.initialize(webnn);
  assert.deepEqual((await third.createWebNNTensorsFromShared(['kept'], 'm')).get('kept').shape, [2]);
  assert.equal(await third.saveAsWebNNModel('id', 'name', ['kept']), true);
  assert.deepEqual(await third.loadFromWebNNModel('id', 'm'), ['kept']);
});

test('a storage manager keeps tensors and models, packed if it is told to', async () => {
  for (const enableCompression of [false, true]) {
    const storage = new StorageManager({ dbName: path.join(folder, `s${enableCompression}`), enableCompression, maxStorageSize: 1 << 20 });
    assert.equal(await storage.storeTensor('t', new Float32Array(4), [4], 'float32'), false, 'not initialized');
    assert.equal(await storage.initialize(), true);
    assert.equal(await storage.storeTensor('t', Float32Array.from({ length: 4096 }, (_, i) => i % 7), [64, 64], 'float32', { note: 'x' }), true);
    assert.equal(await storage.storeTensor('u', new Uint8Array(3), [4], 'uint8'), false);
    const t = await storage.getTensor('t');
    assert.deepEqual([t.shape, t.dataType, t.data[8], t.metadata], [[64, 64], 'float32', 1, { note: 'x' }]);
    assert.equal((await storage.getTensorData('t')).length, 4096);
    assert.equal(await storage.getTensor('none'), null);
    const model = { id: 'm', name: 'model', version: '1', totalSize: 16384, tensorIds: ['t'], metadata: { a: 1 } };
    assert.equal(await storage.storeModelMetadata(model), true);
    assert.equal(await storage.storeModelMetadata({}), false);
    assert.deepEqual((await storage.getModelMetadata('m')).metadata, { a: 1 });
    assert.deepEqual((await storage.listModels()).map(({ id }) => id), ['m']);
    const info = await storage.getStorageInfo();
    assert.deepEqual([info.modelCount, info.tensorCount, info.dbVersion], [1, 1, 1]);
    assert.ok(info.remainingQuota === (1 << 20) - info.totalSize && (info.totalSize < 16384) === enableCompression);
    assert.equal(await storage.cleanup(), 0);
    assert.equal(await storage.deleteModel('m'), true);
    assert.equal(await storage.deleteModel('m'), false);
    assert.equal(await storage.getTensor('t'), null);
    assert.equal(await storage.storeTensor('big', new Float32Array(1 << 19).map(Math.random), [1 << 19]), false, 'beyond the quota');
    assert.equal(await storage.clear(), true);
    assert.equal((await storage.getStorageInfo()).totalSize, 0);
  }
});

test('a facade finds what its storage manager keeps', async () => {
  const storageManager = new StorageManager({ dbName: path.join(folder, 'facade') });
  await storageManager.initialize();
  await storageManager.storeTensor('weights', Float32Array.of(-3, 3), [2]);
  const { sharing, gpu } = open({ storageManager });
  await gpu.elementwise('weights', 'm', 'r', 'm');
  assert.deepEqual(await data(sharing, 'r'), [0, 3]);
});

test('a backend executes operations on its tensors and fuses them', async () => {
  const backend = new WebGPUBackend();
  assert.equal(backend.device, null);
  assert.equal(await backend.isSupported(), true);
  assert.equal(await backend.initialize(), true);
  const capabilities = await backend.getCapabilities();
  assert.ok(capabilities.limits.maxBufferSize > 0 && typeof capabilities.adapter.isFallbackAdapter === 'boolean');
  const a = await backend.createTensor(Float32Array.of(1, -2, 3, 4), [2, 2]), b = await backend.createTensor([1, 0, 0, 1], [2, 2], 'float32');
  assert.deepEqual([a.shape, a.dataType, a.size, a.buffer.size >= 16], [[2, 2], 'float32', 16, true]);
  const read = async (t) => [...await backend.readBuffer(t)];
  assert.deepEqual(await read(await backend.execute('matmul', { a, b }, { transposeA: true })), [1, 3, -2, 4]);
  assert.deepEqual(await read(await backend.execute('elementwise', { input: a }, { operation: 'relu' })), [1, 0, 3, 4]);
  const q = await backend.execute('quantize', { input: a });
  assert.deepEqual(await read(await backend.execute('dequantize', { input: q, scale: q.scale })).then((l) => l.map(Math.round)), [1, -2, 3, 4]);
  assert.deepEqual(await read(await backend.execute('transpose', { x: a })), [1, 3, -2, 4]);
  await rejects(backend.execute('fft', { a }), 'unsupported', /Unsupported operation: fft/);
  assert.deepEqual(await read(await backend.executeFusedOperations([a, b, [10, 10]], ['matmul', 'add', 'relu'])), [11, 8, 13, 14]);
  await rejects(backend.executeFusedOperations([a], ['softmax', 'max_pool']), 'unsupported', /Cannot fuse operations: softmax, max_pool/);
  await rejects(backend.executeFusedOperations([a], ['add', 'relu']), 'invalid', /operands/);
  assert.equal(backend.createFusionPattern(['softmax', 'scale', 'flatten'], 'mine'), true);
  assert.equal(backend.createFusionPattern(['softmax', 'fft']), false);
  assert.deepEqual((await read(await backend.executeFusedOperations([a], ['softmax', { type: 'scale', factor: 2 }, 'flatten']))).length, 4);
  const mask = tensor([[true, false], [true, true]], { context: backend.context });
  const attention = await backend.executeFusedOperations([a, b, mask, b], ['matmul', 'scale', 'mask', 'softmax', 'matmul'].map((type) => (type === 'scale' ? { type, operands: 0 } : type)));
  assert.deepEqual((await read(attention)).slice(0, 2), [1, 0]);
  backend.dispose();
});

test('patterns of fusion', () => {
  const fusion = new WebGPUOperationFusion(new WebGPUBackend());
  const fits = {
    linear_activation: ['matmul', 'add', 'gelu'], elementwise_chain: ['add', 'multiply', 'max'], binary_unary: ['add', 'relu'], reshape_op: ['flatten', 'add'],
    activation_chain: ['relu', 'tanh'], norm_activation: ['layer_norm', 'silu'], attention_pattern: ['matmul', 'scale', 'softmax_with_mask', 'matmul'], matrix_chain: ['matmul', 'matmul', 'matmul'],
  };
  for (const [pattern, ops] of Object.entries(fits)) assert.equal(fusion.matchPattern(ops), pattern);
  assert.ok(Object.values(FusionPattern).includes('quantized_attention'));
  assert.equal(fusion.canFuse(['relu', 'fft']), false);
  assert.equal(fusion.canFuse(Array(11).fill('relu')), false);
  assert.equal(fusion.canFuse('relu'), false);
  assert.equal(new WebGPUOperationFusion(null, { enabledPatterns: ['matrix_chain'] }).canFuse(['add', 'relu']), false);
  assert.throws(() => new WebGPUOperationFusion(null, { bitsPerWeight: 5 }), { kind: 'invalid' });
  const quantized = new WebGPUOperationFusion(null, { enabledPatterns: ['quantized_matmul'], useQuantizedWeights: true, bitsPerWeight: 2 });
  assert.deepEqual([...quantized.fuse([tensor([[1, 1]]), tensor([[1, 0.4], [-1, 0.6]])], ['matmul']).dataSync()], [0, 1]);
});

test('browsers are told by their names, and sizes by measuring', async () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
  assert.deepEqual([detectBrowserType(chrome), detectBrowserVersion(chrome)], [BrowserType.CHROME, '126.0.0.0']);
  assert.equal(detectBrowserType(`${chrome} Edg/126.0.1`), 'edge');
  assert.equal(detectBrowserType('Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'), 'firefox');
  assert.equal(detectBrowserType('Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15'), 'safari');
  assert.deepEqual([detectBrowserType(''), detectBrowserVersion('')], ['unknown', 'unknown']);
  const context = new Context(), device = gpuDevice(context), capabilities = await getBrowserCapabilities(device);
  assert.ok(capabilities.performanceTier >= 1 && capabilities.performanceTier <= 5);
  for (const size of Object.values(capabilities.optimalWorkgroupSize)) assert.ok(size.length === 3 && size.reduce((n, s) => n * s) <= 256);
  await rejects(getBrowserCapabilities(null), 'unsupported', /WebGPU device not available/);
  const settings = getDefaultOptimizationSettings(capabilities);
  assert.equal(settings.optimizationLevel, 'balanced');
  const a = Float32Array.from({ length: 20 * 24 }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: 24 * 12 }, (_, i) => Math.cos(i));
  const want = await tensor(a, [20, 24]).matmul(tensor(b, [24, 12])).data();
  for (const enableWorkgroupMemory of [true, false]) {
    const wgsl = await getOptimizedShader(device, 'matmul', { ...settings, enableWorkgroupMemory, workgroupSize: [8, 8, 1] });
    const { c } = kernel({ wgsl, inputs: ['a', 'b'], outputs: ['c'], context }).run({ a: tensor(a, { context }), b: tensor(b, { context }) },
      { shapes: { c: [20, 12] }, params: Uint32Array.of(20, 12, 24), groups: [2, 3] });
    (await c.data()).forEach((v, i) => assert.ok(Math.abs(v - want[i]) < 1e-4, `${i}: ${v} ${want[i]}`));
  }
  const run = async (operation, inputs, shape, more) => {
    const k = kernel({ wgsl: await getOptimizedShader(device, operation, settings), inputs: Object.keys(inputs), outputs: ['output'], context });
    return [...await k.run(inputs, { shapes: { output: shape }, ...more }).output.data()];
  };
  const x = tensor([1, -2, 3, 0], { context });
  assert.deepEqual(await run('elementwise', { input: x }, [4]), [1, 0, 3, 0]);
  assert.deepEqual(await run('quantize', { input: x, scale: tensor([127 / 3], { context }) }, [4]), [42, -85, 127, 0]);
  assert.deepEqual((await run('softmax', { input: x }, [4], { params: Uint32Array.of(2) })).map((v) => v.toFixed(3)), ['0.953', '0.047', '0.953', '0.047']);
  await rejects(getOptimizedShader(device, 'fft'), 'unsupported', /Unsupported operation: fft/);
  const { gpu } = open({ browserOptimizations: true, browserType: 'firefox' });
  assert.deepEqual(gpu.getOptimalWorkgroupSize('matrix'), [8, 8, 1]);
  assert.equal(await gpu.initialize(), true);
  assert.deepEqual(gpu.getOptimalWorkgroupSize('matrix'), gpu.browserCapabilities.optimalWorkgroupSize.matrix);
  assert.equal(gpu.browserCapabilities.browserType, 'firefox');
  assert.ok(gpu.shaderCache.get('softmax').includes('fn main'));
  assert.throws(() => gpu.getOptimalWorkgroupSize('x'), { kind: 'invalid' });
});

test('debug mode logs detection, compilation, memory and operations', async () => {
  const lines = [];
  const log = mock.method(console, 'log', (line) => lines.push(line));
  const { sharing, gpu } = open({ debug: true, browserOptimizations: true, webgpuOptions: { noCache: true } });
  await sharing.registerSharedTensor('x', [3], Float32Array.of(1.25, -2, 3), 'cpu', 'm');
  await gpu.elementwise('x', 'm', 'y', 'm', 'erf');
  await gpu.synchronizeTensor('y', 'm');
  for (const part of [/browser unknown/, /workgroup sizes: compute/, /compile: /, /memory: .* bytes/, /erf x in .* ms/])
    while (!lines.some((line) => part.test(line))) await new Promise((resolve) => setImmediate(resolve));     // threads log later
  log.mock.restore();
});

test('a tensor on its own', () => {
  const t = new SharedTensor({ name: 't', shape: [2, 2] });
  assert.equal(t.data, null);
  t.data = [[1, 2], [3, 4]];
  assert.deepEqual([...t.data], [1, 2, 3, 4]);
  assert.equal(t.getMemoryUsage(), 16);
  assert.deepEqual([...t.createView('v', [1, 0], [1, 2]).getData()], [3, 4]);
  assert.equal(new SharedTensor({ name: 'h', shape: [3], dtype: 'float16' }).getMemoryUsage(), 6);
  assert.throws(() => new SharedTensor({ name: 't', shape: [1], storageType: 'x' }), { kind: 'invalid' });
});
