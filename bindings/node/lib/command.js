// SPDX-License-Identifier: Apache-2.0
//
// command.js - encoders, compute passes and command buffers.
//
// in     calls of user code
// out    GPUCommandEncoder, GPUComputePassEncoder, GPUCommandBuffer
// knows  the overloads of Web IDL
// not    the rules of commands: the library has them
'use strict';

const { types: { isUint32Array } } = require('node:util');
const { bufferSource, converter, nullable, object, optional, preset, presetFrom, sequence, usvString } = require('./webidl.js');
const { native } = require('./native.js');
const d = require('./dictionaries.js');
const { defineObject, createObject } = require('./object.js');
const { bytesOf } = require('./bytes.js');
const { beginRenderPass, copyExtent } = require('./render.js');

const { u32, u64 } = d;
const buffer = object('GPUBuffer');

// ---- compute passes ----

const offsetsTitle = 'GPUComputePassEncoder.setBindGroup()';

const uint32Array = (value, where) => {
  if (!isUint32Array(value)) throw new TypeError(`${where} is not a Uint32Array.`);
  return value;
};

const byList = converter(offsetsTitle, [u32, nullable(object('GPUBindGroup')), presetFrom(sequence(u32))]);
const byArray = converter(offsetsTitle, [u32, nullable(object('GPUBindGroup')), uint32Array, u64, u32]);

/** setBindGroup() with a list of offsets, or with a part of a Uint32Array. */
const bindGroupOverload = (given) => {
  if (given.length === 4) throw new TypeError(`${offsetsTitle}: no overload has 4 arguments.`);
  if (given.length < 4) return byList(given);
  const [index, group, array, start, count] = byArray(given);
  if (start + count > array.length) {
    throw new RangeError(`${offsetsTitle}: elements ${start} to ${start + count} are outside an array of ${array.length}.`);
  }
  return [index, group, Array.from(array.subarray(start, start + count))];
};

const setBindGroup = (pass, index, group, offsets) => native.setBindGroup(pass.handle, index, group && group.handle,
  offsets.length ? offsets : undefined);

const GPUComputePassEncoder = defineObject('GPUComputePassEncoder', {
  methods: {
    setPipeline: { args: [object('GPUComputePipeline')], run: (pass, pipeline) => native.setPipeline(pass.handle, pipeline.handle) },
    dispatchWorkgroups: {
      args: [u32, preset(u32, 1), preset(u32, 1)],
      run: (pass, x, y, z) => native.dispatch(pass.handle, x, y, z),
    },
    dispatchWorkgroupsIndirect: {
      args: [buffer, u64],
      run: (pass, indirect, offset) => native.dispatchIndirect(pass.handle, indirect.handle, offset),
    },
    end: { run: (pass) => native.endPass(pass.handle) },
    setBindGroup: { overload: bindGroupOverload, least: 2, run: setBindGroup },
    setImmediates: {
      args: [u32, bufferSource, preset(u64, 0), optional(u64)],
      run: (pass, offset, data, from, size) => native.setImmediates(pass.handle, offset, bytesOf(data, from, size, 'GPUComputePassEncoder.setImmediates()')),
    },
    pushDebugGroup: { args: [usvString], run: (pass, label) => native.passPushGroup(pass.handle, label) },
    popDebugGroup: { run: (pass) => native.passPopGroup(pass.handle) },
    insertDebugMarker: { args: [usvString], run: (pass, label) => native.passMarker(pass.handle, label) },
  },
});

const beginComputePass = (encoder, { label, timestampWrites: times }) => createObject('GPUComputePassEncoder', encoder.device,
  native.beginComputePass(encoder.handle, label, times ? times.querySet.handle : null,
    times?.beginningOfPassWriteIndex, times?.endOfPassWriteIndex), label);

// ---- encoders ----

const copyTitle = 'GPUCommandEncoder.copyBufferToBuffer()';
const copyWhole = converter(copyTitle, [buffer, buffer, optional(u64)]);
const copyRange = converter(copyTitle, [buffer, u64, buffer, u64, optional(u64)]);

/** copyBufferToBuffer() without offsets, or with both. */
const copyOverload = (given) => {
  if (given.length > 3) return copyRange(given);
  const [source, destination, size] = copyWhole(given);
  return [source, 0, destination, 0, size];
};

// Without a size all the rest of the source is meant, which may be less than nothing.
const copyBuffers = (encoder, source, from, destination, to, size) => native.copyBuffer(encoder.handle, source.handle, from,
  destination.handle, to, size ?? Math.max(0, source.size - from));

const copyTextures = (encoder, source, destination, extent) => {
  copyExtent(extent, source, destination);
  native.copyTexture(encoder.handle);
};

const GPUCommandEncoder = defineObject('GPUCommandEncoder', {
  methods: {
    beginRenderPass: { args: [d.GPURenderPassDescriptor], run: beginRenderPass },
    beginComputePass: { args: [presetFrom(d.GPUComputePassDescriptor)], run: beginComputePass },
    copyBufferToBuffer: { overload: copyOverload, least: 2, run: copyBuffers },
    copyBufferToTexture: { args: [d.GPUTexelCopyBufferInfo, d.GPUTexelCopyTextureInfo, d.GPUExtent3D], run: copyTextures },
    copyTextureToBuffer: { args: [d.GPUTexelCopyTextureInfo, d.GPUTexelCopyBufferInfo, d.GPUExtent3D], run: copyTextures },
    copyTextureToTexture: { args: [d.GPUTexelCopyTextureInfo, d.GPUTexelCopyTextureInfo, d.GPUExtent3D], run: copyTextures },
    clearBuffer: {
      args: [buffer, preset(u64, 0), optional(u64)],
      run: (encoder, cleared, offset, size) => native.clearBuffer(encoder.handle, cleared.handle, offset, size ?? Math.max(0, cleared.size - offset)),
    },
    resolveQuerySet: {
      args: [object('GPUQuerySet'), u32, u32, buffer, u64],
      run: (encoder, set, first, count, to, offset) => native.resolveQuerySet(encoder.handle, set.handle, first, count, to.handle, offset),
    },
    finish: {
      args: [presetFrom(d.GPUCommandBufferDescriptor)],
      run: (encoder, { label }) => createObject('GPUCommandBuffer', encoder.device, native.finish(encoder.handle, label), label),
    },
    pushDebugGroup: { args: [usvString], run: (encoder, label) => native.encoderPushGroup(encoder.handle, label) },
    popDebugGroup: { run: (encoder) => native.encoderPopGroup(encoder.handle) },
    insertDebugMarker: { args: [usvString], run: (encoder, label) => native.encoderMarker(encoder.handle, label) },
  },
});

const createCommandEncoder = (device, { label }) => createObject('GPUCommandEncoder', device,
  native.createCommandEncoder(device.handle, label), label);

const GPUCommandBuffer = defineObject('GPUCommandBuffer', {});

module.exports = { GPUComputePassEncoder, GPUCommandEncoder, GPUCommandBuffer, createCommandEncoder };
