// SPDX-License-Identifier: Apache-2.0
//
// index.d.ts - the types of the package: those of WebGPU are from @webgpu/types.

/// <reference types="@webgpu/types" />

/** What create() may be told. All members may be left out. */
export interface WeftOptions {
  /** Threads of the CPU device. 0, the default: one for each core the process may use. */
  threads?: number;
  /** Invocations at a time: 1, 4, 8 or 16. 0, the default: the CPU's best. */
  lanes?: number;
  /** Milliseconds that one dispatch may take before the device is lost. 0, the default: any. */
  deadline?: number;
  /** 'cpu', 'vulkan', or a part of the name of an adapter. Default: any. */
  adapter?: string;
  /** Where compiled kernels are kept: in memory and on disk (the default), in memory, nowhere. */
  cache?: 'on' | 'memory' | 'off';
  /** The folder for them. Default: weft/ in $XDG_CACHE_HOME or ~/.cache. */
  cacheDirectory?: string;
}

/** A GPU of its own. Options may also be strings, as in ['threads=2', 'cache=off']. */
export function create(options?: WeftOptions | readonly string[]): GPU;

/** The classes and flags of WebGPU, to be put on globalThis. */
export const globals: {
  readonly GPU: typeof GPU;
  readonly GPUAdapter: typeof GPUAdapter;
  readonly GPUAdapterInfo: typeof GPUAdapterInfo;
  readonly GPUBindGroup: typeof GPUBindGroup;
  readonly GPUBindGroupLayout: typeof GPUBindGroupLayout;
  readonly GPUBuffer: typeof GPUBuffer;
  readonly GPUBufferUsage: typeof GPUBufferUsage;
  readonly GPUCanvasContext: typeof GPUCanvasContext;
  readonly GPUColorWrite: typeof GPUColorWrite;
  readonly GPUCommandBuffer: typeof GPUCommandBuffer;
  readonly GPUCommandEncoder: typeof GPUCommandEncoder;
  readonly GPUCompilationInfo: typeof GPUCompilationInfo;
  readonly GPUCompilationMessage: typeof GPUCompilationMessage;
  readonly GPUComputePassEncoder: typeof GPUComputePassEncoder;
  readonly GPUComputePipeline: typeof GPUComputePipeline;
  readonly GPUDevice: typeof GPUDevice;
  readonly GPUDeviceLostInfo: typeof GPUDeviceLostInfo;
  readonly GPUError: typeof GPUError;
  readonly GPUExternalTexture: typeof GPUExternalTexture;
  readonly GPUInternalError: typeof GPUInternalError;
  readonly GPUMapMode: typeof GPUMapMode;
  readonly GPUOutOfMemoryError: typeof GPUOutOfMemoryError;
  readonly GPUPipelineError: typeof GPUPipelineError;
  readonly GPUPipelineLayout: typeof GPUPipelineLayout;
  readonly GPUQuerySet: typeof GPUQuerySet;
  readonly GPUQueue: typeof GPUQueue;
  readonly GPURenderBundle: typeof GPURenderBundle;
  readonly GPURenderBundleEncoder: typeof GPURenderBundleEncoder;
  readonly GPURenderPassEncoder: typeof GPURenderPassEncoder;
  readonly GPURenderPipeline: typeof GPURenderPipeline;
  readonly GPUSampler: typeof GPUSampler;
  readonly GPUShaderModule: typeof GPUShaderModule;
  readonly GPUShaderStage: typeof GPUShaderStage;
  readonly GPUSupportedFeatures: { readonly prototype: GPUSupportedFeatures; new (): never };
  readonly GPUSupportedLimits: typeof GPUSupportedLimits;
  readonly GPUTexture: typeof GPUTexture;
  readonly GPUTextureUsage: typeof GPUTextureUsage;
  readonly GPUTextureView: typeof GPUTextureView;
  readonly GPUUncapturedErrorEvent: typeof GPUUncapturedErrorEvent;
  readonly GPUValidationError: typeof GPUValidationError;
  readonly WGSLLanguageFeatures: { readonly prototype: WGSLLanguageFeatures; new (): never };
};
