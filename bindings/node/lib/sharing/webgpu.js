// SPDX-License-Identifier: Apache-2.0
//
// webgpu.js - WebGPUTensorSharing: operations on tensors that models share by name.
//
// in     names of tensors and models
// out    names of results, which are registered with the models that own them
// knows  which tensors have a copy on the device, and when these may go
// not    how operations compute: operations.js
'use strict';

const { WeftError, invalid } = require('../weft-error.js');
const { kernel } = require('../tensor/kernel.js');
const { shares } = require('../tensor/share.js');
const { SharedTensor, SharedTensorView, longName, isDtype } = require('./shared-tensor.js');
const { TensorSharingIntegration } = require('./integration.js');
const { WebGPUBackend } = require('./backend.js');
const { detectBrowserType, getBrowserCapabilities, getOptimizedShader, defaultSizes } = require('./browser.js');
const operations = require('./operations.js');

const MB = 1024 * 1024;
const IDLE = 5 * 60 * 1000;         // milliseconds after which a copy on the device may move
const LARGE = 1 * MB;               // bytes above which moving it is worth the copy
const FULL = 512 * MB;              // bytes on the device from which 'balanced' moves copies
const memoryModes = { speed: 'speed', memory: 'low', balanced: 'balanced' };
const directions = ['cpu-to-gpu', 'gpu-to-cpu', 'both'];

class WebGPUTensorSharing {
  #sharing;
  #backend;
  #ownsBackend;
  #initializing;
  #isDisposed = false;
  #why = '';
  /** Of getBrowserCapabilities(), once it is initialized; null without browserOptimizations. */
  browserCapabilities = null;
  #resident = new Map();            // SharedTensor -> { lastUsed } of those with a copy on the device
  #buffers = new Map();             // what createGPUBufferFromSharedTensor() gave, by model and name
  #shaders = new Map();             // name -> { code, kernels }

  constructor(tensorSharing, options = {}) {
    if (!(tensorSharing instanceof TensorSharingIntegration)) throw invalid('WebGPUTensorSharing: the first argument is a TensorSharingIntegration');
    this.options = {
      browserOptimizations: true, enableZeroCopy: true, cachePipelines: true, priorityMode: 'balanced', debug: false, ...options,
    };
    if (!Object.hasOwn(memoryModes, this.options.priorityMode)) throw invalid(`priorityMode is 'speed', 'memory' or 'balanced', not '${this.options.priorityMode}'`);
    this.#sharing = tensorSharing;
    this.#ownsBackend = this.options.webgpuBackend === undefined;
    this.#backend = this.options.webgpuBackend ?? new WebGPUBackend({
      memoryMode: memoryModes[this.options.priorityMode], ...(this.options.debug ? { log: (topic, message) => this.#debug(`${topic}: ${message}`) } : {}), ...this.options.webgpuOptions,
    });
  }

  get webgpuBackend() { return this.#backend; }
  get tensorSharing() { return this.#sharing; }
  /** What is on the device, by name. */
  get tensorBufferCache() {
    if (!this.isInitialized()) return new Map();
    const context = this.#context, rows = [...this.#resident].filter(([shared]) => shared.has(context));
    return new Map(rows.map(([shared, { lastUsed }]) => [shared.name, {
      get buffer() { return shared.on(context).gpuBuffer().buffer; },
      shape: [...shared.shape], dataType: shared.dtype, location: shared.location, lastUsed, size: shared.getMemoryUsage(),
    }]));
  }
  /** Kernels of custom shaders, by shader and slots. */
  get pipelineCache() {
    return new Map([...this.#shaders].flatMap(([name, { kernels }]) => [...kernels].map(([key, pipeline]) => [`${name} ${key}`, { pipeline }])));
  }
  get shaderCache() { return this.#backend.shaderCache; }

  #debug(message) { if (this.options.debug) console.log(`[WebGPUTensorSharing] ${message}`); }

  // ---- begin and end ----

  isInitialized() { return this.#initializing?.isDone === true; }

  /** True once there is a device. Never throws: without one it warns, and is false. */
  async initialize() {
    if (this.#isDisposed) return false;
    this.#initializing ??= this.#open();
    const ok = await this.#initializing;
    if (!ok) this.#initializing = undefined;
    return ok;
  }
  #open() {
    const opening = (async () => {
      try {
        await this.#backend.open();
        if (this.options.browserOptimizations !== false) await this.#optimize();
        opening.isDone = true;
        return true;
      } catch (error) {
        this.#why = error.message;
        console.warn(`Failed to initialize WebGPU Tensor Sharing: ${error.message}`);
        return false;
      }
    })();
    return opening;
  }
  async #optimize() {
    const { device } = this.#backend;
    if (!device) return;
    this.browserCapabilities = await getBrowserCapabilities(device);
    this.browserCapabilities.browserType = this.options.browserType ?? detectBrowserType();
    const { browserType, hardware, performanceTier, optimalWorkgroupSize } = this.browserCapabilities;
    this.#debug(`browser ${browserType}, ${this.#backend.context.device.name} (${hardware.vendor} ${hardware.architecture}), tier ${performanceTier}`);
    this.#debug(`workgroup sizes: ${Object.entries(optimalWorkgroupSize).map(([kind, size]) => `${kind} ${size.join('x')}`).join(', ')}`);
    await this.precompileOptimizedShaders();
  }
  /** Puts shaders for this device into the shader cache. */
  async precompileOptimizedShaders() {
    const { device } = this.#backend, { optimalWorkgroupSize } = this.browserCapabilities;
    const sizes = { matmul: 'matrix', elementwise: 'elementwise', softmax: 'compute', quantize: 'elementwise' };
    for (const [operation, kind] of Object.entries(sizes)) {
      const settings = { workgroupSize: optimalWorkgroupSize[kind], ...this.options.shaderOptimizationSettings };
      this.#backend.shaderCache.set(operation, await getOptimizedShader(device, operation, settings));
    }
  }
  async #need() {
    if (await this.initialize()) return;
    const why = this.#isDisposed ? 'it was disposed of' : this.#why;
    throw new WeftError('unsupported', `Failed to initialize WebGPU Tensor Sharing: ${why || 'WebGPU not supported'}`);
  }
  get #context() { return this.#backend.context; }

  /** Releases what is on the device. Results that are nowhere else are copied out before. */
  dispose() {
    if (this.#isDisposed) return;
    if (this.isInitialized()) {
      const context = this.#context;
      for (const shared of this.#resident.keys()) {
        if (!shared.has(context)) continue;
        shared.getData();
        shared.dropDevice(context);
      }
    }
    this.#forgetBuffers();
    for (const { kernels } of this.#shaders.values()) for (const k of kernels.values()) k.dispose();
    this.#resident.clear();
    this.#shaders.clear();
    if (this.#ownsBackend) this.#backend.dispose();
    this.#initializing = undefined;
    this.#isDisposed = true;
  }
  #forgetBuffers() {
    for (const { pinned } of this.#buffers.values()) if (!pinned.isDisposed) pinned.unpin().dispose();
    this.#buffers.clear();
  }

  // ---- tensors ----

  /** The shared tensor as `model` sees it: registered, shared by a layer of Weft, or stored. */
  async #find(name, model, what = 'Tensor') {
    const shared = await this.#sharing.getSharedTensor(name, model) ?? await this.#findElsewhere(name, model);
    if (shared === null) throw new WeftError('not-found', `${what} ${name} not found for model ${model}`, [String(name), String(model)]);
    return shared;
  }
  async #findElsewhere(name, model) {
    const table = shares(this.#context);
    const entry = table.list().find((share) => share.name === name);
    if (entry !== undefined) {
      let t;
      try { t = table.get(entry.owner, name, model === entry.owner ? undefined : model); } catch { return null; }
      return this.#adopt(name, t, entry.owner, [model]);
    }
    const kept = await this.options.storageManager?.getTensor(name);
    return kept ? this.#sharing.registerSharedTensor(name, kept.shape, kept.data, kept.dataType, null, [model]) : null;
  }

  /** The tensor on the device. */
  async #operand(name, model) {
    const shared = await this.#find(name, model);
    this.#use(shared);
    return shared.on(this.#context);
  }
  #use(shared) {
    const root = shared instanceof SharedTensorView ? shared.parent : shared;
    this.#resident.set(root, { lastUsed: Date.now() });
  }

  #adopt(name, t, owner, consumers) {
    const shared = new SharedTensor({ name, shape: [...t.shape], dtype: longName(t.dtype), storageType: 'webgpu', producerModel: owner });
    shared.setData(t);
    t.dispose();                    // the shared tensor has its own reference
    this.#use(shared);
    return this.#sharing.adopt(shared, consumers);
  }
  /** Registers a result with the model that owns it; its name. */
  #result(name, t, model) {
    if (typeof name !== 'string' || name === '') throw invalid('the result of an operation needs a name');
    this.#adopt(name, t, model, [model]);
    return name;
  }

  // ---- operations ----

  async #run(what, f) {
    await this.#need();
    const start = performance.now(), result = await f();
    this.#debug(`${what} in ${(performance.now() - start).toFixed(2)} ms, ${this.getGPUMemoryUsage()} bytes on the device`);
    return result;
  }

  async matmul(tensorA, modelA, tensorB, modelB, outputName, model, transposeA = false, transposeB = false) {
    return this.#run(`matmul ${tensorA} ${tensorB}`, async () => {
      const a = await this.#operand(tensorA, modelA), b = await this.#operand(tensorB, modelB);
      return this.#result(outputName, operations.matmul(a, b, { transposeA, transposeB }), model);
    });
  }
  async elementwise(input, inputModel, outputName, model, operation = 'relu') {
    return this.#run(`${operation} ${input}`, async () => this.#result(outputName, operations.elementwise(await this.#operand(input, inputModel), operation), model));
  }
  async softmax(input, inputModel, outputName, model, axis = -1) {
    return this.#run(`softmax ${input}`, async () => this.#result(outputName, operations.softmax(await this.#operand(input, inputModel), { axis }), model));
  }
  /** Symmetric 8-bit values in int32, and the scale that they were multiplied by. */
  async quantize(input, inputModel, outputName, model) {
    return this.#run(`quantize ${input}`, async () => {
      const { values, scale } = operations.quantize(await this.#operand(input, inputModel));
      return { tensorName: this.#result(outputName, values, model), scaleTensorName: this.#result(`${outputName}_scale`, scale, model) };
    });
  }
  async dequantize(input, inputModel, scaleName, scaleModel, outputName, model) {
    return this.#run(`dequantize ${input}`, async () => {
      const q = await this.#operand(input, inputModel), scale = await this.#operand(scaleName, scaleModel);
      return this.#result(outputName, operations.dequantize(q, scale), model);
    });
  }

  /** An operation by its name; `inputs` has { tensorName, modelName } by slot. */
  async executeOperation(operation, inputs, outputName, model, options = {}) {
    try {
      await this.#need();
      const slot = (name) => {
        if (inputs?.[name]?.tensorName === undefined) throw invalid(`the input '${name}' is missing`, [name]);
        return [inputs[name].tensorName, inputs[name].modelName ?? model];
      };
      switch (operation) {
        case 'matmul': return await this.matmul(...slot('a'), ...slot('b'), outputName, model, options.transposeA, options.transposeB);
        case 'elementwise': return await this.elementwise(...slot('input'), outputName, model, options.operation);
        case 'softmax': return await this.softmax(...slot('input'), outputName, model, options.axis);
        case 'quantize': return (await this.quantize(...slot('input'), outputName, model)).tensorName;
        case 'dequantize': return await this.dequantize(...slot('input'), ...slot('scale'), outputName, model);
        default: throw new WeftError('unsupported', `Unsupported operation: ${operation}`);
      }
    } catch (error) {
      throw new WeftError(error.kind ?? 'internal', `Failed to execute operation ${operation}: ${error.message}`, error.names, { cause: error });
    }
  }

  /** A part of a tensor under another name: `size` elements from `offset` on in their order, or
   * a window of all axes. The memory is the same, unless enableZeroCopy is off. */
  async createTensorView(sourceName, sourceModel, viewName, targetModel, offset = 0, size = undefined) {
    return this.#run(`view ${viewName} of ${sourceName}`, async () => {
      const source = await this.#find(sourceName, sourceModel);
      const view = source.createView(viewName, offset, size);
      if (this.options.enableZeroCopy) {
        this.#sharing.adopt(view, [targetModel]);
        return viewName;
      }
      return this.#result(viewName, view.on(this.#context).copy(), targetModel);
    });
  }

  async shareTensorBetweenModels(name, sourceModel, targetModels) {
    const { status, message } = await this.#sharing.shareTensorBetweenModels(name, sourceModel, targetModels);
    if (status === 'success') return;
    throw new WeftError(status === 'not_found' ? 'not-found' : 'denied',
      status === 'not_found' ? `Tensor ${name} not found for model ${sourceModel}` : message, [String(name), String(sourceModel)]);
  }

  /** Copies elements where they are missing: 'cpu-to-gpu', 'gpu-to-cpu', or 'both'. */
  async synchronizeTensor(name, model, direction = 'both') {
    if (!directions.includes(direction)) throw invalid(`direction is one of ${directions.join(', ')}, not '${direction}'`);
    return this.#run(`synchronize ${name} ${direction}`, async () => {
      const shared = await this.#find(name, model);
      if (direction !== 'cpu-to-gpu') await shared.readData();
      if (direction !== 'gpu-to-cpu') {
        this.#use(shared);
        await shared.on(this.#context).eval();
      }
    });
  }

  /** The buffer of a tensor, for programs that use WebGPU themselves. */
  async createGPUBufferFromSharedTensor(name, model) {
    return this.#run(`buffer of ${name}`, async () => {
      const shared = await this.#find(name, model, 'Shared tensor'), t = await this.#operand(name, model);
      const key = JSON.stringify([model, name]), known = this.#buffers.get(key);
      if (known?.of === t && !known.pinned.isDisposed) return known.info;
      const pinned = t.contiguous(), { buffer } = pinned.gpuBuffer();
      const info = { buffer, shape: [...shared.shape], dataType: shared.dtype, location: shared.location, size: pinned.bytes };
      this.#buffers.set(key, { of: t, pinned, info });
      return info;
    });
  }

  // ---- own shaders ----

  /** Names a shader. Its storage variables are the inputs and outputs of later calls. */
  async createCustomShader(name, code, inputTypes = undefined, outputTypes = undefined) {
    return this.#run(`shader ${name}`, async () => {
      if (typeof name !== 'string' || typeof code !== 'string') throw invalid('a custom shader has a name and WGSL');
      for (const type of Object.values({ ...inputTypes, ...outputTypes })) if (!isDtype(type)) throw new WeftError('type', `there is no element type '${type}'`);
      await this.#check(name, code);
      for (const k of this.#shaders.get(name)?.kernels.values() ?? []) k.dispose();
      this.#shaders.set(name, { code, kernels: new Map(), inputTypes, outputTypes });
      this.#backend.shaderCache.set(name, code);
    });
  }
  async #check(name, code) {
    const { device } = this.#backend;
    if (!device) return;
    device.pushErrorScope('validation');
    const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
    await device.popErrorScope();
    const error = messages.find(({ type }) => type === 'error');
    if (error) throw new WeftError('compile', `Custom shader ${name}: ${error.lineNum}:${error.linePos}: ${error.message}`, [name]);
  }

  #kernel(name, inputs, outputs) {
    const shader = this.#shaders.get(name), key = JSON.stringify([inputs, outputs]);
    const known = shader.kernels.get(key);
    if (known) return known;
    const made = kernel({ name, wgsl: shader.code, entry: 'main', inputs, outputs: Object.fromEntries(outputs.map((o) => [o, {}])), context: this.#context });
    if (this.options.cachePipelines) shader.kernels.set(key, made);
    return made;
  }

  /** Runs a shader: variables of the names of inputs and outputs, else in their order. The size of
   * workgroups is the shader's own. */
  async executeCustomShader(name, inputTensors, outputTensors, model, workgroupSize = undefined, workgroupCount = [1, 1, 1]) {
    return this.#run(`shader ${name}`, async () => {
      const shader = this.#shaders.get(name);
      if (shader === undefined) throw new WeftError('not-found', `Custom shader ${name} not found`, [String(name)]);
      if (workgroupSize !== undefined) this.#debug(`workgroup size ${workgroupSize.join('x')} is the shader's to choose`);
      const inputs = {};
      for (const [slot, { tensorName, modelName = model }] of Object.entries(inputTensors ?? {})) {
        const t = await this.#operand(tensorName, modelName), type = shader.inputTypes?.[slot];
        inputs[slot] = type === undefined || longName(type) === longName(t.dtype) ? t : t.cast(type);
      }
      const outputs = Object.entries(outputTensors ?? {});
      const k = this.#kernel(name, Object.keys(inputs), outputs.map(([slot]) => slot));
      const made = k.run(inputs, { groups: workgroupCount, shapes: Object.fromEntries(outputs.map(([slot, { shape }]) => [slot, shape])) });
      if (!this.options.cachePipelines) k.dispose();
      return Object.fromEntries(outputs.map(([slot, { tensorName, dataType = shader.outputTypes?.[slot] }]) => {
        const t = made[slot];
        return [slot, this.#result(tensorName, dataType === undefined || longName(dataType) === longName(t.dtype) ? t : t.cast(dataType), model)];
      }));
    });
  }

  // ---- memory ----

  /** Bytes on the device; what views share counts once. */
  getGPUMemoryUsage() {
    if (!this.isInitialized()) return 0;
    const context = this.#context;
    return [...this.#resident.keys()].reduce((n, shared) => n + (shared.has(context) ? shared.getMemoryUsage() : 0), 0);
  }

  getOptimalWorkgroupSize(kind = 'compute') {
    const sizes = this.browserCapabilities?.optimalWorkgroupSize ?? defaultSizes;
    if (!Object.hasOwn(sizes, kind)) throw invalid(`there are workgroup sizes for ${Object.keys(sizes).join(', ')}, not for '${kind}'`);
    return [...sizes[kind]];
  }

  /** Moves large tensors that were not used for five minutes off the device ('memory', or
   * 'balanced' above 512 MiB), then drops unused copies. */
  async optimizeMemoryUsage() {
    if (!await this.initialize()) return;
    const { priorityMode } = this.options, now = Date.now();
    if (priorityMode === 'memory' || (priorityMode === 'balanced' && this.getGPUMemoryUsage() > FULL)) {
      const idle = [...this.#resident].filter(([shared, { lastUsed }]) => now - lastUsed > IDLE && shared.getMemoryUsage() > LARGE && !shared.isPinned);
      for (const [shared] of idle.sort(([a], [b]) => b.getMemoryUsage() - a.getMemoryUsage())) await this.#evict(shared);
    }
    await this.cleanupUnusedTensors();
    this.#debug(`memory: ${this.getGPUMemoryUsage()} bytes on the device`);
  }
  async #evict(shared) {
    const context = this.#context;
    this.#resident.delete(shared);
    if (!shared.has(context)) return;
    await shared.readData();
    shared.dropDevice(context);
  }

  /** Drops copies on the device that were not used for so long, of tensors that no model holds. */
  async cleanupUnusedTensors(maxAgeMs = 30000) {
    if (!this.isInitialized()) return;
    const now = Date.now(), names = new Set(this.#sharing.getRegisteredTensors());
    for (const [shared, { lastUsed }] of [...this.#resident]) {
      const isUnused = shared.referenceCount === 0 || !names.has(shared.name);
      if (isUnused && !shared.isPinned && now - lastUsed >= maxAgeMs) await this.#evict(shared);
    }
    for (const [key, { pinned, of }] of this.#buffers) {
      if (!of.isDisposed) continue;
      if (!pinned.isDisposed) pinned.unpin().dispose();
      this.#buffers.delete(key);
    }
    this.#context.trim();
  }
}

module.exports = { WebGPUTensorSharing };
