// SPDX-License-Identifier: Apache-2.0
//
// shared-tensor.js - a tensor that several models hold, on the host, on devices, or on both.
//
// in     typed arrays, tensors, names of models
// out    SharedTensor, SharedTensorView
// knows  which copies are current, who holds a reference
// not    names of other tensors: integration.js has them
'use strict';

const { WeftError, invalid } = require('../weft-error.js');
const { Tensor, tensor } = require('../tensor/tensor.js');
const { names: dtypes, dtypeName, arrayOf, readAs } = require('../tensor/types.js');
require('../tensor/ops.js');

/** Where elements are. */
const SharedTensorLocation = Object.freeze({ CPU: 'cpu', WEBGPU: 'webgpu', WEBNN: 'webnn', MULTI: 'multi' });
const storageTypes = ['cpu', 'webgpu', 'webnn'];
const GRACE = 30000;                // milliseconds before a tensor without references may go

/** Names of element types as this interface has them: 'float32' for 'f32'. */
const longNames = {
  f32: 'float32', f16: 'float16', bf16: 'bfloat16', f64: 'float64', i32: 'int32', u32: 'uint32', i8: 'int8', u8: 'uint8', i64: 'int64', bool: 'bool',
};
const longName = (dtype) => longNames[dtypeName(dtype)] ?? dtypeName(dtype);
const isDtype = (text) => dtypes.includes(text) || Object.values(longNames).includes(text);

/** The array that has the elements on the host: of f16 and bf16 their values as f32. */
const hostArray = (dtype) => arrayOf(readAs[dtypeName(dtype)] ?? dtypeName(dtype));

const count = (shape) => shape.reduce((n, size) => n * size, 1);

const checkShape = (name, shape) => {
  if (!Array.isArray(shape) || !shape.every((size) => Number.isInteger(size) && size >= 0)) {
    throw new WeftError('shape', `Tensor ${name}: a shape is an array of whole numbers`, [name]);
  }
  return Object.freeze([...shape]);
};

/** Elements that models share. The newest copy is on the host, on a device, or on both. */
class SharedTensor {
  #host = null;                     // a typed array
  #device = new Map();              // Tensor by context; all current
  #holders = new Set();             // models
  #views = new Map();
  lastAccessed = Date.now();
  isPinned = false;

  constructor({ name, shape, dtype = 'float32', storageType = 'cpu', producerModel = null }) {
    if (typeof name !== 'string' || name === '') throw invalid('a shared tensor has a name');
    if (!storageTypes.includes(storageType)) throw invalid(`Tensor ${name}: there is no storage type '${storageType}'`, [name]);
    this.name = name;
    this.shape = checkShape(name, shape);
    this.dtype = longName(dtype);
    this.storageType = storageType;
    this.producerModel = producerModel;
  }

  // ---- references: one for each model ----

  get referenceCount() { return this.#holders.size; }
  get consumers() { return [...this.#holders]; }
  acquire(model) {
    this.#holders.add(model);
    this.touch();
    return true;
  }
  release(model) { return this.#holders.delete(model); }
  holds(model) { return this.#holders.has(model); }
  pin() { this.isPinned = true; }
  unpin() { this.isPinned = false; }
  /** Not pinned, no references, and not used for half a minute. */
  canBeFreed() { return !this.isPinned && this.#holders.size === 0 && Date.now() - this.lastAccessed > GRACE; }
  touch() { this.lastAccessed = Date.now(); }

  // ---- elements ----

  get data() { return this.#host === null && this.#device.size === 0 ? null : this.getData(); }
  set data(value) { if (value === null) this.clear(); else this.setData(value); }

  /** The elements as a typed array; waits for a device that has the only copy. Who changes them
   * tells it by setData(). */
  getData() {
    this.touch();
    if (this.#host === null && this.#device.size > 0) this.#host = [...this.#device.values()][0].dataSync();
    return this.#host;
  }
  /** The same without blocking. */
  async readData() {
    this.touch();
    if (this.#host === null && this.#device.size > 0) {
      const [from] = this.#device.values(), data = await from.data();
      if (this.#device.get(from.context) === from) this.#host = data;
      return data;
    }
    return this.#host;
  }
  /** Copies the elements in: a typed array or nested arrays of the type and size of the tensor,
   * or a Tensor, which is shared and not copied. */
  setData(data) {
    const size = count(this.shape);
    const fault = (length) => new WeftError('shape', `Tensor ${this.name}: the shape [${this.shape.join(', ')}] has ${size} elements, data has ${length}`, [this.name]);
    this.touch();
    if (data instanceof Tensor) {
      if (data.size !== size) throw fault(data.size);
      this.clear();
      this.#device.set(data.context, data.dtype === dtypeName(this.dtype) ? data.reshape(this.shape) : data.cast(this.dtype).reshape(this.shape));
      return;
    }
    const flat = ArrayBuffer.isView(data) ? data : Array.isArray(data) ? data.flat(Infinity) : null;
    if (flat === null) throw new WeftError('type', `Tensor ${this.name}: data is a typed array, an array or a Tensor`, [this.name]);
    if (flat.length !== size) throw fault(flat.length);
    const host = this.#convert(flat);
    this.clear();
    this.#host = host;
  }
  #convert(flat) {
    try {
      return hostArray(this.dtype).from(flat);
    } catch (error) {
      throw new WeftError('type', `Tensor ${this.name}: ${error.message}`, [this.name], { cause: error });
    }
  }
  clear() {
    this.#host = null;
    for (const t of this.#device.values()) t.dispose();
    this.#device.clear();
  }

  getShape() { return [...this.shape]; }
  getDataType() { return this.dtype; }
  /** How many elements. */
  getSize() { return count(this.shape); }
  getMemoryUsage() { return Math.ceil(count(this.shape) * bytesOfElement(this.dtype)); }

  get location() {
    const isOnDevice = this.#device.size > 0;
    if (isOnDevice && this.#host !== null) return SharedTensorLocation.MULTI;
    return isOnDevice ? SharedTensorLocation.WEBGPU : SharedTensorLocation.CPU;
  }

  // ---- devices ----

  /** The tensor on the device of a context, copied there if it is not yet. */
  on(context) {
    this.touch();
    let t = this.#device.get(context);
    if (t === undefined) {
      const data = this.getData();
      if (data === null) throw new WeftError('not-found', `Tensor ${this.name} has no data`, [this.name]);
      t = tensor(data, { shape: [...this.shape], dtype: this.dtype, context, label: this.name });
      this.#device.set(context, t);
    }
    return t;
  }
  has(context) { return this.#device.has(context); }
  /** What `on()` would give, without copying; undefined. */
  peek(context) { return this.#device.get(context); }
  /** Elements of a device replace the host's copy, or the other way. */
  dropHost() { if (this.#device.size > 0) this.#host = null; }
  dropDevice(context) {
    const t = this.#device.get(context);
    if (t === undefined) return;
    if (this.#host === null && this.#device.size === 1) throw new WeftError('internal', `Tensor ${this.name} would lose its elements`);
    this.#device.delete(context);
    t.dispose();
  }

  // ---- views ----

  /** A window: offsets and sizes for each axis, or of the elements in their order. */
  createView(name, offset, size) {
    const view = new SharedTensorView(this, name, offset, size);
    this.#views.set(name, view);
    return view;
  }
  get views() { return [...this.#views.values()]; }

  /** A copy under the name `NAME_TYPE`. */
  copyTo(storageType) {
    const copy = new SharedTensor({ name: `${this.name}_${storageType}`, shape: [...this.shape], dtype: this.dtype, storageType, producerModel: this.producerModel });
    const data = this.getData();
    if (data !== null) copy.setData(data);
    return copy;
  }

  toString() {
    return `SharedTensor(name=${this.name}, shape=${this.shape}, type=${this.dtype}, storage=${this.storageType}, refs=${this.referenceCount}, producer=${this.producerModel})`;
  }
}

const bytesOfElement = (dtype) => {
  const name = dtypeName(dtype);
  return { q4_0: 18 / 32, q8_0: 34 / 32, i4: 0.5, u4: 0.5, bf16: 2, f16: 2 }[name] ?? arrayOf(name).BYTES_PER_ELEMENT;
};

/** Offsets, sizes and shape of a window, checked. */
const readWindow = (parent, name, offset, size) => {
  const fault = (why) => new WeftError('shape', `Failed to create tensor view ${name}: ${why}`, [name, parent.name]);
  const isFlat = !Array.isArray(offset) && !Array.isArray(size);
  const whole = isFlat ? [count(parent.shape)] : [...parent.shape];
  const starts = isFlat ? [offset ?? 0] : Array.isArray(offset) ? offset : whole.map(() => 0);
  const sizes = isFlat ? [size ?? whole[0] - starts[0]] : Array.isArray(size) ? size : whole.map((n, i) => n - starts[i]);
  if (starts.length !== whole.length || sizes.length !== whole.length) throw fault(`${parent.name} has ${whole.length} axes`);
  whole.forEach((n, i) => {
    if (!Number.isInteger(starts[i]) || !Number.isInteger(sizes[i]) || starts[i] < 0 || sizes[i] < 0 || starts[i] + sizes[i] > n) {
      throw fault(`${sizes[i]} elements from ${starts[i]} on are not within the ${n} of axis ${i}`);
    }
  });
  return { isFlat, starts, sizes };
};

/** A window of a shared tensor: the same memory, seen and counted by its own name. */
class SharedTensorView extends SharedTensor {
  #window;

  constructor(parent, name, offset = 0, size = undefined) {
    if (!(parent instanceof SharedTensor)) throw invalid('a view has a SharedTensor as parent');
    const window = readWindow(parent, name, offset, size);
    super({ name, shape: window.sizes, dtype: parent.dtype, storageType: parent.storageType, producerModel: parent.producerModel });
    this.#window = window;
    this.parent = parent;
    this.offset = window.isFlat ? window.starts[0] : window.starts;
    this.size = window.isFlat ? window.sizes[0] : window.sizes;
  }

  acquire(model) {
    this.parent.acquire(model);
    return super.acquire(model);
  }
  release(model) {
    const held = super.release(model);
    if (held) this.parent.release(model);
    return held;
  }

  #slice(t) {
    const { isFlat, starts, sizes } = this.#window;
    return (isFlat ? t.reshape([-1]) : t).slice(...starts.map((start, i) => [start, start + sizes[i]]));
  }

  get data() { return this.getData(); }
  set data(value) { this.setData(value); }
  /** Elements of the parent: a part of its array where they lie together, else a copy. */
  getData() {
    this.touch();
    const data = this.parent.getData();
    if (data === null) return null;
    const { isFlat, starts, sizes } = this.#window;
    if (isFlat) return data.subarray(starts[0], starts[0] + sizes[0]);
    return pick(data, this.parent.shape, starts, sizes);
  }
  async readData() {
    await this.parent.readData();
    return this.getData();
  }
  /** Writes into the parent. */
  setData(data) {
    const flat = ArrayBuffer.isView(data) ? data : Array.isArray(data) ? data.flat(Infinity) : data instanceof Tensor ? data.dataSync() : [];
    if (flat.length !== this.getSize()) throw new WeftError('shape', `Tensor ${this.name}: the shape [${this.shape.join(', ')}] has ${this.getSize()} elements, data has ${flat.length}`, [this.name]);
    const whole = this.parent.getData().slice();
    const { isFlat, starts, sizes } = this.#window;
    if (isFlat) whole.set(flat, starts[0]);
    else visit(this.parent.shape, starts, sizes, (at, i) => { whole[at] = flat[i]; });
    this.parent.setData(whole);
  }
  clear() {}
  get location() { return this.parent.location; }
  on(context) {
    this.touch();
    return this.#slice(this.parent.on(context));
  }
  has(context) { return this.parent.has(context); }
  peek(context) { return this.parent.peek(context); }
  dropDevice(context) { this.parent.dropDevice(context); }
  dropHost() { this.parent.dropHost(); }

  toString() {
    return `SharedTensorView(name=${this.name}, parent=${this.parent.name}, offset=${this.offset}, size=${this.size}, refs=${this.referenceCount})`;
  }
}

/** Calls f(place in the parent, place in the window) for each element of a window. */
const visit = (shape, starts, sizes, f) => {
  const strides = shape.map((_, i) => count(shape.slice(i + 1)));
  const at = sizes.map(() => 0);
  const total = count(sizes);
  for (let i = 0; i < total; i++) {
    f(at.reduce((n, a, axis) => n + (starts[axis] + a) * strides[axis], 0), i);
    for (let axis = sizes.length - 1; axis >= 0 && ++at[axis] === sizes[axis]; axis--) at[axis] = 0;
  }
};

const pick = (data, shape, starts, sizes) => {
  const out = new data.constructor(count(sizes));
  visit(shape, starts, sizes, (at, i) => { out[i] = data[at]; });
  return out;
};

module.exports = { SharedTensor, SharedTensorView, SharedTensorLocation, storageTypes, longName, isDtype, hostArray, count };
