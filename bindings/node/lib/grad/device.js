// SPDX-License-Identifier: Apache-2.0
//
// device.js - where compiled functions run.
//
// in     'cpu', 'gpu', 'auto', 'vulkan', or a Context
// out    a context, the precision of kernels there, and why it was chosen
// knows  that f64 is what the CPU device always has
// not    what runs
'use strict';

const { Context, whyUnavailable } = require('../context.js');
const { invalid } = require('../weft-error.js');

const BACKENDS = ['cpu', 'gpu', 'auto', 'vulkan'];
const PRECISIONS = ['f64', 'f32', 'mixed'];

const opened = new Map();           // adapter -> Context
const open = (adapter) => {
  let context = opened.get(adapter);
  if (context === undefined || context.isDisposed) opened.set(adapter, context = new Context({ adapter }));
  return context;
};
const hardware = () => (whyUnavailable({ adapter: 'gpu' }) === null ? open('gpu') : undefined);

/** { context, backend, reason } of a choice. */
const choose = (backend) => {
  if (backend instanceof Context) return { context: backend, backend: backend.device?.backend ?? 'none', reason: 'the given context' };
  if (backend === 'vulkan') return { context: open('vulkan'), backend, reason: 'asked for' };
  if (backend === 'cpu') return { context: open('cpu'), backend, reason: 'asked for' };
  const gpu = hardware();
  if (gpu === undefined) return { context: open('cpu'), backend: 'cpu', reason: whyUnavailable({ adapter: 'gpu' }) };
  if (backend === 'auto' && !gpu.device.f64) return { context: open('cpu'), backend: 'cpu', reason: `the GPU '${gpu.device.name}' has no f64` };
  return { context: gpu, backend: 'gpu', reason: gpu.device.reason };
};

const defaults = { backend: 'cpu', batchSize: Infinity, fallbackThreshold: undefined, precision: undefined };
let chosen = { ...defaults };

const check = (options) => {
  const { backend, batchSize, fallbackThreshold, precision } = options;
  for (const name of Object.keys(options)) if (!Object.hasOwn(defaults, name)) throw invalid(`there is no option '${name}'`, [name]);
  if (!(backend instanceof Context) && !BACKENDS.includes(backend)) throw invalid(`backend: expected one of ${BACKENDS.join(', ')}, or a Context`, ['backend']);
  if (!(batchSize === Infinity || (Number.isInteger(batchSize) && batchSize > 0))) throw invalid('batchSize: expected a whole number above 0', ['batchSize']);
  if (fallbackThreshold !== undefined && !(fallbackThreshold >= 0)) throw invalid('fallbackThreshold: expected a number of instances', ['fallbackThreshold']);
  if (precision !== undefined && !PRECISIONS.includes(precision)) throw invalid(`precision: expected one of ${PRECISIONS.join(', ')}`, ['precision']);
};

const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Where and how to run, for the options of compile(). */
const place = (options) => {
  const all = { ...chosen, ...given(options) };
  check(all);
  const where = choose(all.backend);
  const hasF64 = where.context.device?.f64 ?? false;
  return { ...where, batchSize: all.batchSize, precision: all.precision ?? (hasF64 ? 'f64' : 'mixed'),
    threshold: thresholdOf(all.fallbackThreshold) };
};

/** 0 of the addon means "measured", and Infinity "always dispatch". */
const thresholdOf = (instances) => {
  if (instances === undefined) return 0;
  return instances === 0 ? Infinity : Math.min(Math.ceil(instances), Number.MAX_SAFE_INTEGER);
};

/** Functions that are compiled from now on run on a GPU, if there is one. Gives its description, or that
 * of the CPU device in its place. */
const enableGPU = (options = {}) => {
  const all = { ...defaults, backend: 'gpu', ...given(options) };
  check(all);
  const { context } = choose(all.backend);
  chosen = all;
  return context.device;
};
const disableGPU = () => { chosen = { ...defaults }; };

module.exports = { place, enableGPU, disableGPU };
