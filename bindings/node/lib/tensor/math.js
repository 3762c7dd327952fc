// SPDX-License-Identifier: Apache-2.0
//
// math.js - linear algebra of matrices, random numbers.
//
// in     tensors, shapes, keys
// out    new tensors
// knows  that random numbers are a function of a key and of their position
// not    other operators
'use strict';

const { native } = require('../native.js');
const { HANDLE, defaultContext } = require('../context.js');
const { invalid } = require('../weft-error.js');
const { wrap, asTensor, shapeArgument } = require('./tensor.js');
const { dtypeNumber } = require('./types.js');
const { functions, define } = require('./ops.js');

const handle = (value, x) => asTensor(value, x.context)[HANDLE];

// ---- matrices [..., N, N] ----

define('cholesky', (a, { upper = false } = {}) => wrap(native.cholesky(a[HANDLE], upper), a.context));
/** y with a y = b, for a triangular matrix. */
define('triangularSolve', (a, b, { upper = false, unit = false } = {}) => wrap(native.triangularSolve(a[HANDLE], handle(b, a), upper, unit), a.context));
/** y with a y = b. */
define('solve', (a, b) => wrap(native.solve(a[HANDLE], handle(b, a)), a.context));
define('inv', (a) => wrap(native.inv(a[HANDLE]), a.context));
define('det', (a) => wrap(native.det(a[HANDLE]), a.context));
define('qr', (a) => {
  const [q, r] = native.qr(a[HANDLE]).map((made) => wrap(made, a.context));
  return { q, r };
});

// ---- random numbers ----

const names = ['key', 'first', 'dtype', 'context', 'low', 'high', 'mean', 'deviation'];
/** (shape, { key, first, dtype, context, ... }); the same key gives the same numbers. */
const random = (name, parameters) => {
  functions[name] = (shape, options = {}) => {
    if (options === null || typeof options !== 'object') throw invalid(`${name}: expected an object of options`);
    const unknown = Object.keys(options).find((key) => !names.includes(key));
    if (unknown !== undefined) throw invalid(`${name}: there is no option '${unknown}'`);
    const { key, first = 0, dtype, context = defaultContext() } = options;
    if (!Number.isSafeInteger(key) || key < 0) throw invalid(`${name}: the option 'key' is a whole number of 0 or more`);
    return wrap(native[name](context[HANDLE], dtypeNumber(dtype) ?? 0, shapeArgument(name, shape), key, first,
      ...parameters.map(([parameter, otherwise]) => options[parameter] ?? otherwise)), context);
  };
};
random('randomBits', []);
random('uniform', [['low', 0], ['high', 1]]);
random('normal', [['mean', 0], ['deviation', 1]]);
random('randint', [['low', 0], ['high', 2 ** 31 - 1]]);

/** 0 to n - 1 in random order. */
functions.permutation = (n, { key, context = defaultContext() } = {}) => wrap(native.permutation(context[HANDLE], n, key), context);
/** True with the probability in each element. */
define('bernoulli', (p, key) => wrap(native.bernoulli(p[HANDLE], key), p.context));
define('dropout', (x, rate, key) => wrap(native.dropout(x[HANDLE], rate, key), x.context));
