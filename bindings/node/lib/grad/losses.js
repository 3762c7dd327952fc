// SPDX-License-Identifier: Apache-2.0
//
// losses.js - how far outputs are from targets, as one value.
//
// in     arrays of values of equal length
// out    a value: the mean over the elements
// knows  the formulas
// not    derivatives: those of the operators follow by themselves
'use strict';

const { V, Value } = require('./v.js');

const LIMIT = 1e-12;                // probabilities stay so far from 0 and 1

const check = (name, outputs, targets, what = 'Value[] for both arguments') => {
  if (!Array.isArray(outputs) || !Array.isArray(targets)) throw new TypeError(`${name} expects ${what}.`);
};

/** The mean of `loss` over pairs; 0 without any. */
const meanOf = (name, outputs, targets, loss) => {
  check(name, outputs, targets);
  if (outputs.length !== targets.length) throw new Error('Outputs and targets must have the same length');
  return outputs.length === 0 ? new Value(0) : V.mean(outputs.map((out, i) => loss(out, targets[i])));
};

class Losses {
  static EPS = LIMIT;

  static mse(outputs, targets) { return meanOf('mse', outputs, targets, (out, target) => V.square(V.sub(out, target))); }
  static mae(outputs, targets) { return meanOf('mae', outputs, targets, (out, target) => V.abs(V.sub(out, target))); }

  static binaryCrossEntropy(outputs, targets) {
    return meanOf('binaryCrossEntropy', outputs, targets, (out, target) => {
      const p = V.clamp(out, Losses.EPS, 1 - Losses.EPS);
      return V.neg(V.add(V.mul(target, V.log(p)), V.mul(V.sub(1, target), V.log(V.sub(1, p)))));
    });
  }

  /** `targets` are indices of outputs; outputs are logits. */
  static categoricalCrossEntropy(outputs, targets) {
    check('categoricalCrossEntropy', outputs, targets, 'Value[] and number[]');
    if (outputs.length === 0 || targets.length === 0) return new Value(0);
    if (!targets.every((t) => Number.isInteger(t) && t >= 0 && t < outputs.length)) {
      throw new Error('Target indices must be valid integers in [0, outputs.length)');
    }
    const largest = outputs.reduce((a, b) => (a.data > b.data ? a : b));
    const powers = outputs.map((out) => V.exp(V.sub(out, largest)));
    const total = V.add(V.sum(powers), Losses.EPS);
    return V.mean(targets.map((t) => V.neg(V.log(V.add(V.div(powers[t], total), Losses.EPS)))));
  }

  static huber(outputs, targets, delta = 1) {
    return meanOf('huber', outputs, targets, (out, target) => {
      const r = V.abs(V.sub(out, target));
      return V.ifThenElse(V.lt(r, delta), V.mul(0.5, V.square(r)), V.mul(delta, V.sub(r, 0.5 * delta)));
    });
  }

  static tukey(outputs, targets, c = 4.685) {
    const most = V.C(c * c / 6);
    return meanOf('tukey', outputs, targets, (out, target) => {
      const r = V.abs(V.sub(out, target)), inner = V.pow(V.sub(1, V.square(V.div(r, c))), 3);
      return V.ifThenElse(V.lte(r, c), V.mul(most, V.sub(1, inner)), most);
    });
  }
}

module.exports = { Losses };
