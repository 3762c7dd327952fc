// SPDX-License-Identifier: Apache-2.0
//
// rules.js - the operators: their derivatives, their labels, and how compiled graphs compute them.
//
// in     nodes whose data is known
// out    rules by name; `back` adds to the grad of the arguments
// knows  derivatives at kinks: abs'(0) = 1, relu'(0) = 0, min and max give 0 to equal arguments
// not    how values are computed: arithmetic.js; how graphs are compiled: compile.js
//
// `lower(e, args, ...numbers)` gives the operator in terms of those of weft/grad.h, where it is not just
// one of them (`weft`); `e` writes them, and `numbers` says how many of _opConstants are arguments,
// too. `js` and `jsBack` are the same as text.
'use strict';

const { eigenvalue } = require('./eigen.js');

const EPS = 1e-12;                  // the least argument of a logarithm
const epsOf = (node) => node._opConstants?.[0] ?? EPS;

const one = (slope) => (node) => {
  const a = node._a;
  if (a.requiresGrad) a.grad += slope(a.data, node) * node.grad;
};
const none = () => {};
const infix = (op) => ([a, b]) => `(${a}${op}${b})`;
const call = (name) => (labels) => `${name}(${labels.join(',')})`;

/** An operator of one argument, with its derivative as a function and as a text of the argument x. */
const unary = (name, slope, js, jsSlope, more = {}) => ({
  name, weft: name, arity: 1, back: slope ? one(slope) : none, label: call(name),
  js: ([x]) => js(x), jsBack: (g, [d], [x]) => `${d} += ${jsSlope ? `${g} * ${jsSlope(x)}` : '0'};`, ...more,
});
const math = (name, slope, jsSlope, more) => unary(name, slope, (x) => `Math.${name}(${x})`, jsSlope, more);

const comparison = (name, weft, op) => ({ name, weft, arity: 2, back: none, label: infix(op),
  js: ([a, b]) => `(${a} ${op === '==' ? '===' : op === '!=' ? '!==' : op} ${b} ? 1 : 0)`, jsBack: () => '' });

const axesOf = (count) => (count === 4 ? ['w', 'x', 'y', 'z'] : ['x', 'y', 'z']);

const list = [
  // ---- arithmetic ----
  { name: '+', weft: 'add', arity: 2, label: infix('+'),
    back(node) {
      if (node._a.requiresGrad) node._a.grad += node.grad;
      if (node._b.requiresGrad) node._b.grad += node.grad;
    },
    js: ([a, b]) => `(${a} + ${b})`, jsBack: (g, [da, db]) => `${da} += ${g}; ${db} += ${g};` },
  { name: '-', weft: 'sub', arity: 2, label: infix('-'),
    back(node) {
      if (node._a.requiresGrad) node._a.grad += node.grad;
      if (node._b.requiresGrad) node._b.grad -= node.grad;
    },
    js: ([a, b]) => `(${a} - ${b})`, jsBack: (g, [da, db]) => `${da} += ${g}; ${db} -= ${g};` },
  { name: '*', weft: 'mul', arity: 2, label: infix('*'),
    back(node) {
      const a = node._a, b = node._b;
      if (a.requiresGrad) a.grad += b.data * node.grad;
      if (b.requiresGrad) b.grad += a.data * node.grad;
    },
    js: ([a, b]) => `(${a} * ${b})`, jsBack: (g, [da, db], [a, b]) => `${da} += ${g} * ${b}; ${db} += ${g} * ${a};` },
  { name: '/', weft: 'div', arity: 2, label: infix('/'),
    back(node) {
      const a = node._a, b = node._b;
      if (a.requiresGrad) a.grad += node.grad / b.data;
      if (b.requiresGrad) b.grad -= (a.data / (b.data * b.data)) * node.grad;
    },
    js: ([a, b]) => `(${a} / ${b})`,
    jsBack: (g, [da, db], [a, b]) => `${da} += ${g} / ${b}; ${db} -= ${g} * ${a} / (${b} * ${b});` },
  { name: 'powValue', arity: 2, label: infix('^'),
    back(node) {
      const a = node._a, b = node._b, x = a.data, n = b.data;
      if (a.requiresGrad) a.grad += n * Math.pow(x, n - 1) * node.grad;
      if (b.requiresGrad) b.grad += Math.log(Math.max(epsOf(node), x)) * node.data * node.grad;
    },
    lower: lowerPower, numbers: 1, defaults: [EPS], js: ([a, b]) => `Math.pow(${a}, ${b})`,
    jsBack: (g, [da, db], [a, b]) => `${da} += ${g} * ${b} * Math.pow(${a}, ${b} - 1); ` +
      `${db} += ${g} * Math.pow(${a}, ${b}) * Math.log(Math.max(1e-12, ${a}));` },
  { name: 'mod', weft: 'mod', arity: 2, label: infix('%'),
    back(node) { if (node._a.requiresGrad) node._a.grad += node.grad; },
    js: ([a, b]) => `(${a} % ${b})`, jsBack: (g, [da]) => `${da} += ${g};` },
  { name: 'min', weft: 'min', arity: 2, label: call('min'),
    back(node) {
      const a = node._a, b = node._b;
      if (a.requiresGrad && a.data < b.data) a.grad += node.grad;
      if (b.requiresGrad && b.data < a.data) b.grad += node.grad;
    },
    js: ([a, b]) => `Math.min(${a}, ${b})`,
    jsBack: (g, [da, db], [a, b]) => `${da} += ${a} < ${b} ? ${g} : 0; ${db} += ${b} < ${a} ? ${g} : 0;` },
  { name: 'max', weft: 'max', arity: 2, label: call('max'),
    back(node) {
      const a = node._a, b = node._b;
      if (a.requiresGrad && a.data > b.data) a.grad += node.grad;
      if (b.requiresGrad && b.data > a.data) b.grad += node.grad;
    },
    js: ([a, b]) => `Math.max(${a}, ${b})`,
    jsBack: (g, [da, db], [a, b]) => `${da} += ${a} > ${b} ? ${g} : 0; ${db} += ${b} > ${a} ? ${g} : 0;` },
  { name: 'sum', weft: 'sum', label: (labels) => `sum(${labels.length})`,
    back(node) { for (const v of node._list) if (v.requiresGrad) v.grad += node.grad; },
    js: (all) => `(${all.join(' + ')})`, jsBack: (g, all) => all.map((d) => `${d} += ${g};`).join(' ') },
  { name: 'neg', weft: 'neg', arity: 1, label: ([a]) => `(-${a})`, back: one(() => -1),
    js: ([x]) => `(-${x})`, jsBack: (g, [d]) => `${d} -= ${g};` },
  unary('reciprocal', (x) => -1 / (x * x), (x) => `(1 / ${x})`, (x) => `(-1 / (${x} * ${x}))`),

  // ---- functions of one argument ----
  math('abs', (x) => (x >= 0 ? 1 : -1), (x) => `(${x} >= 0 ? 1 : -1)`),
  math('exp', (x, node) => node.data, (x) => `Math.exp(${x})`),
  math('log', (x, node) => 1 / Math.max(x, epsOf(node)), (x) => `(1 / ${x})`, { lower: lowerLog, numbers: 1, defaults: [EPS] }),
  math('sqrt', (x, node) => 0.5 / node.data, (x) => `(0.5 / Math.sqrt(${x}))`),
  math('floor'), math('ceil'), math('round'), math('sign'),
  math('sin', Math.cos, (x) => `Math.cos(${x})`),
  math('cos', (x) => -Math.sin(x), (x) => `(-Math.sin(${x}))`),
  math('tan', (x) => 1 / Math.cos(x) ** 2, (x) => `(1 / Math.cos(${x}) ** 2)`),
  math('asin', (x) => 1 / Math.sqrt(1 - x * x), (x) => `(1 / Math.sqrt(1 - ${x} * ${x}))`),
  math('acos', (x) => -1 / Math.sqrt(1 - x * x), (x) => `(-1 / Math.sqrt(1 - ${x} * ${x}))`),
  math('atan', (x) => 1 / (1 + x * x), (x) => `(1 / (1 + ${x} * ${x}))`),
  math('tanh', (x, node) => 1 - node.data ** 2, (x) => `(1 - Math.tanh(${x}) ** 2)`),
  unary('relu', (x) => (x > 0 ? 1 : 0), (x) => `Math.max(0, ${x})`, (x) => `(${x} > 0 ? 1 : 0)`),
  unary('softplus', (x) => 1 / (1 + Math.exp(-x)), (x) => `Math.log(1 + Math.exp(${x}))`,
    (x) => `(1 / (1 + Math.exp(-${x})))`),
  unary('sigmoid', (x, node) => node.data * (1 - node.data), (x) => `(1 / (1 + Math.exp(-${x})))`,
    (x) => `(Math.exp(-${x}) / (1 + Math.exp(-${x})) ** 2)`),
  { name: 'clamp', arity: 1, label: ([a], node) => `clamp(${a},${node._opConstants.join()})`,
    back: one((x, { _opConstants: [low, high] }) => (x > low && x < high ? 1 : 0)),
    lower: (e, [a], low, high) => e.op('clamp', a, low, high), numbers: 2,
    js: ([x], { _opConstants: [low, high] }) => `Math.max(${low}, Math.min(${x}, ${high}))`,
    jsBack: (g, [d], [x], { _opConstants: [low, high] }) => `${d} += ${x} > ${low} && ${x} < ${high} ? ${g} : 0;` },

  // ---- comparisons and choice ----
  comparison('eq', 'eq', '=='), comparison('neq', 'ne', '!='), comparison('gt', 'gt', '>'),
  comparison('lt', 'lt', '<'), comparison('gte', 'ge', '>='), comparison('lte', 'le', '<='),
  { name: 'ifThenElse', weft: 'select', arity: 3,
    label: (labels, node) => {
      const [c, a, b] = (node._source ?? []).map((v) => v.label);
      return `if(${c}){${a}}else{${b}}`;
    },
    back(node) { if (node._b.requiresGrad) node._b.grad += node.grad; },
    js: ([c, a, b]) => `(${c} ? ${a} : ${b})`, jsBack: (g, [, da, db], [c]) => `if (${c}) ${da} += ${g}; else ${db} += ${g};` },

  // ---- vectors and matrices ----
  ...['w', 'x', 'y', 'z'].map((axis) => ({ name: `normalize_${axis}`, label: () => `normalize_${axis}`,
    back(node) {
      const all = node._list, [at, length] = node._opConstants;
      for (let i = 0; i < all.length; i++) {
        if (all[i].requiresGrad) all[i].grad += node.grad * ((i === at ? 1 : 0) - node.data * all[i].data / length) / length;
      }
    },
    lower: (e, args) => e.op('div', args[axesOf(args.length).indexOf(axis)],
      e.op('sqrt', e.op('sum', ...args.map((a) => e.op('square', a))))) })),
  { name: 'eigenvalue_custom', arity: 6, label: () => 'eigenvalue_custom',
    back(node) {
      const all = node._list, slopes = node._opConstants;
      for (let i = 0; i < 6; i++) if (all[i].requiresGrad) all[i].grad += node.grad * slopes[i];
    },
    lower: (e, args) => {
      const { value, slopes } = eigenvalue(e, args);
      return e.withGradient(value, args, slopes);
    } },
];

/** pow with an exponent that may change. Bases below 0 have powers where the exponent is whole. */
function lowerPower(e, [a, b], eps) {
  const size = e.op('abs', a), isNegative = e.op('lt', a, e.constant(0));
  const isWhole = e.op('eq', b, e.op('floor', b));
  const odd = e.op('mod', e.op('abs', b), e.constant(2));
  const sign = e.op('select', isWhole, e.op('sub', e.constant(1), e.op('mul', e.constant(2), odd)), e.op('sqrt', e.constant(-1)));
  const power = (n, s) => e.op('select', isNegative, e.op('mul', s, e.op('pow', size, n)), e.op('pow', size, n));
  const value = power(b, sign);
  const slope = e.op('mul', b, power(e.op('sub', b, e.constant(1)), e.op('neg', sign)));
  const log = e.op('log', e.op('max', eps, a));
  return e.withGradient(value, [a, b], [slope, e.op('mul', log, value)]);
}

/** log of max(a, eps), with the derivative of that; where a is not above 0, NaN or -Infinity. */
function lowerLog(e, [a], eps) {
  const safe = e.op('select', e.op('gt', a, e.constant(0)), e.op('max', a, eps), a);
  return e.withGradient(e.op('log', safe), [a], [e.op('reciprocal', safe)]);
}

const rules = Object.fromEntries(list.map((rule, id) => [rule.name, Object.freeze({ ...rule, id: id + 1 })]));

module.exports = { EPS, rules };
