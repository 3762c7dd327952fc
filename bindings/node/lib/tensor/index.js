// SPDX-License-Identifier: Apache-2.0
//
// index.js - elements by index and by order.
//
// in     tensors; indices as tensors or arrays of whole numbers
// out    new tensors
// knows  that arrays of indices become i32
// not    other operators
'use strict';

const { native } = require('../native.js');
const { HANDLE } = require('../context.js');
const { WeftError, invalid } = require('../weft-error.js');
const { Tensor, wrap, asTensor, tensor } = require('./tensor.js');
const { functions, define, rangesArgument } = require('./ops.js');

const indexHandle = (indices, x) => {
  if (indices instanceof Tensor) return indices[HANDLE];
  const isWhole = (v) => (Array.isArray(v) || ArrayBuffer.isView(v) ? Array.from(v).every(isWhole) : Number.isInteger(v));
  if (!isWhole(indices)) throw new WeftError('type', 'indices are whole numbers');
  return tensor(indices, { dtype: 'i32', context: x.context })[HANDLE];
};
const handle = (value, x) => asTensor(value, x.context)[HANDLE];

define('take', (x, indices, axis = 0) => wrap(native.take(x[HANDLE], indexHandle(indices, x), axis), x.context));
define('gather', (x, indices, axis = 0) => wrap(native.gather(x[HANDLE], indexHandle(indices, x), axis), x.context));
define('gatherNd', (x, indices, batch = 0) => wrap(native.gatherNd(x[HANDLE], indexHandle(indices, x), batch), x.context));
define('maskedFill', (x, mask, value) => wrap(native.maskedFill(x[HANDLE], handle(mask, x), value), x.context));

const ways = ['set', 'add', 'mul', 'max', 'min'];           // weft_scatter
const wayOf = (how) => {
  if (!ways.includes(how)) throw invalid(`scatter: updates are combined by ${ways.join(', ')}, not '${how}'`);
  return ways.indexOf(how);
};
define('scatter', (x, indices, updates, { axis = 0, how = 'set' } = {}) => wrap(
  native.scatter(x[HANDLE], indexHandle(indices, x), handle(updates, x), axis, wayOf(how)), x.context));
define('scatterNd', (x, indices, updates, { how = 'set' } = {}) => wrap(native.scatterNd(x[HANDLE], indexHandle(indices, x), handle(updates, x), wayOf(how)), x.context));
/** A copy in which the elements of slice(...ranges) are `updates`. */
define('sliceUpdate', (x, updates, ...ranges) => {
  const whole = ranges.map((range) => (Number.isInteger(range) ? [range, range === -1 ? undefined : range + 1] : range));
  let value = asTensor(updates, x.context);
  if (value.rank > 0) ranges.forEach((range, axis) => { if (Number.isInteger(range)) value = value.unsqueeze(axis); });
  return wrap(native.sliceUpdate(x[HANDLE], value[HANDLE], rangesArgument(whole)), x.context);
});

// ---- order ----

define('sort', (x, axis = -1, descending = false) => wrap(native.sort(x[HANDLE], axis, descending), x.context));
define('argsort', (x, axis = -1, descending = false) => wrap(native.argsort(x[HANDLE], axis, descending), x.context));
/** { values, indices } of the k largest, or smallest. */
define('topk', (x, k, { axis = -1, smallest = false } = {}) => {
  const [values, indices] = native.topk(x[HANDLE], k, axis, smallest);
  return { values: wrap(values, x.context), indices: wrap(indices, x.context) };
});
define('searchsorted', (x, values, right = false) => wrap(native.searchsorted(x[HANDLE], handle(values, x), right), x.context));

// ---- shapes that depend on elements: these wait for the device ----

define('nonzero', (x) => wrap(native.nonzero(x[HANDLE]), x.context));
define('unique', (x) => {
  const [values, indices, inverse, counts] = native.unique(x[HANDLE]).map((made) => wrap(made, x.context));
  return { values, indices, inverse, counts };
});

module.exports = { functions };
