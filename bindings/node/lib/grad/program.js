// SPDX-License-Identifier: Apache-2.0
//
// program.js - compiled functions: batches of the addon, and those that cannot be compiled.
//
// in     parameters and the values that a function of them gave
// out    residuals, gradients, sparse Jacobians at the present data of the parameters
// knows  which instance of which batch is which function
// not    solvers; the shape that results have for users: compiled.js
'use strict';

const { native } = require('../native.js');
const { run } = require('../job.js');
const { HANDLE } = require('../context.js');
const { Value, propagate, walk } = require('./value.js');
const { Tracer } = require('./trace.js');
const { lower } = require('./topology.js');

/** Without a threshold of the user's, fewer instances are never worth the compilation of a kernel. */
const FEW = 32;

/** Entries of a Jacobian that are copied in no time. */
const SMALL = 20000;

const VALUES = 1, JACOBIAN = 2, GRADIENT = 4;

/** A part of the instances of a topology, at most batchSize. */
class Batch {
  constructor(place, graph, shape, topology, first, count, parameterCount) {
    const { width, firsts, columns, numberWidth, inputs } = shape;
    this.members = topology.members.slice(first, first + count);
    this.inputs = inputs.length;
    this.columns = new Uint32Array(count * inputs.length);
    const index = new Uint32Array(count * firsts.length);
    const data = new Float64Array(count * columns.length);
    this.live = [];                 // [place in the data, value]
    for (let i = 0; i < count; i++) {
      const p = (first + i) * width, n = (first + i) * numberWidth;
      firsts.forEach((k, at) => { index[i * firsts.length + at] = topology.parameters[p + k]; });
      inputs.forEach((k, at) => { this.columns[i * inputs.length + at] = topology.parameters[p + k]; });
      columns.forEach((k, at) => {
        data[i * columns.length + at] = topology.numbers[n + k];
        if (topology.live[n + k] !== undefined) this.live.push([i * columns.length + at, topology.live[n + k]]);
      });
    }
    this.data = data;
    const threshold = place.threshold === 0 && count < FEW ? FEW : place.threshold;
    this.hasKernel = threshold === 0 || threshold === Infinity || count >= threshold;
    this.handle = native.gradBatch(place.context[HANDLE], graph, count, parameterCount, index, data,
      { precision: place.precision, threshold });
  }

  /** The data of the program's values now. */
  read() { return this.live.map(([, value]) => value.data); }
  /** Takes over what read() gave. */
  update(numbers) {
    let isChanged = false;
    for (let i = 0; i < numbers.length; i++) {
      const [at] = this.live[i];
      if (this.data[at] === numbers[i]) continue;
      this.data[at] = numbers[i];
      isChanged = true;
    }
    if (isChanged) native.gradSetData(this.handle, this.data);
  }
}

class Program {
  #params; #functions; #place; #roots; #exponents;
  #batches; #opaque;
  #handles; #rows;
  #valueCount; #jacobianCount;
  #known;
  #turn;                            // the last job, where jobs wait for each other
  #prepared;                        // what kernels were compiled for
  #x; #gradient;                    // used again by each evaluation

  /** `functions(params)` gives `roots`, and is called again where they cannot be compiled. */
  constructor(params, functions, roots, place, tracer) {
    this.#params = params;
    this.#functions = functions;
    this.#place = place;
    this.count = roots.length;
    this.#build(tracer, roots);
  }

  #build(tracer, roots) {
    this.#exponents = tracer.exponents;
    this.#roots = tracer.exponents.size > 0 ? roots : undefined;
    this.#opaque = tracer.opaque;
    this.kernelCount = tracer.topologies.length + (tracer.opaque.length > 0 ? 1 : 0);
    this.#batches = tracer.topologies.flatMap((t) => this.#compile(t, tracer.exponentList));
    this.#handles = this.#batches.map((b) => b.handle);
    this.#valueCount = this.#batches.reduce((sum, b) => sum + b.members.length, 0);
    this.#jacobianCount = this.#batches.reduce((sum, b) => sum + b.columns.length, 0);
    this.#rows = undefined;
    this.#prepared = new Set();
  }

  #compile(topology, exponents) {
    const shape = lower(topology, exponents), place = this.#place, count = topology.members.length;
    const graph = native.gradGraph(place.context[HANDLE], shape.blocks, shape.columns.length, shape.words, shape.constants,
      `function ${topology.members[0]}`);
    const size = Math.min(place.batchSize, count), batches = [];
    for (let first = 0; first < count; first += size) {
      const n = Math.min(size, count - first);
      batches.push(new Batch(place, graph, shape, topology, first, n, this.#params.length));
    }
    return batches;
  }

  /** Whether all of `params` are parameters of the program. */
  has(params) {
    if (!Array.isArray(params)) return false;
    let same = 0;
    while (same < params.length && params[same] === this.#params[same]) same++;
    if (same === params.length) return true;
    this.#known ??= new Set(this.#params);
    return params.every((p) => this.#known.has(p));
  }

  get parameterCount() { return this.#params.length; }
  get context() { return this.#place.context; }
  get backend() { return this.#place.backend; }
  get precision() { return this.#place.precision; }
  get backendReason() { return this.#place.reason; }
  /** What runs how: one row for each batch. */
  get batches() {
    const rows = this.#batches.map((b) => native.gradBatchInfo(b.handle));
    const eager = { count: this.#opaque.length, inputs: this.#params.length, immediate: true, reason: 'operators of the program itself are not compiled' };
    return this.#opaque.length > 0 ? [...rows, eager] : rows;
  }

  // ---- evaluation ----

  /** Residuals as a Float64Array. */
  values() { return this.#take(this.#cheapest(), false, (raw) => this.#residuals(raw)); }
  valuesAsync() { return this.#takeAsync(this.#cheapest(), false, (raw) => this.#residuals(raw)); }
  /** For values alone, a small Jacobian on top costs less than the compilation of further kernels. */
  #cheapest() {
    const isThere = this.#prepared.has(VALUES | JACOBIAN) && !this.#prepared.has(VALUES) && this.#opaque.length === 0;
    return isThere && this.#jacobianCount <= SMALL ? VALUES | JACOBIAN : VALUES;
  }
  /** { value, gradient } of the sum of all functions. `into`: an array for the gradient. */
  sum(into) { return this.#take(VALUES | GRADIENT, true, (raw) => this.#sum(raw), into); }
  /** The same; the gradient is overwritten by the next call. */
  sumOnce() { return this.sum(this.#gradient ??= new Float64Array(this.#params.length)); }
  sumAsync() { return this.#takeAsync(VALUES | GRADIENT, true, (raw) => this.#sum(raw)); }
  /** { residuals, rows }: rows are { start, columns, values }, a sparse Jacobian. */
  jacobian() { return this.#take(VALUES | JACOBIAN, false, (raw) => this.#jacobian(raw)); }
  jacobianAsync() { return this.#takeAsync(VALUES | JACOBIAN, false, (raw) => this.#jacobian(raw)); }

  /** The parameters as they are now. */
  #prepare() {
    for (const [value, exponent] of this.#exponents) {
      if (value.data !== exponent) { this.#recompile(); break; }
    }
    const params = this.#params, x = this.#x ??= new Float64Array(params.length);
    for (let i = 0; i < x.length; i++) x[i] = params[i].data;
    return x;
  }

  /** Compiles kernels that were not needed before, all together. */
  #compileKernels(wanted, ones) {
    if (this.#prepared.has(wanted)) return;
    this.#prepared.add(wanted);
    const many = this.#batches.filter((batch) => batch.hasKernel).map((batch) => batch.handle);
    if (many.length > 1) native.gradPrepare(many, ones, wanted);
  }

  #recompile() {
    const tracer = new Tracer(this.#params);
    this.#roots.forEach((root, i) => tracer.add(root, i));
    this.#build(tracer, this.#roots);
  }

  #take(wanted, ones, convert, gradient) {
    const x = this.#prepare(), raw = {};
    for (const batch of this.#batches) batch.update(batch.read());
    this.#compileKernels(wanted, ones);
    if (wanted & VALUES) raw.values = new Float64Array(this.#valueCount);
    if (wanted & JACOBIAN) raw.jacobian = new Float64Array(this.#jacobianCount);
    if (wanted & GRADIENT) raw.gradient = gradient ?? new Float64Array(x.length);
    if (this.#handles.length === 0) raw.gradient?.fill(0);
    else native.gradEvaluate(this.#handles, x, ones, raw.values, raw.jacobian, raw.gradient);
    raw.eager = this.#evaluateOpaque(wanted);
    return convert(raw);
  }

  async #takeAsync(wanted, ones, convert) {
    const x = this.#prepare().slice(), eager = this.#evaluateOpaque(wanted), handles = this.#handles;
    let raw = { gradient: new ArrayBuffer(8 * x.length) };
    this.#prepared.add(wanted);     // by the job, off this thread
    if (handles.length > 0) {
      raw = await this.#inTurn(() => run({ handles }, (token) => native.gradEvaluateJob(handles, x, ones, wanted, token)));
    }
    const array = (bytes) => bytes && new Float64Array(bytes);
    return convert({ values: array(raw.values) ?? new Float64Array(0), jacobian: array(raw.jacobian) ?? new Float64Array(0),
      gradient: array(raw.gradient), eager });
  }

  /** Starts a job with the numbers of the program as they are now. They belong to the batches: where they
   * differ, the jobs before come to their end first. */
  async #inTurn(start) {
    const batches = this.#batches.filter((batch) => batch.live.length > 0);
    if (batches.length === 0) return start();
    const numbers = batches.map((batch) => batch.read()), before = this.#turn;
    const job = (async () => {
      await before;
      batches.forEach((batch, i) => batch.update(numbers[i]));
      return start();
    })();
    this.#turn = job.then(() => {}, () => {});
    return job;
  }

  /** [value, gradient] of the functions that are not compiled; they are recorded anew. */
  #evaluateOpaque(wanted) {
    if (this.#opaque.length === 0) return [];
    const roots = this.#functions(this.#params);
    return this.#opaque.map((member) => [roots[member].data, wanted === VALUES ? undefined : gradientOf(roots[member], this.#params)]);
  }

  #residuals(raw) {
    const out = new Float64Array(this.count);
    let at = 0;
    for (const { members } of this.#batches) for (let i = 0; i < members.length; i++) out[members[i]] = raw.values[at++];
    this.#opaque.forEach((member, i) => { [out[member]] = raw.eager[i]; });
    return out;
  }

  #sum({ values, gradient, eager }) {
    let value = 0;
    for (let i = 0; i < values.length; i++) value += values[i];
    for (const [own, slopes] of eager) {
      value += own;
      for (let i = 0; i < slopes.length; i++) gradient[i] += slopes[i];
    }
    return { value, gradient };
  }

  #jacobian(raw) {
    this.#rows ??= this.#structure();
    const { start, columns } = this.#rows, values = new Float64Array(columns.length);
    let at = 0;
    for (const { members, inputs } of this.#batches) {
      for (let i = 0; i < members.length; i++, at += inputs) values.set(raw.jacobian.subarray(at, at + inputs), start[members[i]]);
    }
    this.#opaque.forEach((member, i) => values.set(raw.eager[i][1], start[member]));
    return { residuals: this.#residuals(raw), rows: { start, columns, values, width: this.#params.length } };
  }

  /** Where the entries of the Jacobian are: they stay there. */
  #structure() {
    const n = this.#params.length, start = new Uint32Array(this.count + 1);
    for (const { members, inputs } of this.#batches) for (const member of members) start[member + 1] = inputs;
    for (const member of this.#opaque) start[member + 1] = n;
    for (let i = 0; i < this.count; i++) start[i + 1] += start[i];
    const columns = new Uint32Array(start[this.count]);
    for (const { members, inputs, columns: own } of this.#batches) {
      members.forEach((member, i) => columns.set(own.subarray(i * inputs, (i + 1) * inputs), start[member]));
    }
    for (const member of this.#opaque) for (let i = 0; i < n; i++) columns[start[member] + i] = i;
    return { start, columns };
  }
}

/** The derivatives of a recorded value by each of `params`. */
const gradientOf = (root, params) => {
  const order = walk(root);
  for (const node of order) node.grad = 0;
  for (const p of params) p.grad = 0;
  propagate(root, order);
  return Float64Array.from(params, (p) => p.grad);
};

/** Checks what a function gave. */
const checkRoots = (roots) => {
  if (!Array.isArray(roots)) throw new TypeError('compile: the function must return an array of Values');
  roots.forEach((root, i) => {
    if (!(root instanceof Value)) throw new TypeError(`compile: function ${i} is no Value`);
  });
  return roots;
};

module.exports = { Program, checkRoots, gradientOf };
