// SPDX-License-Identifier: Apache-2.0
//
// pool.d.ts - types of weft-gpu/pool.

export { WeftError } from './context.js';
export type { ErrorKind } from './context.js';

export type Policy = 'finish' | 'performance' | 'power' | 'memory' | 'round-robin' | 'device';

/** How to find devices. Every member may be left out. Times are milliseconds. */
export interface PoolOptions {
  /** Paths of more libraries with webgpu.h. */
  libraries?: readonly string[];
  /** Do without Weft's own devices. */
  noOwn?: boolean;
  /** Keep devices that one of these words means: 'cpu', 'gpu', 'vulkan', a part of a name. */
  adapters?: readonly string[];
  probeTimeout?: number;
  /** To measure each device that is new. Default: 3,000; Infinity: devices are not measured. */
  benchmarkTimeout?: number;
  cacheDir?: string;
  noCache?: boolean;
  /** Of the CPU device. Default: all cores. */
  threads?: number;
  /** That a dispatch may take, before its device is lost. Default: any. */
  deadline?: number;
  /** That an execution may run. Default: any. */
  timeLimit?: number;
  memoryLimit?: number;
  deviceMemory?: number;
  hostLimit?: number;
  policy?: Policy;
  device?: string;
  retries?: number;
  giveUp?: number;
  programLimit?: number;
}

export interface PoolContextOptions {
  label?: string;
  /** Bytes on all devices. */
  memoryQuota?: number;
  /** Executions that wait or run at a time. */
  executionQuota?: number;
  /** Milliseconds of devices in total. */
  timeQuota?: number;
  /** Of its share of a busy device: 1 to 1,000. */
  weight?: number;
  policy?: Policy;
  device?: string;
}

export interface PoolDevice {
  index: number; id: string; name: string; vendor: string; architecture: string; driver: string;
  backend: string; type: string; library: string;
  hardwareGpu: boolean; f16: boolean; f64: boolean; subgroups: boolean;
  memory: number; memoryUsed: number;
  state: 'ready' | 'lost' | 'given-up';
  losses: number; queued: number;
  /** Operations and bytes a second. */
  profile: {
    f32Rate: number; f16Rate: number; i32Rate: number; functionRate: number; bandwidth: number; cacheBandwidth: number;
    launchMs: number; uploadRate: number; readRate: number; measured: boolean;
  };
}

/** 'bytes' is for structures. */
export type ScalarType = 'f32' | 'f16' | 'f64' | 'i32' | 'u32' | 'bytes';
export type KernelArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Uint16Array;

/** A number is given as f64, which the pool converts for variables of f32. */
export type ExecuteInput = number | KernelArray | PoolData | { data: ArrayBufferView; type?: ScalarType; shape?: readonly number[] };
/** A type alone: the size is that of the variable, or of the input of this name. A typed array: it is filled. */
export type ExecuteOutput = ScalarType | { type?: ScalarType; shape?: readonly number[] } | KernelArray | PoolData;

export interface ExecuteOptions {
  wgsl: string;
  /** Default: the only compute entry point. */
  entry?: string;
  /** Of overrides. */
  constants?: Readonly<Record<string, number>>;
  /** By the names of variables, or of members: 'params.n'. */
  inputs?: Readonly<Record<string, ExecuteInput>>;
  outputs?: Readonly<Record<string, ExecuteOutput>>;
  /** Workgroups. Default: from the kernel and its data. */
  groups?: readonly number[];
  invocations?: readonly number[];
  policy?: Policy;
  device?: string;
  /** Larger ones first. */
  priority?: number;
  /** Milliseconds from now by which it must have ended. */
  deadline?: number;
  /** Milliseconds it may run. */
  timeLimit?: number;
  memoryLimit?: number;
  /** Run an optimized version of the kernel, if there is one. */
  optimize?: boolean;
  /** The loss of a device is an error instead of another run. */
  noRetry?: boolean;
  label?: string;
  signal?: AbortSignal;
}

export interface ExecuteReport {
  id: number;
  device: string;
  groups: [number, number, number];
  workgroupSize: [number, number, number];
  queueMs: number; compileMs: number; uploadMs: number; runMs: number; readMs: number; totalMs: number;
  bytesUploaded: number; bytesRead: number; memory: number;
  /** Above 1: it ran again after the loss of a device. */
  attempts: number;
  parts: number;
  note: string;
}

/** What comes back for each output: the typed array of its type, or what was given. */
export type Outputs<O> = {
  [K in keyof O]: O[K] extends KernelArray | PoolData ? O[K]
    : O[K] extends 'f32' | { type: 'f32' } ? Float32Array
    : O[K] extends 'f64' | { type: 'f64' } ? Float64Array
    : O[K] extends 'i32' | { type: 'i32' } ? Int32Array
    : O[K] extends 'u32' | { type: 'u32' } ? Uint32Array
    : KernelArray;
};

export interface ExecuteResult<O> { outputs: Outputs<O>; report: ExecuteReport }

/** Data that stays on devices between executions, for one PoolContext. */
export class PoolData {
  private constructor();
  readonly type: ScalarType;
  /** In bytes. */
  readonly size: number;
  /** Its elements, after the executions that were started before. */
  read(): Promise<KernelArray>;
  /** Replaces elements from the index `first` on. */
  write(view: ArrayBufferView, first?: number): void;
  dispose(): void;
}

/** One user of a pool. */
export class PoolContext {
  private constructor();
  execute<const O extends Readonly<Record<string, ExecuteOutput>> = {}>(options: ExecuteOptions & { outputs?: O }): Promise<ExecuteResult<O>>;
  /** The same, waiting for it. */
  executeSync<const O extends Readonly<Record<string, ExecuteOutput>> = {}>(options: ExecuteOptions & { outputs?: O }): ExecuteResult<O>;
  /** Which device would run it, and why. Runs nothing. */
  explain(options: ExecuteOptions): string;
  data(given: KernelArray | { type?: ScalarType; length: number }, options?: { name?: string }): PoolData;
  readonly usage: { memory: number; memoryPeak: number; deviceMs: number; executions: number; errors: number; waiting: number; running: number };
  readonly isDisposed: boolean;
  /** What it has queued is cancelled. */
  dispose(): void;
}

/** The devices of the machine. */
export class Pool {
  private constructor();
  readonly devices: PoolDevice[];
  findDevice(word: string): PoolDevice | null;
  readonly sources: { library: string; devices: number; error: string | null }[];
  readonly counters: Record<string, number>;
  readonly isDisposed: boolean;
  context(options?: PoolContextOptions): PoolContext;
  dispose(): void;
}

export function createPool(options?: PoolOptions): Promise<Pool>;
/** The context of a pool that the process shares. */
export function sharedContext(): Promise<PoolContext>;
/** Runs a kernel on the shared context. */
export function execute<const O extends Readonly<Record<string, ExecuteOutput>> = {}>(options: ExecuteOptions & { outputs?: O }): Promise<ExecuteResult<O>>;
