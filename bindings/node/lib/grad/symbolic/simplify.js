// SPDX-License-Identifier: Apache-2.0
//
// simplify.js - shorter formulas of the same value.
//
// in     formulas
// out    formulas: constants are folded, 0 and 1 disappear, x + x is 2 * x
// knows  rules, applied from the inside out until nothing changes
// not    derivatives
'use strict';

const { NumberNode, BinaryOpNode, UnaryOpNode, nodesEqual, partsOf, rebuild } = require('./ast.js');

const MAX_ROUNDS = 10;

const num = (value) => new NumberNode(value);
const is = (node, value) => node.type === 'Number' && node.value === value;

const fold = {
  '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '**': Math.pow,
};
const functions1 = ['sin', 'cos', 'tan', 'exp', 'log', 'sqrt', 'abs', 'sign', 'floor', 'ceil', 'round', 'asin', 'acos', 'atan',
  'sinh', 'cosh', 'tanh'];
const functions2 = ['pow', 'min', 'max', 'atan2'];

/** What an operation is in short; undefined: itself. */
const short = {
  '+': (a, b) => {
    if (is(a, 0)) return b;
    if (is(b, 0)) return a;
    return nodesEqual(a, b) ? new BinaryOpNode('*', num(2), a) : undefined;
  },
  '-': (a, b) => {
    if (is(b, 0)) return a;
    if (is(a, 0)) return new UnaryOpNode('-', b);
    return nodesEqual(a, b) ? num(0) : undefined;
  },
  '*': (a, b) => {
    if (is(a, 0) || is(b, 0)) return num(0);
    if (is(a, 1)) return b;
    if (is(b, 1)) return a;
    if (is(a, -1)) return new UnaryOpNode('-', b);
    if (is(b, -1)) return new UnaryOpNode('-', a);
    return nodesEqual(a, b) ? new BinaryOpNode('**', a, num(2)) : undefined;
  },
  '/': (a, b) => {
    if (is(a, 0)) return num(0);
    if (is(b, 1)) return a;
    return nodesEqual(a, b) ? num(1) : undefined;
  },
  '**': (a, b) => {
    if (is(b, 0) || is(a, 1)) return num(1);
    if (is(b, 1)) return a;
    return is(a, 0) ? num(0) : undefined;
  },
};

const rules = {
  UnaryOp: ({ op, operand }) => {
    if (op === '+') return operand;
    if (operand.type === 'Number') return num(-operand.value);
    return operand.type === 'UnaryOp' && operand.op === '-' ? operand.operand : undefined;
  },
  BinaryOp: ({ op, left, right }) => {
    if (!Object.hasOwn(short, op)) return undefined;
    if (left.type === 'Number' && right.type === 'Number') return num(fold[op](left.value, right.value));
    return short[op](left, right);
  },
  FunctionCall: ({ name, args }) => {
    if (!args.every((a) => a.type === 'Number')) return undefined;
    const f = name === 'ln' ? 'log' : name;
    const known = args.length === 1 ? functions1 : args.length === 2 ? functions2 : [];
    return known.includes(f) ? num(Math[f](...args.map((a) => a.value))) : undefined;
  },
};

const once = (node) => {
  const same = rebuild[node.type](node, partsOf[node.type](node).map(once));
  return rules[same.type]?.(same) ?? same;
};

const simplify = (node) => {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = once(node);
    if (nodesEqual(next, node)) return next;
    node = next;
  }
  return node;
};

module.exports = { simplify };
