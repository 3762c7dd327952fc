// SPDX-License-Identifier: Apache-2.0
//
// least-squares.js - Levenberg-Marquardt, with the options, the order of tests and the reasons of
// ScalarAutograd.
//
// in     parameters; residuals as a function or compiled
// out    the parameters, changed; { success, iterations, finalCost, convergenceReason, computationTime }
// knows  damping and line searches
// not    linear algebra: linear.js; evaluation: program.js
'use strict';

const { propagate, walk } = require('./value.js');
const { programOf } = require('./compiled.js');
const { solveStep, transposeTimes, normOf } = require('./linear.js');
const { now, later } = require('./drive.js');

const MIN_DAMPING = 1e-10, MAX_DAMPING = 1e10;

const defaults = {
  maxIterations: 100, costTolerance: 1e-6, paramTolerance: 1e-6, gradientTolerance: 1e-6, lineSearchSteps: 10,
  initialDamping: 1e-3, adaptiveDamping: true, dampingIncreaseFactor: 10, dampingDecreaseFactor: 10,
  maxInnerIterations: 10, useQR: false, trustRegionRadius: Infinity, verbose: false,
};

const costOf = (residuals) => {
  let cost = 0;
  for (let i = 0; i < residuals.length; i++) cost += residuals[i] * residuals[i];
  return cost;
};

// ---- residuals: recorded anew for each evaluation, or compiled ----

/** The sparse row of one recorded residual. */
const rowOf = (root, places, columns, values) => {
  const order = walk(root);
  for (const node of order) node.grad = 0;
  propagate(root, order);
  for (const node of order) {
    const place = places.get(node);
    if (place === undefined || !node.requiresGrad) continue;
    columns.push(place);
    values.push(node.grad);
  }
};

const recorded = (params, fn) => {
  const places = new Map(params.map((p, i) => [p, i]));
  const jacobian = () => {
    const roots = fn(params), start = [0], columns = [], values = [];
    for (const root of roots) {
      rowOf(root, places, columns, values);
      start.push(columns.length);
    }
    const residuals = Float64Array.from(roots, (root) => root.data);
    return { residuals, rows: { start, columns, values, width: params.length } };
  };
  return { jacobian, values: () => Float64Array.from(fn(params), (root) => root.data) };
};

const compiled = (program) => ({
  jacobian: (isLater) => (isLater ? program.jacobianAsync() : program.jacobian()),
  values: (isLater) => (isLater ? program.valuesAsync() : program.values()),
});

// ---- the solver ----

const moveTo = (params, from, step, length = 1) => {
  for (let i = 0; i < params.length; i++) params[i].data = from[i] + length * step[i];
};

const moveBack = (params, to) => params.forEach((p, i) => { p.data = to[i]; });

/** Halves the step until the cost is below; 0: it never was, and the parameters are back. */
function* lineSearch(params, step, source, cost, steps) {
  const from = params.map((p) => p.data);
  for (let i = 0, length = 1; i < steps; i++, length /= 2) {
    moveTo(params, from, step, length);
    if (costOf(yield source.values) < cost) return length;
  }
  moveBack(params, from);
  return 0;
}

/** One step with damping that suits it. { reason, success } ends the solve. */
function* takeStep(params, source, { residuals, rows }, cost, state, options) {
  for (let inner = 0; inner < options.maxInnerIterations; inner++) {
    let step;
    try {
      step = solveStep(rows, residuals, options.adaptiveDamping ? state.damping : 0, options.useQR);
    } catch (error) {
      return { success: false, reason: `Linear solver failed: ${error}` };
    }
    let length = normOf(step);
    if (length > options.trustRegionRadius) {
      const scale = options.trustRegionRadius / length;
      step = step.map((x) => x * scale);
      length = options.trustRegionRadius;
    }
    if (length < options.paramTolerance) return { success: true, reason: 'Parameter tolerance reached' };
    if (!options.adaptiveDamping) {
      const taken = yield* lineSearch(params, step, source, cost, options.lineSearchSteps);
      return taken === 0 ? { success: false, reason: 'Line search failed' } : undefined;
    }
    const from = params.map((p) => p.data);
    moveTo(params, from, step);
    if (costOf(yield source.values) < cost) {
      state.damping = Math.max(state.damping / options.dampingDecreaseFactor, MIN_DAMPING);
      return undefined;
    }
    moveBack(params, from);
    state.damping = Math.min(state.damping * options.dampingIncreaseFactor, MAX_DAMPING);
  }
  return { success: false, reason: 'Damping adjustment failed' };
}

/** Why the solve is over before a step is taken; undefined: it is not. */
const converged = (gradientNorm, cost, before, options) => {
  if (gradientNorm < options.gradientTolerance) return 'Gradient tolerance reached';
  if (Math.abs(before - cost) < options.costTolerance) return 'Cost tolerance reached';
  return cost < options.costTolerance ? 'Cost below threshold' : undefined;
};

const say = (iteration, cost, gradientNorm, damping) => {
  console.log(`Iteration ${iteration}: cost=${cost.toPrecision(6)}, ||∇||=${gradientNorm.toExponential(2)}, λ=${damping.toExponential(1)}`);
};

function* solve(params, source, options) {
  const start = performance.now(), state = { damping: options.initialDamping };
  const end = (success, iterations, finalCost, convergenceReason) => (
    { success, iterations, finalCost, convergenceReason, computationTime: performance.now() - start });
  let before = Infinity;
  for (let iteration = 0; iteration < options.maxIterations; iteration++) {
    const at = yield source.jacobian, cost = costOf(at.residuals);
    const gradientNorm = normOf(transposeTimes(at.rows, at.residuals));
    if (options.verbose) say(iteration, cost, gradientNorm, state.damping);
    const reason = converged(gradientNorm, cost, before, options);
    if (reason !== undefined) return end(true, iteration, cost, reason);
    const stopped = yield* takeStep(params, source, at, cost, state, options);
    if (stopped !== undefined) return end(stopped.success, iteration, cost, stopped.reason);
    before = cost;
  }
  return end(false, options.maxIterations, costOf(yield source.values), 'Max iterations reached');
}

const prepare = (params, residuals, given = {}) => {
  const program = programOf(residuals);
  if (program === undefined && typeof residuals !== 'function') throw new TypeError('nonlinearLeastSquares: expected a function or compiled residuals');
  const options = { ...defaults };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) options[name] = value;
  return solve(params, program ? compiled(program) : recorded(params, residuals), options);
};

const nonlinearLeastSquares = (params, residuals, options) => now(prepare(params, residuals, options));
const nonlinearLeastSquaresAsync = async (params, residuals, options) => later(prepare(params, residuals, options));

module.exports = { nonlinearLeastSquares, nonlinearLeastSquaresAsync };
