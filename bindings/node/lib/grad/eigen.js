// SPDX-License-Identifier: Apache-2.0
//
// eigen.js - the smallest eigenvalue of a symmetric 3x3 matrix, and its derivatives.
//
// in     c00 c01 c02 c11 c12 c22, as numbers or as nodes of a graph
// out    the eigenvalue; the outer product of its eigenvector, for the same six entries
// knows  Cardano's formula on the shifted and scaled matrix
// not    what computes: `e` has the operators of weft/grad.h, for numbers or for nodes
'use strict';

/** Operators on numbers, as a graph has them on nodes. */
const numbers = {
  constant: (x) => x,
  op(name, ...args) { return table[name](...args); },
};
const table = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, sqrt: Math.sqrt,
  cos: Math.cos, acos: Math.acos, gt: (a, b) => (a > b ? 1 : 0), max: Math.max, square: (a) => a * a,
  clamp: (a, low, high) => Math.max(low, Math.min(a, high)), select: (c, a, b) => (c !== 0 ? a : b),
};

const sumOf = (e, first, ...rest) => rest.reduce((sum, x) => e.op('add', sum, x), first);

const valueOf = (e, [c00, c01, c02, c11, c12, c22]) => {
  const c = (x) => e.constant(x), mul = (a, b) => e.op('mul', a, b), sub = (a, b) => e.op('sub', a, b);
  const square = (a) => e.op('square', a);
  const shift = e.op('div', sumOf(e, c00, c11, c22), c(3));
  const [b00, b11, b22] = [c00, c11, c22].map((x) => sub(x, shift));
  const off = mul(c(2), sumOf(e, square(c01), square(c02), square(c12)));
  const q = mul(c(0.5), sumOf(e, square(b00), square(b11), square(b22), off));
  const p = e.op('sqrt', e.op('div', e.op('add', q, c(1e-20)), c(3)));
  const scale = e.op('div', c(1), e.op('add', p, c(1e-12)));
  const [d00, d01, d02, d11, d12, d22] = [b00, c01, c02, b11, c12, b22].map((x) => mul(x, scale));
  const determinant = sumOf(e,
    mul(d00, sub(mul(d11, d22), square(d12))),
    mul(d01, sub(mul(d12, d02), mul(d01, d22))),
    mul(d02, sub(mul(d01, d12), mul(d11, d02))));
  const r = e.op('clamp', e.op('div', determinant, c(2)), c(-0.99999), c(0.99999));
  const angle = e.op('add', e.op('div', e.op('acos', r), c(3)), c(2 * Math.PI / 3));
  return e.op('add', shift, mul(mul(c(2), p), e.op('cos', angle)));
};

const crossOf = (e, [ax, ay, az], [bx, by, bz]) => {
  const minor = (a, b, c, d) => e.op('sub', e.op('mul', a, b), e.op('mul', c, d));
  return [minor(ay, bz, az, by), minor(az, bx, ax, bz), minor(ax, by, ay, bx)];
};

/** The unit vector that (C - value) maps to 0: the longest cross product of two of its rows. */
const vectorOf = (e, [c00, c01, c02, c11, c12, c22], value) => {
  const sub = (x) => e.op('sub', x, value), square = (a) => e.op('square', a);
  const rows = [[sub(c00), c01, c02], [c01, sub(c11), c12], [c02, c12, sub(c22)]];
  const lengthOf = (v) => e.op('sqrt', sumOf(e, ...v.map(square)));
  const candidates = [[0, 1], [0, 2], [1, 2]].map(([i, j]) => crossOf(e, rows[i], rows[j]));
  let [best] = candidates, length = lengthOf(best);
  for (const next of candidates.slice(1)) {
    const size = lengthOf(next), isLonger = e.op('gt', size, length);
    best = best.map((x, i) => e.op('select', isLonger, next[i], x));
    length = e.op('max', size, length);
  }
  const isDefined = e.op('gt', length, e.constant(1e-12));
  const safe = e.op('select', isDefined, length, e.constant(1));
  return best.map((x, i) => e.op('select', isDefined, e.op('div', x, safe), e.constant(i === 0 ? 1 : 0)));
};

const eigenvalue = (e, entries) => {
  const value = valueOf(e, entries), [x, y, z] = vectorOf(e, entries, value);
  const twice = (a, b) => e.op('mul', e.constant(2), e.op('mul', a, b));
  const square = (a) => e.op('square', a);
  return { value, slopes: [square(x), twice(x, y), twice(x, z), square(y), twice(y, z), square(z)] };
};

module.exports = { eigenvalue, valueOf, numbers };
