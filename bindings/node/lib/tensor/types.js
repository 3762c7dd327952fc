// SPDX-License-Identifier: Apache-2.0
//
// types.js - element types, and which typed array has them.
//
// in     typed arrays, nested arrays, names of types
// out    numbers of types in the addon; bytes and shapes
// knows  the types of weft/tensor.h
// not    tensors
'use strict';

const { native } = require('../native.js');
const { WeftError } = require('../weft-error.js');

const names = native.dtypes().map(([name]) => name);
const numbers = new Map(names.map((name, i) => [name, i]));
for (const [alias, name] of [
  ['float32', 'f32'], ['float16', 'f16'], ['bfloat16', 'bf16'], ['float64', 'f64'], ['int32', 'i32'], ['uint32', 'u32'],
  ['int8', 'i8'], ['uint8', 'u8'], ['int64', 'i64'], ['boolean', 'bool'],
]) numbers.set(alias, numbers.get(name));
numbers.delete('none');

const Half = globalThis.Float16Array;

/** The array that has the elements of a type as they are stored; bytes where there is none. */
const arrays = {
  f32: Float32Array, f64: Float64Array, i32: Int32Array, u32: Uint32Array, i8: Int8Array, u8: Uint8Array,
  i64: BigInt64Array, bool: Uint8Array, f16: Half ?? Uint16Array, bf16: Uint16Array,
};
const arrayOf = (name) => arrays[name] ?? Uint8Array;

/** The type that is read in the place of one without an array of its own. */
const readAs = { bf16: 'f32', ...(Half ? {} : { f16: 'f32' }) };

/** Element types of typed arrays; the second is the array to convert to first. */
const typeOfArray = new Map([
  [Float32Array, ['f32']], [Float64Array, ['f64']], [Int32Array, ['i32']], [Uint32Array, ['u32']],
  [Int8Array, ['i8']], [Uint8Array, ['u8']], [Uint8ClampedArray, ['u8']], [BigInt64Array, ['i64']],
  [Int16Array, ['i32', Int32Array]], [Uint16Array, ['u32', Uint32Array]],
]);
if (Half) typeOfArray.set(Half, ['f16']);

const typeError = (message) => new WeftError('type', message);

/** The number of a type by its name; undefined stays undefined. */
const dtypeNumber = (name) => {
  if (name === undefined) return undefined;
  const number = numbers.get(name);
  if (number === undefined) throw typeError(`there is no element type '${String(name)}'; there are ${names.slice(1).join(', ')}`);
  return number;
};
const dtypeName = (name) => names[dtypeNumber(name)];

const constructorOf = (data) => [...typeOfArray.keys()].find((type) => data instanceof type);

// ---- nested arrays ----

const isList = (v) => Array.isArray(v) || (ArrayBuffer.isView(v) && !(v instanceof DataView));

const shapeOf = (data) => {
  const shape = [];
  for (let at = data; isList(at); at = at[0]) {
    shape.push(at.length);
    if (shape.length > 8) throw new WeftError('shape', 'an array is nested more than 8 deep');
    if (at.length === 0) break;
  }
  return shape;
};

const leafType = (leaf) => {
  switch (typeof leaf) {
    case 'number': return 'f32';
    case 'boolean': return 'bool';
    case 'bigint': return 'i64';
    default: throw typeError(`expected numbers, not ${leaf === null ? 'null' : typeof leaf}`);
  }
};

const firstLeaf = (data) => {
  let at = data;
  while (isList(at)) {
    if (at.length === 0) return 0;
    at = at[0];
  }
  return at;
};

const fill = (out, at, data, shape, depth) => {
  if (depth === shape.length) {
    if (isList(data)) throw new WeftError('shape', 'an array is nested deeper in one place than in another');
    if (typeof data !== 'number' && typeof data !== 'boolean' && typeof data !== 'bigint') leafType(data);
    out[at] = data;
    return at + 1;
  }
  if (!isList(data) || data.length !== shape[depth]) {
    throw new WeftError('shape', `an array is ragged: axis ${depth} has ${shape[depth]} elements in one place and ${isList(data) ? data.length : 'none'} in another`);
  }
  if (depth === shape.length - 1 && ArrayBuffer.isView(data)) { out.set(data, at); return at + data.length; }
  let next = at;
  for (const element of data) next = fill(out, next, element, shape, depth + 1);
  return next;
};

/** Numbers with this type in a typed array; f16 and bf16 as f32, to be cast by the device. */
const convert = (data, shape, type) => {
  const Type = arrays[readAs[type] ?? type];
  if (Type === undefined) throw typeError(`${type} cannot be made from numbers: give its bytes as a Uint8Array`);
  const out = new Type(shape.reduce((n, size) => n * size, 1));
  try {
    fill(out, 0, data, shape, 0);
  } catch (error) {
    if (error instanceof WeftError) throw error;
    throw typeError(error.message);             // a BigInt among numbers, or the other way
  }
  return out;
};

const isRaw = (data, type) => {
  if (type === 'f16' || type === 'bf16') return data instanceof Uint16Array || (Half && type === 'f16' && data instanceof Half);
  return data instanceof Uint8Array && (type === 'bool' || arrays[type] === undefined);
};

/** What a tensor is made of: { array, shape, from, type }, to be cast if `from` is not `type`. */
const readData = (data, dtype) => {
  const wanted = dtype === undefined ? undefined : dtypeName(dtype);
  if (ArrayBuffer.isView(data) && !(data instanceof DataView)) {
    if (wanted !== undefined && isRaw(data, wanted)) return { array: data, shape: [data.length], from: wanted, type: wanted };
    const Type = constructorOf(data);
    if (Type === undefined) throw typeError(`a tensor cannot be made of a ${data.constructor.name}`);
    const [from, Wider] = typeOfArray.get(Type);
    return { array: Wider ? new Wider(data) : data, shape: [data.length], from, type: wanted ?? from };
  }
  const shape = shapeOf(data);
  const type = wanted ?? (ArrayBuffer.isView(innermost(data)) ? typeOfArray.get(constructorOf(innermost(data)))?.[0] ?? 'f32' : leafType(firstLeaf(data)));
  return { array: convert(data, shape, type), shape, from: readAs[type] ?? type, type };
};

const innermost = (data) => {
  let at = data;
  while (Array.isArray(at) && isList(at[0])) [at] = at;
  return at;
};

/** Elements as nested arrays. */
const nest = (data, shape, isBool) => {
  const values = isBool ? Array.from(data, Boolean) : Array.from(data);
  if (shape.length === 0) return values[0];
  let level = values;
  for (let axis = shape.length - 1; axis > 0; axis--) {
    const size = shape[axis], count = shape.slice(0, axis).reduce((n, s) => n * s, 1);
    level = Array.from({ length: count }, (_, i) => level.slice(i * size, (i + 1) * size));
  }
  return level;
};

module.exports = { names, dtypeNumber, dtypeName, arrayOf, readAs, readData, nest };
