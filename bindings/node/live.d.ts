// SPDX-License-Identifier: Apache-2.0
//
// live.d.ts - weft-gpu/live.
import { EventEmitter } from 'node:events';
import { IncomingMessage } from 'node:http';

export type Channel = 'vector_updates' | 'job_results' | 'som' | 'metrics' | 'state';
export interface VectorBatch { type: 'vector_batch'; seq?: number; count: number; dimension: number; ids?: number[]; labels?: (string | null)[]; vectors: Float32Array[] }
export interface Ingested { type: 'ingested'; count: number; dimension: number; total: number; seq: number; ids: number[] }

/** What the server refused: `kind` as in weft/error.h. */
export class LiveError extends Error { kind: string }

export interface LiveClientOptions {
  channels?: Channel[];
  /** Vectors in binary; by default what `headed` says. */
  binary?: boolean;
  /** The subprotocol weft.live: binary messages have a head. Default: true. */
  headed?: boolean;
  reconnect?: boolean;
  /** Of POST /v1/tokens, or a key. */
  token?: string;
}

export class LiveClient {
  constructor(url?: string, options?: LiveClientOptions);
  readonly isOpen: boolean;
  readonly seq: number | undefined;
  on(type: 'vectors', handler: (batch: VectorBatch) => void): () => void;
  on(type: string, handler: (message: any) => void): () => void;
  once(type: string): Promise<any>;
  subscribe(...channels: Channel[]): Promise<any>;
  unsubscribe(...channels: Channel[]): Promise<any>;
  requestVectors(options?: { limit?: number; since?: number }): void;
  ping(): Promise<any>;
  addVectors(vectors: ArrayLike<number>[] | Float32Array, options?: { dimension?: number; ids?: number[]; labels?: (string | null)[] }): Promise<Ingested>;
  sendVectors(numbers: Float32Array, dimension: number, more?: { ids?: number[]; labels?: (string | null)[] }): void;
  submitJob(job: object): Promise<any>;
  setView(view: object): Promise<any>;
  sendMetrics(metrics: { adapter?: string; limits?: object; buffer_bytes?: number; compute_ms?: number; readback_ms?: number; frame_ms?: number }): void;
  close(): void;
}

export interface LiveServerClient { readonly channels: Set<string>; close(code: number, reason?: string): void }
export interface LiveServerOptions {
  host?: string; origins?: string[]; authenticate?: (request: IncomingMessage) => boolean | Promise<boolean>;
  maxMessage?: number; maxQueue?: number; history?: number; ping?: number;
}

export class GPUWebSocketServer extends EventEmitter {
  constructor(port?: number, options?: LiveServerOptions);
  readonly port: number | undefined;
  readonly clients: Set<LiveServerClient>;
  broadcastJobResult(result: unknown): void;
  broadcastVectorBatch(vectors: ArrayLike<number>[], more?: { ids?: number[]; labels?: (string | null)[] }): void;
  sendBinaryVector(numbers: ArrayLike<number>, dimension?: number): void;
  sendRecentVectors(client: LiveServerClient, options?: { limit?: number; since?: number }): void;
  send(client: LiveServerClient, message: object): void;
  broadcast(channel: Channel, message: object): void;
  close(): Promise<void>;
}
export default GPUWebSocketServer;
export function readHeaded(buffer: ArrayBuffer): VectorBatch;
export function writeHeaded(numbers: Float32Array, dimension: number, more?: { ids?: number[]; labels?: (string | null)[]; seq?: number }): ArrayBuffer;
