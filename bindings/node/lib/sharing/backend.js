// SPDX-License-Identifier: Apache-2.0
//
// backend.js - WebGPUBackend: operations on buffers of one device.
//
// in     typed arrays, operations by name
// out    { buffer, shape, dataType, size } for each tensor
// knows  contexts: one is opened by initialize()
// not    names of tensors
'use strict';

const { Context, createContext, whyUnavailable } = require('../context.js');
const { WeftError, invalid } = require('../weft-error.js');
const { Tensor, tensor } = require('../tensor/tensor.js');
const { dtypeName } = require('../tensor/types.js');
const { gpuDevice, fromGpuBuffer } = require('../tensor/gpu.js');
const { longName } = require('./shared-tensor.js');
const { WebGPUOperationFusion } = require('./fusion.js');
const operations = require('./operations.js');

/** A tensor of a backend. Its buffer stays where it is once it was asked for. */
class BackendTensor {
  #gpu;
  constructor(t) {
    this.tensor = t;
    this.shape = [...t.shape];
    this.dataType = longName(t.dtype);
    this.size = t.bytes;
  }
  get buffer() { return (this.#gpu ??= this.tensor.contiguous().gpuBuffer()).buffer; }
  dispose() { this.tensor.dispose(); }
}

/** Options of a context among those of a backend. */
const contextOptions = ({ memory = {}, context, powerPreference, forceFallbackAdapter, requiredFeatures, requiredLimits, shaderCompilation, ...rest }) => ({
  ...rest,
  ...(memory.maxMemorySize ? { memoryBudget: memory.maxMemorySize } : {}),
  ...(forceFallbackAdapter && rest.adapter === undefined ? { adapter: 'cpu' } : {}),
});

const unsupported = (why) => new WeftError('unsupported', `WebGPU not supported: ${why}`);

class WebGPUBackend {
  type = 'webgpu';
  #context;
  #owns = false;
  #device;
  #fusion;
  /** WGSL by name, of kernels that were made through this backend. */
  shaderCache = new Map();

  constructor(options = {}) {
    const { shaderCompilation, memory, ...rest } = options;
    this.options = {
      powerPreference: 'high-performance', forceFallbackAdapter: false, requiredFeatures: [], requiredLimits: {}, ...rest,
      shaderCompilation: { precompile: true, cacheShaders: true, shadersPath: undefined, browserOptimizations: true, ...shaderCompilation },
      memory: { maxMemorySize: 0, enableGarbageCollection: true, garbageCollectionThreshold: 256 * 1024 * 1024, ...memory },
    };
    if (options.context !== undefined && !(options.context instanceof Context)) throw invalid('WebGPUBackend: \'context\' is not a Context');
  }

  async isSupported() { return this.#context !== undefined || this.options.context !== undefined || whyUnavailable(contextOptions(this.options)) === null; }

  /** Opens the device; false if there is none that has what was required. */
  async initialize() {
    try {
      await this.open();
      return true;
    } catch (error) {
      console.warn(error.message);
      return false;
    }
  }
  /** The same, with the reason as an exception. */
  async open() {
    if (this.#context !== undefined) return;
    const context = this.options.context ?? await createContext(contextOptions(this.options)).catch((error) => { throw unsupported(error.message); });
    const fault = this.#fault(context);
    if (fault !== undefined) throw unsupported(fault);
    this.#context = context;
    this.#owns = this.options.context === undefined;
    this.#fusion = new WebGPUOperationFusion(this);
  }
  #fault(context) {
    const device = context.device;
    if (device === null) return 'the context has no device';
    const features = { 'shader-f16': device.f16, subgroups: device.subgroups, 'timestamp-query': device.timestamps };
    const feature = this.options.requiredFeatures.find((name) => !features[name]);
    if (feature !== undefined) return `the device lacks the feature '${feature}'`;
    const limit = Object.entries(this.options.requiredLimits).find(([name, value]) => !(device.limits[name] >= value));
    return limit && `the device has ${limit[0]} ${device.limits[limit[0]] ?? 'unknown'}, not ${limit[1]}`;
  }

  get isInitialized() { return this.#context !== undefined; }
  get context() {
    if (this.#context === undefined) throw new WeftError('invalid', 'WebGPU backend not initialized');
    return this.#context;
  }
  /** The GPUDevice; null before initialize(), and for devices of another library. */
  get device() {
    if (this.#context === undefined) return null;
    if (this.#device === undefined) {
      try { this.#device = gpuDevice(this.#context); } catch { this.#device = null; }
    }
    return this.#device;
  }

  async getCapabilities() {
    await this.open();
    const { hardwareGpu, limits } = this.context.device;
    return { adapter: { isFallbackAdapter: !hardwareGpu }, features: this.device ? [...this.device.features] : [], limits };
  }

  // ---- tensors ----

  wrap(t) { return new BackendTensor(t); }
  /** The Tensor behind what callers hold. */
  tensorOf(value) {
    if (value instanceof Tensor) return value;
    if (value?.tensor instanceof Tensor) return value.tensor;
    if (value?.buffer !== undefined && value.shape !== undefined && !ArrayBuffer.isView(value)) {
      return fromGpuBuffer(value.buffer, { shape: value.shape, dtype: value.dataType ?? 'f32', context: this.context });
    }
    return tensor(value, { context: this.context });
  }

  async createTensor(data, shape, dataType = 'float32') {
    await this.open();
    return this.wrap(tensor(data, { shape, dtype: dataType, context: this.context }));
  }

  /** execute('matmul', { a, b }, { transposeB: true }) and so on. */
  async execute(operation, inputs, options = {}) {
    await this.open();
    const list = Object.values(inputs ?? {}).map((value) => this.tensorOf(value));
    const at = (name, i) => (inputs[name] === undefined ? list[i] : this.tensorOf(inputs[name]));
    if (list.length === 0) throw new WeftError('invalid', `${operation}: no operands`);
    switch (operation) {
      case 'matmul': return this.wrap(operations.matmul(at('a', 0), at('b', 1), options));
      case 'elementwise': return this.wrap(operations.elementwise(at('input', 0), options.operation, options));
      case 'quantize': {
        const { values, scale } = operations.quantize(at('input', 0));
        return Object.assign(this.wrap(values), { scale: this.wrap(scale) });
      }
      case 'dequantize': return this.wrap(operations.dequantize(at('input', 0), at('scale', 1)));
      default: return this.wrap(operations.fold(list, [{ ...options, type: operation }]));
    }
  }

  /** The elements of a tensor of this backend or of a GPUBuffer. */
  async readBuffer(buffer, dataType = 'float32') {
    if (buffer?.tensor instanceof Tensor) return buffer.tensor.data();
    const bytes = { f64: 8, i64: 8, f16: 2, bf16: 2, i8: 1, u8: 1, bool: 1 }[dtypeName(dataType)] ?? 4;
    const t = fromGpuBuffer(buffer, { shape: [Math.floor(buffer.size / bytes)], dtype: dataType, context: this.context });
    return t.data().finally(() => t.dispose());
  }

  // ---- fusion ----

  async executeFusedOperations(inputs, ops) {
    await this.open();
    return this.#fusion.executeFusedOperations(inputs, ops);
  }
  createFusionPattern(ops, id = undefined) { return (this.#fusion ??= new WebGPUOperationFusion(this)).createFusionPattern(ops, id); }

  dispose() {
    if (this.#owns) this.#context?.dispose();
    this.#context = undefined;
    this.#device = undefined;
    this.shaderCache.clear();
  }
}

module.exports = { WebGPUBackend };
