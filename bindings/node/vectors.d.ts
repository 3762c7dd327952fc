// SPDX-License-Identifier: Apache-2.0
//
// vectors.d.ts - weft-gpu/vectors.
import { Context } from './context.js';

/** Rows of numbers, one row, or all of them in one array. */
export type Rows = Float32Array | number[] | ArrayLike<number>[];
export interface Progress { signal?: AbortSignal; progress?: (done: number, total: number) => void }

export interface VectorIndexOptions {
  dimension: number; metric?: 'cosine' | 'dot' | 'euclidean'; capacity?: number; listThreshold?: number; lists?: number;
  recall?: number; seed?: number; context?: Context;
}
export interface Match { id: number; score: number }
export class VectorIndex {
  constructor(options: VectorIndexOptions);
  static load(path: string, options?: { context?: Context }): VectorIndex;
  readonly dimension: number;
  readonly info: { dimension: number; count: number; bytes: number; lists: number; probes: number; recall: number };
  insert(rows: Rows, ids?: Iterable<number>): Promise<void>;
  replace(rows: Rows, ids: Iterable<number>): Promise<void>;
  remove(ids: Iterable<number>): Promise<void>;
  get(ids: Iterable<number>): Promise<Float32Array[]>;
  ids(): Promise<number[]>;
  search(queries: Rows, options?: { count?: number; exact?: boolean; probes?: number }): Promise<Match[][]>;
  train(options?: Progress): Promise<void>;
  recall(options?: { count?: number; probes?: number; samples?: number }): Promise<number>;
  save(path: string): Promise<void>;
  dispose(): void;
}

export interface MapOptions {
  dimension: number; width?: number; height?: number; grid?: 'hexagonal' | 'square'; toroidal?: boolean;
  neighbourhood?: 'gaussian' | 'bubble'; cooling?: 'exponential' | 'linear' | 'inverse'; radiusStart?: number; radiusEnd?: number;
  rateStart?: number; rateEnd?: number; steps?: number; init?: 'plane' | 'sample'; normalise?: boolean; seed?: number; context?: Context;
}
export class SelfOrganisingMap {
  constructor(options: MapOptions);
  static restore(state: ArrayBuffer, options?: { context?: Context }): SelfOrganisingMap;
  readonly dimension: number; readonly width: number; readonly height: number; readonly grid: 'hexagonal' | 'square';
  readonly toroidal: boolean;
  train(rows: Rows, options?: { epochs?: number; online?: boolean } & Progress): Promise<void>;
  update(rows: Rows): Promise<void>;
  match(rows: Rows): Promise<{ unit: number; second: number; distance: number }[]>;
  quality(rows: Rows): Promise<{ quantisationError: number; topographicError: number; explainedVariance: number }>;
  weights(): Promise<Float32Array[]>;
  plane(component: number): Promise<Float32Array>;
  umatrix(): Promise<Float32Array>;
  hits(rows: Rows): Promise<number[]>;
  distance(a: number, b: number): number;
  state(): Promise<ArrayBuffer>;
  dispose(): void;
}

export class Projection {
  constructor(options: { dimension: number; components?: number; align?: 'rotate' | 'sign'; halfLife?: number; normalise?: boolean; context?: Context });
  static restore(state: ArrayBuffer, options: { dimension: number; context?: Context }): Projection;
  readonly dimension: number;
  update(rows: Rows): Promise<void>;
  apply(rows: Rows): Promise<Float32Array[]>;
  info(): Promise<{ components: number; count: number; total: number; variance: number[]; share: number[] }>;
  axes(): Promise<{ axes: Float32Array[]; mean: Float32Array }>;
  state(): Promise<ArrayBuffer>;
  dispose(): void;
}
