// SPDX-License-Identifier: Apache-2.0
//
// model.js - language models from GGUF files.
//
// in     a path or the bytes of a file; prompts, messages, texts
// out    Model: text as it comes, vectors, tokens
// knows  weft/model.h
// not    kernels, files
'use strict';

const { native } = require('../native.js');
const { run } = require('../job.js');
const { Context, createContext, HANDLE } = require('../context.js');
const { WeftError, invalid } = require('../weft-error.js');
const { Generation } = require('./generation.js');
const { Vocabulary } = require('./vocabulary.js');

/** A private copy of the file, or the memory itself with `transfer`. */
const ownBytes = (given, transfer) => {
  const isView = ArrayBuffer.isView(given);
  const buffer = isView ? given.buffer : given;
  const [offset, length] = isView ? [given.byteOffset, given.byteLength] : [0, given.byteLength];
  if (!transfer) return new Uint8Array(buffer.slice(offset, offset + length));
  return new Uint8Array(structuredClone(buffer, { transfer: [buffer] }), offset, length);
};

/** { path } or { bytes } */
const readSource = (given, transfer) => {
  if (typeof given === 'string') return { path: given };
  if (given instanceof URL) return { path: require('node:url').fileURLToPath(given) };
  if (given instanceof ArrayBuffer || given instanceof SharedArrayBuffer || ArrayBuffer.isView(given)) return { bytes: ownBytes(given, transfer) };
  throw invalid('Model.load: expected the path of a GGUF file, or its bytes');
};

const deviceNames = ['adapter', 'library', 'threads', 'memoryBudget', 'log', 'label'];

/** Options of a new context, and those of the model. */
const splitOptions = (options) => {
  const device = {}, rest = {};
  for (const [name, value] of Object.entries(options)) (deviceNames.includes(name) ? device : rest)[name] = value;
  return { device, rest };
};

let hardware;                           // a promise: is there a hardware GPU?
const findHardware = async () => {
  try {
    const context = await createContext({ adapter: 'gpu' });
    const found = context.device?.hardwareGpu === true;
    context.dispose();
    return found;
  } catch {
    return false;
  }
};

/** What generate() and chat() are told, as the addon takes it. */
const readGenerate = ({ signal, stop, json_schema, logit_bias, ...rest }) => ({
  signal,
  options: {
    ...rest,
    stop: typeof stop === 'string' ? [stop] : stop,
    json_schema: json_schema === undefined || typeof json_schema === 'string' ? json_schema : JSON.stringify(json_schema),
    logit_bias: logit_bias && Object.entries(logit_bias).flatMap(([token, bias]) => [Number(token), bias]),
  },
});

/** A language model on a device, with a cache of the conversation. */
class Model {
  #source;
  #options;
  #opening;
  #placed;                              // { context, isOwn, model, session, info, jobs }
  #vocabulary;
  #disposed = false;

  /** Starts to load; `ready` says when that is done. Model.load() waits for it. */
  constructor(source, options = {}) {
    if (options === null || typeof options !== 'object') throw invalid('Model.load: expected an object of options');
    const { transfer = false, ...rest } = options;
    this.#source = readSource(source, transfer);
    this.#options = rest;
    this.#opening = this.#open();
    this.#opening.catch(() => {});      // each call says it again
  }

  /** A promise of a loaded model. */
  static async load(source, options = {}) {
    const model = new this(source, options);
    await model.ready;
    return model;
  }

  get ready() { return this.#opening.then(() => {}); }

  async #open() {
    const { path, bytes } = this.#source;
    const vocabulary = await Vocabulary.open(path, bytes);
    try {
      this.#placed = await this.#place(this.#options);
      this.#vocabulary = vocabulary;
    } catch (error) {
      vocabulary.close();
      throw error;
    }
    if (this.#disposed) this.#close();
  }

  /** The model on a device: the given context, or one of its own. */
  async #place({ context: given, progress, signal, ...options }) {
    if (given !== undefined && !(given instanceof Context)) throw invalid('context: expected a Context');
    const { device, rest } = splitOptions(options);
    if (given && Object.keys(device).length > 0) throw invalid(`${Object.keys(device)[0]}: the context has its device already`);
    const context = given ?? await createContext(device);
    const { path, bytes } = this.#source;
    try {
      const made = await run([this, context, bytes],
        (token) => native.modelLoad(context[HANDLE], { path, ...rest }, bytes, token), { progress, signal });
      const info = Object.freeze({ ...made.info, context_length: made.context_length });
      return { ...made, info, context, isOwn: !given, jobs: new Map() };
    } catch (error) {
      if (!given) context.dispose();
      throw error;
    }
  }

  #need() {
    if (this.#disposed) throw new WeftError('invalid', 'the model was disposed of');
    if (!this.#placed) throw new WeftError('invalid', 'the model is still loading: await model.ready');
    return this.#placed;
  }

  /** Runs a job of the session, which dispose() ends, too. */
  async #run(start, { emit, signal } = {}) {
    await this.#opening;
    const placed = this.#need();
    const stop = new AbortController(), abort = () => stop.abort(signal.reason);
    if (signal?.aborted) abort(); else signal?.addEventListener('abort', abort, { once: true });
    const job = run([this, placed], (token) => start(placed.session, token), { emit, signal: stop.signal });
    placed.jobs.set(job, stop);
    try {
      return await job;
    } finally {
      placed.jobs.delete(job);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Facts: architecture, name, type, device, parameters, layers, context_length, ... */
  get info() { return this.#need().info; }
  /** The device that it runs on, with its memory and counters. */
  get context() { return this.#need().context; }

  // ---- text ----

  #generate(prompt, { signal, options }) {
    return new Generation(async (emit, abort) => {
      const text = await prompt();
      return this.#run((session, token) => native.sessionGenerate(session, text.prompt, { ...text.options, ...options }, token),
        { emit, signal: abort });
    }, signal);
  }

  /** Goes on from a prompt: `for await (const piece of model.generate(prompt))`, or await it. */
  generate(prompt, options = {}) {
    if (typeof prompt !== 'string') throw invalid('generate: expected a prompt');
    return this.#generate(async () => ({ prompt }), readGenerate(options));
  }

  /** The same with a callback, which stops the text by returning false; a promise of the text. */
  async generate_stream(prompt, callback, options = {}) {
    if (typeof callback !== 'function') throw invalid('generate_stream: expected a function');
    const generation = this.generate(prompt, options);
    let text = '';
    for await (const piece of generation) {
      text += piece;
      if (callback(piece) === false) break;
    }
    return text;
  }

  /** The answer to a conversation, or to one text. */
  chat(messages, { template, tools, variables, ...options } = {}) {
    return this.#generate(async () => {
      await this.#opening;
      this.#need();
      const prompt = this.#vocabulary.render(messages, { template, tools, variables });
      return { prompt, options: { special: true, affixes: !this.#vocabulary.startsItself(prompt) } };
    }, readGenerate(options));
  }

  /** The prompt that chat() would go on from. */
  format_chat(messages, options = {}) { this.#need(); return this.#vocabulary.render(messages, options); }

  // ---- vectors ----

  /** The vector of a text, or the vectors of several. */
  async embed(texts, { signal, ...options } = {}) {
    const list = typeof texts === 'string' ? [texts] : texts;
    if (!Array.isArray(list)) throw invalid('embed: expected a text, or a list of texts');
    if (list.length === 0) return [];
    const [width, buffer] = await this.#run((session, token) => native.sessionEmbed(session, list, options, token), { signal });
    const vectors = list.map((_, i) => new Float32Array(buffer, i * width * 4, width));
    return typeof texts === 'string' ? vectors[0] : vectors;
  }

  // ---- tokens ----

  /** Token ids. `special`: names such as </s> become tokens; never for text from strangers. */
  tokenize(text, options) { this.#need(); return this.#vocabulary.tokenize(text, options); }
  detokenize(tokens, options) { this.#need(); return this.#vocabulary.detokenize(tokens, options); }

  // ---- the cache ----

  /** Writes the cache of the conversation to a file. */
  save(path) { return this.#run((session, token) => native.sessionSave(session, path, token)); }
  restore(path) { return this.#run((session, token) => native.sessionRestore(session, path, token)); }
  clear() { return this.#run((session, token) => native.sessionClear(session, undefined, token)); }

  // ---- devices ----

  /** Whether there is a hardware GPU. */
  has_gpu() { return hardware ??= findHardware(); }

  /** Moves the model to a GPU, or to the device that options name. Rejected, the model stays where
   * it was. */
  async enable_gpu(options = { adapter: 'gpu' }) {
    await this.#opening;
    this.#need();
    const { context, adapter, library, threads, progress, signal, ...rest } = this.#options;
    const placed = await this.#place({ ...rest, fallback: false, ...options });
    const old = this.#placed;
    this.#placed = placed;
    if (this.#disposed) this.#close();
    Model.#leave(old);
  }

  /** Gives back what a device had, once its jobs have ended. */
  static async #leave({ context, isOwn, model, session, jobs }) {
    await Promise.allSettled(jobs.keys());
    native.close(session);
    native.close(model);
    if (isOwn) context.dispose();
  }

  #close() {
    const placed = this.#placed;
    this.#placed = undefined;
    if (!placed) return;
    this.#vocabulary.close();
    for (const stop of placed.jobs.values()) stop.abort();
    Model.#leave(placed);
  }

  /** Ends what is being generated, and gives all memory back. */
  dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#close();
  }
}
if (Symbol.dispose) Model.prototype[Symbol.dispose] = Model.prototype.dispose;

module.exports = { Model };
