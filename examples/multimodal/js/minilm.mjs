// SPDX-License-Identifier: Apache-2.0
//
// minilm.mjs - the text encoder: all-MiniLM-L6-v2, a BERT of six layers.
//
// in     its weights (safetensors) and tokenizer
// out    a vector of 384 numbers and length 1 for each text
// knows  the encoder: attention, two linear layers, normalization; mean over tokens
// not    what the vectors are used for
import path from 'node:path';
import { concat, scope, tensor, zeros } from '../../../bindings/node/tensor.mjs';
import { openStore } from '../../../bindings/node/store.mjs';
import { WordPiece } from './wordpiece.mjs';

const LAYERS = 6, HEADS = 12, SIZE = 384, EPSILON = 1e-12;

export class MiniLM {
  constructor(folder, context) {
    this.context = context;
    this.tokenizer = new WordPiece(path.join(folder, 'tokenizer.json'));
    const store = openStore({ path: path.join(folder, 'model.fp16.safetensors'), context });
    // Weights are used many times: as f32 they need no conversion in each product.
    const load = (name) => store.get(name).cast('f32');
    this.words = store.get('embeddings.word_embeddings.weight');        // few rows of it are used
    this.positions = load('embeddings.position_embeddings.weight').add(load('embeddings.token_type_embeddings.weight').select(0, 0));
    this.norm = ['weight', 'bias'].map((part) => load(`embeddings.LayerNorm.${part}`));
    this.layers = Array.from({ length: LAYERS }, (_, i) => {
      const pair = (name) => ['weight', 'bias'].map((part) => load(`encoder.layer.${i}.${name}.${part}`));
      const [q, k, v] = ['query', 'key', 'value'].map((name) => pair(`attention.self.${name}`));
      return {
        qkv: [concat([q[0], k[0], v[0]]), concat([q[1], k[1], v[1]])], attended: pair('attention.output.dense'), attendedNorm: pair('attention.output.LayerNorm'),
        up: pair('intermediate.dense'), down: pair('output.dense'), norm: pair('output.LayerNorm'),
      };
    });
  }

  /** All tensors that are kept, for one evaluation at the start. */
  get weights() { return [this.positions, ...this.norm, ...this.layers.flatMap((layer) => Object.values(layer).flat())]; }

  /** x[B, T, 384] with what may be seen, mask[B, 1, 1, T] or null -> the same shape. */
  layer({ qkv, attended, attendedNorm, up, down, norm }, x, mask) {
    const [batch, length] = x.shape;
    const heads = x.linear(...qkv).reshape(batch, length, 3, HEADS, SIZE / HEADS).permute(2, 0, 3, 1, 4);
    const seen = heads.select(0, 0).attention(heads.select(0, 1), heads.select(0, 2), mask ? { mask } : undefined);
    const joined = seen.permute(0, 2, 1, 3).reshape(batch, length, SIZE);
    const y = joined.linear(...attended).add(x).layerNorm(...attendedNorm, EPSILON);
    return y.linear(...up, { activation: 'gelu' }).linear(...down).add(y).layerNorm(...norm, EPSILON);
  }

  /** ids[B, T] and mask[B, T], or null -> the hidden states of all layers, [B, T, 384] each. */
  hiddenStates(ids, mask = null) {
    const length = ids.shape[1], visible = mask?.unsqueeze(1).unsqueeze(1) ?? null;
    const words = this.words.take(ids).cast('f32');
    const states = [words.add(this.positions.slice([0, length])).layerNorm(...this.norm, EPSILON)];
    for (const layer of this.layers) states.push(this.layer(layer, states.at(-1), visible));
    return states;
  }

  /** Texts -> [texts, 384], each of length 1. */
  encode(texts) {
    return scope(() => {
      const rows = texts.map((text) => this.tokenizer.encode(text)), length = Math.max(...rows.map((row) => row.length));
      const flat = (f) => rows.flatMap((row) => Array.from({ length }, (_, i) => f(row, i)));
      const shape = [rows.length, length], { context } = this;
      const ids = tensor(Int32Array.from(flat((row, i) => row[i] ?? 0)), { shape, context });
      const isFull = rows.every((row) => row.length === length);
      const mask = isFull ? null : tensor(Uint8Array.from(flat((row, i) => (i < row.length ? 1 : 0))), { shape, dtype: 'bool', context });
      const last = this.hiddenStates(ids, mask).at(-1);
      const sum = mask ? mask.unsqueeze(2).where(last, zeros([], { context })).sum(1) : last.sum(1);
      return sum.div(sum.norm(1, true));        // the mean has the same direction
    });
  }
}
