// SPDX-License-Identifier: Apache-2.0
//
// render.js - textures, samplers and rendering: they exist, and fail as the library says.
//
// in     calls of user code
// out    GPUTexture, GPUTextureView, GPUSampler, GPUExternalTexture, GPURenderPipeline,
//        GPURenderPassEncoder, GPURenderBundle, GPURenderBundleEncoder, GPUCanvasContext
// knows  that all of these are errors, so that the commands of a render pass or bundle
//        are converted and then go nowhere
// not    formats, attachments, vertices
'use strict';

const { bufferSource, defineInterface, float, enforced, nullable, object, optional, preset, presetFrom, sequence, unsignedLong, usvString } = require('./webidl.js');
const { native, expect } = require('./native.js');
const d = require('./dictionaries.js');
const { codes, types: e } = require('./enums.js');
const { defineObject, createObject } = require('./object.js');
const { GPUPipelineError } = require('./errors.js');

const { u32, u64 } = d;

// ---- lists that stand for coordinates ----

const listLength = (value, low, high, what) => {
  if (Array.isArray(value) && (value.length < low || value.length > high)) {
    throw new TypeError(`${what}: a list of ${low === high ? low : `${low} to ${high}`} numbers is needed, ${value.length} given.`);
  }
};

const extent = (value) => {
  listLength(value, 1, 3, 'GPUExtent3D');
  return Array.isArray(value) ? [value[0], value[1] ?? 1, value[2] ?? 1] : [value.width, value.height, value.depthOrArrayLayers];
};

const copyExtent = (size, ...infos) => {
  extent(size);
  for (const { origin } of infos) listLength(origin, 0, 3, 'GPUOrigin3D');
};

// ---- textures and samplers ----

const GPUTextureView = defineObject('GPUTextureView', {});
const GPUSampler = defineObject('GPUSampler', {});
const GPUExternalTexture = defineObject('GPUExternalTexture', {});

const given = (key) => (state) => state[key];

const GPUTexture = defineObject('GPUTexture', {
  attributes: {
    width: given('width'), height: given('height'), depthOrArrayLayers: given('depthOrArrayLayers'),
    mipLevelCount: given('mipLevelCount'), sampleCount: given('sampleCount'), dimension: given('dimension'),
    format: given('format'), usage: given('usage'), textureBindingViewDimension: given('textureBindingViewDimension'),
  },
  methods: {
    createView: {
      args: [presetFrom(d.GPUTextureViewDescriptor)],
      run: (texture, { label }) => createObject('GPUTextureView', texture.device, native.createView(texture.handle, label), label),
    },
    destroy: { run: (texture) => native.textureDestroy(texture.handle) },
  },
});

const createTexture = (device, desc) => {
  const { label, usage, dimension, format, mipLevelCount, sampleCount } = desc;
  const [width, height, depthOrArrayLayers] = extent(desc.size);
  const handle = native.createTexture(device.handle, label, usage, codes.GPUTextureDimension[dimension],
    width, height, depthOrArrayLayers, codes.GPUTextureFormat[format], mipLevelCount, sampleCount);
  return createObject('GPUTexture', device, handle, label,
    { width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage });
};

const createSampler = (device, { label }) => createObject('GPUSampler', device, native.createSampler(device.handle, label), label);

// ---- pipelines ----

const GPURenderPipeline = defineObject('GPURenderPipeline', {
  methods: {
    getBindGroupLayout: {
      args: [unsignedLong],
      run: (pipeline, index) => createObject('GPUBindGroupLayout', pipeline.device,
        native.renderPipelineLayout(pipeline.handle, index), ''),
    },
  },
});

const createRenderPipeline = (device, { label }) => createObject('GPURenderPipeline', device,
  native.createRenderPipeline(device.handle, label), label);

const createRenderPipelineAsync = (device, { label }) => new Promise((resolve, reject) => {
  native.createRenderPipelineAsync(device.handle, label, expect(device, (status, detail, text, handle) => {
    if (handle) resolve(createObject('GPURenderPipeline', device, handle, label));
    else reject(new GPUPipelineError(text, { reason: status === 4 ? 'internal' : 'validation' }));
  }));
});

// ---- passes and bundles ----

const nowhere = (...args) => ({ args, run: () => undefined });
const buffer = object('GPUBuffer');

const debugCommands = {
  pushDebugGroup: nowhere(usvString),
  popDebugGroup: nowhere(),
  insertDebugMarker: nowhere(usvString),
};

const bindingCommands = {
  setBindGroup: nowhere(u32, nullable(object('GPUBindGroup')), preset((value) => value, undefined)),
  setImmediates: nowhere(u32, bufferSource, preset(u64, 0), optional(u64)),
};

const renderCommands = {
  setPipeline: nowhere(object('GPURenderPipeline')),
  setIndexBuffer: nowhere(buffer, e.GPUIndexFormat, preset(u64, 0), optional(u64)),
  setVertexBuffer: nowhere(u32, nullable(buffer), preset(u64, 0), optional(u64)),
  draw: nowhere(u32, preset(u32, 1), preset(u32, 0), preset(u32, 0)),
  drawIndexed: nowhere(u32, preset(u32, 1), preset(u32, 0), preset(enforced.long, 0), preset(u32, 0)),
  drawIndirect: nowhere(buffer, u64),
  drawIndexedIndirect: nowhere(buffer, u64),
};

const GPURenderPassEncoder = defineObject('GPURenderPassEncoder', {
  methods: {
    setViewport: nowhere(float, float, float, float, float, float),
    setScissorRect: nowhere(u32, u32, u32, u32),
    setBlendConstant: { args: [d.GPUColor], run: (pass, color) => listLength(color, 4, 4, 'GPUColor') },
    setStencilReference: nowhere(u32),
    beginOcclusionQuery: nowhere(u32),
    endOcclusionQuery: nowhere(),
    executeBundles: nowhere(sequence(object('GPURenderBundle'))),
    end: { run: (pass) => native.endRenderPass(pass.handle) },
    ...debugCommands, ...bindingCommands, ...renderCommands,
  },
});

const beginRenderPass = (encoder, { label, colorAttachments }) => {
  for (const attachment of colorAttachments) if (attachment) listLength(attachment.clearValue, 4, 4, 'GPUColor');
  return createObject('GPURenderPassEncoder', encoder.device, native.beginRenderPass(encoder.handle, label), label);
};

const GPURenderBundle = defineObject('GPURenderBundle', {});

const GPURenderBundleEncoder = defineObject('GPURenderBundleEncoder', {
  methods: {
    finish: {
      args: [presetFrom(d.GPURenderBundleDescriptor)],
      run: (encoder, { label }) => createObject('GPURenderBundle', encoder.device, native.finishBundle(encoder.handle, label), label),
    },
    ...debugCommands, ...bindingCommands, ...renderCommands,
  },
});

const createRenderBundleEncoder = (device, { label }) => createObject('GPURenderBundleEncoder', device,
  native.createBundleEncoder(device.handle, label), label);

// Nothing makes one: there is no canvas. The name is there for `instanceof`.
const GPUCanvasContext = defineInterface('GPUCanvasContext', {
  attributes: { canvas: given('canvas') },
  methods: {
    configure: nowhere(presetFrom((value) => value)),
    unconfigure: nowhere(),
    getConfiguration: nowhere(),
    getCurrentTexture: nowhere(),
  },
});

module.exports = {
  GPUTexture, GPUTextureView, GPUSampler, GPUExternalTexture, GPURenderPipeline, GPURenderPassEncoder,
  GPURenderBundle, GPURenderBundleEncoder, GPUCanvasContext,
  copyExtent, createTexture, createSampler, createRenderPipeline, createRenderPipelineAsync,
  beginRenderPass, createRenderBundleEncoder,
};
