// SPDX-License-Identifier: Apache-2.0
//
// kernel.js - WGSL of the user's own on tensors.
//
// in     WGSL, names of inputs and outputs
// out    Kernel, whose run() gives new tensors
// knows  that variables of the kernel are matched by name
// not    the language
'use strict';

const { native } = require('../native.js');
const { Context, defaultContext, HANDLE } = require('../context.js');
const { WeftError, invalid } = require('../weft-error.js');
const { wrap, asTensor, bytesOf } = require('./tensor.js');
const { dtypeNumber } = require('./types.js');

/** ['a', 'b'], or { a: { dtype, shape }, b: {} }. */
const slotsArgument = (what, slots = []) => {
  const rows = Array.isArray(slots) ? slots.map((slot) => (typeof slot === 'string' ? [slot, {}] : [slot?.name, slot])) : Object.entries(slots);
  return rows.map(([name, slot]) => {
    if (typeof name !== 'string' || slot === null || typeof slot !== 'object') throw invalid(`kernel: ${what} are names, or objects with dtype and shape by name`);
    return [name, dtypeNumber(slot.dtype) ?? 0, slot.shape];
  });
};

const options = ['name', 'wgsl', 'entry', 'inputs', 'outputs', 'constants', 'context'];
const runOptions = ['groups', 'params', 'shapes'];

const check = (what, given, allowed) => {
  if (given === null || typeof given !== 'object') throw invalid(`${what}: expected an object of options`);
  const unknown = Object.keys(given).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw invalid(`${what}: there is no option '${unknown}'`);
};

/** A compute shader whose storage buffers are tensors. */
class Kernel {
  #inputs;
  #outputs;

  constructor(given) {
    check('kernel', given, options);
    const { name = 'kernel', wgsl, entry, inputs, outputs, constants = {}, context = defaultContext() } = given;
    if (typeof wgsl !== 'string') throw invalid('kernel: the option \'wgsl\' is the text of the kernel');
    if (!(context instanceof Context)) throw invalid('kernel: \'context\' is not a Context');
    this.name = name;
    this.context = context;
    this.#inputs = slotsArgument('inputs', inputs);
    this.#outputs = slotsArgument('outputs', outputs);
    this[HANDLE] = native.kernelCreate(context[HANDLE], name, wgsl, entry, this.#inputs, this.#outputs, Object.entries(constants).flat());
  }

  /** Tensors by the names of the inputs, or in their order; gives outputs by name. Without
   * `groups` there is one invocation for each element of the first output. */
  run(inputs, given = {}) {
    check(this.name, given, runOptions);
    const { groups, params, shapes } = given;
    if (params !== undefined && !ArrayBuffer.isView(params)) throw invalid(`${this.name}: 'params' is a typed array with the bytes of the uniform variable`);
    const list = Array.isArray(inputs) ? inputs : this.#inputs.map(([name]) => inputs?.[name]);
    if (list.length !== this.#inputs.length || list.some((t) => t === undefined)) {
      throw new WeftError('invalid', `${this.name}: the inputs are ${this.#inputs.map(([name]) => name).join(', ')}`, [this.name]);
    }
    const slots = shapes && this.#outputs.map(([name, dtype, shape]) => [name, dtype, shapes[name] ?? shape]);
    const made = native.kernelRun(this[HANDLE], list.map((t) => asTensor(t, this.context)[HANDLE]), this.#outputs.length,
      groups, params && bytesOf(params), slots);
    return Object.fromEntries(made.map((handle, i) => [this.#outputs[i][0], wrap(handle, this.context)]));
  }

  dispose() { native.close(this[HANDLE]); }
}
if (Symbol.dispose) Kernel.prototype[Symbol.dispose] = Kernel.prototype.dispose;

const kernel = (given) => new Kernel(given);

module.exports = { Kernel, kernel };
