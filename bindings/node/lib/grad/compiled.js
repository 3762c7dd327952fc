// SPDX-License-Identifier: Apache-2.0
//
// compiled.js - CompiledFunctions, CompiledResiduals and their twins for GPUs.
//
// in     parameters, a function of them
// out    values and derivatives in the shape that ScalarAutograd gives them
// knows  the arguments that programs pass
// not    how they are evaluated: program.js
'use strict';

const { setImmediate } = require('node:timers/promises');
const { Value, recording } = require('./value.js');
const { Tracer } = require('./trace.js');
const { Program, checkRoots } = require('./program.js');
const { place } = require('./device.js');
const { invalid } = require('../weft-error.js');

/** The Program behind an object of a class of this file. */
const PROGRAM = Symbol('program');

const checkParams = (params) => {
  if (!Array.isArray(params) || !params.every((p) => p instanceof Value)) throw new TypeError('compile: expected an array of Values as parameters');
  params.forEach((p, i) => { p.paramName ||= `p${i}`; });
};

const compileNow = (params, functions, options) => {
  checkParams(params);
  const where = place(options), own = [...params];
  const roots = checkRoots(recording(() => functions(params)));
  const tracer = new Tracer(own);
  for (let i = 0; i < roots.length; i++) tracer.add(roots[i], i);
  return new Program(own, functions, roots, where, tracer);
};

const compileLater = async (params, functions, chunkSize, onProgress, options) => {
  checkParams(params);
  const where = place(options), own = [...params];
  const roots = checkRoots(recording(() => functions(params)));
  const tracer = new Tracer(own), step = Math.max(1, chunkSize);
  for (let i = 0; i < roots.length; i += step) {
    const end = Math.min(i + step, roots.length);
    for (let k = i; k < end; k++) tracer.add(roots[k], k);
    onProgress?.(end, roots.length, Math.floor(end / roots.length * 100));
    await setImmediate();
  }
  return new Program(own, functions, roots, where, tracer);
};

/** compileAsync(params, functions, chunkSize, onProgress, options), or the options third. */
const readLater = (chunkSize, onProgress, options) => {
  if (chunkSize !== null && typeof chunkSize === 'object') return { ...readLater(undefined, chunkSize.onProgress, chunkSize) };
  const { chunkSize: size, onProgress: call, ...rest } = options ?? {};
  return { chunkSize: chunkSize ?? size ?? 50, onProgress: onProgress ?? call, options: rest };
};

const dense = (rows, count) => {
  const jacobian = [];
  for (let i = 0; i < count; i++) {
    const row = new Array(rows.width).fill(0);
    for (let k = rows.start[i]; k < rows.start[i + 1]; k++) row[rows.columns[k]] = rows.values[k];
    jacobian.push(row);
  }
  return jacobian;
};
const costOf = (residuals) => residuals.reduce((sum, r) => sum + r * r, 0);
/** Array.from(), which takes its time over typed arrays. */
const asArray = (numbers) => {
  const list = new Array(numbers.length);
  for (let i = 0; i < list.length; i++) list[i] = numbers[i];
  return list;
};
const asSum = ({ value, gradient }) => ({ value, gradient: asArray(gradient) });
const asResiduals = ({ residuals, rows }) => ({ residuals: asArray(residuals), J: dense(rows, residuals.length), cost: costOf(residuals) });
const asJacobian = ({ residuals, rows }) => ({ values: asArray(residuals), jacobian: dense(rows, residuals.length) });
const asFirst = ({ residuals, rows }) => ({ value: residuals[0], gradient: dense(rows, 1)[0] });

/** Options of a call on top of those of a class. */
const joined = (own, given = {}) => {
  if (given === null || typeof given !== 'object') throw invalid('compile: expected an object of options');
  return { ...own, ...given };
};

/** What all compiled functions have. */
class Compiled {
  constructor(program) { this[PROGRAM] = program; }

  static compile(params, functions, options) { return new this(compileNow(params, functions, joined(this.options, options))); }
  static async compileAsync(params, functions, chunkSize, onProgress, options) {
    const given = readLater(chunkSize, onProgress, options);
    return new this(await compileLater(params, functions, given.chunkSize, given.onProgress, joined(this.options, given.options)));
  }

  /** Whether `params` are what was compiled. */
  #check(params) {
    if (params !== undefined && !this[PROGRAM].has(params)) throw new Error('Value not registered');
    return this[PROGRAM];
  }

  /** { residuals, J, cost }: all functions, their Jacobian, the sum of their squares. */
  evaluate(params) { return asResiduals(this.#check(params).jacobian()); }
  async evaluateAsync(params) { return asResiduals(await this.#check(params).jacobianAsync()); }
  /** { value, gradient } of the sum of the functions. */
  evaluateSumWithGradient(params) { return asSum(this.#check(params).sumOnce()); }
  async evaluateSumWithGradientAsync(params) { return asSum(await this.#check(params).sumAsync()); }

  get numFunctions() { return this[PROGRAM].count; }
  get numResiduals() { return this[PROGRAM].count; }
  /** How many different topologies there are. */
  get kernelCount() { return this[PROGRAM].kernelCount; }
  get kernelReuseFactor() { return this.numFunctions / this.kernelCount; }

  /** Where it runs: 'cpu' or 'gpu', and why there. */
  get backend() { return this[PROGRAM].backend; }
  get backendReason() { return this[PROGRAM].backendReason; }
  get precision() { return this[PROGRAM].precision; }
  get context() { return this[PROGRAM].context; }
  /** How each batch runs: { count, inputs, immediate, reason }. */
  get batches() { return this[PROGRAM].batches; }
}

class CompiledFunctions extends Compiled {
  #some() {
    if (this.numFunctions === 0) throw new Error('No functions compiled');
    return this[PROGRAM];
  }
  /** { value, gradient } of the first function. */
  evaluateGradient() { return asFirst(this.#some().jacobian()); }
  async evaluateGradientAsync() { return asFirst(await this.#some().jacobianAsync()); }
  /** { values, jacobian } of all. */
  evaluateJacobian() { return asJacobian(this[PROGRAM].jacobian()); }
  async evaluateJacobianAsync() { return asJacobian(await this[PROGRAM].jacobianAsync()); }
}

class CompiledResiduals extends Compiled {}

/** CompiledResiduals on a GPU, if there is one. */
class CompiledResidualsGPU extends CompiledResiduals {
  static options = { backend: 'gpu' };
}

/** CompiledFunctions on a GPU whose evaluations are promises. */
class GPUCompiledFunctions extends CompiledFunctions {
  static options = { backend: 'gpu' };
  static compile(params, functions, options) { return this.compileAsync(params, functions, options ?? {}); }
  evaluate(params) { return super.evaluateAsync(params); }
  evaluateSumWithGradient(params) { return super.evaluateSumWithGradientAsync(params); }
  evaluateGradient(params) { return super.evaluateGradientAsync(params); }
  evaluateJacobian(params) { return super.evaluateJacobianAsync(params); }
}

/** The Program of compiled functions; undefined for anything else. */
const programOf = (x) => (x instanceof Compiled ? x[PROGRAM] : undefined);

module.exports = { CompiledFunctions, CompiledResiduals, CompiledResidualsGPU, GPUCompiledFunctions, programOf };
