// SPDX-License-Identifier: Apache-2.0
//
// vocabulary.js - texts to tokens and back, conversations to prompts.
//
// in     a GGUF file, texts, messages
// out    token ids, texts
// knows  weft/model.h: tokenizers and templates
// not    devices: what is here works while a model computes
'use strict';

const { native } = require('../native.js');
const { run } = require('../job.js');
const { Context, HANDLE } = require('../context.js');
const { WeftError, invalid } = require('../weft-error.js');

const SPECIAL = 1, NO_AFFIXES = 2;      // weft_model_tokenize_flag
const NAMES = 1, STRIP = 2;             // weft_model_detokenize_flag

const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Messages as the addon takes them: role, content, further members as JSON. */
const readMessages = (given) => {
  const messages = typeof given === 'string' ? [{ role: 'user', content: given }] : given;
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('chat: expected a text, or a list of messages');
  return messages.flatMap((message, i) => {
    const { role, content, ...more } = message ?? {};
    if (typeof role !== 'string') throw invalid(`chat: message ${i} has no role`);
    if (content !== undefined && content !== null && typeof content !== 'string') throw invalid(`chat: the content of message ${i} is not a text`);
    return [role, content ?? undefined, Object.keys(more).length > 0 ? JSON.stringify(more) : undefined];
  });
};

/** The tokenizer and the chat template of a file, on a context without a device. */
class Vocabulary {
  #context = new Context({ noDevice: true });
  #tokenizer;
  #template;
  #templates = new Map();               // by name or text
  #bos;

  static async open(path, bytes) {
    const vocabulary = new Vocabulary();
    await vocabulary.#open(path, bytes);
    return vocabulary;
  }

  async #open(path, bytes) {
    const { tokenizer, template } = await run([this, bytes],
      (token) => native.modelVocabulary(this.#context[HANDLE], path, bytes, token));
    this.#tokenizer = tokenizer;
    this.#template = template;
  }

  get hasTemplate() { return this.#template !== null; }

  #need() {
    if (this.#tokenizer === null) throw new WeftError('unsupported', 'the model has no vocabulary');
    return this.#tokenizer;
  }

  /** The text of a special token; '' if there is none. */
  #special(name) {
    const id = this.#tokenizer && native.modelSpecials(this.#tokenizer)[name];
    return typeof id === 'number' ? native.modelDetokenize(this.#tokenizer, bytesOf(Int32Array.of(id)), NAMES) : '';
  }

  tokenize(text, { special = false, affixes = true } = {}) {
    if (typeof text !== 'string') throw invalid('tokenize: expected a text');
    const flags = (special ? SPECIAL : 0) | (affixes ? 0 : NO_AFFIXES);
    return new Int32Array(native.modelTokenize(this.#need(), text, flags));
  }

  detokenize(tokens, { special = false, affixes = true } = {}) {
    const ids = tokens instanceof Int32Array ? tokens : Int32Array.from(tokens);
    return native.modelDetokenize(this.#need(), bytesOf(ids), (special ? NAMES : 0) | (affixes ? 0 : STRIP));
  }

  #find(name) {
    if (name === undefined) {
      if (this.#template) return this.#template;
      throw new WeftError('not-found', 'the model has no chat template: name one by the option \'template\', such as \'chatml\'');
    }
    if (!this.#templates.has(name)) {
      const which = name.includes('{') ? { source: name } : { name };
      const options = { ...which, bos: this.#special('bos'), eos: this.#special('eos') };
      this.#templates.set(name, native.modelTemplate(this.#context[HANDLE], options));
    }
    return this.#templates.get(name);
  }

  /** The prompt of a conversation. */
  render(messages, { template, tools, variables, generation_prompt } = {}) {
    if (template !== undefined && typeof template !== 'string') throw invalid('template: expected a name, or Jinja');
    const json = (value) => (value === undefined ? undefined : JSON.stringify(value));
    return native.modelRender(this.#find(template), readMessages(messages),
      { tools: json(tools), variables: json(variables), generation_prompt });
  }

  /** Whether a prompt starts with the token that the tokenizer would put before it. */
  startsItself(prompt) {
    this.#bos ??= this.#special('bos');
    return this.#bos !== '' && prompt.startsWith(this.#bos);
  }

  close() {
    for (const handle of [this.#tokenizer, this.#template, ...this.#templates.values()]) if (handle) native.close(handle);
    this.#context.dispose();
  }
}

module.exports = { Vocabulary };
