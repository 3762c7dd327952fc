// SPDX-License-Identifier: Apache-2.0
//
// tensor.js - Tensor: what it is made of, its facts and its elements.
//
// in     typed arrays, nested arrays, numbers; handles of the addon
// out    Tensor, tensor() and the other functions that make one
// knows  that a tensor is computed when its elements are asked for
// not    operators: ops.js adds them as methods
'use strict';

const { native } = require('../native.js');
const { run } = require('../job.js');
const { WeftError, invalid } = require('../weft-error.js');
const { Context, defaultContext, HANDLE, ANSWERS } = require('../context.js');
const { names, dtypeNumber, dtypeName, arrayOf, readAs, readData, nest } = require('./types.js');
const { enlist } = require('./scope.js');

const locations = ['none', 'lazy', 'device', 'host', 'disk', 'both'];        // weft_location
const F32 = dtypeNumber('f32');

/** An array of numbers on a device, or a graph that will compute one. */
class Tensor {
  #info;
  #type;

  /** Of the package's own functions: tensor() makes one from data. */
  constructor(handle, context) {
    if (!(context instanceof Context)) throw invalid('tensors are made by tensor(), zeros() and so on, not by new Tensor()');
    this[HANDLE] = handle;
    this.context = context;
    enlist(this);
  }

  #facts() {
    if (this.#info !== undefined) return this.#info;
    const [, bytes, isView, ...shape] = native.tensorInfo(this[HANDLE]);
    return this.#info = { bytes, isView, shape: Object.freeze(shape), size: shape.reduce((n, s) => n * s, 1) };
  }

  get shape() { return this.#facts().shape; }
  get rank() { return this.#facts().shape.length; }
  get dtype() { return this.#type ??= names[native.tensorType(this[HANDLE])]; }
  /** How many elements. */
  get size() { return this.#facts().size; }
  get bytes() { return this.#facts().bytes; }
  get isView() { return this.#facts().isView; }
  /** 'lazy', 'device', 'host', 'disk' or 'both'. */
  get location() { return locations[native.tensorLocation(this[HANDLE])]; }
  get references() { return native.tensorReferences(this[HANDLE]); }
  get label() { return native.tensorLabel(this[HANDLE]); }
  set label(text) { native.tensorSetLabel(this[HANDLE], text); }

  // ---- elements ----

  /** This, or a copy with a type that JavaScript has an array for. */
  #readable() {
    const type = readAs[this.dtype];
    return type === undefined ? this : new Tensor(native.cast(this[HANDLE], dtypeNumber(type)), this.context);
  }

  #read(convert) {
    const t = this.#readable(), Type = arrayOf(t.dtype);
    return this.context[ANSWERS].ask([this, t], (slot, ns) => native.tensorRead(slot, ns, t[HANDLE]), (buffer) => {
      if (t !== this) t.dispose();
      return convert(new Type(buffer));
    });
  }

  #readSync() {
    const t = this.#readable(), Type = arrayOf(t.dtype), buffer = native.tensorReadSync(t[HANDLE]);
    if (t !== this) t.dispose();
    return new Type(buffer);
  }

  /** A promise of the elements as a typed array, last axis fastest. */
  data() { return rejecting(() => this.#read((data) => data)); }
  /** A promise of the elements as nested arrays; of a number for a tensor of rank 0. */
  array() { return rejecting(() => this.#read((data) => nest(data, this.shape, this.dtype === 'bool'))); }
  /** A promise of the only element. */
  item() { return rejecting(() => { this.#checkOne(); return this.#read(([value]) => (this.dtype === 'bool' ? Boolean(value) : value)); }); }
  /** A promise of the bytes of the elements as they are stored. */
  raw() {
    return rejecting(() => this.context[ANSWERS].ask(this, (slot, ns) => native.tensorRead(slot, ns, this[HANDLE]), (buffer) => new Uint8Array(buffer)));
  }

  /** The same at once: the event loop waits for the device. `into` gets the elements instead
   * of a new array. */
  dataSync(into) {
    if (into === undefined) return this.#readSync();
    if (!ArrayBuffer.isView(into)) throw invalid('dataSync: expected a typed array to read into');
    if (readAs[this.dtype] !== undefined) { into.set(this.#readSync()); return into; }
    if (!(into instanceof arrayOf(this.dtype))) throw new WeftError('type', `dataSync: ${this.dtype} is read into a ${arrayOf(this.dtype).name}, not a ${into.constructor.name}`);
    native.tensorReadInto(this[HANDLE], bytesOf(into));
    return into;
  }
  arraySync() { return nest(this.#readSync(), this.shape, this.dtype === 'bool'); }
  itemSync() {
    this.#checkOne();
    const [value] = this.#readSync();
    return this.dtype === 'bool' ? Boolean(value) : value;
  }

  #checkOne() {
    if (this.size !== 1) throw new WeftError('shape', `item: ${this} has ${this.size} elements, not one`);
  }

  /** Replaces the elements, also in views and where the tensor is shared. */
  write(data) {
    const { array, from, type } = readData(data, this.dtype);
    if (from === type) native.tensorWrite(this[HANDLE], bytesOf(array));
    else this.assign(tensor(data, { dtype: this.dtype, shape: this.shape, context: this.context }));
    return this;
  }
  /** Copies the elements of `from` (broadcast and cast) into this tensor, on the device. */
  assign(from) {
    native.tensorAssign(this[HANDLE], asTensor(from, this.context)[HANDLE]);
    return this;
  }

  // ---- work and places ----

  /** Computes it; resolves to itself when the device is done. */
  eval() { return rejecting(() => { native.tensorEval([this[HANDLE]]); return this.context.wait().then(() => this); }); }
  /** The kernels that compute it, their WGSL, and why fusion stopped where it did. */
  explain() { return native.tensorExplain(this[HANDLE]); }
  /** Moves the elements to 'device', 'host' or 'disk'; use brings them back. */
  move(to) {
    return rejecting(() => {
      const at = locations.indexOf(to);
      if (at < 2) throw invalid(`move: there is no place '${to}'`);
      return run(this, (token) => native.tensorMove(this[HANDLE], at, token)).then(() => this);
    });
  }
  /** A pinned tensor stays where it is, until it is unpinned as often. */
  pin() { native.tensorPin(this[HANDLE]); return this; }
  unpin() { native.tensorUnpin(this[HANDLE]); return this; }

  get isDisposed() { return !native.isOpen(this[HANDLE]); }
  /** Gives the memory back now, rather than when the tensor is collected. */
  dispose() { native.close(this[HANDLE]); }

  toString() { return this.isDisposed ? 'Tensor(disposed)' : `Tensor(${this.dtype} [${this.shape.join(', ')}])`; }
  [Symbol.for('nodejs.util.inspect.custom')]() { return this.toString(); }
}
if (Symbol.dispose) Tensor.prototype[Symbol.dispose] = Tensor.prototype.dispose;

/** What f throws becomes a rejected promise. */
const rejecting = (f) => {
  try { return f(); } catch (error) { return Promise.reject(error); }
};

/** The elements as bytes. The memory of an array that was transferred cannot be viewed. */
const bytesOf = (array) => {
  try {
    return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  } catch (error) {
    throw new WeftError('invalid', `the memory of the array is gone: ${error.message}`, [], { cause: error });
  }
};

/** A tensor for what an operator of the addon gave. */
const wrap = (handle, context) => new Tensor(handle, context);

// ---- making ----

const tensorOptions = ['shape', 'dtype', 'label', 'context', 'transfer'];

const readOptions = (what, given, allowed = tensorOptions) => {
  if (given === undefined) return {};
  if (Array.isArray(given)) return { shape: given };
  if (typeof given === 'string') return { dtype: given };
  if (given instanceof Context) return { context: given };
  if (given === null || typeof given !== 'object') throw invalid(`${what}: expected options`);
  const unknown = Object.keys(given).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw invalid(`${what}: there is no option '${unknown}'`);
  if (given.context !== undefined && !(given.context instanceof Context)) throw invalid(`${what}: 'context' is not a Context`);
  return given;
};

/** The memory of an array, detached from the caller's array. */
const takeOver = (array) => {
  const { byteOffset, length } = array;
  try {
    const buffer = structuredClone(array.buffer, { transfer: [array.buffer] });
    return new array.constructor(buffer, byteOffset, length);
  } catch (error) {
    throw new WeftError('invalid', `transfer: the memory of the array cannot be taken over: ${error.message}`, [], { cause: error });
  }
};

/** A tensor of data: a number, nested arrays, or a typed array. The elements are copied, unless
 * `transfer` is true: then the memory moves to the tensor, and the array is empty afterwards. */
const tensor = (data, given, dtypeGiven) => {
  const options = readOptions('tensor', given);
  const { label, context = defaultContext(), dtype = dtypeGiven } = options;
  if (data instanceof Tensor) return data;
  const { array, shape, from, type } = readData(data, dtype);
  const wanted = options.shape === undefined ? shape : inferShape(options.shape, array.length);
  const isMoved = options.transfer === true && ArrayBuffer.isView(data) && array === data;
  const memory = isMoved ? takeOver(array) : array;
  const handle = (isMoved ? native.tensorBorrow : native.tensorCreate)(context[HANDLE], dtypeNumber(from), wanted, bytesOf(memory), label);
  if (from === type) return wrap(handle, context);
  const cast = native.cast(handle, dtypeNumber(type));
  native.close(handle);
  return wrap(cast, context);
};

/** One size may be -1. */
const inferShape = (shape, count) => {
  const unknown = shape.indexOf(-1);
  if (unknown < 0) return shape;
  const rest = shape.reduce((n, size, i) => (i === unknown ? n : n * size), 1);
  if (!(rest > 0) || count % rest !== 0) throw new WeftError('shape', `tensor: ${count} elements do not fill the shape [${shape.join(', ')}]`);
  return shape.with?.(unknown, count / rest) ?? shape.map((size, i) => (i === unknown ? count / rest : size));
};

/** A tensor as an operand: numbers are weak, and take the type of the other one. */
const asTensor = (value, context) => {
  if (value instanceof Tensor) return value;
  if (typeof value === 'number') return wrap(native.tensorScalar((context ?? defaultContext())[HANDLE], value), context ?? defaultContext());
  return tensor(value, { context });
};

/** The handle of an optional tensor. */
const handleOrNull = (value, context) => (value === undefined || value === null ? null : asTensor(value, context)[HANDLE]);

const patternOptions = ['dtype', 'context'];
const pattern = (what, given) => {
  const { dtype, context = defaultContext() } = readOptions(what, given, patternOptions);
  return { context, type: dtypeNumber(dtype) ?? F32 };
};
const shapeArgument = (what, shape) => {
  if (typeof shape === 'number') return [shape];
  if (!Array.isArray(shape)) throw new WeftError('shape', `${what}: expected a shape, an array of sizes`);
  return shape;
};

const full = (shape, value, options) => {
  const { context, type } = pattern('full', options);
  return wrap(native.tensorFull(context[HANDLE], type, shapeArgument('full', shape), value), context);
};
const zeros = (shape, options) => full(shape, 0, options);
const ones = (shape, options) => full(shape, 1, options);
/** A weak number: takes the type of what it is combined with. */
const scalar = (value, context = defaultContext()) => wrap(native.tensorScalar(context[HANDLE], value), context);

/** arange(stop), arange(start, stop) or arange(start, stop, step), then options. */
const arange = (...args) => {
  const options = typeof args.at(-1) === 'number' ? undefined : args.pop();
  const [start, stop, step = 1] = args.length === 1 ? [0, args[0]] : args;
  const { context, type } = pattern('arange', options);
  return wrap(native.tensorArange(context[HANDLE], type, start, stop, step), context);
};
const linspace = (start, stop, count, options) => {
  const { context, type } = pattern('linspace', options);
  return wrap(native.tensorLinspace(context[HANDLE], type, start, stop, count), context);
};
const eye = (rows, columns = rows, diagonal = 0, options = undefined) => {
  const { context, type } = pattern('eye', options);
  return wrap(native.tensorEye(context[HANDLE], type, rows, columns, diagonal), context);
};

/** Computes several tensors together; resolves when the device is done. */
const evaluate = (...tensors) => rejecting(() => {
  const all = tensors.flat();
  if (all.some((t) => !(t instanceof Tensor))) throw invalid('evaluate: expected tensors');
  if (all.length === 0) return Promise.resolve([]);
  native.tensorEval(all.map((t) => t[HANDLE]));
  return all[0].context.wait().then(() => all);
});

module.exports = {
  Tensor, tensor, full, zeros, ones, scalar, arange, linspace, eye, evaluate,
  wrap, asTensor, handleOrNull, shapeArgument, bytesOf, rejecting, dtypeName,
};
