// SPDX-License-Identifier: Apache-2.0
export type Numbers = number | Numbers[];
export type Input = Numbers | ArrayBuffer | ArrayBufferView | { base64: string } |
  { buffer: string } | { [member: string]: Input };
export interface Output { shape?: number[]; dtype?: string; size?: number; buffer?: string }
export interface JobRequest {
  wgsl?: string; entry?: string; inputs?: Record<string, Input>;
  outputs: Record<string, Output>; workgroups?: 'auto' | number[];
  constants?: Record<string, number>; priority?: number; wait?: boolean; runner?: string;
  limits?: { memory?: number | string; operations?: number | string; time?: number | string };
  clearance?: string;
}
export interface Job {
  id: string; state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  priority: number; attempt: number; created: number; started?: number; finished?: number;
  progress?: number; error?: { kind: string; message: string };
  outputs?: Record<string, { dtype: string; size: number; shape?: number[];
                             data?: (number | string)[]; base64?: string }>;
}
export interface Lease { job: string; lease: string; wgsl: string; entry: string;
  workgroups: number[]; inputs: Record<string, any>;
  outputs: Record<string, { dtype: string; size: number }> }
export class ServerError extends Error { status: number; kind: string }
export class Server {
  constructor(url?: string, options?: { key?: string; sessionToken?: string;
                                        headers?: Record<string, string> });
  submit(job: JobRequest, options?: { idempotencyKey?: string }): Promise<Job>;
  run(job: JobRequest, options?: { idempotencyKey?: string }): Promise<Record<string, any>>;
  job(id: string): Promise<Job>;
  events(id: string): AsyncIterable<Job>;
  cancel(id: string): Promise<Job>;
  output(id: string, name: string): Promise<Uint8Array>;
  check(wgsl: string, limits?: object): Promise<any>;
  state(): Promise<any>;
  jobs(query?: { state?: string; limit?: number; after?: string }):
    Promise<{ jobs: Job[]; next?: string }>;
  buffers(): Promise<any>;
  getBuffer(name: string): Promise<Uint8Array>;
  putBuffer(name: string, bytes: ArrayBuffer | ArrayBufferView): Promise<{ size: number }>;
  deleteBuffer(name: string): Promise<object>;
  register(runner: string, name?: string): Promise<{ worker: string; lease_seconds: number }>;
  lease(worker: string, runner: string): Promise<Lease | null>;
  heartbeat(lease: string, progress?: number): Promise<{ ok: boolean }>;
  result(lease: string, outputs: Record<string, { dtype: string; data: ArrayBufferView }>):
    Promise<{ ok: boolean }>;
  fail(lease: string, message: string, retry?: boolean): Promise<{ ok: boolean }>;
}
