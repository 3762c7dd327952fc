// SPDX-License-Identifier: Apache-2.0
//
// v.js - V: operators as functions of values and numbers; the same as methods of Value.
//
// in     values, numbers
// out    V; Value with its methods
// knows  which operators take numbers
// not    how they compute: arithmetic.js
'use strict';

const { Value, asValue, constant } = require('./value.js');
const { rules } = require('./rules.js');
const ops = require('./arithmetic.js');

const CONSTANT_LIMIT = 10000;       // constants that are one object each
const constants = new Map();

const unary = ['abs', 'exp', 'floor', 'ceil', 'round', 'square', 'cube', 'neg', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan',
  'relu', 'softplus', 'tanh', 'sigmoid', 'sign', 'sqrt'];
const binary = ['add', 'sub', 'mul', 'mod', 'min', 'max', 'eq', 'neq', 'gt', 'lt', 'gte', 'lte'];

class V {
  /** A number that does not change. Equal ones are one object. */
  static C(value, label = '') {
    let known = constants.get(value);
    if (known === undefined) {
      known = constant(value, label);
      if (constants.size < CONSTANT_LIMIT) constants.set(value, known);
    }
    return known;
  }
  /** A number that is to be found: it has a derivative. */
  static W(value, label = '') { return new Value(value, label, true); }
  /** A number that may be changed between evaluations, without a derivative. */
  static Param(value, paramName) {
    const made = new Value(value, paramName, false);
    made.paramName = paramName;
    return made;
  }

  static div(a, b, eps) { return ops.div(asValue(a), asValue(b), eps); }
  static pow(a, exponent) { return ops.pow(asValue(a), exponent); }
  static powValue(a, b, eps) { return ops.powValue(asValue(a), asValue(b), eps); }
  static log(a, eps) { return ops.log(asValue(a), eps); }
  static reciprocal(a, eps) { return ops.reciprocal(asValue(a), eps); }
  static clamp(a, min, max) { return ops.clamp(asValue(a), min, max); }
  static sum(values) { return ops.sum(values.map(asValue)); }
  static mean(values) { return ops.mean(values.map(asValue)); }
  static ifThenElse(condition, then, otherwise) { return ops.ifThenElse(asValue(condition), asValue(then), asValue(otherwise)); }

  static nonlinearLeastSquares(params, residuals, options) {
    return require('./least-squares.js').nonlinearLeastSquares(params, residuals, options);
  }
  static nonlinearLeastSquaresAsync(params, residuals, options) {
    return require('./least-squares.js').nonlinearLeastSquaresAsync(params, residuals, options);
  }
  /** One function, for lbfgs(). */
  static compileObjective(params, objective, options) {
    return require('./compiled.js').CompiledResiduals.compile(params, (p) => [objective(p)], options);
  }
}
for (const name of unary) { const op = ops[name]; V[name] = (a) => op(asValue(a)); }
for (const name of binary) { const op = ops[name]; V[name] = (a, b) => op(asValue(a), asValue(b)); }

// ---- the same as methods ----

const method = (name, call) => Object.defineProperty(Value.prototype, name, { value: call, writable: true, configurable: true });
for (const name of unary) if (name !== 'sqrt') { const op = ops[name]; method(name, function () { return op(this); }); }
for (const name of binary) { const op = ops[name]; method(name, function (other) { return op(this, asValue(other)); }); }
method('div', function (other) { return ops.div(this, asValue(other)); });
method('pow', function (exponent) { return ops.pow(this, exponent); });
method('powValue', function (other) { return ops.powValue(this, asValue(other)); });
method('log', function () { return ops.log(this); });
method('reciprocal', function () { return ops.reciprocal(this); });
method('clamp', function (min, max) { return ops.clamp(this, min, max); });
Value.sum = ops.sum;
Value.mean = ops.mean;

/** The operator as an expression of JavaScript, with the texts of its arguments. */
method('getForwardCode', function (codes) {
  if (this.paramName) return this.paramName;
  return rules[this._op]?.js?.(codes, this) ?? String(this.data);
});
/** Statements that add to the variables `childGrads` what the variable `grad` gives them. */
method('getBackwardCode', function (grad, childGrads, childCodes) {
  return rules[this._op]?.jsBack?.(grad, childGrads, childCodes, this) ?? '';
});

module.exports = { V, Value };
