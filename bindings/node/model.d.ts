// SPDX-License-Identifier: Apache-2.0
//
// model.d.ts - types of weft-gpu/model.

import type { Context, ContextOptions } from './context.js';

export { WeftError } from './context.js';

export type ModelSource = string | URL | ArrayBufferLike | ArrayBufferView;

/** Where a model runs: a context, or the options of a new one. */
export interface DeviceOptions extends Pick<ContextOptions, 'adapter' | 'library' | 'threads' | 'memoryBudget' | 'log' | 'label'> {
  /** Its calls wait while the model computes, so this is for programs that share tensors with it. Default: a new one. */
  context?: Context;
}

export interface LoadOptions extends DeviceOptions {
  /** Under which its tensors are shared. Default: as in the file. */
  name?: string;
  architecture?: string;
  /** Default: the fastest. */
  activations?: 'auto' | 'f32' | 'int8';
  /** Of keys and values. Default: f16. */
  cache?: 'auto' | 'f32' | 'f16' | 'q8_0';
  /** Positions. Default: the model's, at most 4,096. */
  context_length?: number;
  /** Tokens computed at a time. */
  batch?: number;
  /** Bytes. */
  memory_limit?: number;
  /** false: kernels are not checked at load. */
  self_test?: boolean;
  /** false: a device that cannot run the model is an error; else the CPU is used. */
  fallback?: boolean;
  /** false: each prompt is read from its start. */
  prefix_reuse?: boolean;
  /** The bytes are taken over instead of copied; the caller's buffer is detached. */
  transfer?: boolean;
  progress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

/** Every member may be left out; the defaults are those of llama.cpp. */
export interface GenerateOptions {
  /** Default: as many as the context has room for. */
  max_tokens?: number;
  /** 0: the likeliest token each time. Default: 0.8. */
  temperature?: number;
  /** Default: 0.95. */
  top_p?: number;
  /** 0: all. Default: 40. */
  top_k?: number;
  /** 0: off. Default: 0.05. */
  min_p?: number;
  typical_p?: number;
  top_n_sigma?: number;
  xtc_probability?: number;
  xtc_threshold?: number;
  /** 1: off, the default. */
  repetition_penalty?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  penalty_last_n?: number;
  dry_multiplier?: number;
  dry_base?: number;
  dry_allowed_length?: number;
  /** Repeats random choices. */
  seed?: number;
  /** Texts that end the answer and are not part of it. */
  stop?: string | readonly string[];
  /** Added to logits, by token; -Infinity forbids it. */
  logit_bias?: Readonly<Record<number, number>>;
  /** GBNF. */
  grammar?: string;
  /** As an object or as JSON. */
  json_schema?: object | string;
  /** Go on after the model has ended its answer. */
  ignore_end?: boolean;
  /** Names of special tokens in the prompt become those; never for text from strangers. */
  special?: boolean;
  /** false: nothing is put before the prompt. */
  affixes?: boolean;
  signal?: AbortSignal;
}

export interface Message {
  role: string;
  content?: string | null;
  [name: string]: unknown;
}

export interface TemplateOptions {
  /** A built-in, such as 'chatml', or Jinja. Default: the file's. */
  template?: string;
  tools?: readonly unknown[];
  /** Further variables, such as { enable_thinking: false }. */
  variables?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly text: string;
  readonly stop: 'length' | 'end' | 'stop' | 'cancelled' | 'context';
  readonly tokens: number;
  readonly prompt_tokens: number;
  /** Of the prompt, which were in the cache. */
  readonly reused_tokens: number;
  readonly seconds: number;
  readonly prompt_seconds: number;
}

/** A text that is being written: `for await (const piece of text)`, or `await text`. */
export class Generation implements PromiseLike<string>, AsyncIterable<string> {
  private constructor();
  readonly result: Promise<Answer>;
  /** Ends the text where it is. */
  cancel(): void;
  [Symbol.asyncIterator](): AsyncIterator<string>;
  then<T = string, E = never>(resolve?: ((text: string) => T | PromiseLike<T>) | null, reject?: ((error: unknown) => E | PromiseLike<E>) | null): Promise<T | E>;
  catch<E = never>(reject?: ((error: unknown) => E | PromiseLike<E>) | null): Promise<string | E>;
  finally(call?: (() => void) | null): Promise<string>;
}

export interface ModelInfo {
  readonly architecture: string;
  readonly name: string;
  readonly type: string;
  readonly device: string;
  /** Why it does not run on the device that was asked for. */
  readonly fallback: string | null;
  readonly parameters: number;
  /** On the device. */
  readonly weight_bytes: number;
  readonly vocabulary: number;
  /** Positions that it was trained for. */
  readonly context: number;
  /** Positions that it has here. */
  readonly context_length: number;
  readonly embedding: number;
  readonly layers: number;
  readonly heads: number;
  readonly kv_heads: number;
  readonly head_size: number;
  readonly feed_forward: number;
  readonly experts: number;
  /** false: it only embeds. */
  readonly generates: boolean;
}

export interface TokenizeOptions {
  special?: boolean;
  /** false: no tokens before or after the text. */
  affixes?: boolean;
}

export interface EmbedOptions {
  pooling?: 'auto' | 'mean' | 'cls' | 'last';
  /** false: the length of a vector is left as it is. */
  normalize?: boolean;
  /** Texts that are too long are cut; else they are an error. */
  truncate?: boolean;
  special?: boolean;
  signal?: AbortSignal;
}

/** A language model on a device, with a cache of the conversation. */
export class Model {
  /** Starts to load; Model.load() waits for it. */
  constructor(source: ModelSource, options?: LoadOptions);
  static load<M extends Model>(this: new (source: ModelSource, options?: LoadOptions) => M, source: ModelSource, options?: LoadOptions): Promise<M>;
  readonly ready: Promise<void>;
  readonly info: ModelInfo;
  readonly context: Context;
  generate(prompt: string, options?: GenerateOptions): Generation;
  /** A callback that returns false stops the text. */
  generate_stream(prompt: string, callback: (piece: string) => unknown, options?: GenerateOptions): Promise<string>;
  chat(messages: string | readonly Message[], options?: GenerateOptions & TemplateOptions): Generation;
  /** The prompt that chat() goes on from. */
  format_chat(messages: string | readonly Message[], options?: TemplateOptions & { generation_prompt?: boolean }): string;
  embed(text: string, options?: EmbedOptions): Promise<Float32Array>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  tokenize(text: string, options?: TokenizeOptions): Int32Array;
  detokenize(tokens: Int32Array | readonly number[], options?: TokenizeOptions): string;
  /** The cache of the conversation as a file. */
  save(path: string): Promise<void>;
  restore(path: string): Promise<void>;
  /** Empties the cache. */
  clear(): Promise<void>;
  /** Whether there is a hardware GPU. */
  has_gpu(): Promise<boolean>;
  /** Moves the model to a GPU, or to the device that the options name. Rejected, it stays where it was. */
  enable_gpu(options?: DeviceOptions): Promise<void>;
  dispose(): void;
}

/** A Model of bytes with a configuration, by the names that programs for WebAssembly use. */
export class WasmModel extends Model {
  static new(bytes: ModelSource, options?: LoadOptions): Promise<WasmModel>;
  set_config(max_tokens?: number, temperature?: number, top_p?: number, top_k?: number, repetition_penalty?: number): void;
  set_config(config: Pick<GenerateOptions, 'max_tokens' | 'temperature' | 'top_p' | 'top_k' | 'repetition_penalty'>): void;
  readonly config: Required<Pick<GenerateOptions, 'max_tokens' | 'temperature' | 'top_p' | 'top_k' | 'repetition_penalty'>>;
}
