// SPDX-License-Identifier: Apache-2.0
//
// wordpiece.mjs - text to the tokens of BERT models.
//
// in     tokenizer.json with a WordPiece vocabulary, texts
// out    numbers of tokens with [CLS] and [SEP] around them
// knows  BERT's normalization: lower case, no accents, punctuation apart
// not    models
import fs from 'node:fs';

const isChinese = (code) => (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf) || (code >= 0x20000 && code <= 0x2fa1f) || (code >= 0xf900 && code <= 0xfaff);
const isPunctuation = (c) => /[!-/:-@[-`{-~]|\p{P}/u.test(c);

export class WordPiece {
  constructor(file) {
    const { model, normalizer } = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (model?.type !== 'WordPiece') throw new Error(`${file}: not a WordPiece tokenizer`);
    this.vocabulary = new Map(Object.entries(model.vocab));
    this.prefix = model.continuing_subword_prefix;
    this.longest = model.max_input_chars_per_word;
    this.lowercase = normalizer?.lowercase !== false;
    [this.unknown, this.start, this.end] = ['[UNK]', '[CLS]', '[SEP]'].map((token) => this.vocabulary.get(token));
  }

  /** Words, as BERT's normalizer and pre-tokenizer leave them. */
  words(text) {
    const lower = this.lowercase ? text.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '') : text;
    let out = '';
    for (const c of lower) {
      const code = c.codePointAt(0);
      if (code === 0 || code === 0xfffd || (/\p{C}/u.test(c) && !/\s/.test(c))) continue;
      out += isChinese(code) || isPunctuation(c) ? ` ${c} ` : c;
    }
    return out.split(/\s+/u).filter(Boolean);
  }

  /** The longest pieces from the left; a word without them is unknown. */
  pieces(word) {
    const letters = [...word], ids = [];
    if (letters.length > this.longest) return [this.unknown];
    for (let from = 0; from < letters.length;) {
      let to = letters.length, id;
      for (; to > from; to--) {
        id = this.vocabulary.get((from > 0 ? this.prefix : '') + letters.slice(from, to).join(''));
        if (id !== undefined) break;
      }
      if (id === undefined) return [this.unknown];
      ids.push(id);
      from = to;
    }
    return ids;
  }

  encode(text, most = 128) {
    const ids = this.words(text).flatMap((word) => this.pieces(word));
    return [this.start, ...ids.slice(0, most - 2), this.end];
  }
}
