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
  options: gpu.options,
  features: support.features(native.adapterFeatures(handle)),
  limits: support.limits(native.adapterLimits(handle)),
  info: support.info(native.adapterInfo(handle)),
});

const requestAdapter = (gpu, { featureLevel, powerPreference, forceFallbackAdapter, xrCompatible }) => new Promise((resolve, reject) => {
  if (!Object.hasOwn(LEVELS, featureLevel)) { resolve(null); return; }
  const { backend, adapterName } = gpu.options;
  native.requestAdapter(gpu.handle, LEVELS[featureLevel], powerPreference ? codes.GPUPowerPreference[powerPreference] : 0,
    forceFallbackAdapter, xrCompatible, backend, adapterName,
    expect((status, detail, text, handle) => {
      if (status === SUCCESS) resolve(newAdapter(gpu, handle));
      else if (status === UNAVAILABLE) resolve(null);
      else reject(operationError(text));
    }));
});

/** Values in the order of the addon, undefined where there is no wish. */
const limitWishes = (wishes) => {
  const values = new Array(support.limitNames.length).fill(undefined);
  for (const [name, value] of wishes) {
    if (value === undefined) continue;
    const at = support.limitIndex.get(name);
    if (at === undefined) throw operationError(`GPUAdapter.requestDevice(): there is no limit '${name}'.`);
    values[at] = value;
  }
  return values;
};

const requestDevice = (adapter, { label, requiredFeatures, requiredLimits, defaultQueue }) => {
  for (const feature of requiredFeatures) {
    if (!adapter.features.has(feature)) throw new TypeError(`GPUAdapter.requestDevice(): the adapter lacks the feature '${feature}'.`);
  }
  const limits = limitWishes(requiredLimits);
  const { threads, lanes, deadlineNS } = adapter.options;
  return new Promise((resolve, reject) => {
    const device = prepareDevice(watch(), label);
    watchWith(device.token, device);
    const token = expect((status, detail, text, handle) => {
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
