// SPDX-License-Identifier: Apache-2.0
//
// gpu.js - tensors and WebGPU in one program: the device of a context, the buffers of tensors.
//
// in     contexts, tensors, buffers of their device
// out    GPUDevice, GPUBuffer, Tensor
// knows  how the objects of WebGPU are made of handles
// not    operators
'use strict';

const { native, watch } = require('../native.js');
const { object } = require('../webidl.js');
const { Context, defaultContext, HANDLE } = require('../context.js');
const { prepareDevice, openDevice } = require('../device.js');
const { wrapBuffer } = require('../buffer.js');
const { invalid } = require('../weft-error.js');
const { Tensor, wrap, shapeArgument } = require('./tensor.js');
const { dtypeNumber } = require('./types.js');

const deviceState = object('GPUDevice'), bufferState = object('GPUBuffer');
const devices = new WeakMap();      // by context
const contexts = new WeakMap();     // by device

/** The device of the context, for programs that mix both. The context hears of its loss. */
const gpuDevice = (context = defaultContext()) => {
  if (!(context instanceof Context)) throw invalid('gpuDevice: expected a Context');
  if (!devices.has(context)) {
    const [instance, device] = native.contextGpu(context[HANDLE]);
    const state = prepareDevice({ handle: instance }, watch(), 'context');
    state.ending = true;            // destroy() does not wait for news that go to the context
    devices.set(context, openDevice(state, device, ''));
    contexts.set(devices.get(context), context);
  }
  return devices.get(context);
};
/** The context whose device this is, or undefined. */
const contextOf = (device) => contexts.get(device);

/** The memory of a tensor: { buffer, offset, strides }, in elements. It is computed first, and
 * stays there until unpin(). */
const gpuBuffer = (t) => {
  const [handle, size, usage, offset, ...strides] = native.tensorGpu(t[HANDLE]);
  const buffer = wrapBuffer(deviceState(gpuDevice(t.context)), { handle, size, usage, label: t.label });
  return { buffer, offset, strides };
};
Object.defineProperty(Tensor.prototype, 'gpuBuffer', { value() { return gpuBuffer(this); }, writable: true, configurable: true });

/** A tensor in a GPUBuffer of gpuDevice(context), from `offset` bytes on. */
const fromGpuBuffer = (buffer, { shape, dtype = 'f32', offset = 0, context = defaultContext() } = {}) => {
  let state;
  try { state = bufferState(buffer, 'fromGpuBuffer()'); } catch { throw invalid('fromGpuBuffer: expected a GPUBuffer'); }
  const sizes = shapeArgument('fromGpuBuffer', shape);
  return wrap(native.tensorFromBuffer(context[HANDLE], state.device.handle, state.handle, dtypeNumber(dtype), sizes, offset), context);
};

module.exports = { gpuDevice, contextOf, fromGpuBuffer };
