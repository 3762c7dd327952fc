// SPDX-License-Identifier: Apache-2.0
//
// lbfgs.js - minimisation by L-BFGS, with the options, the line search and the reasons of ScalarAutograd.
//
// in     parameters; the function as such or compiled
// out    the parameters, changed; { success, iterations, finalCost, convergenceReason, computationTime,
//        functionEvaluations }
// knows  the two loops, and a search that only shortens steps
// not    evaluation: program.js
'use strict';

const { programOf } = require('./compiled.js');
const { gradientOf } = require('./program.js');
const { dot, normOf } = require('./linear.js');
const { now, later } = require('./drive.js');

const CURVATURE_LIMIT = 1e-10;      // pairs of less curvature are not kept

const defaults = {
  maxIterations: 100, costTolerance: 1e-6, gradientTolerance: 1e-6, historySize: 10, maxLineSearchSteps: 20,
  c1: 1e-4, c2: 0.9, initialStepSize: 1, verbose: false, onStepAccepted: undefined,
};

const inner = (a, b) => dot(a, 0, b, 0, a.length);

/** A function of (isLater) that gives { cost, gradient } at the present data. Arrays that are not used any
 * more come back by `spare`: large ones make the collector work. */
const sourceOf = (params, objective, spare) => {
  const program = programOf(objective);
  const convert = ({ value, gradient }) => ({ cost: value, gradient });
  if (program !== undefined) return (isLater) => (isLater ? program.sumAsync().then(convert) : convert(program.sum(spare.pop())));
  if (typeof objective !== 'function') throw new TypeError('lbfgs: expected a function or compiled functions');
  return () => {
    const root = objective(params);
    return { cost: root.data, gradient: gradientOf(root, params) };
  };
};

/** d becomes minus the gradient times the approximate inverse of the Hessian. */
const directionOf = (d, gradient, history) => {
  const along = [];
  for (let k = 0; k < d.length; k++) d[k] = -gradient[k];
  for (let i = history.length - 1; i >= 0; i--) {
    const { s, y, rho } = history[i], a = along[i] = rho * inner(s, d);
    for (let k = 0; k < d.length; k++) d[k] -= a * y[k];
  }
  if (history.length > 0) {
    const { s, y } = history.at(-1), size = inner(y, y), scale = size > 0 ? inner(s, y) / size : 1;
    for (let k = 0; k < d.length; k++) d[k] *= scale;
  }
  for (let i = 0; i < history.length; i++) {
    const { s, y, rho } = history[i], a = along[i] - rho * inner(y, d);
    for (let k = 0; k < d.length; k++) d[k] += a * s[k];
  }
};

const isFinite = ({ cost, gradient }) => {
  for (let k = 0; k < gradient.length; k++) if (!Number.isFinite(gradient[k])) return false;
  return Number.isFinite(cost);
};

const dataOf = (params, x = new Float64Array(params.length)) => {
  for (let k = 0; k < x.length; k++) x[k] = params[k].data;
  return x;
};

/** Shortens the step until both conditions of Wolfe hold. { length: 0 } where they never do. */
function* lineSearch(params, from, direction, source, at, length, options, spare) {
  const slope = inner(at.gradient, direction);
  if (slope >= 0) return { length: 0, evaluations: 0 };
  for (let i = 0; i < options.maxLineSearchSteps; i++) {
    for (let k = 0; k < params.length; k++) params[k].data = from[k] + length * direction[k];
    const next = yield source;
    if (!isFinite(next)) { spare.push(next.gradient); length *= 0.1; continue; }
    const isLower = next.cost <= at.cost + options.c1 * length * slope, slopeThere = inner(next.gradient, direction);
    if (isLower && Math.abs(slopeThere) <= options.c2 * Math.abs(slope)) return { length, next, evaluations: i + 1 };
    spare.push(next.gradient);
    length *= !isLower || slopeThere > 0 ? 0.5 : 0.8;
  }
  for (let k = 0; k < params.length; k++) params[k].data = from[k];
  return { length: 0, evaluations: options.maxLineSearchSteps };
}

/** Keeps the step and the change of the gradient; `free` has a pair that was dropped. */
const remember = (history, free, x, before, at, last, size) => {
  const pair = free.pop() ?? { s: new Float64Array(x.length), y: new Float64Array(x.length), rho: 0 }, { s, y } = pair;
  for (let k = 0; k < x.length; k++) { s[k] = x[k] - before[k]; y[k] = at.gradient[k] - last.gradient[k]; }
  const curvature = inner(s, y);
  if (Math.abs(curvature) <= CURVATURE_LIMIT) { free.push(pair); return; }
  pair.rho = 1 / curvature;
  history.push(pair);
  if (history.length > size) free.push(history.shift());
};

const converged = (at, last, options) => {
  if (normOf(at.gradient) < options.gradientTolerance) return 'Gradient tolerance reached';
  if (Math.abs(last.cost - at.cost) < options.costTolerance) return 'Cost tolerance reached';
  return at.cost < options.costTolerance ? 'Cost below threshold' : undefined;
};

function* minimise(params, source, options, spare) {
  const start = performance.now(), history = [], free = [], direction = new Float64Array(params.length);
  let at = yield source, evaluations = 1, x = dataOf(params), before = new Float64Array(params.length);
  const end = (success, iterations, convergenceReason) => ({ success, iterations, finalCost: at.cost, convergenceReason,
    computationTime: performance.now() - start, functionEvaluations: evaluations });
  const say = (iteration, more) => console.log(`Iteration ${iteration}: cost=${at.cost.toFixed(6)}, ||∇||=${normOf(at.gradient).toExponential(2)}${more}`);
  if (options.verbose) say(0, '');
  if (normOf(at.gradient) < options.gradientTolerance) return end(true, 0, 'Initial gradient below tolerance');
  for (let iteration = 0; iteration < options.maxIterations; iteration++) {
    directionOf(direction, at.gradient, history);
    const found = yield* lineSearch(params, x, direction, source, at, iteration === 0 ? options.initialStepSize : 1, options, spare);
    evaluations += found.evaluations;
    if (found.length === 0) return end(false, iteration, 'Line search failed to find acceptable step');
    const last = at;
    at = found.next;
    options.onStepAccepted?.();
    [before, x] = [x, dataOf(params, before)];
    remember(history, free, x, before, at, last, options.historySize);
    if (options.verbose) say(iteration + 1, `, α=${found.length.toFixed(4)}, history=${history.length}`);
    const reason = converged(at, last, options);
    if (reason !== undefined) return end(true, iteration + 1, reason);
    spare.push(last.gradient);
  }
  return end(false, options.maxIterations, 'Maximum iterations reached');
}

const prepare = (params, objective, given = {}) => {
  const options = { ...defaults };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) options[name] = value;
  const { c1, c2 } = options;
  if (!(c1 > 0 && c1 < 1)) throw new Error(`c1 must be in (0, 1), got ${c1}`);
  if (!(c2 > c1 && c2 < 1)) throw new Error(`c2 must be in (c1, 1), got ${c2}`);
  const spare = [];
  return minimise(params, sourceOf(params, objective, spare), options, spare);
};

const lbfgs = (params, objective, options) => now(prepare(params, objective, options));
const lbfgsAsync = async (params, objective, options) => later(prepare(params, objective, options));

module.exports = { lbfgs, lbfgsAsync };
