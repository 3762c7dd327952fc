// SPDX-License-Identifier: Apache-2.0
//
// store.d.ts - types of weft-gpu/store.

import type { Context } from './context.js';
import type { DType, Tensor, TensorLike, TypedArray } from './tensor.js';

export interface StoreOptions {
  path: string;
  /** Default: by the name of the file. */
  format?: 'auto' | 'safetensors' | 'sharded' | 'npy' | 'npz' | 'folder';
  /** Of a folder. */
  model?: string;
  /** Puts, removals and commits are allowed. */
  write?: boolean;
  /** Starts empty, whatever exists. */
  replace?: boolean;
  /** Checksums are compared when a tensor is read. */
  verify?: boolean;
  shardSize?: number;
  quota?: number;
  context?: Context;
}

export interface StoreEntry {
  name: string;
  /** As the file calls it. */
  type: string;
  /** null: tensors have no such type. */
  dtype: DType | null;
  shape: number[];
  bytes: number;
  checksum?: string;
}

export interface StoreModel { name: string; bytes: number; tensors: number; created: number; used: number }
export interface StoreUsage { models: number; objects: number; bytes: number; unused: number }

/** Tensors by name in a file or folder. */
export class Store {
  constructor(options: StoreOptions);
  readonly context: Context;
  readonly entries: StoreEntry[];
  readonly names: string[];
  readonly metadata: Record<string, string>;
  find(name: string): StoreEntry | null;
  /** Its elements stay in the file until they are used. */
  get(name: string): Tensor;
  /** The elements, without a device. */
  read(name: string): TypedArray;
  put(name: string, value: TensorLike | { data: TypedArray | number[]; shape?: readonly number[]; dtype?: DType }): Promise<void>;
  remove(name: string): void;
  setMetadata(key: string, value: string | null): void;
  /** Makes all changes visible at once, and durable. */
  commit(): Promise<void>;
  readonly models: StoreModel[];
  readonly usage: StoreUsage;
  deleteModel(name: string): void;
  /** Bytes that were freed. */
  clean(maxAgeSeconds?: number): Promise<number>;
  verify(options?: { signal?: AbortSignal; progress?: (done: number, total: number) => void }): Promise<void>;
  dispose(): void;
}

export function openStore(given: string | StoreOptions): Store;
