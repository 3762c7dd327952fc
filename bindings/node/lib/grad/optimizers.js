// SPDX-License-Identifier: Apache-2.0
//
// optimizers.js - steps along the gradient: SGD, Adam, AdamW.
//
// in     values with their grad
// out    the same values, changed by step()
// knows  the state that a method keeps for each value
// not    how gradients are computed
'use strict';

class Optimizer {
  constructor(trainables, learningRate) {
    this.trainables = trainables.filter((v) => v.requiresGrad);
    this.learningRate = learningRate;
  }
  step() { throw new Error('Optimizer.step: to be defined by the method'); }
  resetStateFor() {}
  zeroGrad() { for (const v of this.trainables) v.grad = 0; }
  /** Shortens the gradient of all values together to `maxNorm`. */
  clipGradients(maxNorm) {
    const norm = Math.sqrt(this.trainables.reduce((sum, v) => sum + v.grad * v.grad, 0));
    if (norm <= maxNorm) return;
    const scale = maxNorm / (norm + 1e-6);
    for (const v of this.trainables) v.grad *= scale;
  }
}

/** Takes weightDecay and gradientClip, and does not use them, as ScalarAutograd does. */
class SGD extends Optimizer {
  constructor(trainables, { learningRate = 1e-2 } = {}) { super(trainables, learningRate); }
  step() { for (const v of this.trainables) v.data -= this.learningRate * v.grad; }
}

class Adam extends Optimizer {
  #moments = new Map();             // value -> [mean of the gradient, of its square]
  #steps = 0;

  constructor(trainables, { learningRate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, gradientClip = 0 } = {}) {
    super(trainables, learningRate);
    Object.assign(this, { beta1, beta2, epsilon, weightDecay, gradientClip });
    for (const v of this.trainables) this.resetStateFor(v);
  }

  resetStateFor(value) { this.#moments.set(value, [0, 0]); }

  step() {
    const { beta1, beta2 } = this, steps = ++this.#steps;
    const first = 1 - beta1 ** steps, second = 1 - beta2 ** steps;
    for (const v of this.trainables) {
      const grad = this.gradientOf(v), state = this.#moments.get(v);
      state[0] = beta1 * state[0] + (1 - beta1) * grad;
      state[1] = beta2 * state[1] + (1 - beta2) * grad * grad;
      let update = state[0] / first / (Math.sqrt(state[1] / second) + this.epsilon);
      if (this.gradientClip > 0) update = Math.max(-this.gradientClip, Math.min(update, this.gradientClip));
      v.data -= this.learningRate * (update + this.decayOf(v));
    }
  }
  /** Weight decay is a part of the gradient here, of the step in AdamW. */
  gradientOf(v) { return this.weightDecay > 0 ? v.grad + this.weightDecay * v.data : v.grad; }
  decayOf() { return 0; }
}

class AdamW extends Adam {
  constructor(trainables, options = {}) { super(trainables, { weightDecay: 0.01, ...options }); }
  gradientOf(v) { return v.grad; }
  decayOf(v) { return this.weightDecay * v.data; }
}

module.exports = { Optimizer, SGD, Adam, AdamW };
