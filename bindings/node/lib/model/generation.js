// SPDX-License-Identifier: Apache-2.0
//
// generation.js - a text that a model is writing.
//
// in     pieces as they come, the end
// out    an async iterable of pieces; a promise of the whole text
// knows  nothing of models
'use strict';

const { WeftError } = require('../weft-error.js');

/** The text of generate() and chat(): `for await (const piece of text)`, or `await text`. */
class Generation {
  #pieces = [];
  #taken = 0;
  #wake;
  #ended = false;
  #failed;
  #abort = new AbortController();
  #result;

  /** `start(emit, signal)` gives a promise of { text, stop, ... }. */
  constructor(start, signal = undefined) {
    const stop = () => this.#abort.abort(signal.reason);
    if (signal?.aborted) stop(); else signal?.addEventListener('abort', stop, { once: true });
    this.#result = this.#follow(start, signal).finally(() => {
      signal?.removeEventListener('abort', stop);
      this.#ended = true;
      this.#wake?.();
    });
    this.#result.catch((error) => { this.#failed = { error }; });   // for those who read pieces
  }

  async #follow(start, signal) {
    let answer;
    try {
      answer = await start((piece) => this.#push(piece), this.#abort.signal);
    } catch (error) {
      if (!this.#abort.signal.aborted || error.kind !== 'cancelled') throw error;
      answer = { stop: 'cancelled', tokens: 0 };        // before its first token
    }
    if (signal?.aborted) throw new WeftError('cancelled', 'the text was cancelled', [], { cause: signal.reason });
    // What came after the reader had left is not part of the answer.
    return Object.freeze(answer.stop === 'cancelled' ? { ...answer, text: this.#pieces.join('') } : answer);
  }

  #push(piece) {
    if (this.#abort.signal.aborted) return;
    this.#pieces.push(piece);
    this.#wake?.();
  }

  /** { text, stop, tokens, prompt_tokens, reused_tokens, seconds, prompt_seconds }, at the end. */
  get result() { return this.#result; }

  /** Ends the text where it is. */
  cancel() { this.#abort.abort(); }

  // Several readers share the pieces, as those of a stream do.
  async *[Symbol.asyncIterator]() {
    let isWhole = false;
    try {
      for (;;) {
        while (this.#taken < this.#pieces.length) yield this.#pieces[this.#taken++];
        if (this.#ended) break;
        await new Promise((resolve) => { this.#wake = resolve; });
        this.#wake = undefined;
      }
      isWhole = true;
      if (this.#failed) throw this.#failed.error;
    } finally {
      if (!isWhole) this.cancel();
    }
  }

  then(resolve, reject) { return this.#result.then(({ text }) => text).then(resolve, reject); }
  catch(reject) { return this.then(undefined, reject); }
  finally(call) { return this.#result.then(({ text }) => text).finally(call); }
}

module.exports = { Generation };
