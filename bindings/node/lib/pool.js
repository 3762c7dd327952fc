// SPDX-License-Identifier: Apache-2.0
//
// pool.js - many devices behind one call: kernels on named typed arrays.
//
// in     WGSL, typed arrays and numbers by the names of the kernel's variables
// out    promises of typed arrays, with a report of where the time went
// knows  weft/pool.h
// not    tensors, and what a kernel is for
'use strict';

const { isExternal } = require('node:util/types');
const { native, expect, withdraw } = require('./native.js');
const { run } = require('./job.js');
const { HANDLE } = require('./context.js');
const { WeftError, invalid } = require('./weft-error.js');

const Half = globalThis.Float16Array;

/** Element types, as numbers of weft_scalar, and the arrays that have them. */
const scalars = { bytes: 0, i32: 2, u32: 3, f32: 4, f16: 5, f64: 6 };
const arrays = { bytes: Uint8Array, i32: Int32Array, u32: Uint32Array, f32: Float32Array, f16: Half ?? Uint16Array, f64: Float64Array };
const typeOf = new Map([
  [Float32Array, 'f32'], [Float64Array, 'f64'], [Int32Array, 'i32'], [Uint32Array, 'u32'], [Uint8Array, 'bytes'], [Uint8ClampedArray, 'bytes'],
]);
if (Half) typeOf.set(Half, 'f16');

const isView = (v) => ArrayBuffer.isView(v);
/** What a constructor was given, which only functions of this file can have. */
const made = (handle, kind, by) => {
  if (!isExternal(handle)) throw invalid(`${kind} is not made with new: ${by} makes one`);
  return handle;
};
const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const ownType = (view, name) => {
  const type = typeOf.get(view.constructor);
  if (type === undefined && view instanceof Buffer) return 'bytes';
  if (type === undefined && !(view instanceof DataView)) throw new WeftError('type', `'${name}': kernels have no elements like those of ${view.constructor.name}; give its type as { data, type }`, [name]);
  return type ?? 'bytes';
};
const checkType = (type, name) => {
  if (scalars[type] === undefined) throw new WeftError('type', `'${name}': there is no type '${String(type)}'; there are ${Object.keys(scalars).join(', ')}`, [name]);
  return type;
};
const isOptions = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const options = (given, what) => {
  if (!isOptions(given)) throw invalid(`${what}: expected an object`);
  return given;
};

/** Data that stays on devices between executions, for one PoolContext. */
class PoolData {
  constructor(handle, type) { this[HANDLE] = made(handle, 'PoolData', 'data() of a PoolContext'); this.type = type; }
  /** In bytes. */
  get size() { return native.poolDataSize(this[HANDLE]); }
  /** Its elements, after the executions that were started before. */
  async read() { return new arrays[this.type](await run(this, (token) => native.poolDataRead(this[HANDLE], token))); }
  /** Replaces elements from the index `first` on. */
  write(view, first = 0) {
    if (!isView(view)) throw invalid('write: expected a typed array');
    native.poolDataWrite(this[HANDLE], first * arrays[this.type].BYTES_PER_ELEMENT, bytesOf(view));
  }
  dispose() { native.close(this[HANDLE]); }
}

// ---- arguments ----

const readInput = (name, given) => {
  if (given instanceof PoolData) return [name, 0, null, given[HANDLE]];
  if (typeof given === 'number') return [name, scalars.f64, null, bytesOf(Float64Array.of(given))];
  if (isView(given)) {
    const type = ownType(given, name);
    return [name, scalars[type], null, bytesOf(given)];
  }
  if (!isOptions(given)) throw new WeftError('type', `input '${name}': expected a typed array, a number, PoolData, or { data, type, shape }`, [name]);
  if (!isView(given.data)) throw new WeftError('type', `input '${name}': 'data' is not a typed array`, [name]);
  const type = given.type === undefined ? ownType(given.data, name) : checkType(given.type, name);
  return [name, scalars[type], given.shape ?? null, bytesOf(given.data)];
};

/** { fields, type, into }: what the addon is told, and what is made of its answer. */
const readOutput = (name, given) => {
  if (given instanceof PoolData) return { name, fields: [name, 0, null, given[HANDLE]], type: given.type, keep: given };
  if (isView(given)) {
    const type = ownType(given, name);
    return { name, fields: [name, scalars[type], null, bytesOf(given)], type, into: given };
  }
  const spec = typeof given === 'string' ? { type: given } : given;
  if (!isOptions(spec)) throw new WeftError('type', `output '${name}': expected a type, { type, shape }, a typed array or PoolData`, [name]);
  const type = checkType(spec.type ?? 'bytes', name);
  return { name, fields: [name, scalars[type], spec.shape ?? null, null], type };
};

const known = new Set(['wgsl', 'entry', 'constants', 'inputs', 'outputs', 'groups', 'invocations', 'policy', 'device', 'priority',
  'deadline', 'timeLimit', 'memoryLimit', 'optimize', 'noRetry', 'label', 'signal']);

const readRequest = (given) => {
  for (const name of Object.keys(options(given, 'execute'))) if (!known.has(name)) throw invalid(`execute: there is no option '${name}'`);
  const { inputs = {}, outputs = {}, constants, signal, ...rest } = given;
  if (constants !== undefined) rest.constants = Object.entries(options(constants, 'constants')).flat();
  return {
    signal, options: rest,
    inputs: Object.entries(options(inputs, 'inputs')).flatMap(([name, value]) => readInput(name, value)),
    outputs: Object.entries(options(outputs, 'outputs')).map(([name, value]) => readOutput(name, value)),
  };
};

const place = (output, buffer) => {
  if (output.keep !== undefined) return output.keep;
  if (buffer === null || buffer === undefined) return output.into;
  if (output.into === undefined) return new arrays[output.type](buffer);
  bytesOf(output.into).set(new Uint8Array(buffer));
  return output.into;
};

const outcome = (request, { report, outputs }) => ({
  outputs: Object.fromEntries(request.outputs.map((output, i) => [output.name, place(output, outputs[i])])),
  report,
});

// ---- contexts ----

const MOMENT = 200e3;               // nanoseconds that a call may wait for an execution, if the last was that short

/** One user of a pool: with a quota, usage, and a fair share of the devices. */
class PoolContext {
  #moment = MOMENT;

  constructor(handle) { this[HANDLE] = made(handle, 'PoolContext', 'context() of a Pool'); }

  /** Runs a kernel: a promise of { outputs, report }. */
  execute(given) {
    return new Promise((resolve, reject) => {
      const request = readRequest(given), { signal } = request, start = performance.now();
      if (signal?.aborted) { reject(new WeftError('cancelled', 'the execution was cancelled', [], { cause: signal.reason })); return; }
      let execution;
      const abort = () => { if (execution) native.executionCancel(execution); };
      const token = expect(this, (status, detail, text, value) => {
        signal?.removeEventListener('abort', abort);
        this.#moment = (performance.now() - start) * 1e6 > 2 * MOMENT ? 0 : MOMENT;
        if (status !== 1) reject(value);
        else try { resolve(outcome(request, value)); } catch (error) { reject(error); }
      });
      try {
        execution = native.poolExecute(this[HANDLE], token, request.options, request.inputs, request.outputs.flatMap(({ fields }) => fields), this.#moment);
      } catch (error) {
        withdraw(token);
        throw error;                // which rejects the promise
      }
      signal?.addEventListener('abort', abort);
    });
  }

  /** The same, waiting for it. Outputs that are typed arrays are written in place. */
  executeSync(given) {
    const request = readRequest(given);
    return outcome(request, native.poolExecuteSync(this[HANDLE], 0, request.options, request.inputs, request.outputs.flatMap(({ fields }) => fields)));
  }

  /** Which device would run it, and why: a line for each. Runs nothing. */
  explain(given) {
    const request = readRequest(given);
    return native.poolExplain(this[HANDLE], 0, request.options, request.inputs, request.outputs.flatMap(({ fields }) => fields));
  }

  /** Data that stays on devices: data(Float32Array.of(1, 2)), or data({ type: 'f32', length: 1000 }) of zeros. */
  data(given, { name } = {}) {
    if (isView(given)) {
      const type = ownType(given, 'data');
      return new PoolData(native.poolData(this[HANDLE], name, scalars[type], bytesOf(given)), type);
    }
    const { type = 'f32', length } = options(given, 'data');
    const size = length * arrays[checkType(type, 'data')].BYTES_PER_ELEMENT;
    if (!Number.isSafeInteger(size) || size <= 0) throw new WeftError('shape', `data: expected a length above 0, not ${String(length)}`);
    return new PoolData(native.poolData(this[HANDLE], name, scalars[type], undefined, size), type);
  }

  /** Memory, time of devices, executions so far. */
  get usage() { return native.poolUsage(this[HANDLE]); }
  get isDisposed() { return !native.isOpen(this[HANDLE]); }
  /** Gives it back: what it has queued is cancelled. */
  dispose() { native.close(this[HANDLE]); }
}

// ---- pools ----

/** The devices of the machine. createPool() makes one. */
class Pool {
  constructor(handle) { this[HANDLE] = made(handle, 'Pool', 'createPool()'); }
  get devices() { return native.poolDevices(this[HANDLE]); }
  /** The device that a word means: its id, '#1', 'cpu', 'gpu', 'vulkan', a part of its name; null: none. */
  findDevice(word) { return this.devices[native.poolFind(this[HANDLE], word)] ?? null; }
  /** The libraries that were asked for devices, and what went wrong. */
  get sources() { return native.poolSources(this[HANDLE]); }
  get counters() { return native.poolCounters(this[HANDLE]); }
  get isDisposed() { return !native.isOpen(this[HANDLE]); }
  context(given = {}) { return new PoolContext(native.poolContext(this[HANDLE], options(given, 'context'))); }
  dispose() { native.close(this[HANDLE]); }
}

if (Symbol.dispose) for (const type of [Pool, PoolContext, PoolData]) type.prototype[Symbol.dispose] = type.prototype.dispose;

/** Finds the devices, and measures those that are new; not on this thread. */
const createPool = async (given = {}) => new Pool(await run(undefined, (token) => native.poolCreate(options(given, 'createPool'), token)));

let shared;
/** The context of a pool that the process shares; $WEFT_ADAPTER and $WEFT_WEBGPU choose its devices. */
const sharedContext = () => shared ??= run(undefined, (token) => native.poolShared(token)).then((handle) => new PoolContext(handle));

/** sharedContext().execute() */
const execute = async (given) => (await sharedContext()).execute(given);

module.exports = { createPool, sharedContext, execute, Pool, PoolContext, PoolData, WeftError };
