// SPDX-License-Identifier: Apache-2.0
//
// context.d.ts - types of weft-gpu/context.

export type ErrorKind =
  'unsupported' | 'invalid' | 'shape' | 'type' | 'not-found' | 'exists' | 'compile' | 'format' | 'memory' | 'quota' |
  'denied' | 'cancelled' | 'timeout' | 'device-lost' | 'io' | 'internal';

/** The error of every layer above WebGPU. */
export class WeftError extends Error {
  constructor(kind: ErrorKind, message: string, names?: readonly string[], options?: { cause?: unknown });
  readonly kind: ErrorKind;
  /** The tensors, files, bindings or fields that are involved. */
  readonly names: readonly string[];
}

export type LogTopic = 'device' | 'compile' | 'memory' | 'operation' | 'error';

/** How to make a context. Every member may be left out. Infinity switches a limit off. */
export interface ContextOptions {
  /** Use the device of this context. */
  share?: Context;
  /** 'cpu', 'gpu', 'vulkan', a number, or a part of a name. Default: $WEFT_ADAPTER, else a
   * hardware GPU, the CPU device, a software driver. */
  adapter?: string;
  /** Path of another library with webgpu.h. Default: $WEFT_WEBGPU, else Weft's own. */
  library?: string;
  /** For files alone: no device is opened. */
  noDevice?: boolean;
  /** Of the CPU device. Default: all cores. */
  threads?: number;
  /** Milliseconds that one dispatch may take. Default: any. */
  deadline?: number;
  /** Bytes on the device. Default: 3/4 of its memory. */
  memoryBudget?: number;
  /** Bytes of tensors moved to the host. Default: a quarter of the machine's. */
  hostBudget?: number;
  /** Where tensors beyond the host budget go. Default: nowhere. */
  spillDir?: string;
  memoryMode?: 'balanced' | 'speed' | 'low';
  /** Compiled kernels that are kept. Default: 1,024. */
  pipelineLimit?: number;
  /** Bytes of pending results that start an evaluation. Default: 256 MiB. */
  evalThreshold?: number;
  /** Indices that kernels read are validated. */
  checked?: boolean;
  /** Compiled kernels are not kept on disk. */
  noCache?: boolean;
  log?: (topic: LogTopic, message: string) => void;
  label?: string;
}

export interface DeviceInfo {
  readonly name: string; readonly vendor: string; readonly architecture: string; readonly driver: string;
  /** 'cpu', 'vulkan', 'd3d12', 'metal', 'opengl' */
  readonly backend: string;
  readonly type: string;
  /** Path of the library, or 'weft'. */
  readonly library: string;
  /** Which device was chosen, and why. */
  readonly reason: string;
  readonly hardwareGpu: boolean;
  readonly f16: boolean; readonly f64: boolean; readonly subgroups: boolean; readonly timestamps: boolean;
  /** Bytes; 0 if unknown. */
  readonly memory: number;
  readonly limits: Readonly<Record<string, number>>;
}

/** Bytes. */
export interface MemoryInfo {
  live: number; peak: number; pooled: number; host: number; disk: number; evicted: number; budget: number;
}

/** A device with its queue, kernel cache, memory budget and errors. */
export class Context {
  /** Opens a device at once; createContext() does not block. */
  constructor(options?: ContextOptions);
  readonly device: DeviceInfo | null;
  readonly memory: MemoryInfo;
  /** By dotted name: 'context.dispatches', 'tensor.kernels', ... */
  readonly counters: Record<string, number>;
  readonly isDisposed: boolean;
  resetPeak(): void;
  /** Frees pooled buffers until at most `keep` bytes are left. */
  trim(keep?: number): void;
  /** Resolves when the device has finished all work so far. */
  wait(): Promise<void>;
  /** Gives it back; what was made from it stays usable. */
  dispose(): void;
}

export function createContext(options?: ContextOptions): Promise<Context>;
/** The context of what is made without naming one. */
export function defaultContext(): Context;
export function setDefaultContext(context: Context): void;
/** null if there would be a device, or one sentence why not. */
export function whyUnavailable(options?: ContextOptions): string | null;
