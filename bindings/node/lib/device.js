// SPDX-License-Identifier: Apache-2.0
//
// device.js - GPUDevice: the maker of everything, its loss, its errors.
//
// in     a handle from the addon, events about it
// out    GPUDevice
// knows  error scopes, the promise `lost`, the event `uncapturederror`
// not    how the objects it makes work
'use strict';

const { getEventListeners } = require('node:events');
const { adopt, create, isObject, presetFrom } = require('./webidl.js');
const { native, expect, unwatch } = require('./native.js');
const d = require('./dictionaries.js');
const { codes, types: e } = require('./enums.js');
const support = require('./support.js');
const { defineObject } = require('./object.js');
const { errorOf, operationError, GPUUncapturedErrorEvent } = require('./errors.js');
const { createBuffer, endMapsOf } = require('./buffer.js');
const binding = require('./binding.js');
const pipeline = require('./pipeline.js');
const { createCommandEncoder } = require('./command.js');
const render = require('./render.js');
require('./queue.js');
const { newWork } = require('./work.js');

const DESTROYED = 2;            // WGPUDeviceLostReason

// ---- errors ----

const report = (device, error) => {
  const target = device.self;
  if (getEventListeners(target, 'uncapturederror').length === 0) {
    process.emitWarning(error.message, error[Symbol.toStringTag]);
    return;
  }
  target.dispatchEvent(new GPUUncapturedErrorEvent('uncapturederror', { error, cancelable: true }));
};

const popErrorScope = (device) => new Promise((resolve, reject) => {
  native.popErrorScope(device.handle, expect(device, (status, type, text) => {
    if (status === 1) resolve(errorOf(type, text));
    else reject(operationError(text || 'There is no error scope to pop.'));
  }));
});

/** The attribute is a listener of its own, with the place of its first assignment. */
const setHandler = (device, handler) => {
  const { self } = device;
  if (handler === null && device.listener) {
    self.removeEventListener('uncapturederror', device.listener);
    device.listener = undefined;
  } else if (handler !== null && !device.listener) {
    device.listener = (event) => {
      if (typeof device.handler === 'function' && device.handler.call(self, event) === false) event.preventDefault();
    };
    self.addEventListener('uncapturederror', device.listener);
  }
  device.handler = handler;
};

// ---- the end ----

const lose = (device, reason, message) => {
  if (device.isLost) return;
  device.isLost = true;
  if (device.ending) native.hold(false);
  unwatch(device.token);
  device.resolveLost(create('GPUDeviceLostInfo', { reason: reason === DESTROYED ? 'destroyed' : 'unknown', message }));
};

// Work that is under way ends first; the process waits for the news.
const destroy = (device) => {
  endMapsOf(device);
  if (!device.isLost && !device.ending) {
    device.ending = true;
    native.hold(true);
  }
  native.deviceDestroy(device.handle);
};

// ---- the interface ----

const makes = (run, type) => ({ args: [type], run });

const GPUDevice = defineObject('GPUDevice', {
  parent: EventTarget,
  attributes: {
    features: (device) => device.features,
    limits: (device) => device.limits,
    adapterInfo: (device) => device.adapterInfo,
    queue: (device) => device.queue,
    lost: (device) => device.lost,
    onuncapturederror: {
      get: (device) => device.handler,
      set: setHandler,
      type: (value) => (isObject(value) ? value : null),
    },
  },
  methods: {
    destroy: { run: destroy },
    createBuffer: makes(createBuffer, d.GPUBufferDescriptor),
    createTexture: makes(render.createTexture, d.GPUTextureDescriptor),
    createSampler: makes(render.createSampler, presetFrom(d.GPUSamplerDescriptor)),
    importExternalTexture: makes(() => undefined, d.GPUExternalTextureDescriptor),
    createBindGroupLayout: makes(binding.createBindGroupLayout, d.GPUBindGroupLayoutDescriptor),
    createPipelineLayout: makes(binding.createPipelineLayout, d.GPUPipelineLayoutDescriptor),
    createBindGroup: makes(binding.createBindGroup, d.GPUBindGroupDescriptor),
    createShaderModule: makes(pipeline.createShaderModule, d.GPUShaderModuleDescriptor),
    createComputePipeline: makes(pipeline.createComputePipeline, d.GPUComputePipelineDescriptor),
    createRenderPipeline: makes(render.createRenderPipeline, d.GPURenderPipelineDescriptor),
    createComputePipelineAsync: { ...makes(pipeline.createComputePipelineAsync, d.GPUComputePipelineDescriptor), promise: true },
    createRenderPipelineAsync: { ...makes(render.createRenderPipelineAsync, d.GPURenderPipelineDescriptor), promise: true },
    createCommandEncoder: makes(createCommandEncoder, presetFrom(d.GPUCommandEncoderDescriptor)),
    createRenderBundleEncoder: makes(render.createRenderBundleEncoder, d.GPURenderBundleEncoderDescriptor),
    createQuerySet: makes(binding.createQuerySet, d.GPUQuerySetDescriptor),
    pushErrorScope: { args: [e.GPUErrorFilter], run: (device, filter) => native.pushErrorScope(device.handle, codes.GPUErrorFilter[filter]) },
    popErrorScope: { run: popErrorScope, promise: true },
  },
});

/** What the addon tells about a device: detail 0 its loss, 1 an uncaptured error. */
function notice(status, detail, text) {
  if (detail === 0) lose(this, status, text);
  else report(this, errorOf(status, text));
}

/** The state of a device that is being opened; it hears events from now on. The library
 * ends with its instance, so `gpu`, the state of a GPU, is kept. */
const prepareDevice = (gpu, token, label) => {
  const state = { interface: 'GPUDevice', gpu, token, label, mapped: new Set(), handler: null, isLost: false, notice };
  state.lost = new Promise((resolve) => { state.resolveLost = resolve; });
  return state;
};

const openDevice = (state, handle, queueLabel) => {
  const { features, ...rest } = {
    features: support.features(native.deviceFeatures(handle)),
    limits: support.limits(native.deviceLimits(handle)),
    adapterInfo: support.info(native.deviceInfo(handle)),
  };
  Object.assign(state, rest, { handle, features, featureSet: new Set(features) });
  const queue = native.deviceQueue(handle);
  state.work = newWork(state.gpu.handle, queue);
  state.queue = create('GPUQueue', { handle: queue, label: queueLabel, device: state });
  state.self = adopt(Reflect.construct(EventTarget, [], GPUDevice), state);
  return state.self;
};

module.exports = { GPUDevice, prepareDevice, openDevice };
