// SPDX-License-Identifier: Apache-2.0
//
// sentence-model.mjs - a model of one layer that knows one sentence, as a GGUF file.
//
//   node bindings/node/test/sentence-model.mjs tests/model/seeds/sentence.gguf
//
// Each token has a random vector of +1 and -1; the output's row of a token is the vector of the
// token before it in the sentence. All that the layer adds is zero. So the likeliest token is the
// next of the sentence by far, on any device, and after any other text its first word.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

export const sentence = ['Weft', ' runs', ' this', ' model', ' on', ' every', ' machine', '.'];

const EMBEDDING = 32, CONTEXT = 128, UNKNOWN = 0, BOS = 1, EOS = 2, FIRST_BYTE = 3, F32 = 0, F16 = 1;
const words = sentence.map((word) => word.replace(' ', '\u2581'));
// Words are merged from the left: all that they start with are tokens, too.
const parts = [...words, '\u2581Weft'].flatMap((word) => [...word].flatMap((letter, i, all) => [letter, all.slice(0, i + 1).join('')]));
const tokens = [...new Set(['<unk>', '<s>', '</s>',
  ...Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`), ...words, ...parts])];
const firstWord = FIRST_BYTE + 256;
const kinds = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 };

/** Bytes in the order of the file. */
class Writer {
  #parts = [];
  size = 0;
  bytes(data) { this.#parts.push(data); this.size += data.length; return this; }
  number(set, size, value) { const b = Buffer.alloc(size); b[set](value); return this.bytes(b); }
  u32(value) { return this.number('writeUInt32LE', 4, value); }
  u64(value) { return this.number('writeBigUInt64LE', 8, BigInt(value)); }
  f32(value) { return this.number('writeFloatLE', 4, value); }
  i32(value) { return this.number('writeInt32LE', 4, value); }
  string(text) { const b = Buffer.from(text); return this.u64(b.length).bytes(b); }
  pad(to) { return this.bytes(Buffer.alloc((to - this.size % to) % to)); }
  end() { return Buffer.concat(this.#parts); }
}

/** The f16 of 0 or a power of two, which is all that the matrices have. */
const half = (x) => (x === 0 ? 0 : (x < 0 ? 0x8000 : 0) | (15 + Math.log2(Math.abs(x))) << 10);

const put = (out, key, kind, value) => out.string(key).u32(kinds[kind])[kind](value);
const putList = (out, key, kind, values) => {
  out.string(key).u32(kinds.array).u32(kinds[kind]).u64(values.length);
  for (const value of values) out[kind](value);
};

/** Rows of +1 and -1, the same each time. */
const randomRows = () => {
  let state = 12345;
  const next = () => { state ^= state << 13; state ^= state >>> 17; state ^= state << 5; return state >>> 0; };
  return tokens.map(() => Float32Array.from({ length: EMBEDDING }, () => (next() & 256 ? 1 : -1)));
};

/** The token before each one, or -1. */
const before = () => {
  const list = tokens.map(() => -1);
  for (let i = 1; i < sentence.length; i++) list[firstWord + i] = firstWord + i - 1;
  list[EOS] = firstWord + sentence.length - 1;
  return list;
};

/** The first word follows every token that nothing else follows: its row is the sum of theirs,
 * made as long as the others. */
const outputRows = (rows) => {
  const previous = before(), followed = new Set(previous);
  const out = previous.map((p) => (p < 0 ? new Float32Array(EMBEDDING) : rows[p].map((x) => x / 2)));
  for (const row of rows.filter((_, token) => !followed.has(token))) row[0] = 4;     // what they have in common
  for (const token of followed) if (token >= 0) rows[token][0] = -4;
  for (const [token, row] of out.entries()) if (previous[token] >= 0) row[0] = -2;
  out[firstWord][0] = 16;
  return out;
};

const matrix = (name, columns, rows) => ({ name, shape: [columns, rows], data: new Float32Array(columns * rows) });
const norm = (name) => ({ name, shape: [EMBEDDING], data: new Float32Array(EMBEDDING).fill(1) });
const flat = (rows) => Float32Array.from(rows.flatMap((row) => [...row]));

const makeTensors = () => {
  const rows = randomRows(), output = outputRows(rows);
  return [
    { ...matrix('token_embd.weight', EMBEDDING, tokens.length), data: flat(rows) },
    norm('output_norm.weight'),
    { ...matrix('output.weight', EMBEDDING, tokens.length), data: flat(output) },
    norm('blk.0.attn_norm.weight'), norm('blk.0.ffn_norm.weight'),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'].map((name) => matrix(`blk.0.${name}.weight`, EMBEDDING, EMBEDDING)),
  ];
};

const putMetadata = (out) => {
  put(out, 'general.architecture', 'string', 'llama');
  put(out, 'general.name', 'string', 'sentence');
  for (const [key, value] of Object.entries({ embedding_length: EMBEDDING, block_count: 1, context_length: CONTEXT, feed_forward_length: EMBEDDING,
    'attention.head_count': 2, 'attention.head_count_kv': 2 })) put(out, `llama.${key}`, 'u32', value);
  put(out, 'llama.attention.layer_norm_rms_epsilon', 'f32', 1e-5);
  put(out, 'tokenizer.ggml.model', 'string', 'llama');
  putList(out, 'tokenizer.ggml.tokens', 'string', tokens);
  putList(out, 'tokenizer.ggml.scores', 'f32', tokens.map((_, i) => (i < firstWord ? 0 : firstWord - i - 1)));
  putList(out, 'tokenizer.ggml.token_type', 'i32', tokens.map((_, i) => (i === UNKNOWN ? 2 : i < FIRST_BYTE ? 3 : i < firstWord ? 6 : 1)));
  put(out, 'tokenizer.ggml.bos_token_id', 'u32', BOS);
  put(out, 'tokenizer.ggml.eos_token_id', 'u32', EOS);
  put(out, 'tokenizer.chat_template', 'string',
    '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}');
  return 16;
};

/** The bytes of the file. */
export const sentenceModel = () => {
  const metadata = new Writer(), list = new Writer(), data = new Writer(), tensors = makeTensors();
  const count = putMetadata(metadata);
  for (const { name, shape, data: values } of tensors) {
    list.string(name).u32(shape.length);
    for (const size of shape) list.u64(size);
    list.u32(shape.length > 1 ? F16 : F32).u64(data.size);
    data.bytes(Buffer.from((shape.length > 1 ? Uint16Array.from(values, half) : values).buffer)).pad(32);
  }
  return new Writer().bytes(Buffer.from('GGUF')).u32(3).u64(tensors.length).u64(count)
    .bytes(metadata.end()).bytes(list.end()).pad(32).bytes(data.end()).end();
};

if (process.argv[1] === fileURLToPath(import.meta.url)) fs.writeFileSync(process.argv[2], sentenceModel());
