// SPDX-License-Identifier: Apache-2.0
//
// context.js - a device with its memory budget, kernels and errors, for the layers above WebGPU.
//
// in     options by name, as weft/context.h has them
// out    Context; the default one, made when it is first needed
// knows  weft/context.h
// not    tensors, and what else is made on a context
'use strict';

const { native, watch, watchWith, unwatch } = require('./native.js');
const { run, Answers } = require('./job.js');
const { invalid } = require('./weft-error.js');

/** The handle of an object of the addon. */
const HANDLE = Symbol('handle');
const ANSWERS = Symbol('answers');
const ADOPT = Symbol('adopt');

const topics = ['', 'device', 'compile', 'memory', 'operation', 'error'];   // weft_log_topic

/** Hears what a context logs. */
class Log {
  #call;
  constructor(call) {
    this.#call = call;
    this.token = watch();
    watchWith(this.token, this);
  }
  notice(topic, detail, text) { this.#call(topics[topic] ?? String(topic), text); }
  close() { unwatch(this.token); }
}

/** Options for the addon, and the log that they ask for. */
const readOptions = (given) => {
  if (given === null || typeof given !== 'object') throw invalid('createContext: expected an object of options');
  const { log, share, ...rest } = given;
  if (log !== undefined && typeof log !== 'function') throw invalid('log: expected a function');
  if (share !== undefined && !(share instanceof Context)) throw invalid('share: expected a Context');
  if (share !== undefined) rest.share = share[HANDLE];
  return { options: rest, log: log && new Log(log) };
};

/** A device with its queue, kernel cache, memory budget and errors. */
class Context {
  #log;
  #device;

  /** Opens a device at once; createContext() does it without blocking. */
  constructor(given = {}) {
    if (given?.[ADOPT] !== undefined) {
      this[HANDLE] = given[ADOPT];
      this.#log = given.log;
    } else {
      const { options, log } = readOptions(given);
      this[HANDLE] = native.contextCreate(options, log?.token);
      this.#log = log;
    }
    this[ANSWERS] = new Answers(this[HANDLE]);
  }

  /** What was chosen, and why. null if the context has none. */
  get device() { return this.#device ??= Object.freeze(native.contextDevice(this[HANDLE])); }
  /** Bytes: live, peak, pooled, host, disk, evicted, budget. */
  get memory() { return native.contextMemory(this[HANDLE]); }
  /** Counters of all layers by name, such as 'context.dispatches'. */
  get counters() { return native.contextCounters(this[HANDLE]); }
  get isDisposed() { return !native.isOpen(this[HANDLE]); }

  resetPeak() { native.contextResetPeak(this[HANDLE]); }
  /** Frees pooled buffers until at most `keep` bytes are left. */
  trim(keep = 0) { native.contextTrim(this[HANDLE], keep); }
  /** Resolves when the device has finished all work so far. */
  wait() { return this[ANSWERS].ask(this, (slot, ns) => native.contextDone(slot, ns, this[HANDLE])); }

  /** Gives the context back. Objects made from it keep it alive until they are gone. */
  dispose() {
    this[ANSWERS].close();
    this.#log?.close();
  }
}
if (Symbol.dispose) Context.prototype[Symbol.dispose] = Context.prototype.dispose;

/** A promise of a Context: the device is opened on another thread. */
const createContext = async (given = {}) => {
  const { options, log } = readOptions(given);
  const handle = await run(log, (token) => native.contextOpen(options, log?.token, token));
  return new Context({ [ADOPT]: handle, log });
};

/** null if there would be a device for these options, or one sentence why not. */
const whyUnavailable = (given = {}) => native.contextAvailable(readOptions(given).options);

let current;
/** The context of what is made without naming one. */
const defaultContext = () => current ??= new Context();
const setDefaultContext = (context) => {
  if (!(context instanceof Context)) throw invalid('setDefaultContext: expected a Context');
  current = context;
};

module.exports = { Context, createContext, defaultContext, setDefaultContext, whyUnavailable, HANDLE, ANSWERS };
