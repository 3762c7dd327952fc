// SPDX-License-Identifier: Apache-2.0
//
// job.js - promises of calls that run on other threads, or end when the device has got so far.
//
// in     functions of the addon that take a token
// out    promises; progress, cancellation by an AbortSignal
// knows  the events of job.c and answer.c
// not    what the calls do
//
// A layer calls a job of the addon by run():
//
//     run(store, (token) => native.storeVerify(store[HANDLE], token), { signal, progress })
//
// and a future of its context by Answers, as tensors do.
'use strict';

const { setImmediate } = require('node:timers');
const { native, expect, withdraw } = require('./native.js');
const { WeftError } = require('./weft-error.js');

const DONE = 1;
const PROGRESS = 0;                 // detail of a notice; others are values that a job emits

const cancelled = (cause) => new WeftError('cancelled', 'the call was cancelled', [], { cause });

/** A promise of the job that `start(token)` starts. `progress(done, total)` and `emit(value)`
 * are called while it runs. `owner` lives until then. */
const run = (owner, start, { signal, progress, emit } = {}) => new Promise((resolve, reject) => {
  if (signal?.aborted) { reject(cancelled(signal.reason)); return; }
  let job, thrown;
  const abort = () => { if (job) native.jobCancel(job); };
  const guarded = (call) => {
    // What a callback throws cancels the job, and is what the promise is rejected with.
    try { call(); } catch (error) { thrown ??= { error }; abort(); }
  };
  const token = expect(owner, (status, detail, text, value) => {
    signal?.removeEventListener('abort', abort);
    if (thrown) reject(thrown.error);
    else if (status === DONE) resolve(value);
    else if (signal?.aborted && value.kind === 'cancelled') reject(cancelled(signal.reason));
    else reject(value);
  }, undefined, (detail, value) => guarded(() => (detail === PROGRESS ? progress?.(...value) : emit?.(value))));
  try {
    job = start(token);
  } catch (error) {
    withdraw(token);
    throw error;                    // which rejects the promise
  }
  signal?.addEventListener('abort', abort);
});

const MOMENT = 200e3;               // nanoseconds that a call may wait for a device that was quick before
const TURN = 4;                     // milliseconds after which the loop must turn: timers and finalizers wait for it

let turnStart = 0, isTurning = false;

/** Whether promises were settled for so long without a turn of the loop that it needs one. */
const needsTurn = (now) => {
  if (isTurning) return now - turnStart > TURN;
  isTurning = true;
  turnStart = now;
  setImmediate(() => { isTurning = false; });
  return false;
};

/** The futures of one context. The device is asked for a call while there are some. */
class Answers {
  #handle;
  #slot = [undefined];              // of an answer that is not there yet
  #pending = 0;
  #isCalled = false;
  #isSlow = false;
  #isClosing = false;

  constructor(handle) { this.#handle = handle; }

  /** A promise of what `ask(slot, waitNs)` asks the addon for, converted. What is there soon comes
   * without an event. `owner` lives until then. */
  ask(owner, ask, convert = (value) => value) {
    const start = performance.now(), isLater = needsTurn(start);
    let value;
    try {
      value = ask(this.#slot, this.#isSlow ? 0 : MOMENT);
    } catch (error) {
      return Promise.reject(error);
    }
    const [answer] = this.#slot;
    if (answer !== undefined) return this.#await(owner, answer, start, convert);
    if (!isLater) return Promise.resolve(convert(value));
    return new Promise((resolve) => { setImmediate(() => resolve(convert(value))); });
  }

  #await(owner, answer, start, convert) {
    this.#slot[0] = undefined;
    this.#pending++;
    return new Promise((resolve, reject) => {
      native.answerAwait(answer, expect(owner, (status, detail, text, value) => {
        this.#pending--;
        this.#isSlow = (performance.now() - start) * 1e6 > 2 * MOMENT;
        if (status === DONE) resolve(convert(value)); else reject(value);
        if (this.#isClosing && this.#pending === 0) native.close(this.#handle);
      }));
      this.#call();
    });
  }

  /** Closes the context once all that was asked for has come. */
  close() {
    if (this.#pending > 0) this.#isClosing = true;
    else native.close(this.#handle);
  }

  #call() {
    if (this.#isCalled) return;
    this.#isCalled = true;
    native.contextCall(this.#handle, expect(this, () => {
      this.#isCalled = false;
      if (!native.isOpen(this.#handle)) return;
      native.contextPoll(this.#handle);
      if (this.#pending > 0 && native.isOpen(this.#handle)) this.#call();
    }));
  }
}

module.exports = { run, Answers };
