// SPDX-License-Identifier: Apache-2.0
//
// arithmetic.js - the operators on values: they compute at once, and remember how.
//
// in     values
// out    values; errors where an operator is not defined
// knows  which arguments are wrong
// not    derivatives: rules.js
'use strict';

const { Value, constant, make1, make2, makeMany } = require('./value.js');
const { EPS, rules } = require('./rules.js');

const { '+': ADD, '-': SUB, '*': MUL, '/': DIV, powValue: POW } = rules;

const add = (a, b) => make2(ADD, a.data + b.data, a, b);
const sub = (a, b) => make2(SUB, a.data - b.data, a, b);
const mul = (a, b) => make2(MUL, a.data * b.data, a, b);

const div = (a, b, eps = EPS) => {
  if (Math.abs(b.data) < eps) throw new Error(`Division by zero or near-zero encountered in div: denominator=${b.data}`);
  return make2(DIV, a.data / b.data, a, b);
};

const powValue = (a, b, eps = EPS) => {
  const x = a.data, n = b.data;
  if (x < 0 && Math.abs(n % 1) > eps) throw new Error(`Cannot raise negative base (${x}) to non-integer exponent (${n})`);
  if (x === 0 && n <= 0) throw new Error(`0 cannot be raised to zero or negative power: ${n}`);
  const node = make2(POW, n === 2 ? x * x : Math.pow(x, n), a, b);
  if (eps !== EPS) node._opConstants = [eps];
  return node;
};

const SQUARE = constant(2, '2'), CUBE = constant(3, '3');
const pow = (a, exponent) => {
  if (!Number.isFinite(exponent)) throw new Error(`Exponent must be a finite number, got ${String(exponent)}`);
  return powValue(a, constant(exponent, String(exponent)));
};
const square = (a) => powValue(a, SQUARE);
const cube = (a) => powValue(a, CUBE);

const mod = (a, b) => {
  if (b.data === 0) throw new Error('Modulo by zero encountered');
  return make2(rules.mod, a.data % b.data, a, b);
};
const min = (a, b) => make2(rules.min, Math.min(a.data, b.data), a, b);
const max = (a, b) => make2(rules.max, Math.max(a.data, b.data), a, b);

const log = (a, eps = EPS) => {
  if (a.data <= 0) throw new Error(`Logarithm undefined for non-positive value: ${a.data}`);
  const node = make1(rules.log, Math.log(Math.max(a.data, eps)), a);
  if (eps !== EPS) node._opConstants = [eps];
  return node;
};
const sqrt = (a) => {
  if (a.data < 0) throw new Error(`Cannot take sqrt of negative number: ${a.data}`);
  return make1(rules.sqrt, Math.sqrt(a.data), a);
};
const reciprocal = (a, eps = EPS) => {
  if (Math.abs(a.data) < eps) throw new Error('Reciprocal of zero or near-zero detected');
  return make1(rules.reciprocal, 1 / a.data, a);
};
const clamp = (a, low, high) => {
  const node = make1(rules.clamp, Math.max(low, Math.min(a.data, high)), a);
  node._opConstants = [low, high];
  return node;
};

const sum = (values) => {
  if (values.length === 0) return constant(0);
  if (values.length === 1) return values[0];
  let total = 0;
  for (const v of values) total += v.data;
  return makeMany(rules.sum, total, values);
};
const mean = (values) => (values.length === 0 ? constant(0) : div(sum(values), constant(values.length)));

const ifThenElse = (condition, then, otherwise) => {
  const taken = condition.data ? then : otherwise;
  const node = make2(rules.ifThenElse, taken.data, condition, taken);
  if (!Value.no_grad_mode || node._source) node._source = [condition, then, otherwise];
  return node;
};

const plain = (name, value) => { const rule = rules[name]; return (a) => make1(rule, value(a.data), a); };
const compare = (name, holds) => { const rule = rules[name]; return (a, b) => make2(rule, holds(a.data, b.data) ? 1 : 0, a, b); };

module.exports = {
  EPS, add, sub, mul, div, pow, powValue, mod, min, max, log, sqrt, square, cube, reciprocal, clamp, sum, mean, ifThenElse,
  neg: plain('neg', (x) => -x), abs: plain('abs', Math.abs), exp: plain('exp', Math.exp), sign: plain('sign', Math.sign),
  floor: plain('floor', Math.floor), ceil: plain('ceil', Math.ceil), round: plain('round', Math.round),
  sin: plain('sin', Math.sin), cos: plain('cos', Math.cos), tan: plain('tan', Math.tan),
  asin: plain('asin', Math.asin), acos: plain('acos', Math.acos), atan: plain('atan', Math.atan),
  relu: plain('relu', (x) => Math.max(0, x)), tanh: plain('tanh', Math.tanh),
  softplus: plain('softplus', (x) => (x > 30 ? x + Math.log1p(Math.exp(-x)) : Math.log(1 + Math.exp(x)))),
  sigmoid: plain('sigmoid', (x) => 1 / (1 + Math.exp(-x))),
  eq: compare('eq', (a, b) => a === b), neq: compare('neq', (a, b) => a !== b),
  gt: compare('gt', (a, b) => a > b), lt: compare('lt', (a, b) => a < b),
  gte: compare('gte', (a, b) => a >= b), lte: compare('lte', (a, b) => a <= b),
};
