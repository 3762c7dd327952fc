// SPDX-License-Identifier: Apache-2.0
//
// tensor.d.ts - types of weft-gpu/tensor.

/// <reference types="@webgpu/types" />

import type { Context } from './context.js';
import type { ElementwiseOperators } from './operators.js';

export * from './context.js';
export * from './operators.js';
export * from './sharing.js';

export type DType = 'f32' | 'f16' | 'bf16' | 'f64' | 'i32' | 'u32' | 'i8' | 'u8' | 'i64' | 'bool' | 'q4_0' | 'q8_0' | 'i4' | 'u4';
/** Names of other systems that are understood where a type is asked for. */
export type DTypeName = DType | 'float32' | 'float16' | 'bfloat16' | 'float64' | 'int32' | 'uint32' | 'int8' | 'uint8' | 'int64' | 'boolean';
export type TypedArray =
  Float32Array | Float64Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Int8Array | Uint8Array |
  Uint8ClampedArray | BigInt64Array;
export type NestedArray = number | boolean | bigint | TypedArray | readonly NestedArray[];
/** An operand: numbers take the type of the other one. */
export type TensorLike = Tensor | NestedArray;
export type Nested = number | boolean | bigint | Nested[];
export type Axes = number | readonly number[];
export type Location = 'lazy' | 'device' | 'host' | 'disk' | 'both';
export type Activation = 'none' | 'relu' | 'gelu' | 'gelu_tanh' | 'silu' | 'sigmoid' | 'tanh';
/** One number for both axes, or one for each. */
export type Pair = number | readonly [number] | readonly [number, number];
/** A position (the axis goes), [start, stop, step] as in Python, or undefined for the whole axis. */
export type Range = number | readonly [start?: number | null, stop?: number | null, step?: number | null] | undefined | null;

export type ScatterMode = 'set' | 'add' | 'mul' | 'max' | 'min';

export interface PaddingOptions { padding?: Pair; padBefore?: Pair; padAfter?: Pair }
export interface ConvOptions extends PaddingOptions { stride?: Pair; dilation?: Pair; groups?: number; activation?: Activation }
export interface ConvTransposeOptions extends ConvOptions { outputPad?: Pair }
export interface ResizeOptions {
  size?: Pair; scale?: Pair; mode?: 'nearest' | 'linear' | 'cubic'; grid?: 'half-pixel' | 'align-corners' | 'asymmetric' | 'pytorch';
  rounding?: 'round-floor' | 'round-ceil' | 'floor' | 'ceil'; cubic?: number; excludeOutside?: boolean; antialias?: boolean;
}
export interface RopeOptions { positions?: TensorLike; frequencies?: TensorLike; base?: number; dims?: number; interleaved?: boolean }
export interface PoolOptions extends PaddingOptions { size: Pair; stride?: Pair; dilation?: Pair; ceil?: boolean; includePadding?: boolean }
export interface AttentionOptions { mask?: TensorLike; causal?: boolean; window?: number; scale?: number; softCap?: number }
export interface ScanOptions { exclusive?: boolean; reverse?: boolean }
export interface PadOptions { mode?: 'constant' | 'edge' | 'reflect' | 'wrap'; value?: number }

/** An array of numbers on a device, or a graph that will compute one. */
export class Tensor {
  private constructor();
  readonly context: Context;
  readonly shape: readonly number[];
  readonly rank: number;
  readonly dtype: DType;
  /** How many elements. */
  readonly size: number;
  readonly bytes: number;
  readonly isView: boolean;
  readonly location: Location;
  readonly references: number;
  label: string;
  readonly isDisposed: boolean;

  /** The elements, last axis fastest; f16 and bf16 as f32. */
  data(): Promise<TypedArray>;
  array(): Promise<Nested>;
  item(): Promise<number | boolean | bigint>;
  /** The bytes as they are stored. */
  raw(): Promise<Uint8Array>;
  dataSync(): TypedArray;
  dataSync<T extends TypedArray>(into: T): T;
  arraySync(): Nested;
  itemSync(): number | boolean | bigint;
  /** Replaces the elements, also in views and where the tensor is shared. */
  write(data: NestedArray): this;
  assign(from: TensorLike): this;

  eval(): Promise<this>;
  /** The kernels that compute it, and why fusion stopped where it did. */
  explain(): string;
  move(to: 'device' | 'host' | 'disk'): Promise<this>;
  pin(): this;
  unpin(): this;
  /** Its memory, for WebGPU: it is computed first, and stays there until unpin(). */
  gpuBuffer(): { buffer: GPUBuffer; offset: number; strides: number[] };
  dispose(): void;

  variance(axes?: Axes, keep?: boolean, correction?: number): Tensor;
  norm(axes?: Axes, keep?: boolean, order?: 1 | 2 | number): Tensor;
  argmax(axis?: number, keep?: boolean): Tensor;
  argmin(axis?: number, keep?: boolean): Tensor;
  cumsum(axis?: number, options?: ScanOptions): Tensor;
  cumprod(axis?: number, options?: ScanOptions): Tensor;

  reshape(shape: readonly number[]): Tensor;
  reshape(...shape: number[]): Tensor;
  flatten(): Tensor;
  expand(shape: readonly number[]): Tensor;
  expand(...shape: number[]): Tensor;
  permute(axes?: readonly number[]): Tensor;
  permute(...axes: number[]): Tensor;
  transpose(axisA?: number, axisB?: number): Tensor;
  slice(...ranges: Range[]): Tensor;
  narrow(axis: number, start: number, length: number): Tensor;
  select(axis: number, index: number): Tensor;
  squeeze(axis?: number): Tensor;
  unsqueeze(axis: number): Tensor;
  flip(axis: number): Tensor;
  diagonal(offset?: number, axisA?: number, axisB?: number): Tensor;
  windows(axis: number, size: number, step?: number): Tensor;
  asStrided(shape: readonly number[], strides: readonly number[], offset?: number): Tensor;
  bitcast(dtype: DTypeName): Tensor;

  cast(dtype: DTypeName): Tensor;
  gelu(form?: 'erf' | 'tanh'): Tensor;
  leakyRelu(slope?: number): Tensor;
  elu(alpha?: number): Tensor;
  clip(low?: number, high?: number): Tensor;
  /** a where this is true, else b. */
  where(a: TensorLike, b: TensorLike): Tensor;
  tril(diagonal?: number): Tensor;
  triu(diagonal?: number): Tensor;
  oneHot(depth: number, dtype?: DTypeName): Tensor;

  contiguous(): Tensor;
  copy(): Tensor;
  tile(repeats: readonly number[]): Tensor;
  tile(...repeats: number[]): Tensor;
  repeat(repeats: number, axis?: number): Tensor;
  roll(shift: number, axis?: number): Tensor;
  pad(pairs: readonly (readonly [before: number, after: number])[], options?: PadOptions): Tensor;
  split(parts: number | readonly number[], axis?: number): Tensor[];

  take(indices: TensorLike, axis?: number): Tensor;
  gather(indices: TensorLike, axis?: number): Tensor;
  gatherNd(indices: TensorLike, batch?: number): Tensor;
  maskedFill(mask: TensorLike, value: number): Tensor;
  /** A copy in which elements are replaced by updates, or combined with them. */
  scatter(indices: TensorLike, updates: TensorLike, options?: { axis?: number; how?: ScatterMode }): Tensor;
  scatterNd(indices: TensorLike, updates: TensorLike, options?: { how?: ScatterMode }): Tensor;
  sliceUpdate(updates: TensorLike, ...ranges: Range[]): Tensor;

  sort(axis?: number, descending?: boolean): Tensor;
  argsort(axis?: number, descending?: boolean): Tensor;
  topk(k: number, options?: { axis?: number; smallest?: boolean }): { values: Tensor; indices: Tensor };
  /** How many elements of a sorted line are before each value, or equal to it. */
  searchsorted(values: TensorLike, right?: boolean): Tensor;
  /** Coordinates [rank, how many]; waits for the device. */
  nonzero(): Tensor;
  /** Waits for the device. */
  unique(): { values: Tensor; indices: Tensor; inverse: Tensor; counts: Tensor };

  matmul(b: TensorLike): Tensor;
  outer(b: TensorLike): Tensor;
  /** activation(this . transpose(weight) + bias) */
  linear(weight: TensorLike, bias?: TensorLike | null, options?: { activation?: Activation }): Tensor;
  conv1d(weight: TensorLike, bias?: TensorLike | null, options?: ConvOptions): Tensor;
  conv2d(weight: TensorLike, bias?: TensorLike | null, options?: ConvOptions): Tensor;
  convTranspose(weight: TensorLike, bias?: TensorLike | null, options?: ConvTransposeOptions): Tensor;
  unfold(options: PoolOptions): Tensor;
  resize(options: ResizeOptions): Tensor;
  rope(options?: RopeOptions): Tensor;
  maxPool(options: PoolOptions): Tensor;
  avgPool(options: PoolOptions): Tensor;
  attention(k: TensorLike, v: TensorLike, options?: AttentionOptions): Tensor;

  cholesky(options?: { upper?: boolean }): Tensor;
  triangularSolve(b: TensorLike, options?: { upper?: boolean; unit?: boolean }): Tensor;
  solve(b: TensorLike): Tensor;
  inv(): Tensor;
  det(): Tensor;
  qr(): { q: Tensor; r: Tensor };

  bernoulli(key: number): Tensor;
  dropout(rate: number, key: number): Tensor;

  softmax(axis?: number): Tensor;
  logSoftmax(axis?: number): Tensor;
  layerNorm(gain?: TensorLike | null, bias?: TensorLike | null, epsilon?: number): Tensor;
  rmsNorm(gain?: TensorLike | null, epsilon?: number): Tensor;
  batchNorm(mean: TensorLike, variance: TensorLike, gain?: TensorLike | null, bias?: TensorLike | null, epsilon?: number): Tensor;
  groupNorm(groups: number, gain?: TensorLike | null, bias?: TensorLike | null, epsilon?: number): Tensor;
  instanceNorm(gain?: TensorLike | null, bias?: TensorLike | null, epsilon?: number): Tensor;
}
export interface Tensor extends ElementwiseOperators {}

export interface TensorOptions {
  shape?: readonly number[];
  dtype?: DTypeName;
  label?: string;
  context?: Context;
  /** The memory moves to the tensor instead of being copied; the array is empty afterwards. */
  transfer?: boolean;
}
export function tensor(data: TensorLike, options?: TensorOptions | readonly number[] | DTypeName | Context, dtype?: DTypeName): Tensor;

export type PatternOptions = { dtype?: DTypeName; context?: Context } | DTypeName | Context;
export function full(shape: number | readonly number[], value: number, options?: PatternOptions): Tensor;
export function zeros(shape: number | readonly number[], options?: PatternOptions): Tensor;
export function ones(shape: number | readonly number[], options?: PatternOptions): Tensor;
/** A weak number: takes the type of what it is combined with. */
export function scalar(value: number, context?: Context): Tensor;
export function arange(stop: number, options?: PatternOptions): Tensor;
export function arange(start: number, stop: number, options?: PatternOptions): Tensor;
export function arange(start: number, stop: number, step: number, options?: PatternOptions): Tensor;
export function linspace(start: number, stop: number, count: number, options?: PatternOptions): Tensor;
export function eye(rows: number, columns?: number, diagonal?: number, options?: PatternOptions): Tensor;
export function concat(tensors: readonly TensorLike[], axis?: number): Tensor;
export function stack(tensors: readonly TensorLike[], axis?: number): Tensor;

/** Sums of products over named axes: einsum('ij,jk->ik', a, b). */
export function einsum(equation: string, ...tensors: TensorLike[]): Tensor;

/** Random numbers are a function of the key and of their position. */
export interface RandomOptions { key: number; first?: number; dtype?: DTypeName; context?: Context }
export function randomBits(shape: number | readonly number[], options: RandomOptions): Tensor;
export function uniform(shape: number | readonly number[], options: RandomOptions & { low?: number; high?: number }): Tensor;
export function normal(shape: number | readonly number[], options: RandomOptions & { mean?: number; deviation?: number }): Tensor;
export function randint(shape: number | readonly number[], options: RandomOptions & { low?: number; high?: number }): Tensor;
export function permutation(n: number, options: { key: number; context?: Context }): Tensor;

/** Computes several tensors together; resolves when the device is done. */
export function evaluate(...tensors: (Tensor | readonly Tensor[])[]): Promise<Tensor[]>;

/** Calls f. What it makes is disposed of when it is done, or its promise is, except its result. */
export function scope<T>(f: () => T): T;
/** The tensor outlives the scope it was made in. */
export function keep<T>(tensor: T): T;

export interface Slot { dtype?: DTypeName; shape?: readonly number[] }
export type Slots = readonly (string | (Slot & { name: string }))[] | Record<string, Slot>;
export interface KernelOptions {
  wgsl: string;
  name?: string;
  entry?: string;
  inputs?: Slots;
  outputs: Slots;
  constants?: Record<string, number>;
  context?: Context;
}
export interface RunOptions {
  /** Workgroups. Default: one invocation for each element of the first output. */
  groups?: readonly [number, number?, number?];
  /** The bytes of the kernel's uniform variable. */
  params?: ArrayBufferView;
  /** Shapes of outputs in this run. */
  shapes?: Record<string, readonly number[]>;
}
/** A compute shader whose storage buffers are tensors. */
export class Kernel {
  constructor(options: KernelOptions);
  readonly name: string;
  readonly context: Context;
  run(inputs: Record<string, TensorLike> | readonly TensorLike[], options?: RunOptions): Record<string, Tensor>;
  dispose(): void;
}
export function kernel(options: KernelOptions): Kernel;

export interface ShareInfo { owner: string; name: string; bytes: number; location: Location; references: number; readers: number }
/** The shared tensors of a context. */
export interface Shares {
  put(owner: string, name: string, tensor: TensorLike): void;
  get(owner: string, name: string, reader?: string): Tensor;
  grant(owner: string, name: string, reader: string): void;
  revoke(owner: string, name: string, reader: string): void;
  drop(owner: string, name: string, reader?: string): void;
  release(owner: string): number;
  bytes(owner: string): number;
  list(): ShareInfo[];
}
export function shares(context?: Context): Shares;

/** The device of a context, for programs that use WebGPU as well. */
export function gpuDevice(context?: Context): GPUDevice;
/** A tensor in a buffer of gpuDevice(context); the offset is in bytes. */
export function fromGpuBuffer(buffer: GPUBuffer, options: { shape: number | readonly number[]; dtype?: DTypeName; offset?: number; context?: Context }): Tensor;
