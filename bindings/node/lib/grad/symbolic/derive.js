// SPDX-License-Identifier: Apache-2.0
//
// derive.js - derivatives of formulas, as formulas.
//
// in     formulas
// out    formulas, not simplified
// knows  the rules of differentiation
// not    simplification: simplify.js
'use strict';

const { NumberNode, BinaryOpNode, UnaryOpNode, FunctionCallNode, VectorAccessNode, VectorConstructorNode, partsOf } = require('./ast.js');

const num = (value) => new NumberNode(value);
const op = (sign) => (a, b) => new BinaryOpNode(sign, a, b);
const add = op('+'), sub = op('-'), mul = op('*'), div = op('/'), pow = op('**');
const neg = (a) => new UnaryOpNode('-', a);
const call = (name, ...args) => new FunctionCallNode(name, args);
const square = (a) => pow(a, num(2));

/** Whether a formula has a variable, or a component such as 'v.x', in it. */
const dependsOn = (node, name) => {
  if (node.type === 'Variable') return node.name === name;
  if (node.type === 'VectorAccess' && node.vector.type === 'Variable' && `${node.vector.name}.${node.component}` === name) return true;
  return partsOf[node.type](node).some((part) => dependsOn(part, name));
};

// ---- functions ----

const root = (u) => call('sqrt', sub(num(1), square(u)));
/** f'(u) for functions of one argument. */
const slopes = {
  sin: (u) => call('cos', u),
  cos: (u) => neg(call('sin', u)),
  tan: (u) => div(num(1), square(call('cos', u))),
  exp: (u) => call('exp', u),
  log: (u) => div(num(1), u),
  ln: (u) => div(num(1), u),
  sqrt: (u) => div(num(1), mul(num(2), call('sqrt', u))),
  abs: (u) => call('sign', u),
  asin: (u) => div(num(1), root(u)),
  acos: (u) => neg(div(num(1), root(u))),
  atan: (u) => div(num(1), add(num(1), square(u))),
  sinh: (u) => call('cosh', u),
  cosh: (u) => call('sinh', u),
  tanh: (u) => sub(num(1), square(call('tanh', u))),
  sigmoid: (u) => mul(call('sigmoid', u), sub(num(1), call('sigmoid', u))),
  relu: (u) => call('heaviside', u),
};
const FLAT = ['sign', 'floor', 'ceil', 'round', 'heaviside'];

/** The components of a vector: of a variable, or as they were written. */
const componentsOf = (vector, wrt) => {
  if (vector.type === 'VectorConstructor') return vector.components;
  if (vector.type !== 'Variable') throw new Error('differentiation of a vector requires a vector variable');
  const axes = wrt === `${vector.name}.z` ? ['x', 'y', 'z'] : ['x', 'y'];
  return axes.map((axis) => new VectorAccessNode(vector, axis));
};
const sumOf = (terms) => (terms.length === 0 ? num(0) : terms.reduce(add));

const vectors = {
  magnitude: (wrt, v) => div(sumOf(along(v, wrt)), call('magnitude', v)),
  sqrMagnitude: (wrt, v) => mul(num(2), sumOf(along(v, wrt))),
};
/** Each component that depends on the variable, times its derivative. */
const along = (v, wrt) => componentsOf(v, wrt).filter((c) => dependsOn(c, wrt)).map((c) => {
  const slope = differentiate(c, wrt);
  return slope.type === 'Number' && slope.value === 1 ? c : mul(c, slope);
});

const pairs = {
  pow: (wrt, u, v) => differentiate(pow(u, v), wrt),
  min: (wrt, u, v) => chosen('min', wrt, u, v),
  max: (wrt, u, v) => chosen('max', wrt, u, v),
  atan2: (wrt, y, x) => {
    const size = add(square(x), square(y));
    return add(mul(div(x, size), differentiate(y, wrt)), mul(div(neg(y), size), differentiate(x, wrt)));
  },
  dot: (wrt, u, v) => {
    const [a, b] = [componentsOf(u, wrt), componentsOf(v, wrt)], count = Math.min(a.length, b.length);
    return sumOf(Array.from({ length: count }, (_, i) => differentiate(mul(a[i], b[i]), wrt)));
  },
};
/** d_min(u, v, du, dv) is du where u is smaller, else dv. */
const chosen = (name, wrt, u, v) => call(`d_${name}`, u, v, differentiate(u, wrt), differentiate(v, wrt));

const power = (wrt, u, v, du, dv) => {
  if (!dependsOn(v, wrt)) return dependsOn(u, wrt) ? mul(mul(v, pow(u, sub(v, num(1)))), du) : num(0);
  if (!dependsOn(u, wrt)) return mul(mul(pow(u, v), call('log', u)), dv);
  return mul(pow(u, v), add(mul(dv, call('log', u)), mul(v, div(du, u))));
};

const binary = {
  '+': (wrt, u, v, du, dv) => add(du, dv),
  '-': (wrt, u, v, du, dv) => sub(du, dv),
  '*': (wrt, u, v, du, dv) => add(mul(u, dv), mul(v, du)),
  '/': (wrt, u, v, du, dv) => div(sub(mul(v, du), mul(u, dv)), square(v)),
  '**': power, pow: power,
};

/** The derivative by one variable, as a visitor. */
class Differentiation {
  #wrt;
  constructor(wrt) { this.#wrt = wrt; }
  visitNumber() { return num(0); }
  visitVariable(node) { return num(node.name === this.#wrt ? 1 : 0); }
  visitUnaryOp({ op: sign, operand }) {
    const inner = operand.accept(this);
    return sign === '-' ? neg(inner) : inner;
  }
  visitBinaryOp({ op: sign, left, right }) {
    if (!Object.hasOwn(binary, sign)) throw new Error(`Unknown binary operator: ${sign}`);
    return binary[sign](this.#wrt, left, right, left.accept(this), right.accept(this));
  }
  visitFunctionCall({ name, args }) {
    if (args.length === 1) {
      if (FLAT.includes(name)) return num(0);
      if (Object.hasOwn(vectors, name)) return vectors[name](this.#wrt, args[0]);
      if (!Object.hasOwn(slopes, name)) throw new Error(`Unknown function: ${name}`);
      return mul(slopes[name](args[0]), args[0].accept(this));
    }
    if (args.length !== 2) throw new Error(`Unsupported function arity: ${name} with ${args.length} args`);
    if (!Object.hasOwn(pairs, name)) throw new Error(`Unknown 2-arg function: ${name}`);
    return pairs[name](this.#wrt, ...args);
  }
  visitVectorAccess({ vector, component }) {
    if (vector.type === 'VectorConstructor') return vector.components['xyz'.indexOf(component)].accept(this);
    if (vector.type !== 'Variable') throw new Error('VectorAccess differentiation only supported for variable vectors');
    return num(`${vector.name}.${component}` === this.#wrt ? 1 : 0);
  }
  visitVectorConstructor({ vectorType, components }) {
    return new VectorConstructorNode(vectorType, components.map((c) => c.accept(this)));
  }
}

const differentiate = (node, wrt) => node.accept(new Differentiation(wrt));

/** The derivatives of a program's output, by name; with those by the variables in between. */
const computeGradients = (program, parameters) => {
  const known = new Map(program.assignments.map(({ variable, expression }) => [variable, expression]));
  if (!known.has(program.output)) throw new Error(`Output variable '${program.output}' not found`);
  const gradients = new Map([[program.output, num(1)]]);
  const order = [...known.keys()].reverse();
  for (const variable of order) {
    const gradient = gradients.get(variable);
    if (gradient === undefined) continue;
    const expression = known.get(variable);
    for (const name of new Set([...parameters, ...order])) {
      if (name === variable || !dependsOn(expression, name)) continue;
      const term = mul(gradient, differentiate(expression, name)), before = gradients.get(name);
      gradients.set(name, before ? add(before, term) : term);
    }
  }
  return gradients;
};

module.exports = { differentiate, computeGradients };
