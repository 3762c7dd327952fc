// SPDX-License-Identifier: Apache-2.0
//
// gpu.js - kernels to look at and to run by hand: text of WGSL, a device of WebGPU, batches of one graph.
//
// in     a recorded value; its inputs are the leaves with derivatives
// out    WGSL, values and gradients of many instances
// knows  the layout of inputs: those of the first instance, then those of the second, ...
// not    solvers
'use strict';

const { native } = require('../native.js');
const { run } = require('../job.js');
const { HANDLE } = require('../context.js');
const { invalid } = require('../weft-error.js');
const { Value, isLeaf, walk } = require('./value.js');
const { Tracer } = require('./trace.js');
const { lower } = require('./topology.js');
const { place } = require('./device.js');

/** The leaves with derivatives, in the order of their first use. */
const inputsOf = (output) => {
  if (!(output instanceof Value)) throw invalid('expected a Value');
  return walk(output).filter((node) => isLeaf(node) && node.requiresGrad);
};

/** The graph of one value on a context; its parameters are `inputs`. */
const graphOf = (context, output, inputs, names) => {
  const tracer = new Tracer(inputs);
  tracer.add(output, 0);
  if (tracer.opaque.length > 0) throw invalid('the graph has operators that only the program knows; they cannot be compiled');
  const shape = lower(tracer.topologies[0], tracer.exponentList, { isSingle: true });
  const label = names ? 'graph' : undefined;
  const used = shape.firsts.map((k) => tracer.topologies[0].parameters[k]);
  const handle = native.gradGraph(context[HANDLE], shape.blocks, shape.columns.length, shape.words, shape.constants, label,
    names && used.map((k) => names[k]), names && output.label.length < 60 ? output.label : undefined);
  const data = Float64Array.from(shape.columns, (k) => tracer.topologies[0].numbers[k]);
  return { handle, used, data };
};

const RESERVED = /^(?:fn|let|var|const|if|else|for|while|loop|return|struct|true|false|f32|f64|i32|u32|bool|idx|inputs|outputs|main|v\d+)$/;
/** Names of inputs for a kernel: labels where they are identifiers, each once. */
const namesOf = (inputs) => {
  const taken = new Set();
  return inputs.map((input, i) => {
    const label = input.label || input.paramName || '';
    const isFit = /^[A-Za-z][A-Za-z0-9_]{0,30}$/.test(label) && !label.includes('__') && !RESERVED.test(label) && !taken.has(label);
    const name = isFit ? label : `x${i}`;
    taken.add(name);
    return name;
  });
};

/** The kernel that computes a value for many instances, in f32. `nodeToVar` has the names of the inputs. */
const compileToWGSL = (output) => {
  const graphInputs = inputsOf(output), names = namesOf(graphInputs), { context } = place({ backend: 'cpu' });
  const { handle, used, data } = graphOf(context, output, graphInputs, names);
  if (data.length > 0) throw invalid('a kernel has no inputs but those with derivatives');
  const wgslCode = native.gradWgsl(handle, { dialect: 'f32', layout: 'aos' });
  return { wgslCode, graphInputs: used.map((k) => graphInputs[k]), nodeToVar: new Map(used.map((k) => [graphInputs[k], names[k]])) };
};

/** A kernel of compileToWGSL() on a device of WebGPU. */
class WGSLKernel {
  #device; #pipeline; #inputs;
  constructor(device, wgslCode, graphInputs) {
    this.#device = device;
    this.#inputs = graphInputs.length;
    this.#pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code: wgslCode }) } });
  }

  /** One number for each of `batchSize` instances; `batchInputs` has those of the first instance first. */
  async execute(batchInputs, batchSize) {
    if (batchInputs.length !== batchSize * this.#inputs) throw invalid(`${batchInputs.length} inputs for ${batchSize} instances of ${this.#inputs}`);
    if (batchSize === 0) return new Float32Array(0);
    const { globals: { GPUBufferUsage: usage, GPUMapMode: mode } } = require('../../index.js');
    const device = this.#device, size = 4 * batchSize;
    const inputs = device.createBuffer({ size: Math.max(4, 4 * batchInputs.length), usage: usage.STORAGE | usage.COPY_DST });
    const outputs = device.createBuffer({ size, usage: usage.STORAGE | usage.COPY_SRC });
    const back = device.createBuffer({ size, usage: usage.MAP_READ | usage.COPY_DST });
    device.queue.writeBuffer(inputs, 0, Float32Array.from(batchInputs));
    const entries = [inputs, outputs].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(this.#pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: this.#pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.ceil(batchSize / 64));
    pass.end();
    encoder.copyBufferToBuffer(outputs, 0, back, 0, size);
    device.queue.submit([encoder.finish()]);
    await back.mapAsync(mode.READ);
    const result = new Float32Array(back.getMappedRange()).slice();
    for (const buffer of [inputs, outputs, back]) buffer.destroy();
    return result;
  }
}

/** One graph for many instances: values and gradients in one dispatch. */
class GPUBatchExecutor {
  #place; #graph; #used; #data; #batch; #count = -1;
  /** Its inputs, in the order in which instances have them. */
  graphInputs;

  constructor(output, { inputs, ...options } = {}) {
    this.#place = place({ backend: 'gpu', ...options });
    this.graphInputs = inputs ?? inputsOf(output);
    const { handle, used, data } = graphOf(this.#place.context, output, this.graphInputs);
    this.#graph = handle;
    this.#used = used;
    this.#data = data;
  }

  get backend() { return this.#place.backend; }
  get precision() { return this.#place.precision; }
  /** How the last batch ran: { count, inputs, immediate, reason }. */
  get info() { return this.#count < 0 ? undefined : native.gradBatchInfo(this.#batch); }

  /** Values of all instances, as a Float64Array. */
  execute(batchInputs, batchSize) {
    const x = this.#prepare(batchInputs, batchSize), values = new Float64Array(this.#count);
    if (this.#count > 0) native.gradEvaluate([this.#batch], x, false, values, undefined, undefined);
    return values;
  }
  async executeAsync(batchInputs, batchSize) {
    const x = this.#prepare(batchInputs, batchSize);
    if (this.#count === 0) return new Float64Array(0);
    const batch = this.#batch;
    return new Float64Array((await run({ batch }, (token) => native.gradEvaluateJob([batch], x, false, 1, token))).values);
  }

  /** { values, gradients }: gradients has those of the first instance first. */
  executeWithGradient(batchInputs, batchSize) {
    const x = this.#prepare(batchInputs, batchSize), values = new Float64Array(this.#count), gradients = new Float64Array(x.length);
    if (this.#count > 0) native.gradEvaluate([this.#batch], x, true, values, undefined, gradients);
    return { values, gradients };
  }
  async executeWithGradientAsync(batchInputs, batchSize) {
    const x = this.#prepare(batchInputs, batchSize);
    if (this.#count === 0) return { values: new Float64Array(0), gradients: new Float64Array(0) };
    const batch = this.#batch;
    const { values, gradient } = await run({ batch }, (token) => native.gradEvaluateJob([batch], x, true, 5, token));
    return { values: new Float64Array(values), gradients: new Float64Array(gradient) };
  }

  /** The inputs as parameters of a batch that is kept as long as its size does not change. */
  #prepare(batchInputs, batchSize) {
    const width = this.graphInputs.length, count = batchSize ?? (width === 0 ? 0 : batchInputs.length / width);
    if (!Number.isInteger(count) || batchInputs.length !== count * width) throw invalid(`${batchInputs.length} inputs for ${count} instances of ${width}`);
    if (count !== this.#count) {
      const used = this.#used, index = new Uint32Array(count * used.length), data = new Float64Array(count * this.#data.length);
      for (let i = 0; i < count; i++) {
        used.forEach((k, at) => { index[i * used.length + at] = i * width + k; });
        data.set(this.#data, i * this.#data.length);
      }
      const { context, precision, threshold } = this.#place;
      this.#batch = native.gradBatch(context[HANDLE], this.#graph, count, count * width, index, data, { precision, threshold });
      this.#count = count;
    }
    return Float64Array.from(batchInputs);
  }
}

/** The device of WebGPU that programs share. */
class WebGPUContext {
  static #instance;
  #gpu = require('../../index.js').create([]);
  #adapter; #device;

  static getInstance() { return WebGPUContext.#instance ??= new WebGPUContext(); }
  static isAvailable() { return true; }
  static reset() {
    WebGPUContext.#instance?.destroy();
    WebGPUContext.#instance = undefined;
  }

  async initialize(powerPreference = 'high-performance') {
    if (this.#device) return;
    this.#adapter = await this.#gpu.requestAdapter({ powerPreference });
    if (!this.#adapter) throw new Error('WebGPU initialization failed: there is no adapter');
    this.#device = await this.#adapter.requestDevice();
  }
  #initialized(object) {
    if (!object) throw new Error('WebGPU not initialized. Call initialize() first.');
    return object;
  }
  get adapter() { return this.#initialized(this.#adapter); }
  get device() { return this.#initialized(this.#device); }
  get queue() { return this.device.queue; }
  destroy() {
    this.#device?.destroy();
    this.#device = this.#adapter = undefined;
  }
}

module.exports = { WebGPUContext, WGSLKernel, GPUBatchExecutor, compileToWGSL };
