// SPDX-License-Identifier: Apache-2.0
//
// binding.js - layouts, bind groups and query sets.
//
// in     converted descriptors
// out    flat lists for the addon; GPUBindGroupLayout, GPUPipelineLayout, GPUBindGroup,
//        GPUQuerySet
// knows  how the addon wants its lists
// not    the rules of bindings: the library has them
'use strict';

const { native } = require('./native.js');
const { codes } = require('./enums.js');
const { defineObject, createObject } = require('./object.js');

const GPUBindGroupLayout = defineObject('GPUBindGroupLayout', {});
const GPUBindGroup = defineObject('GPUBindGroup', {});
const GPUPipelineLayout = defineObject('GPUPipelineLayout', {});

// binding, stages, which kinds, then 3 numbers for a buffer, 1 for a sampler, 3 for a
// texture and 3 for a storage texture: layout_entry() in src/binding.c.
const layoutNumbers = ({ binding, visibility, buffer, sampler, texture, storageTexture, externalTexture }) => [
  binding, visibility,
  (buffer ? 1 : 0) | (sampler ? 2 : 0) | (texture ? 4 : 0) | (storageTexture ? 8 : 0) | (externalTexture ? 16 : 0),
  buffer ? codes.GPUBufferBindingType[buffer.type] : 0,
  buffer?.hasDynamicOffset ? 1 : 0,
  buffer?.minBindingSize ?? 0,
  sampler ? codes.GPUSamplerBindingType[sampler.type] : 0,
  texture ? codes.GPUTextureSampleType[texture.sampleType] : 0,
  texture ? codes.GPUTextureViewDimension[texture.viewDimension] : 0,
  texture?.multisampled ? 1 : 0,
  storageTexture ? codes.GPUStorageTextureAccess[storageTexture.access] : 0,
  storageTexture ? codes.GPUTextureFormat[storageTexture.format] : 0,
  storageTexture ? codes.GPUTextureViewDimension[storageTexture.viewDimension] : 0,
];

const createBindGroupLayout = (device, { label, entries }) => createObject('GPUBindGroupLayout', device,
  native.createBindGroupLayout(device.handle, label, entries.flatMap(layoutNumbers)), label);

const createPipelineLayout = (device, { label, bindGroupLayouts, immediateSize }) => createObject('GPUPipelineLayout', device,
  native.createPipelineLayout(device.handle, label, bindGroupLayouts.map((layout) => layout && layout.handle), immediateSize), label);

// A texture stands for its default view, a buffer for a binding of all of it.
const resourceHandle = (state) => (state.interface === 'GPUTexture' ? native.createView(state.handle, '') : state.handle);

// Numbers for the addon: binding, offset, size of each entry. No other code runs between
// filling the list and the call.
let numbers = new Float64Array(3 * 16);
const WHOLE_SIZE = -1;

const createBindGroup = (device, { label, layout, entries }) => {
  const count = entries.length / 4, handles = new Array(count);
  if (numbers.length < 3 * count) numbers = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    numbers[3 * i] = entries[4 * i];
    handles[i] = resourceHandle(entries[4 * i + 1]);
    numbers[3 * i + 1] = entries[4 * i + 2];
    numbers[3 * i + 2] = entries[4 * i + 3] ?? WHOLE_SIZE;
  }
  const handle = native.createBindGroup(device.handle, label, layout.handle, handles, numbers);
  return createObject('GPUBindGroup', device, handle, label);
};

const GPUQuerySet = defineObject('GPUQuerySet', {
  attributes: { type: (state) => state.type, count: (state) => state.count },
  methods: { destroy: { run: (state) => native.querySetDestroy(state.handle) } },
});

const createQuerySet = (device, { label, type, count }) => {
  if (type === 'timestamp' && !device.featureSet.has('timestamp-query')) {
    throw new TypeError("GPUDevice.createQuerySet(): the type 'timestamp' needs the feature 'timestamp-query'.");
  }
  const handle = native.createQuerySet(device.handle, label, codes.GPUQueryType[type], count);
  return createObject('GPUQuerySet', device, handle, label, { type, count });
};

module.exports = {
  GPUBindGroupLayout, GPUBindGroup, GPUPipelineLayout, GPUQuerySet,
  createBindGroupLayout, createPipelineLayout, createBindGroup, createQuerySet,
};
