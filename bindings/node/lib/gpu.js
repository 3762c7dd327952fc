// SPDX-License-Identifier: Apache-2.0
//
// gpu.js - GPU and GPUAdapter: the way to a device.
//
// in     the options of create()
// out    GPU, GPUAdapter
// knows  which requests resolve to null, and which are rejected with what
// not    devices, once they are open
'use strict';

const { create, defineInterface, presetFrom } = require('./webidl.js');
const { native, expect, watch, watchWith } = require('./native.js');
const d = require('./dictionaries.js');
const { codes } = require('./enums.js');
const support = require('./support.js');
const { operationError } = require('./errors.js');
const { prepareDevice, openDevice } = require('./device.js');
const { readOptions } = require('./options.js');

const SUCCESS = 1, UNAVAILABLE = 3;             // WGPURequestAdapterStatus
const LEVELS = { core: 2, compatibility: 1 };   // WGPUFeatureLevel

// ---- adapters ----

const newAdapter = (gpu, handle) => create('GPUAdapter', {
  handle,
  gpu,
  features: support.features(native.adapterFeatures(handle)),
  limits: support.limits(native.adapterLimits(handle)),
  info: support.info(native.adapterInfo(handle)),
});

const requestAdapter = (gpu, { featureLevel, powerPreference, forceFallbackAdapter, xrCompatible }) => new Promise((resolve, reject) => {
  if (!Object.hasOwn(LEVELS, featureLevel)) { resolve(null); return; }
  const { backend, adapterName } = gpu.options;
  native.requestAdapter(gpu.handle, LEVELS[featureLevel], powerPreference ? codes.GPUPowerPreference[powerPreference] : 0,
    forceFallbackAdapter, xrCompatible, backend, adapterName,
    expect(gpu, (status, detail, text, handle) => {
      if (status === SUCCESS) resolve(newAdapter(gpu, handle));
      else if (status === UNAVAILABLE) resolve(null);
      else reject(operationError(text));
    }));
});

const isAlignment = (name) => name.startsWith('min');
const isPowerOfTwo = (n) => n > 0 && n < 2 ** 32 && (n & (n - 1)) === 0;

const limitFault = (name, value, best) => {
  if (best === undefined) return `there is no limit '${name}'`;
  if (isAlignment(name)) {
    if (value < best) return `${name} is ${value}, the adapter has ${best} at least`;
    return isPowerOfTwo(value) ? undefined : `${name} is ${value}, which is not a power of 2 below 2^32`;
  }
  return value > best ? `${name} is ${value}, the adapter has ${best} at most` : undefined;
};

/** Values in the order of the addon, undefined where there is no wish. */
const limitWishes = (adapter, wishes) => {
  const values = new Array(support.limitNames.length).fill(undefined);
  for (const [name, value] of wishes) {
    if (value === undefined) continue;
    const at = support.limitIndex.get(name);
    const fault = limitFault(name, value, at === undefined ? undefined : adapter.limits[name]);
    if (fault !== undefined) throw operationError(`GPUAdapter.requestDevice(): ${fault}.`);
    values[at] = value;
  }
  return values;
};

const requestDevice = (adapter, { label, requiredFeatures, requiredLimits, defaultQueue }) => {
  for (const feature of requiredFeatures) {
    if (!adapter.features.has(feature)) throw new TypeError(`GPUAdapter.requestDevice(): the adapter lacks the feature '${feature}'.`);
  }
  if (adapter.consumed) throw operationError('GPUAdapter.requestDevice(): the adapter has opened a device already.');
  const limits = limitWishes(adapter, requiredLimits);
  const { threads, lanes, deadlineNS } = adapter.gpu.options;
  adapter.consumed = true;
  return new Promise((resolve, reject) => {
    const device = prepareDevice(adapter.gpu, watch(), label);
    watchWith(device.token, device);
    const token = expect(adapter, (status, detail, text, handle) => {
      if (status === SUCCESS) resolve(openDevice(device, handle, defaultQueue.label));
      else reject(operationError(text));
    });
    native.requestDevice(adapter.handle, label, defaultQueue.label, requiredFeatures.map((f) => codes.GPUFeatureName[f]),
      limits, threads, lanes, deadlineNS, token, device.token);
  });
};

const GPUAdapter = defineInterface('GPUAdapter', {
  attributes: {
    features: (adapter) => adapter.features,
    limits: (adapter) => adapter.limits,
    info: (adapter) => adapter.info,
  },
  methods: { requestDevice: { args: [presetFrom(d.GPUDeviceDescriptor)], run: requestDevice, promise: true } },
});

// ---- the root ----

const GPU = defineInterface('GPU', {
  attributes: { wgslLanguageFeatures: (gpu) => gpu.languageFeatures },
  methods: {
    requestAdapter: { args: [presetFrom(d.GPURequestAdapterOptions)], run: requestAdapter, promise: true },
    getPreferredCanvasFormat: { run: () => 'bgra8unorm' },
  },
});

/** A GPU with an instance of the library of its own. */
const createGPU = (given) => {
  const options = readOptions(given);
  const handle = native.instanceCreate(options.cacheMode, options.cacheDirectory);
  return create('GPU', { handle, options, languageFeatures: support.languageFeatures(native.instanceFeatures(handle)) });
};

module.exports = { GPU, GPUAdapter, createGPU };
