// SPDX-License-Identifier: Apache-2.0
//
// sharing.d.ts - types of tensors that models share by name; weft-gpu/tensor exports them.

/// <reference types="@webgpu/types" />

import type { Context, ContextOptions } from './context.js';
import type { DTypeName, Tensor, TensorLike, TypedArray } from './tensor.js';

export type StorageType = 'cpu' | 'webgpu' | 'webnn';
export const SharedTensorLocation: { readonly CPU: 'cpu'; readonly WEBGPU: 'webgpu'; readonly WEBNN: 'webnn'; readonly MULTI: 'multi' };
export type SharedTensorLocation = 'cpu' | 'webgpu' | 'webnn' | 'multi';
/** 'float32', 'int32', 'uint8', 'float16' and the others. */
export type DataType = DTypeName;
export type ShaderDataType = 'float32' | 'int32' | 'uint8';
export type SharedData = TypedArray | readonly number[] | readonly (readonly number[])[] | Tensor;

export interface SharedTensorOptions {
  name: string; shape: readonly number[]; dtype?: DataType; storageType?: StorageType; producerModel?: string | null;
}

/** Elements that models share. */
export class SharedTensor {
  constructor(options: SharedTensorOptions);
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly storageType: StorageType;
  readonly producerModel: string | null;
  /** One for each model. */
  readonly referenceCount: number;
  readonly consumers: string[];
  readonly location: SharedTensorLocation;
  data: any;
  isPinned: boolean;
  lastAccessed: number;
  acquire(model: string): boolean;
  release(model: string): boolean;
  pin(): void;
  unpin(): void;
  canBeFreed(): boolean;
  /** Offsets and sizes for each axis, or of the elements in their order. */
  createView(name: string, offset: number | readonly number[], size?: number | readonly number[]): SharedTensorView;
  copyTo(type: StorageType): SharedTensor;
  /** Waits for a device that has the only copy. */
  getData(): TypedArray | null;
  readData(): Promise<TypedArray | null>;
  setData(data: SharedData): void;
  getShape(): number[];
  getDataType(): string;
  getSize(): number;
  getMemoryUsage(): number;
  toString(): string;
}

/** A part of a shared tensor: the same memory under another name. */
export class SharedTensorView extends SharedTensor {
  constructor(parent: SharedTensor, name: string, offset: number | readonly number[], size?: number | readonly number[]);
  readonly parent: SharedTensor;
  readonly offset: number | number[];
  readonly size: number | number[];
}

export interface StorageManagerOptions {
  /** A name, or a path. */
  dbName?: string;
  dbVersion?: number; enableCompression?: boolean;
  /** Bytes; 0: no limit. */
  maxStorageSize?: number;
  enableAutoCleanup?: boolean;
  /** Milliseconds. */
  cleanupThreshold?: number;
  enableLogging?: boolean;
}
export interface StoredModel {
  id: string; name: string; version: string; framework?: string; totalSize: number; tensorIds: string[]; metadata?: Record<string, any>;
  createdAt?: number; lastAccessed?: number;
}
export interface StoredTensor {
  id: string; data: TypedArray; shape: number[]; dataType: string; metadata?: Record<string, any>; byteSize: number; createdAt: number; lastAccessed: number;
}
export interface StorageInfo { modelCount: number; tensorCount: number; totalSize: number; remainingQuota?: number; dbName: string; dbVersion: number }

/** Tensors and models that outlive the process. What fails gives false, null, [] or 0. */
export class StorageManager {
  constructor(options?: StorageManagerOptions);
  readonly path: string;
  initialize(): Promise<boolean>;
  storeModelMetadata(model: StoredModel): Promise<boolean>;
  getModelMetadata(id: string): Promise<StoredModel | null>;
  listModels(): Promise<StoredModel[]>;
  deleteModel(id: string): Promise<boolean>;
  storeTensor(id: string, data: TypedArray | readonly number[], shape: readonly number[], dataType?: DataType, metadata?: Record<string, any>): Promise<boolean>;
  getTensor(id: string): Promise<StoredTensor | null>;
  getTensorData(id: string): Promise<TypedArray | null>;
  deleteTensor(id: string): Promise<boolean>;
  getStorageInfo(): Promise<StorageInfo>;
  clear(): Promise<boolean>;
  cleanup(): Promise<number>;
}

export interface TensorSharingIntegrationOptions {
  enablePersistence?: boolean; maxMemoryMb?: number; enableAutoCleanup?: boolean; cleanupThreshold?: number; enableCompression?: boolean;
  enableLogging?: boolean; dbName?: string;
}
export const SharingStatus: { readonly SUCCESS: 'success'; readonly NOT_FOUND: 'not_found'; readonly INCOMPATIBLE: 'incompatible'; readonly ERROR: 'error' };
export interface SharingResult {
  status: 'success' | 'not_found' | 'incompatible' | 'error';
  message: string;
  tensorInfo?: { name: string; shape: number[]; storageType: StorageType; memoryBytes: number };
}
export interface WebNNLikeBackend { createTensor(data: TypedArray, shape: number[], dataType: string): Promise<{ tensor: any }> }

/** Shared tensors by name, who uses them, and what they take. */
export class TensorSharingIntegration {
  constructor(options?: TensorSharingIntegrationOptions);
  initialize(webnn?: WebNNLikeBackend): Promise<boolean>;
  /** Copies the data; a Tensor is shared itself. `kind` is where it is, or its element type. */
  registerSharedTensor(name: string, shape: readonly number[], data: SharedData, kind?: StorageType | DataType,
    producerModel?: string | null, consumerModels?: readonly string[] | null): Promise<SharedTensor>;
  getSharedTensor(name: string, modelName?: string | null): Promise<SharedTensor | null>;
  getTensor(name: string, modelName?: string | null): Promise<SharedTensor | null>;
  getRegisteredTensors(): string[];
  shareTensorBetweenModels(name: string, fromModel: string, toModels: readonly string[]): Promise<SharingResult>;
  createTensorView(name: string, viewName: string, offset: number | readonly number[], size?: number | readonly number[], modelName?: string | null): Promise<SharedTensorView | null>;
  releaseModelTensors(modelName: string): Promise<number>;
  release(name: string, modelName: string): boolean;
  optimizeMemoryUsage(): Promise<{
    initial_memory_bytes: number; current_memory_bytes: number; freed_memory_bytes: number; freed_tensors_count: number; freed_tensors: string[];
    memory_reduction_percent: number; remaining_tensor_count: number;
  }>;
  analyzeSharingOpportunities(): Record<string, string[]>;
  getTensorMemoryUsage(): Record<string, {
    memory_bytes: number; memory_mb: number; shape: number[]; dtype: string; storage_type: StorageType; reference_count: number; consumer_count: number;
    consumers: string[]; producer: string | null;
  }>;
  getModelMemoryUsage(): Record<string, {
    total_memory_bytes: number; total_memory_mb: number; tensor_count: number;
    tensors: Record<string, { memory_bytes: number; memory_mb: number; shape: number[] }>;
  }>;
  getOptimizationRecommendations(): {
    largest_tensors: { name: string; memory_mb: number }[]; low_reference_tensors: string[]; sharing_opportunities: Record<string, string[]>;
    total_memory_mb: number; potential_savings_mb: number; cache_efficiency: { hits: number; misses: number; hit_rate: number };
  };
  getStats(): {
    total_tensors: number; total_models: number; memory_usage_bytes: number; memory_usage_mb: number; cache_hits: number; cache_misses: number;
    hit_rate: number; models: string[]; sharing_opportunities: Record<string, string[]>; persistentTensorCount?: number;
  };
  synchronizePersistentStorage(): Promise<{ success: boolean; message: string; updatedCount: number; failedUpdates: string[] }>;
  createWebNNTensorsFromShared(names: readonly string[], modelName: string): Promise<Map<string, any> | null>;
  saveAsWebNNModel(modelId: string, modelName: string, names: readonly string[]): Promise<boolean>;
  loadFromWebNNModel(modelId: string, producerModel?: string | null): Promise<string[]>;
}
export { TensorSharingIntegration as TensorSharing };

/** A tensor of a backend. */
export interface BackendTensor { readonly tensor: Tensor; readonly buffer: GPUBuffer; readonly shape: number[]; readonly dataType: string; readonly size: number; dispose(): void }
export type BackendInput = BackendTensor | { buffer: GPUBuffer; shape: readonly number[]; dataType?: DataType } | TensorLike;
export type FusionOp =
  'add' | 'subtract' | 'multiply' | 'divide' | 'pow' | 'max' | 'min' | 'matmul' | 'transpose' | 'dot' | 'reshape' | 'flatten' | 'expand_dims' | 'squeeze' |
  'relu' | 'sigmoid' | 'tanh' | 'softmax' | 'gelu' | 'silu' | 'leaky_relu' | 'elu' | 'layer_norm' | 'batch_norm' | 'dropout' | 'max_pool' | 'avg_pool' |
  'scale' | 'mask' | 'softmax_with_mask';
/** With options of the operation, such as `shape` or `axis`, and how many further operands it takes. */
export type FusionStep = FusionOp | { type: FusionOp; operands?: number; [option: string]: any };

export interface WebGPUBackendOptions extends Omit<ContextOptions, 'share'> {
  /** A context to use instead of a new one. */
  context?: Context;
  powerPreference?: 'high-performance' | 'low-power';
  forceFallbackAdapter?: boolean;
  requiredFeatures?: readonly string[];
  requiredLimits?: Record<string, number>;
  shaderCompilation?: { precompile?: boolean; cacheShaders?: boolean; shadersPath?: string; browserOptimizations?: boolean };
  memory?: { maxMemorySize?: number; enableGarbageCollection?: boolean; garbageCollectionThreshold?: number };
}
/** Operations on buffers of one device. */
export class WebGPUBackend {
  constructor(options?: WebGPUBackendOptions);
  readonly type: 'webgpu';
  readonly device: GPUDevice | null;
  readonly context: Context;
  readonly shaderCache: Map<string, string>;
  readonly isInitialized: boolean;
  isSupported(): Promise<boolean>;
  initialize(): Promise<boolean>;
  getCapabilities(): Promise<{ adapter: { isFallbackAdapter: boolean }; features: string[]; limits: Readonly<Record<string, number>> }>;
  createTensor(data: TypedArray | readonly number[], shape: readonly number[], dataType?: DataType): Promise<BackendTensor>;
  execute(operation: string, inputs: Record<string, BackendInput>, options?: Record<string, any>): Promise<BackendTensor>;
  readBuffer(buffer: BackendTensor | GPUBuffer, dataType?: DataType): Promise<TypedArray>;
  executeFusedOperations(inputs: readonly BackendInput[], ops: readonly FusionStep[]): Promise<BackendTensor>;
  createFusionPattern(ops: readonly FusionOp[], id?: string): boolean;
  dispose(): void;
}

export const FusionPattern: Readonly<Record<string, string>>;
export interface FusionConfig {
  maxFusionLength?: number; enableAutoFusion?: boolean; enabledPatterns?: readonly string[]; customPatterns?: Record<string, readonly FusionOp[]>;
  useQuantizedWeights?: boolean; bitsPerWeight?: 1 | 2 | 3 | 4 | 8; useBrowserOptimizations?: boolean; browserOptimizationType?: BrowserType;
}
export class WebGPUOperationFusion {
  constructor(backend: WebGPUBackend | null, config?: FusionConfig);
  canFuse(ops: readonly FusionStep[]): boolean;
  /** The pattern that fits, or null. */
  matchPattern(ops: readonly FusionStep[]): string | null;
  createFusionPattern(ops: readonly FusionOp[], id?: string): boolean;
  executeFusedOperations(inputs: readonly BackendInput[], ops: readonly FusionStep[]): Promise<BackendTensor>;
}

export const BrowserType: { readonly CHROME: 'chrome'; readonly FIREFOX: 'firefox'; readonly SAFARI: 'safari'; readonly EDGE: 'edge'; readonly UNKNOWN: 'unknown' };
export type BrowserType = 'chrome' | 'firefox' | 'safari' | 'edge' | 'unknown';
export type WorkgroupSize = [number, number, number];
export interface BrowserCapabilities {
  browserType: BrowserType;
  version: string;
  features: { storage16Bit: boolean; storage8Bit: boolean; timestampQuery: boolean; indirectDispatch: boolean; pipelineStatistics: boolean; asyncPipeline: boolean };
  hardware: { vendor: string; architecture: string; isIntegrated: boolean; hasUnifiedMemory: boolean };
  performanceTier: number;
  /** Measured on the device. */
  optimalWorkgroupSize: { compute: WorkgroupSize; matrix: WorkgroupSize; elementwise: WorkgroupSize };
}
export interface ShaderSettings {
  enableLoopUnrolling?: boolean; enableMemoryCoalescing?: boolean; enableWorkgroupMemory?: boolean; enableSubgroupOps?: boolean;
  preferPerformanceOverPrecision?: boolean; optimizationLevel?: string; useBrowserSpecificIntrinsics?: boolean; customSettings?: Record<string, any>;
  workgroupSize?: WorkgroupSize; operation?: 'relu' | 'sigmoid' | 'tanh';
}
export function detectBrowserType(userAgent?: string): BrowserType;
export function detectBrowserVersion(userAgent?: string): string;
export function getBrowserCapabilities(device: GPUDevice): Promise<BrowserCapabilities>;
export function getDefaultOptimizationSettings(capabilities?: BrowserCapabilities): Required<Omit<ShaderSettings, 'workgroupSize' | 'operation'>>;
export function getOptimizedShader(device: GPUDevice, operation: 'matmul' | 'elementwise' | 'softmax' | 'quantize', settings?: ShaderSettings): Promise<string>;

export interface WebGPUTensorSharingOptions {
  webgpuBackend?: WebGPUBackend;
  storageManager?: StorageManager;
  webgpuOptions?: any;
  browserOptimizations?: boolean;
  browserType?: BrowserType;
  shaderOptimizationSettings?: Record<string, any>;
  enableZeroCopy?: boolean;
  cachePipelines?: boolean;
  priorityMode?: 'speed' | 'memory' | 'balanced';
  debug?: boolean;
}
export interface TensorReference { tensorName: string; modelName: string }

/** Operations on tensors that models share by name. */
export class WebGPUTensorSharing {
  constructor(tensorSharing: TensorSharingIntegration, options?: WebGPUTensorSharingOptions);
  readonly webgpuBackend: WebGPUBackend;
  readonly tensorSharing: TensorSharingIntegration;
  readonly tensorBufferCache: Map<string, { readonly buffer: GPUBuffer; shape: number[]; dataType: string; location: SharedTensorLocation; lastUsed: number; size: number }>;
  readonly pipelineCache: Map<string, { pipeline: unknown }>;
  readonly shaderCache: Map<string, string>;
  browserCapabilities: BrowserCapabilities | null;
  /** Never throws: false without a device. */
  initialize(): Promise<boolean>;
  isInitialized(): boolean;
  matmul(tensorA: string, modelA: string, tensorB: string, modelB: string, outputTensorName: string, modelName: string,
    transposeA?: boolean, transposeB?: boolean): Promise<string>;
  elementwise(inputTensorName: string, inputModelName: string, outputTensorName: string, outputModelName: string,
    operation?: 'relu' | 'sigmoid' | 'tanh' | string): Promise<string>;
  softmax(inputTensorName: string, inputModelName: string, outputTensorName: string, outputModelName: string, axis?: number): Promise<string>;
  quantize(inputTensorName: string, inputModelName: string, outputTensorName: string, outputModelName: string): Promise<{ tensorName: string; scaleTensorName: string }>;
  dequantize(inputTensorName: string, inputModelName: string, scaleTensorName: string, scaleModelName: string,
    outputTensorName: string, outputModelName: string): Promise<string>;
  executeOperation(operation: 'matmul' | 'elementwise' | 'softmax' | 'quantize' | 'dequantize', inputs: Record<string, TensorReference>,
    outputTensorName: string, modelName: string, options?: Record<string, any>): Promise<string>;
  createTensorView(sourceTensorName: string, sourceModelName: string, viewTensorName: string, targetModelName: string,
    offset?: number | readonly number[], size?: number | readonly number[]): Promise<string>;
  shareTensorBetweenModels(tensorName: string, sourceModelName: string, targetModelNames: readonly string[]): Promise<void>;
  synchronizeTensor(tensorName: string, modelName: string, direction?: 'cpu-to-gpu' | 'gpu-to-cpu' | 'both'): Promise<void>;
  createGPUBufferFromSharedTensor(tensorName: string, modelName: string): Promise<{ buffer: GPUBuffer; shape: number[]; dataType: string; location: SharedTensorLocation; size: number }>;
  createCustomShader(shaderName: string, shaderCode: string, inputTypes?: Record<string, ShaderDataType>, outputTypes?: Record<string, ShaderDataType>): Promise<void>;
  executeCustomShader(shaderName: string, inputTensors: Record<string, TensorReference>,
    outputTensorNames: Record<string, { tensorName: string; shape: number[]; dataType: ShaderDataType }>, modelName: string,
    workgroupSize?: [number, number, number], workgroupCount?: [number, number, number]): Promise<Record<string, string>>;
  precompileOptimizedShaders(): Promise<void>;
  getOptimalWorkgroupSize(kind?: 'compute' | 'matrix' | 'elementwise'): WorkgroupSize;
  getGPUMemoryUsage(): number;
  optimizeMemoryUsage(): Promise<void>;
  cleanupUnusedTensors(maxAgeMs?: number): Promise<void>;
  dispose(): void;
}
