// SPDX-License-Identifier: Apache-2.0
//
// wasm-model.js - models with the names that programs for WebAssembly use.
//
// in     the bytes of a file, five numbers of configuration
// out    WasmModel
// knows  Model
'use strict';

const { Model } = require('./model.js');
const { invalid } = require('../weft-error.js');

const names = ['max_tokens', 'temperature', 'top_p', 'top_k', 'repetition_penalty'];

/** A Model that is made of bytes, `new WasmModel(bytes)` or `await WasmModel.new(bytes)`, and has
 * a configuration that calls go by unless they say otherwise. */
class WasmModel extends Model {
  #config = { max_tokens: 100, temperature: 0.7, top_p: 0.9, top_k: 40, repetition_penalty: 1.1 };

  static new(bytes, options) { return this.load(bytes, options); }

  /** set_config(max_tokens, temperature, top_p, top_k, repetition_penalty), or by name. */
  set_config(...values) {
    const given = typeof values[0] === 'object' && values[0] !== null ? values[0]
      : Object.fromEntries(values.map((value, i) => [names[i], value]));
    for (const [name, value] of Object.entries(given)) {
      if (!names.includes(name)) throw invalid(`set_config: there is no option '${name}'`);
      if (value !== undefined && (typeof value !== 'number' || Number.isNaN(value))) throw invalid(`set_config: ${name}: expected a number`);
      if (value !== undefined) this.#config[name] = value;
    }
  }

  get config() { return { ...this.#config }; }

  generate(prompt, options = {}) { return super.generate(prompt, { ...this.#config, ...options }); }
  chat(messages, options = {}) { return super.chat(messages, { ...this.#config, ...options }); }
}

module.exports = { WasmModel };
