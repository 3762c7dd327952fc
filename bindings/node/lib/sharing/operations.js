// SPDX-License-Identifier: Apache-2.0
//
// operations.js - the operations by name that backends and fusion patterns know.
//
// in     tensors, options
// out    tensors; nothing is computed before it is read
// knows  how many operands each takes
// not    names of tensors
'use strict';

const { WeftError } = require('../weft-error.js');
const { asTensor } = require('../tensor/tensor.js');
require('../tensor/ops.js');
require('../tensor/dense.js');

const dimensions = (k, k2, names) => new WeftError('shape', `Matrix multiplication dimension mismatch: ${k} !== ${k2}`, names);

/** A product of matrices; vectors are one row or one column. */
const matmul = (left, right, { transposeA = false, transposeB = false } = {}) => {
  const a = left.rank === 1 ? left.reshape(1, -1) : left, b = right.rank === 1 ? right.reshape(-1, 1) : right;
  if (a.rank < 2 || b.rank < 2) throw new WeftError('shape', `Matrix multiplication dimension mismatch: ${a.rank < 2 ? 'the first' : 'the second'} operand is a scalar`);
  const ta = transposeA ? a.transpose() : a, tb = transposeB ? b.transpose() : b;
  const k = ta.shape.at(-1), k2 = tb.shape.at(-2);
  if (k !== k2) throw dimensions(k, k2);
  return ta.matmul(tb);
};

const softmax = (x, { axis = -1 } = {}) => {
  if (!Number.isInteger(axis) || axis < -x.rank || axis >= x.rank) throw new WeftError('shape', `Invalid softmax axis: ${axis}`);
  return x.softmax(axis);
};

/** Symmetric, for the whole tensor: { values, scale } with values = round(x scale), at most
 * 2^(bits - 1) - 1. */
const quantize = (x, bits = 8) => {
  const most = 2 ** (bits - 1) - 1, largest = x.abs().max();
  const scale = largest.equal(0).where(1, largest.reciprocal().mul(most)).cast('f32').reshape(1);
  return { values: x.mul(scale).round().clip(-most, most).cast('i32'), scale };
};
const dequantize = (q, scale) => q.cast('f32').div(scale);

/** Weights rounded to a few bits, as a quantised model has them. One bit has signs and a mean. */
const roundWeights = (w, bits) => {
  if (bits === 1) return w.greaterEqual(0).where(1, -1).mul(w.abs().mean());
  const { values, scale } = quantize(w, bits);
  return dequantize(values, scale);
};

const unaryNames = { leaky_relu: 'leakyRelu', hard_swish: 'hardSwish', hard_sigmoid: 'hardSigmoid' };
/** An elementwise function of one operand by its name. */
const elementwise = (x, operation = 'relu', options = {}) => {
  const name = unaryNames[operation] ?? operation;
  if (name === 'leakyRelu') return x.leakyRelu(options.alpha ?? 0.01);
  if (name === 'elu') return x.elu(options.alpha ?? 1);
  if (name === 'gelu') return x.gelu(options.form);
  if (!unary.has(name)) throw new WeftError('unsupported', `Unsupported operation: ${operation}`);
  return x[name]();
};
const unary = new Set(['relu', 'sigmoid', 'tanh', 'silu', 'exp', 'log', 'sqrt', 'abs', 'neg', 'square', 'sin', 'cos', 'erf', 'softplus', 'mish',
  'floor', 'ceil', 'round', 'reciprocal', 'rsqrt', 'softsign', 'hardSwish', 'hardSigmoid']);

const activations = ['relu', 'sigmoid', 'tanh', 'softmax', 'gelu', 'silu', 'leaky_relu', 'elu'];
const binaries = { add: 'add', subtract: 'sub', multiply: 'mul', divide: 'div', pow: 'pow', max: 'maximum', min: 'minimum' };

/** Hidden positions become -Infinity: those where a bool mask is false; a float mask is added. */
const mask = (x, m) => (m.dtype === 'bool' ? x.maskedFill(m.logicalNot(), -Infinity) : x.add(m));

const pool = ({ size = 2, ...rest }) => ({ size, ...rest });
const shapeOption = (x, { shape }) => {
  if (shape === undefined) throw new WeftError('invalid', 'reshape: the option \'shape\' is missing');
  return x.reshape(shape);
};

/** Each takes the value so far, further operands, and options; `takes` is how many operands. */
const operations = {
  ...Object.fromEntries(Object.entries(binaries).map(([name, method]) => [name, { takes: 1, run: (x, [b]) => x[method](b) }])),
  ...Object.fromEntries(['relu', 'sigmoid', 'tanh', 'gelu', 'silu', 'leaky_relu', 'elu'].map((name) => [name, { takes: 0, run: (x, _, o) => elementwise(x, name, o) }])),
  matmul: { takes: 1, run: (x, [b], o) => matmul(x, o.bits ? roundWeights(b, o.bits) : b, o) },
  dot: { takes: 1, run: (x, [b]) => x.flatten().mul(b.flatten()).sum() },
  transpose: { takes: 0, run: (x, _, { axes }) => (axes ? x.permute(axes) : x.transpose()) },
  reshape: { takes: 0, run: (x, _, o) => shapeOption(x, o) },
  flatten: { takes: 0, run: (x) => x.flatten() },
  expand_dims: { takes: 0, run: (x, _, { axis = 0 }) => x.unsqueeze(axis) },
  squeeze: { takes: 0, run: (x, _, { axis }) => x.squeeze(axis) },
  softmax: { takes: 0, run: (x, _, o) => softmax(x, o) },
  layer_norm: { takes: 0, most: 2, run: (x, [gain, bias], { epsilon = 0 }) => x.layerNorm(gain, bias, epsilon) },
  batch_norm: { takes: 2, most: 4, run: (x, [mean, variance, gain, bias], { epsilon = 0 }) => x.batchNorm(mean, variance, gain, bias, epsilon) },
  dropout: { takes: 0, run: (x) => x },         // of inference
  max_pool: { takes: 0, run: (x, _, o) => x.maxPool(pool(o)) },
  avg_pool: { takes: 0, run: (x, _, o) => x.avgPool(pool(o)) },
  scale: { takes: 0, most: 1, run: (x, [by], { factor }) => x.mul(by ?? factor ?? 1 / Math.sqrt(x.shape.at(-1))) },
  mask: { takes: 1, run: (x, [m]) => mask(x, m) },
  softmax_with_mask: { takes: 1, run: (x, [m], o) => softmax(mask(x, m), o) },
};

/** A name, or { type, operands, ...options }, as [name, options]. */
const readOperation = (op) => {
  const [name, options] = typeof op === 'string' ? [op, {}] : [op?.type, op ?? {}];
  if (!Object.hasOwn(operations, name)) throw new WeftError('unsupported', `Unsupported operation: ${name}`);
  return [name, options];
};

/** Applies operations one after another; each takes its further operands from `inputs` in turn. */
const fold = (inputs, ops, common = {}) => {
  const rest = inputs.map((t) => asTensor(t));
  let value = rest.shift();
  if (value === undefined) throw new WeftError('invalid', 'no operands');
  ops.forEach((op, i) => {
    const [name, options] = readOperation(op), { takes, most = takes, run } = operations[name];
    const needed = ops.slice(i + 1).reduce((n, later) => n + operations[readOperation(later)[0]].takes, 0);
    const wanted = Math.min(options.operands ?? Math.max(takes, Math.min(most, rest.length - needed)), rest.length);
    if (wanted < takes) throw new WeftError('invalid', `${name}: ${takes} further operands are needed`);
    value = run(value, rest.splice(0, wanted), { ...common, ...options });
  });
  return value;
};

module.exports = { matmul, softmax, quantize, dequantize, elementwise, fold, readOperation, operations, activations, binaries };
