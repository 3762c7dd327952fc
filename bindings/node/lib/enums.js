// SPDX-License-Identifier: Apache-2.0
//
// enums.js - the enumerations and flags of WebGPU, with their numbers in webgpu.h.
//
// in     nothing
// out    for each enumeration a type, and the number of each name
// knows  the names of the WebGPU specification and the order of webgpu.h
// not    what they mean
//
// A list is in the order of the C enumeration: the number of a name is its place plus
// `first`. A test compares the lists with the header.
'use strict';

const { enumeration, defineNamespace } = require('./webidl.js');

const list = (text) => text.trim().split(/\s+/);

const astc = ['4x4', '5x4', '5x5', '6x5', '6x6', '8x5', '8x6', '8x8', '10x5', '10x6', '10x8', '10x10', '12x10', '12x12']
  .flatMap((size) => [`astc-${size}-unorm`, `astc-${size}-unorm-srgb`]);

const textureFormats = [...list(`
  r8unorm r8snorm r8uint r8sint
  r16unorm r16snorm r16uint r16sint r16float rg8unorm rg8snorm rg8uint rg8sint
  r32float r32uint r32sint rg16unorm rg16snorm rg16uint rg16sint rg16float
  rgba8unorm rgba8unorm-srgb rgba8snorm rgba8uint rgba8sint bgra8unorm bgra8unorm-srgb
  rgb10a2uint rgb10a2unorm rg11b10ufloat rgb9e5ufloat
  rg32float rg32uint rg32sint rgba16unorm rgba16snorm rgba16uint rgba16sint rgba16float
  rgba32float rgba32uint rgba32sint
  stencil8 depth16unorm depth24plus depth24plus-stencil8 depth32float depth32float-stencil8
  bc1-rgba-unorm bc1-rgba-unorm-srgb bc2-rgba-unorm bc2-rgba-unorm-srgb
  bc3-rgba-unorm bc3-rgba-unorm-srgb bc4-r-unorm bc4-r-snorm bc5-rg-unorm bc5-rg-snorm
  bc6h-rgb-ufloat bc6h-rgb-float bc7-rgba-unorm bc7-rgba-unorm-srgb
  etc2-rgb8unorm etc2-rgb8unorm-srgb etc2-rgb8a1unorm etc2-rgb8a1unorm-srgb
  etc2-rgba8unorm etc2-rgba8unorm-srgb eac-r11unorm eac-r11snorm eac-rg11unorm eac-rg11snorm`), ...astc];

const vertexFormats = list(`
  uint8 uint8x2 uint8x4 sint8 sint8x2 sint8x4 unorm8 unorm8x2 unorm8x4 snorm8 snorm8x2 snorm8x4
  uint16 uint16x2 uint16x4 sint16 sint16x2 sint16x4 unorm16 unorm16x2 unorm16x4
  snorm16 snorm16x2 snorm16x4 float16 float16x2 float16x4 float32 float32x2 float32x3 float32x4
  uint32 uint32x2 uint32x3 uint32x4 sint32 sint32x2 sint32x3 sint32x4
  unorm10-10-10-2 unorm8x4-bgra snorm10-10-10-2`);

//  name                        first  values, in the order of the C enumeration
const rows = {
  GPUPowerPreference:          [1, list('low-power high-performance')],
  GPUFeatureName:              [1, list(`core-features-and-limits depth-clip-control depth32float-stencil8
    texture-compression-bc texture-compression-bc-sliced-3d texture-compression-etc2
    texture-compression-astc texture-compression-astc-sliced-3d timestamp-query indirect-first-instance
    shader-f16 rg11b10ufloat-renderable bgra8unorm-storage float32-filterable float32-blendable
    clip-distances dual-source-blending subgroups texture-formats-tier1 texture-formats-tier2
    primitive-index texture-component-swizzle subgroup-size-control`)],
  GPUBufferMapState:           [1, list('unmapped pending mapped')],
  GPUErrorFilter:              [1, list('validation out-of-memory internal')],
  GPUBufferBindingType:        [2, list('uniform storage read-only-storage')],
  GPUSamplerBindingType:       [2, list('filtering non-filtering comparison')],
  GPUTextureSampleType:        [2, list('float unfilterable-float depth sint uint')],
  GPUStorageTextureAccess:     [2, list('write-only read-only read-write')],
  GPUTextureViewDimension:     [1, list('1d 2d 2d-array cube cube-array 3d')],
  GPUTextureDimension:         [1, list('1d 2d 3d')],
  GPUTextureAspect:            [1, list('all stencil-only depth-only')],
  GPUTextureFormat:            [1, textureFormats],
  GPUCompilationMessageType:   [1, list('error warning info')],
  GPUQueryType:                [1, list('occlusion timestamp')],
  GPUAddressMode:              [1, list('clamp-to-edge repeat mirror-repeat')],
  GPUFilterMode:               [1, list('nearest linear')],
  GPUMipmapFilterMode:         [1, list('nearest linear')],
  GPUCompareFunction:          [1, list('never less equal less-equal greater not-equal greater-equal always')],
  GPUVertexFormat:             [1, vertexFormats],
  GPUVertexStepMode:           [1, list('vertex instance')],
  GPUPrimitiveTopology:        [1, list('point-list line-list line-strip triangle-list triangle-strip')],
  GPUIndexFormat:              [1, list('uint16 uint32')],
  GPUFrontFace:                [1, list('ccw cw')],
  GPUCullMode:                 [1, list('none front back')],
  GPUStencilOperation:         [1, list('keep zero replace invert increment-clamp decrement-clamp increment-wrap decrement-wrap')],
  GPUBlendOperation:           [1, list('add subtract reverse-subtract min max')],
  GPUBlendFactor:              [1, list(`zero one src one-minus-src src-alpha one-minus-src-alpha dst one-minus-dst
    dst-alpha one-minus-dst-alpha src-alpha-saturated constant one-minus-constant src1 one-minus-src1
    src1-alpha one-minus-src1-alpha`)],
  GPULoadOp:                   [1, list('load clear')],
  GPUStoreOp:                  [1, list('store discard')],
  GPUPipelineErrorReason:      [1, list('validation internal')],
  GPUAutoLayoutMode:           [1, list('auto')],
  GPUCanvasAlphaMode:          [1, list('opaque premultiplied')],
  GPUCanvasToneMappingMode:    [1, list('standard extended')],
  PredefinedColorSpace:        [1, list('srgb display-p3')],
};

// Not an enumeration of the specification: the words of `requires` in WGSL.
const languageFeatures = list(`readonly_and_readwrite_storage_textures packed_4x8_integer_dot_product
  unrestricted_pointer_parameters pointer_composite_access uniform_buffer_standard_layout subgroup_id
  texture_and_sampler_let subgroup_uniformity texture_formats_tier1 linear_indexing immediate_address_space`);

// Those that webgpu/weft.h has numbers for, in its order.
const weftFeatures = list('weft-f64');
const weftLanguageFeatures = list('fragment_depth buffer_view'), WEFT = 0x57450001;

/** name -> type */
const types = {};
/** name -> { value: number in webgpu.h } */
const codes = {};
for (const [name, [first, values]] of Object.entries(rows)) {
  types[name] = enumeration(name, values);
  codes[name] = Object.fromEntries(values.map((value, i) => [value, i + first]));
}

types.GPUFeatureName = enumeration('GPUFeatureName', [...rows.GPUFeatureName[1], ...weftFeatures]);
weftFeatures.forEach((name, i) => { codes.GPUFeatureName[name] = WEFT + i; });

const featureName = (code) => rows.GPUFeatureName[1][code - 1] ?? weftFeatures[code - WEFT];
const languageFeatureName = (code) => languageFeatures[code - 1] ?? weftLanguageFeatures[code - WEFT];
const messageType = (code) => rows.GPUCompilationMessageType[1][code - 1];

const flags = {
  GPUBufferUsage: defineNamespace('GPUBufferUsage', {
    MAP_READ: 0x1, MAP_WRITE: 0x2, COPY_SRC: 0x4, COPY_DST: 0x8, INDEX: 0x10,
    VERTEX: 0x20, UNIFORM: 0x40, STORAGE: 0x80, INDIRECT: 0x100, QUERY_RESOLVE: 0x200,
  }),
  GPUMapMode: defineNamespace('GPUMapMode', { READ: 0x1, WRITE: 0x2 }),
  GPUTextureUsage: defineNamespace('GPUTextureUsage', {
    COPY_SRC: 0x1, COPY_DST: 0x2, TEXTURE_BINDING: 0x4, STORAGE_BINDING: 0x8,
    RENDER_ATTACHMENT: 0x10, TRANSIENT_ATTACHMENT: 0x20,
  }),
  GPUShaderStage: defineNamespace('GPUShaderStage', { VERTEX: 0x1, FRAGMENT: 0x2, COMPUTE: 0x4 }),
  GPUColorWrite: defineNamespace('GPUColorWrite', { RED: 0x1, GREEN: 0x2, BLUE: 0x4, ALPHA: 0x8, ALL: 0xf }),
};

module.exports = { types, codes, flags, rows, languageFeatures, weftLanguageFeatures, featureName, languageFeatureName, messageType };
