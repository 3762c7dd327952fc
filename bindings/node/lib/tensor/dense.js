// SPDX-License-Identifier: Apache-2.0
//
// dense.js - products, convolutions, pooling, attention, normalisation.
//
// in     tensors, options by name
// out    new tensors
// knows  which operands may be left out
// not    how they are computed
'use strict';

const { native } = require('../native.js');
const { HANDLE } = require('../context.js');
const { invalid } = require('../weft-error.js');
const { Tensor, wrap, asTensor, handleOrNull, tensor } = require('./tensor.js');
const { functions, define } = require('./ops.js');

const handle = (value, x) => asTensor(value, x.context)[HANDLE];
const optional = (value, x) => handleOrNull(value, x.context);

define('matmul', (a, b) => wrap(native.matmul(a[HANDLE], handle(b, a)), a.context));
define('outer', (a, b) => wrap(native.outer(a[HANDLE], handle(b, a)), a.context));
/** activation(x . transpose(weight) + bias) */
define('linear', (x, weight, bias, options) => wrap(native.linear(x[HANDLE], handle(weight, x), optional(bias, x), options), x.context));
define('conv1d', (x, weight, bias, options) => wrap(native.conv1d(x[HANDLE], handle(weight, x), optional(bias, x), options), x.context));
define('conv2d', (x, weight, bias, options) => wrap(native.conv2d(x[HANDLE], handle(weight, x), optional(bias, x), options), x.context));
define('convTranspose', (x, weight, bias, options) => wrap(native.convTranspose(x[HANDLE], handle(weight, x), optional(bias, x), options), x.context));
define('maxPool', (x, options) => wrap(native.maxPool(x[HANDLE], options), x.context));
define('avgPool', (x, options) => wrap(native.avgPool(x[HANDLE], options), x.context));
/** The windows as columns: [N, C * window, places] */
define('unfold', (x, options) => wrap(native.unfold(x[HANDLE], options), x.context));
define('resize', (x, options) => wrap(native.resize(x[HANDLE], options), x.context));
/** Rotary position embedding of [..., T, D]. */
define('rope', (x, options) => wrap(native.rope(x[HANDLE], positionsOf(options?.positions, x), optional(options?.frequencies, x), options), x.context));
const positionsOf = (positions, x) => (Array.isArray(positions) ? tensor(positions, { dtype: 'i32', context: x.context })[HANDLE] : optional(positions, x));
/** Sums of products over named axes: einsum('ij,jk->ik', a, b). */
functions.einsum = (equation, ...operands) => {
  if (typeof equation !== 'string' || operands.length === 0) throw invalid('einsum: expected an equation and tensors');
  const context = operands.find((t) => t instanceof Tensor)?.context, all = operands.map((t) => asTensor(t, context));
  return wrap(native.einsum(equation, all.map((t) => t[HANDLE])), all[0].context);
};
/** softmax(q . transpose(k) scale + mask) . v */
define('attention', (q, k, v, options) => wrap(native.attention(q[HANDLE], handle(k, q), handle(v, q), optional(options?.mask, q), options), q.context));

define('softmax', (x, axis = -1) => wrap(native.softmax(x[HANDLE], axis), x.context));
define('logSoftmax', (x, axis = -1) => wrap(native.logSoftmax(x[HANDLE], axis), x.context));
define('layerNorm', (x, gain, bias, epsilon = 0) => wrap(native.layerNorm(x[HANDLE], optional(gain, x), optional(bias, x), epsilon), x.context));
define('rmsNorm', (x, gain, epsilon = 0) => wrap(native.rmsNorm(x[HANDLE], optional(gain, x), epsilon), x.context));
define('batchNorm', (x, mean, variance, gain, bias, epsilon = 0) => wrap(
  native.batchNorm(x[HANDLE], handle(mean, x), handle(variance, x), optional(gain, x), optional(bias, x), epsilon), x.context));
define('groupNorm', (x, groups, gain, bias, epsilon = 0) => wrap(native.groupNorm(x[HANDLE], groups, optional(gain, x), optional(bias, x), epsilon), x.context));
define('instanceNorm', (x, gain, bias, epsilon = 0) => wrap(native.instanceNorm(x[HANDLE], optional(gain, x), optional(bias, x), epsilon), x.context));
