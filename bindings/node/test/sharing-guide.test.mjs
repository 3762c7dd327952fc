// SPDX-License-Identifier: Apache-2.0
//
// sharing-guide.test.mjs - runs every code block of the guide to WebGPUTensorSharing, which
// lies beside the tree, with the parts supplied that it leaves undefined. Declarations are
// compared with the classes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import * as weft from 'weft-gpu/tensor';
import { here } from './fixture.mjs';

const { getBrowserCapabilities, TensorSharingIntegration, WebGPUTensorSharing } = weft;
const guide = path.join(here, '..', '..', '..', '..', 'shared', 'seeds', '003_89d91fe6c8be7152.txt');
const isThere = fs.existsSync(guide);
const text = isThere ? fs.readFileSync(guide, 'utf8') : '';
const blocks = [...text.matchAll(/^( *)```typescript\n([^]*?)^ *```$/gm)].map(([, , code]) => code);

let tensorSharing, webgpuTensorSharing;

/** Output of a model, as the guide's BERT and ViT give it. */
const outputOf = (shape, f) => ({ shape, data: Float32Array.from({ length: shape.reduce((n, s) => n * s) }, (_, i) => f(i)) });

const cosine = `
  @group(0) @binding(0) var<storage, read> a : array<f32>;
  @group(0) @binding(1) var<storage, read> b : array<f32>;
  @group(0) @binding(2) var<storage, read_write> result : array<f32>;
  @compute @workgroup_size(1) fn main() {
    var dot = 0.0; var aa = 0.0; var bb = 0.0;
    for (var i = 0u; i < arrayLength(&a); i++) { dot += a[i] * b[i]; aa += a[i] * a[i]; bb += b[i] * b[i]; }
    result[0] = dot / sqrt(aa * bb); }`;

before(async () => {
  tensorSharing = new TensorSharingIntegration({ enablePersistence: false });
  webgpuTensorSharing = new WebGPUTensorSharing(tensorSharing);
  await webgpuTensorSharing.initialize();
  const put = (name, shape, model, f) => tensorSharing.registerSharedTensor(name, shape, outputOf(shape, f).data, 'float32', model, [model]);
  await put('tensorA', [4, 6], 'modelA', (i) => Math.sin(i));
  await put('tensorB', [6, 5], 'modelB', (i) => Math.cos(i));
  await put('text_embedding', [1, 32], 'clip-model', (i) => i / 32);
  await put('vision_embedding', [1, 32], 'clip-model', (i) => 1 - i / 32);
  await put('text_projection_matrix', [768, 512], 'clip-model', (i) => Math.sin(i * 0.37) / 28);
  await put('vision_projection_matrix', [1024, 512], 'clip-model', (i) => Math.cos(i * 0.11) / 32);
  await webgpuTensorSharing.createCustomShader('cosine_similarity', cosine);
});
after(() => webgpuTensorSharing.dispose());

const AsyncFunction = (async () => {}).constructor;
/** Runs a block with these names in scope; gives what it declared under `result`. */
const run = (code, scope, result = 'undefined') => new AsyncFunction(...Object.keys(scope), `${code}\nreturn ${result};`)
  .call(scope.self, ...Object.values(scope));
const value = async (name) => [...(await tensorSharing.getSharedTensor(name)).getData()];
const close = (got, want) => want.forEach((w, i) => assert.ok(Math.abs(got[i] - w) < 1e-4 * Math.max(1, Math.abs(w)), `[${i}]: ${got[i]}, not ${w}`));

/** The first block of the guide that has this text in it. */
const used = new Set();
const block = (part) => {
  const at = blocks.findIndex((code, i) => !used.has(i) && code.includes(part));
  assert.ok(at >= 0, `no block with ${part}`);
  used.add(at);
  return blocks[at];
};
const guideTest = (name, f) => test(name, { skip: isThere ? false : 'the guide is not beside the tree' }, f);

guideTest('the class has every method of the guide, with its parameters', () => {
  const code = block('class WebGPUTensorSharing {');
  const methods = [...code.matchAll(/^ {2}(?:async )?(\w+)\(([^]*?)\)(?:: |;)/gm)];
  assert.ok(methods.length >= 15);
  for (const [, name, parameters] of methods) {
    if (name === 'constructor') continue;
    assert.equal(typeof WebGPUTensorSharing.prototype[name], 'function', name);
    const required = parameters.replace(/\{[^}]*\}|<[^>]*>/g, '').split(',').filter((p) => p.trim() && !/^\s*\w+\?:/.test(p)).length;
    assert.ok(WebGPUTensorSharing.prototype[name].length <= required, `${name} needs ${required}`);
  }
});

guideTest('every option of the guide is taken', () => {
  const names = [...block('interface WebGPUTensorSharingOptions').matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  assert.equal(names.length, 10);
  const values = {
    webgpuBackend: new weft.WebGPUBackend(), storageManager: new weft.StorageManager({ dbName: 'unused' }), webgpuOptions: {}, browserOptimizations: false, browserType: 'chrome',
    shaderOptimizationSettings: { enableLoopUnrolling: false }, enableZeroCopy: false, cachePipelines: false, priorityMode: 'memory', debug: false,
  };
  assert.deepEqual(Object.keys(values).sort(), names.sort());
  assert.deepEqual(new WebGPUTensorSharing(tensorSharing, values).options, values);
  assert.deepEqual(new WebGPUTensorSharing(tensorSharing).options, { browserOptimizations: true, enableZeroCopy: true, cachePipelines: true, priorityMode: 'balanced', debug: false });
});

guideTest('its caches are there, with the members that it names', async () => {
  await webgpuTensorSharing.matmul('tensorA', 'modelA', 'tensorB', 'modelB', 'cached', 'modelC');
  for (const [part, name] of [['tensorBufferCache: Map', 'tensorBufferCache'], ['pipelineCache: Map', 'pipelineCache'], ['shaderCache: Map', 'shaderCache']]) {
    const code = block(part), members = [...code.matchAll(/^ +(\w+): \w/gm)].map(([, member]) => member);
    const cache = webgpuTensorSharing[name];
    assert.ok(cache instanceof Map, name);
    if (name === 'tensorBufferCache') for (const member of members) assert.ok(cache.get('cached')[member] !== undefined, member);
    if (name === 'shaderCache') assert.equal(typeof cache.get('matmul'), 'string');
  }
  assert.match(block('async optimizeMemoryUsage(): Promise<void>'), /optimizeMemoryUsage/);
  assert.equal(await webgpuTensorSharing.optimizeMemoryUsage(), undefined);
});

guideTest('browser detection during initialization', async () => {
  const code = block('this.browserCapabilities = await getBrowserCapabilities').replaceAll(' as any)', ')');
  const self = new WebGPUTensorSharing(tensorSharing, { webgpuBackend: webgpuTensorSharing.webgpuBackend });
  await run(code, { self, getBrowserCapabilities });
  assert.equal(self.browserCapabilities.optimalWorkgroupSize.matrix.length, 3);
});

guideTest('zero-copy views', async () => {
  assert.match(block('async createTensorView('), /offset: number = 0/);
  assert.equal(await webgpuTensorSharing.createTensorView('tensorA', 'modelA', 'rows', 'modelB', 6), 'rows');
  assert.equal((await value('rows')).length, 18);
});

guideTest('a custom shader', async () => {
  await run(block('const dotProductShader'), { webgpuTensorSharing });
  const a = await value('text_embedding'), b = await value('vision_embedding');
  close(await value('similarity_score'), [a.reduce((sum, v, i) => sum + v * b[i], 0)]);
});

guideTest('a product', async () => {
  const name = await run(block('const outputTensorName = await webgpuTensorSharing.matmul('), { webgpuTensorSharing }, 'outputTensorName');
  assert.equal(name, 'output');
  const a = await value('tensorA'), b = await value('tensorB');
  close(await value('output'), Array.from({ length: 20 }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < 6; k++) sum += a[Math.floor(i / 5) * 6 + k] * b[k * 5 + i % 5];
    return sum;
  }));
});

guideTest('the multimodal workflow', async () => {
  const bert = outputOf([1, 768], (i) => Math.sin(i * 0.37)), vit = outputOf([1, 1024], (i) => Math.cos(i * 0.11));
  await run(block('const bertHiddenStates'), {
    tensorSharing, webgpuTensorSharing, textInput: 'a cat', imageInput: {}, bertModel: { process: async () => bert }, vitModel: { process: async () => vit },
  });
  const text = await value('text_embedding'), vision = await value('vision_embedding');
  assert.deepEqual([text.length, vision.length], [512, 512]);
  const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);
  close(await value('similarity_score'), [dot(text, vision) / Math.sqrt(dot(text, text) * dot(vision, vision))]);
});

guideTest('optimization of memory from time to time', async () => {
  const lines = [];
  let turn, every;
  await run(block('setInterval('), { webgpuTensorSharing, console: { log: (line) => lines.push(line) }, setInterval: (f, ms) => { turn = f; every = ms; } });
  await turn();
  assert.equal(every, 30000);
  assert.match(lines[0], /^GPU memory usage: [\d.]+ MB$/);
});

guideTest('error handling finds the words that it looks for', async () => {
  const code = block('Try to execute a tensor operation');
  const heard = async (gpu) => {
    const lines = [], note = (kind) => (...args) => lines.push(`${kind} ${args[0]}`);
    await run(code, { webgpuTensorSharing: gpu, console: { warn: note('warn'), error: note('error') } });
    return lines;
  };
  assert.deepEqual(await heard(webgpuTensorSharing), []);
  const { warn } = console;
  console.warn = () => {};
  const none = new WebGPUTensorSharing(tensorSharing, { webgpuOptions: { adapter: 'no such adapter' } });
  assert.deepEqual(await heard(none), ['warn WebGPU not supported, falling back to CPU implementation']);
  console.warn = warn;
  await tensorSharing.registerSharedTensor('tensorB', [5, 6], new Float32Array(30), 'float32', 'modelB', ['modelB']);
  assert.deepEqual(await heard(webgpuTensorSharing), ['error Matrix dimension mismatch:']);
  const sharing = new TensorSharingIntegration({ enablePersistence: false });
  assert.deepEqual(await heard(new WebGPUTensorSharing(sharing, { browserOptimizations: false })), ['error Unexpected error during tensor operation:']);
});

guideTest('cleanup and debug mode', async () => {
  const lines = [], { log } = console;
  console.log = (line) => lines.push(line);
  const gpu = await run(block('debug: true'), { tensorSharing, WebGPUTensorSharing }, 'webgpuTensorSharing');
  await gpu.elementwise('tensorA', 'modelA', 'positive', 'modelA');
  for (const part of [/browser/, /bytes/]) while (!lines.some((line) => part.test(line))) await new Promise((resolve) => setImmediate(resolve));
  console.log = log;
  await run(block('webgpuTensorSharing.dispose();'), { webgpuTensorSharing: gpu });
  assert.equal(gpu.isInitialized(), false);
});

guideTest('no block was left out', () => assert.deepEqual(blocks.filter((_, i) => !used.has(i)), []));
