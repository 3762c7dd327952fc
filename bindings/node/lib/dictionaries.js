// SPDX-License-Identifier: Apache-2.0
//
// dictionaries.js - the dictionaries of WebGPU.
//
// in     nothing
// out    a type for each
// knows  the names, types and defaults of the WebGPU specification
// not    what they are for
'use strict';

const {
  enforced, clampedUnsignedShort, double, float, boolean, domString, usvString, sequence, record,
  nullable, orUndefined, object, either, listOr, isObject, dictionary, required, optional, preset, presetFrom,
} = require('./webidl.js');
const { types: e } = require('./enums.js');
const { GPUBindGroupDescriptor } = require('./bind-group.js');

const u32 = enforced.unsignedLong, u64 = enforced.unsignedLongLong;

const ObjectBase = dictionary('GPUObjectDescriptorBase', null, { label: preset(usvString, '') });
const labelled = (name) => dictionary(name, ObjectBase, {});

// ---- adapters and devices ----

const GPURequestAdapterOptions = dictionary('GPURequestAdapterOptions', null, {
  featureLevel: preset(domString, 'core'),
  powerPreference: optional(e.GPUPowerPreference),
  forceFallbackAdapter: preset(boolean, false),
  xrCompatible: preset(boolean, false),
});

const GPUQueueDescriptor = labelled('GPUQueueDescriptor');

const GPUDeviceDescriptor = dictionary('GPUDeviceDescriptor', ObjectBase, {
  requiredFeatures: presetFrom(sequence(e.GPUFeatureName)),
  requiredLimits: presetFrom(record(domString, orUndefined(u64))),
  defaultQueue: presetFrom(GPUQueueDescriptor),
});

// ---- buffers and bindings ----

const GPUBufferDescriptor = dictionary('GPUBufferDescriptor', ObjectBase, {
  size: required(u64),
  usage: required(u32),
  mappedAtCreation: preset(boolean, false),
});

const GPUBindGroupLayoutEntry = dictionary('GPUBindGroupLayoutEntry', null, {
  binding: required(u32),
  visibility: required(u32),
  buffer: optional(dictionary('GPUBufferBindingLayout', null, {
    type: preset(e.GPUBufferBindingType, 'uniform'),
    hasDynamicOffset: preset(boolean, false),
    minBindingSize: preset(u64, 0),
  })),
  sampler: optional(dictionary('GPUSamplerBindingLayout', null, {
    type: preset(e.GPUSamplerBindingType, 'filtering'),
  })),
  texture: optional(dictionary('GPUTextureBindingLayout', null, {
    sampleType: preset(e.GPUTextureSampleType, 'float'),
    viewDimension: preset(e.GPUTextureViewDimension, '2d'),
    multisampled: preset(boolean, false),
  })),
  storageTexture: optional(dictionary('GPUStorageTextureBindingLayout', null, {
    access: preset(e.GPUStorageTextureAccess, 'write-only'),
    format: required(e.GPUTextureFormat),
    viewDimension: preset(e.GPUTextureViewDimension, '2d'),
  })),
  externalTexture: optional(dictionary('GPUExternalTextureBindingLayout', null, {})),
});

const GPUBindGroupLayoutDescriptor = dictionary('GPUBindGroupLayoutDescriptor', ObjectBase, {
  entries: required(sequence(GPUBindGroupLayoutEntry)),
});

const GPUPipelineLayoutDescriptor = dictionary('GPUPipelineLayoutDescriptor', ObjectBase, {
  bindGroupLayouts: required(sequence(nullable(object('GPUBindGroupLayout')))),
  immediateSize: preset(u32, 0),
});

// ---- shader modules and pipelines ----

const layoutOrAuto = either(['GPUPipelineLayout'], e.GPUAutoLayoutMode);

const GPUShaderModuleDescriptor = dictionary('GPUShaderModuleDescriptor', ObjectBase, {
  code: required(usvString),
  compilationHints: presetFrom(sequence(dictionary('GPUShaderModuleCompilationHint', null, {
    entryPoint: required(usvString),
    layout: optional(layoutOrAuto),
  }))),
});

const PipelineBase = dictionary('GPUPipelineDescriptorBase', ObjectBase, { layout: required(layoutOrAuto) });

const GPUProgrammableStage = dictionary('GPUProgrammableStage', null, {
  module: required(object('GPUShaderModule')),
  entryPoint: optional(usvString),
  constants: presetFrom(record(usvString, double)),
});

const GPUComputePipelineDescriptor = dictionary('GPUComputePipelineDescriptor', PipelineBase, {
  compute: required(GPUProgrammableStage),
});

const GPUPipelineErrorInit = dictionary('GPUPipelineErrorInit', null, {
  reason: required(e.GPUPipelineErrorReason),
});

// ---- commands and queries ----

const timestampWrites = (name) => dictionary(name, null, {
  querySet: required(object('GPUQuerySet')),
  beginningOfPassWriteIndex: optional(u32),
  endOfPassWriteIndex: optional(u32),
});

const GPUComputePassDescriptor = dictionary('GPUComputePassDescriptor', ObjectBase, {
  timestampWrites: optional(timestampWrites('GPUComputePassTimestampWrites')),
});

const GPUQuerySetDescriptor = dictionary('GPUQuerySetDescriptor', ObjectBase, {
  type: required(e.GPUQueryType),
  count: required(u32),
});

const EventInit = dictionary('EventInit', null, {
  bubbles: preset(boolean, false),
  cancelable: preset(boolean, false),
  composed: preset(boolean, false),
});

const GPUUncapturedErrorEventInit = dictionary('GPUUncapturedErrorEventInit', EventInit, {
  error: required((value, where) => { object('GPUError')(value, where); return value; }),
});

// ---- textures and samplers ----

const GPUExtent3D = listOr(u32, dictionary('GPUExtent3DDict', null, {
  width: required(u32), height: preset(u32, 1), depthOrArrayLayers: preset(u32, 1),
}));
const GPUOrigin3D = listOr(u32, dictionary('GPUOrigin3DDict', null, {
  x: preset(u32, 0), y: preset(u32, 0), z: preset(u32, 0),
}));
const GPUOrigin2D = listOr(u32, dictionary('GPUOrigin2DDict', null, { x: preset(u32, 0), y: preset(u32, 0) }));
const GPUColor = listOr(double, dictionary('GPUColorDict', null, {
  r: required(double), g: required(double), b: required(double), a: required(double),
}));

const GPUTextureDescriptor = dictionary('GPUTextureDescriptor', ObjectBase, {
  size: required(GPUExtent3D),
  mipLevelCount: preset(u32, 1),
  sampleCount: preset(u32, 1),
  dimension: preset(e.GPUTextureDimension, '2d'),
  format: required(e.GPUTextureFormat),
  usage: required(u32),
  viewFormats: presetFrom(sequence(e.GPUTextureFormat)),
  textureBindingViewDimension: optional(e.GPUTextureViewDimension),
});

const GPUTextureViewDescriptor = dictionary('GPUTextureViewDescriptor', ObjectBase, {
  format: optional(e.GPUTextureFormat),
  dimension: optional(e.GPUTextureViewDimension),
  usage: preset(u32, 0),
  aspect: preset(e.GPUTextureAspect, 'all'),
  baseMipLevel: preset(u32, 0),
  mipLevelCount: optional(u32),
  baseArrayLayer: preset(u32, 0),
  arrayLayerCount: optional(u32),
  swizzle: preset(domString, 'rgba'),
});

const GPUSamplerDescriptor = dictionary('GPUSamplerDescriptor', ObjectBase, {
  addressModeU: preset(e.GPUAddressMode, 'clamp-to-edge'),
  addressModeV: preset(e.GPUAddressMode, 'clamp-to-edge'),
  addressModeW: preset(e.GPUAddressMode, 'clamp-to-edge'),
  magFilter: preset(e.GPUFilterMode, 'nearest'),
  minFilter: preset(e.GPUFilterMode, 'nearest'),
  mipmapFilter: preset(e.GPUMipmapFilterMode, 'nearest'),
  lodMinClamp: preset(float, 0),
  lodMaxClamp: preset(float, 32),
  compare: optional(e.GPUCompareFunction),
  maxAnisotropy: preset(clampedUnsignedShort, 1),
});

// Node.js has no HTMLVideoElement and no VideoFrame, so nothing is a source.
const GPUExternalTextureDescriptor = dictionary('GPUExternalTextureDescriptor', ObjectBase, {
  source: required((value, where) => { throw new TypeError(`${where} is not of type 'VideoFrame'.`); }),
  colorSpace: preset(e.PredefinedColorSpace, 'srgb'),
});

const bufferLayout = {
  offset: preset(u64, 0),
  bytesPerRow: optional(u32),
  rowsPerImage: optional(u32),
};
const GPUTexelCopyBufferLayout = dictionary('GPUTexelCopyBufferLayout', null, bufferLayout);
const GPUTexelCopyBufferInfo = dictionary('GPUTexelCopyBufferInfo', GPUTexelCopyBufferLayout, {
  buffer: required(object('GPUBuffer')),
});
const GPUTexelCopyTextureInfo = dictionary('GPUTexelCopyTextureInfo', null, {
  texture: required(object('GPUTexture')),
  mipLevel: preset(u32, 0),
  origin: { type: GPUOrigin3D, value: Object.freeze({ x: 0, y: 0, z: 0 }) },
  aspect: preset(e.GPUTextureAspect, 'all'),
});
const GPUCopyExternalImageDestInfo = dictionary('GPUCopyExternalImageDestInfo', GPUTexelCopyTextureInfo, {
  colorSpace: preset(e.PredefinedColorSpace, 'srgb'),
  premultipliedAlpha: preset(boolean, false),
});
const GPUCopyExternalImageSourceInfo = dictionary('GPUCopyExternalImageSourceInfo', null, {
  source: required((value, where) => { throw new TypeError(`${where} is not of type 'ImageBitmap'.`); }),
  origin: { type: GPUOrigin2D, value: Object.freeze({ x: 0, y: 0 }) },
  flipY: preset(boolean, false),
});

// ---- rendering ----

const GPUVertexState = dictionary('GPUVertexState', GPUProgrammableStage, {
  buffers: presetFrom(sequence(nullable(dictionary('GPUVertexBufferLayout', null, {
    arrayStride: required(u64),
    stepMode: preset(e.GPUVertexStepMode, 'vertex'),
    attributes: required(sequence(dictionary('GPUVertexAttribute', null, {
      format: required(e.GPUVertexFormat), offset: required(u64), shaderLocation: required(u32),
    }))),
  })))),
});

const blend = dictionary('GPUBlendComponent', null, {
  operation: preset(e.GPUBlendOperation, 'add'),
  srcFactor: preset(e.GPUBlendFactor, 'one'),
  dstFactor: preset(e.GPUBlendFactor, 'zero'),
});

const GPUFragmentState = dictionary('GPUFragmentState', GPUProgrammableStage, {
  targets: required(sequence(nullable(dictionary('GPUColorTargetState', null, {
    format: required(e.GPUTextureFormat),
    blend: optional(dictionary('GPUBlendState', null, { color: required(blend), alpha: required(blend) })),
    writeMask: preset(u32, 0xf),
  })))),
});

const stencilFace = dictionary('GPUStencilFaceState', null, {
  compare: preset(e.GPUCompareFunction, 'always'),
  failOp: preset(e.GPUStencilOperation, 'keep'),
  depthFailOp: preset(e.GPUStencilOperation, 'keep'),
  passOp: preset(e.GPUStencilOperation, 'keep'),
});

const GPURenderPipelineDescriptor = dictionary('GPURenderPipelineDescriptor', PipelineBase, {
  vertex: required(GPUVertexState),
  primitive: presetFrom(dictionary('GPUPrimitiveState', null, {
    topology: preset(e.GPUPrimitiveTopology, 'triangle-list'),
    stripIndexFormat: optional(e.GPUIndexFormat),
    frontFace: preset(e.GPUFrontFace, 'ccw'),
    cullMode: preset(e.GPUCullMode, 'none'),
    unclippedDepth: preset(boolean, false),
  })),
  depthStencil: optional(dictionary('GPUDepthStencilState', null, {
    format: required(e.GPUTextureFormat),
    depthWriteEnabled: optional(boolean),
    depthCompare: optional(e.GPUCompareFunction),
    stencilFront: presetFrom(stencilFace),
    stencilBack: presetFrom(stencilFace),
    stencilReadMask: preset(u32, 0xffffffff),
    stencilWriteMask: preset(u32, 0xffffffff),
    depthBias: preset(enforced.long, 0),
    depthBiasSlopeScale: preset(float, 0),
    depthBiasClamp: preset(float, 0),
  })),
  multisample: presetFrom(dictionary('GPUMultisampleState', null, {
    count: preset(u32, 1),
    mask: preset(u32, 0xffffffff),
    alphaToCoverageEnabled: preset(boolean, false),
  })),
  fragment: optional(GPUFragmentState),
});

const attachable = either(['GPUTexture', 'GPUTextureView'], object('GPUTextureView'));

const GPURenderPassDescriptor = dictionary('GPURenderPassDescriptor', ObjectBase, {
  colorAttachments: required(sequence(nullable(dictionary('GPURenderPassColorAttachment', null, {
    view: required(attachable),
    depthSlice: optional(u32),
    resolveTarget: optional(attachable),
    clearValue: optional(GPUColor),
    loadOp: required(e.GPULoadOp),
    storeOp: required(e.GPUStoreOp),
  })))),
  depthStencilAttachment: optional(dictionary('GPURenderPassDepthStencilAttachment', null, {
    view: required(attachable),
    depthClearValue: optional(float),
    depthLoadOp: optional(e.GPULoadOp),
    depthStoreOp: optional(e.GPUStoreOp),
    depthReadOnly: preset(boolean, false),
    stencilClearValue: preset(u32, 0),
    stencilLoadOp: optional(e.GPULoadOp),
    stencilStoreOp: optional(e.GPUStoreOp),
    stencilReadOnly: preset(boolean, false),
  })),
  occlusionQuerySet: optional(object('GPUQuerySet')),
  timestampWrites: optional(timestampWrites('GPURenderPassTimestampWrites')),
  maxDrawCount: preset(u64, 50000000),
});

const GPURenderPassLayout = dictionary('GPURenderPassLayout', ObjectBase, {
  colorFormats: required(sequence(nullable(e.GPUTextureFormat))),
  depthStencilFormat: optional(e.GPUTextureFormat),
  sampleCount: preset(u32, 1),
});
const GPURenderBundleEncoderDescriptor = dictionary('GPURenderBundleEncoderDescriptor', GPURenderPassLayout, {
  depthReadOnly: preset(boolean, false),
  stencilReadOnly: preset(boolean, false),
});

module.exports = {
  isObject, u32, u64,
  GPURequestAdapterOptions, GPUDeviceDescriptor, GPUBufferDescriptor, GPUBindGroupLayoutDescriptor,
  GPUBindGroupDescriptor, GPUPipelineLayoutDescriptor, GPUShaderModuleDescriptor,
  GPUComputePipelineDescriptor, GPUPipelineErrorInit, GPUComputePassDescriptor, GPUQuerySetDescriptor,
  GPUUncapturedErrorEventInit, GPUExtent3D, GPUColor, GPUTextureDescriptor, GPUTextureViewDescriptor,
  GPUSamplerDescriptor, GPUExternalTextureDescriptor, GPUTexelCopyBufferLayout, GPUTexelCopyBufferInfo,
  GPUTexelCopyTextureInfo, GPUCopyExternalImageSourceInfo, GPUCopyExternalImageDestInfo,
  GPURenderPipelineDescriptor, GPURenderPassDescriptor, GPURenderBundleEncoderDescriptor,
  GPUCommandEncoderDescriptor: labelled('GPUCommandEncoderDescriptor'),
  GPUCommandBufferDescriptor: labelled('GPUCommandBufferDescriptor'),
  GPURenderBundleDescriptor: labelled('GPURenderBundleDescriptor'),
};
