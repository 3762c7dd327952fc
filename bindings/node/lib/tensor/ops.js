// SPDX-License-Identifier: Apache-2.0
//
// ops.js - the operators, as functions and as methods of Tensor.
//
// in     tensors, numbers and arrays
// out    new tensors; shapes and types are checked at once, elements computed later
// knows  defaults of optional arguments; the rows of weft/tensor_ops.def through the addon
// not    products, convolutions and normalisation: dense.js
'use strict';

const { native } = require('../native.js');
const { HANDLE } = require('../context.js');
const { WeftError, invalid } = require('../weft-error.js');
const { Tensor, wrap, asTensor, shapeArgument } = require('./tensor.js');
const { dtypeNumber } = require('./types.js');

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

const functions = {};

/** Makes `op(x, ...)` a function and a method. */
const define = (name, op) => {
  functions[name] = (x, ...args) => op(asTensor(x), ...args);
  Object.defineProperty(Tensor.prototype, name, {
    value(...args) { return op(this, ...args); }, writable: true, configurable: true,
  });
};

// ---- rows of weft/tensor_ops.def ----

const [unaryRows, binaryRows, reductionRows] = native.operators();

unaryRows.forEach(([row], i) => {
  const name = camel(row);
  functions[name] = (x) => asTensor(x)[name]();
  Object.defineProperty(Tensor.prototype, name, {
    value() { return wrap(native.unary(i, this[HANDLE]), this.context); }, writable: true, configurable: true,
  });
});

binaryRows.forEach(([row], i) => {
  const name = camel(row);
  const right = (a, b) => (b instanceof Tensor ? b[HANDLE] : typeof b === 'number' ? b : asTensor(b, a.context)[HANDLE]);
  functions[name] = (a, b) => {
    if (a instanceof Tensor) return a[name](b);
    if (!(b instanceof Tensor)) return asTensor(a)[name](b);
    return wrap(native.binary(i, typeof a === 'number' ? a : asTensor(a, b.context)[HANDLE], b[HANDLE]), b.context);
  };
  Object.defineProperty(Tensor.prototype, name, {
    value(b) { return wrap(native.binary(i, this[HANDLE], right(this, b)), this.context); }, writable: true, configurable: true,
  });
});

/** undefined for all axes, else a list. */
const axesArgument = (axes) => {
  if (axes === undefined || axes === null) return undefined;
  const list = Array.isArray(axes) ? axes : [axes];
  if (!list.every(Number.isInteger)) throw new WeftError('shape', 'axes are whole numbers');
  return list;
};

reductionRows.forEach(([row], i) => define(camel(row), (x, axes, keep = false) =>
  wrap(native.reduction(i, x[HANDLE], axesArgument(axes), keep), x.context)));

// ---- further reductions ----

define('variance', (x, axes, keep = false, correction = 0) => wrap(native.variance(x[HANDLE], axesArgument(axes), keep, correction), x.context));
define('norm', (x, axes, keep = false, order = 2) => wrap(native.norm(x[HANDLE], axesArgument(axes), keep, order), x.context));
define('argmax', (x, axis = -1, keep = false) => wrap(native.argmax(x[HANDLE], axis, keep), x.context));
define('argmin', (x, axis = -1, keep = false) => wrap(native.argmin(x[HANDLE], axis, keep), x.context));
define('cumsum', (x, axis = -1, { exclusive = false, reverse = false } = {}) => wrap(native.cumsum(x[HANDLE], axis, exclusive, reverse), x.context));
define('cumprod', (x, axis = -1, { exclusive = false, reverse = false } = {}) => wrap(native.cumprod(x[HANDLE], axis, exclusive, reverse), x.context));

// ---- views ----

/** reshape([2, 3]) or reshape(2, 3). */
const sizes = (what, args) => shapeArgument(what, args.length === 1 && Array.isArray(args[0]) ? args[0] : args);

define('reshape', (x, ...shape) => wrap(native.reshape(x[HANDLE], sizes('reshape', shape)), x.context));
define('flatten', (x) => wrap(native.reshape(x[HANDLE], [-1]), x.context));
define('expand', (x, ...shape) => wrap(native.expand(x[HANDLE], sizes('expand', shape)), x.context));
define('permute', (x, ...axes) => wrap(native.permute(x[HANDLE], axes.length === 0 || axes[0] === undefined ? undefined : sizes('permute', axes)), x.context));
define('transpose', (x, a = -2, b = -1) => wrap(native.transpose(x[HANDLE], a, b), x.context));
define('narrow', (x, axis, start, length) => wrap(native.narrow(x[HANDLE], axis, start, length), x.context));
define('select', (x, axis, index) => wrap(native.select(x[HANDLE], axis, index), x.context));
define('unsqueeze', (x, axis) => wrap(native.unsqueeze(x[HANDLE], axis), x.context));
define('flip', (x, axis) => wrap(native.flip(x[HANDLE], axis), x.context));
define('diagonal', (x, offset = 0, a = 0, b = 1) => wrap(native.diagonal(x[HANDLE], a, b, offset), x.context));
define('windows', (x, axis, size, step = 1) => wrap(native.windows(x[HANDLE], axis, size, step), x.context));
define('asStrided', (x, shape, strides, offset = 0) => wrap(native.asStrided(x[HANDLE], shape, strides, offset), x.context));
define('bitcast', (x, dtype) => wrap(native.bitcast(x[HANDLE], dtypeNumber(dtype)), x.context));

/** squeeze(axis), or all axes of size 1. */
define('squeeze', (x, axis) => {
  if (axis === undefined) return wrap(native.reshape(x[HANDLE], x.shape.filter((size) => size !== 1)), x.context);
  return wrap(native.squeeze(x[HANDLE], axis), x.context);
});

/** Of each of the first axes: a number (the axis goes), [start, stop, step] with undefined for
 * the whole, or undefined. */
const rangesArgument = (ranges) => ranges.flatMap((range, axis) => {
  if (range === undefined || range === null) return [undefined, undefined, undefined];
  if (Number.isInteger(range)) return [undefined, undefined, undefined];      // select() afterwards
  if (!Array.isArray(range) || range.length > 3) throw new WeftError('shape', `slice: axis ${axis} needs a number, [start, stop, step] or undefined`);
  for (const n of range) {
    if (n !== undefined && n !== null && !Number.isInteger(n)) throw new WeftError('shape', `slice: ${n} is not a position of axis ${axis}`);
  }
  if (range[2] === 0) throw new WeftError('shape', 'slice: a step of 0');
  return [range[0] ?? undefined, range[1] ?? undefined, range[2] ?? undefined];
});
define('slice', (x, ...ranges) => {
  let made = wrap(native.slice(x[HANDLE], rangesArgument(ranges)), x.context);
  for (let axis = ranges.length - 1; axis >= 0; axis--) if (Number.isInteger(ranges[axis])) made = made.select(axis, ranges[axis]);
  return made;
});

// ---- elementwise with parameters ----

define('cast', (x, dtype) => wrap(native.cast(x[HANDLE], dtypeNumber(dtype)), x.context));
define('gelu', (x, form = 'erf') => {
  if (form !== 'erf' && form !== 'tanh') throw invalid(`gelu: the forms are 'erf' and 'tanh', not '${form}'`);
  return wrap(native.gelu(x[HANDLE], form === 'tanh'), x.context);
});
define('leakyRelu', (x, slope = 0.01) => wrap(native.leakyRelu(x[HANDLE], slope), x.context));
define('elu', (x, alpha = 1) => wrap(native.elu(x[HANDLE], alpha), x.context));
define('clip', (x, low = -Infinity, high = Infinity) => wrap(native.clip(x[HANDLE], low, high), x.context));
/** The condition's method: where it is true a, else b. */
define('where', (condition, a, b) => wrap(native.where(condition[HANDLE], asTensor(a, condition.context)[HANDLE], asTensor(b, condition.context)[HANDLE]), condition.context));
define('tril', (x, diagonal = 0) => wrap(native.tri(x[HANDLE], false, diagonal), x.context));
define('triu', (x, diagonal = 0) => wrap(native.tri(x[HANDLE], true, diagonal), x.context));
define('oneHot', (indices, depth, dtype = 'f32') => wrap(native.oneHot(indices[HANDLE], depth, dtypeNumber(dtype)), indices.context));

// ---- copies ----

define('contiguous', (x) => wrap(native.contiguous(x[HANDLE]), x.context));
define('copy', (x) => wrap(native.copy(x[HANDLE]), x.context));
define('tile', (x, ...repeats) => wrap(native.tile(x[HANDLE], sizes('tile', repeats)), x.context));
define('repeat', (x, repeats, axis = 0) => wrap(native.repeat(x[HANDLE], axis, repeats), x.context));
define('roll', (x, shift, axis = 0) => wrap(native.roll(x[HANDLE], axis, shift), x.context));

const padModes = ['constant', 'edge', 'reflect', 'wrap'];
/** pad([[before, after], ...]), one pair for each axis. */
define('pad', (x, pairs, { mode = 'constant', value = 0 } = {}) => {
  if (!Array.isArray(pairs) || !pairs.every((p) => Array.isArray(p) && p.length === 2)) throw new WeftError('shape', 'pad: expected [before, after] for each axis');
  if (!padModes.includes(mode)) throw invalid(`pad: the modes are ${padModes.join(', ')}, not '${mode}'`);
  return wrap(native.pad(x[HANDLE], pairs.map(([before]) => before), pairs.map(([, after]) => after), padModes.indexOf(mode), value), x.context);
});
/** split(3) gives three equal parts, split([1, 2]) parts of these sizes. */
define('split', (x, parts, axis = 0) => {
  const made = Array.isArray(parts) ? native.split(x[HANDLE], axis, parts.length, parts) : native.split(x[HANDLE], axis, parts);
  return made.map((handle) => wrap(handle, x.context));
});

const joining = (name) => {
  functions[name] = (tensors, axis = 0) => {
    if (!Array.isArray(tensors) || tensors.length === 0) throw new WeftError('shape', `${name}: expected an array of tensors`);
    const context = tensors.find((t) => t instanceof Tensor)?.context;
    const all = tensors.map((t) => asTensor(t, context));
    return wrap(native[name](all.map((t) => t[HANDLE]), axis), all[0].context);
  };
};
joining('concat');
joining('stack');

module.exports = { functions, define, camel, rangesArgument, operatorRows: { unary: unaryRows, binary: binaryRows, reduction: reductionRows } };
