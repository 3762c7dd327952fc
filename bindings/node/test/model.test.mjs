// SPDX-License-Identifier: Apache-2.0
//
// model.test.mjs - language models: text, conversations, tokens, vectors, devices.
//
// The trained models of ../shared/data/llm beside the source tree are read if they are there.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Generation, Model, WasmModel, WeftError } from 'weft-gpu/model';
import { createContext, shares } from 'weft-gpu/tensor';
import { here, program, top } from './fixture.mjs';
import { sentence, sentenceModel } from './sentence-model.mjs';

const whole = sentence.join(''), file = path.join(here, '../../../tests/model/seeds/sentence.gguf');
const modelBytes = sentenceModel();
const shared = path.join(here, '../../../../shared/data/llm');
const trained = { skip: fs.existsSync(shared) ? false : 'the trained models are not there' };
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'weft-model-'));
after(() => fs.rmSync(folder, { recursive: true }));

const withModel = async (work, options = {}) => {
  const model = await Model.load(file, { adapter: 'cpu', ...options });
  try { return await work(model); } finally { model.dispose(); }
};

test('the file in the tree is what its program writes', () => {
  assert.deepEqual(fs.readFileSync(file), modelBytes);
});

test('text comes piece by piece, whole, or by a callback', () => withModel(async (model) => {
  const pieces = [];
  for await (const piece of model.generate('Hello', { temperature: 0 })) pieces.push(piece);
  assert.deepEqual(pieces, sentence);
  assert.equal(await model.generate('Hello', { seed: 1 }), whole);
  const seen = [];
  assert.equal(await model.generate_stream('Hello', (piece) => seen.push(piece)), whole);
  assert.deepEqual(seen, sentence);
  assert.equal(await model.generate_stream('Hello', (piece) => piece !== ' this'), 'Weft runs this');
  const { text, stop, tokens, prompt_tokens: prompt } = await model.generate('Hello', { max_tokens: 3 }).result;
  assert.deepEqual({ text, stop, tokens, prompt }, { text: 'Weft runs this', stop: 'length', tokens: 3, prompt: 7 });
  assert.equal((await model.generate('Hello').result).stop, 'end');
  assert.equal(await model.generate('Hello', { stop: ' model' }), 'Weft runs this');
  assert.equal(await model.generate('Hello', { stop: [' on', 's this'] }), 'Weft run');
}));

test('a generation is a promise, too', () => withModel(async (model) => {
  const generation = model.generate('Hello');
  assert.ok(generation instanceof Generation);
  let isOver = false;
  assert.equal(await generation.finally(() => { isOver = true; }), whole);
  assert.ok(isOver);
  assert.equal(await generation.then((text) => text.length), whole.length);
  assert.equal(await model.generate('Hello', { top_q: 1 }).catch((error) => error.kind), 'invalid');
}));

test('a reader that leaves ends the text; so do cancel() and a signal', () => withModel(async (model) => {
  const left = model.generate('Hello', { ignore_end: true });
  for await (const piece of left) if (piece === ' on') break;
  const answer = await left.result;
  assert.equal(answer.stop, 'cancelled');
  assert.ok(answer.text.startsWith('Weft runs this model on') && answer.tokens < 16000);
  const cancelled = model.generate('Hello', { ignore_end: true });
  cancelled.cancel();
  assert.equal((await cancelled.result).stop, 'cancelled');
  const controller = new AbortController();
  const aborted = model.generate('Hello', { ignore_end: true, signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, { name: 'WeftError', kind: 'cancelled' });
  await assert.rejects((async () => { for await (const piece of aborted) assert.ok(piece); })(), { kind: 'cancelled' });
  await assert.rejects(model.generate('Hello', { signal: AbortSignal.abort() }), { kind: 'cancelled' });
  await assert.rejects(model.generate_stream('Hello', () => { throw new RangeError('mine'); }), RangeError);
}, { context_length: 16384 }));

test('texts that are asked for at the same time all come', () => withModel(async (model) => {
  const texts = await Promise.all(['a', 'b', 'c'].map((prompt) => model.generate(prompt)));
  assert.deepEqual(texts, [whole, whole, whole]);
}));

test('conversations go by the template of the file, or another', () => withModel(async (model) => {
  assert.equal(await model.chat('Who are you?'), whole);
  const messages = [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Hi' }];
  assert.equal(model.format_chat(messages), 'system: Be brief.\nuser: Hi\nassistant:');
  assert.equal(model.format_chat(messages.slice(1), { generation_prompt: false }), 'user: Hi\n');
  assert.match(model.format_chat(messages, { template: 'chatml' }), /^<\|im_start\|>system\nBe brief/);
  assert.equal(model.format_chat([{ role: 'user', content: 'x', more: 7 }], { template: '{{ messages[0].more }}{{ bos_token }}' }), '7<s>');
  const pieces = [];
  for await (const piece of model.chat(messages, { template: 'chatml', max_tokens: 2 })) pieces.push(piece);
  assert.deepEqual(pieces, ['Weft', ' runs']);
  await model.chat(messages);
  assert.ok((await model.chat([...messages, { role: 'assistant', content: whole }, { role: 'user', content: 'And?' }]).result).reused_tokens > 10);
  await assert.rejects(model.chat([]), { kind: 'invalid' });
  await assert.rejects(model.chat([{ content: 'x' }]), { kind: 'invalid' });
  await assert.rejects(model.chat('x', { template: 'chatmk' }), { message: /did you mean 'chatml'/ });
}));

test('grammars, schemas and biases bind the text', () => withModel(async (model) => {
  assert.equal(await model.generate('Hello', { json_schema: { enum: ['yes'] } }), '"yes"');
  assert.equal(await model.generate('Hello', { grammar: 'root ::= "Weft runs."' }), 'Weft runs.');
  const [first] = model.tokenize('Weft', { affixes: false }).slice(-1);
  assert.ok(!(await model.generate('Hello', { logit_bias: { [first]: -Infinity, 259: -Infinity }, max_tokens: 1 })).includes('Weft'));
  await assert.rejects(model.generate('x', { grammar: 'root ::= (' }), { kind: 'format' });
  await assert.rejects(model.generate('x', { grammar: 'root ::= "a"', json_schema: {} }), { kind: 'invalid' });
}));

test('tokens', () => withModel(async (model) => {
  const ids = model.tokenize('Weft runs');
  assert.ok(ids instanceof Int32Array);
  assert.equal(ids[0], 1);
  assert.equal(model.detokenize(ids, { affixes: false }), 'Weft runs');
  assert.deepEqual([...model.tokenize('</s>', { special: true, affixes: false })], [2]);
  assert.ok(model.tokenize('</s>', { affixes: false }).length > 1);
  assert.equal(model.detokenize([2], { special: true }), '</s>');
  assert.equal(model.tokenize('', { affixes: false }).length, 0);
  assert.throws(() => model.tokenize(3), { kind: 'invalid' });
  assert.throws(() => model.detokenize([100000]), WeftError);
}));

test('vectors of texts', () => withModel(async (model) => {
  const one = await model.embed('Weft'), many = await model.embed(['Weft', ' machine.'], { pooling: 'last' });
  assert.equal(one.length, 32);
  assert.ok(Math.abs(one.reduce((sum, x) => sum + x * x, 0) - 1) < 1e-4);
  assert.equal(many.length, 2);
  assert.notDeepEqual(many[0], many[1]);
  const long = await model.embed('Weft', { normalize: false });
  assert.ok(Math.abs(Math.hypot(...long) - 1) > 0.1);
  assert.deepEqual(await model.embed([]), []);
  await assert.rejects(model.embed('x'.repeat(500)), WeftError);
  assert.equal((await model.embed('x'.repeat(500), { truncate: true })).length, 32);
  await assert.rejects(model.embed([3]), { kind: 'invalid' });
}));

test('the cache is saved, restored and cleared', () => withModel(async (model) => {
  const place = path.join(folder, 'cache');
  await model.generate('Hello you', { max_tokens: 1 });
  await model.save(place);
  await model.clear();
  assert.equal((await model.generate('Hello you', { max_tokens: 1 }).result).reused_tokens, 0);
  await model.clear();
  await model.restore(place);
  assert.ok((await model.generate('Hello you', { max_tokens: 1 }).result).reused_tokens > 5);
  await assert.rejects(model.restore(path.join(folder, 'none')), WeftError);
}));

test('a prompt or an answer that the context has no room for', () => withModel(async (model) => {
  assert.equal(model.info.context_length, 16);
  await assert.rejects(model.generate('x'.repeat(20)), { kind: 'memory' });
  assert.equal((await model.generate('x', { ignore_end: true }).result).stop, 'context');
}, { context_length: 16 }));

test('bytes in memory are copied, or taken over', async () => {
  for (const given of [modelBytes, new Uint8Array(modelBytes).buffer, new DataView(new Uint8Array(modelBytes).buffer)]) {
    const model = await Model.load(given, { adapter: 'cpu' });
    if (given instanceof ArrayBuffer) new Uint8Array(given).fill(0);
    assert.equal(await model.generate('Hello'), whole);
    model.dispose();
  }
  const buffer = new Uint8Array(modelBytes).buffer, model = await Model.load(buffer, { adapter: 'cpu', transfer: true });
  assert.equal(buffer.byteLength, 0);
  assert.equal(await model.generate('Hello'), whole);
  model.dispose();
});

test('the names that programs for WebAssembly use', async () => {
  const lines = [], console = { log: (line) => lines.push(line) };
  // As documents of such programs have it.
  const model = await WasmModel.new(modelBytes);

  if (await model.has_gpu()) {
    console.log('Using GPU acceleration');
    await model.enable_gpu();
  } else {
    console.log('Falling back to CPU');
  }
  assert.equal(lines.length, 1);
  assert.deepEqual(model.config, { max_tokens: 100, temperature: 0.7, top_p: 0.9, top_k: 40, repetition_penalty: 1.1 });
  model.set_config(4, 0, 0.9, 40, 1);
  assert.equal(await model.generate('Hello'), 'Weft runs this model');
  assert.equal(await model.generate('Hello', { max_tokens: 1 }), 'Weft');
  model.set_config({ max_tokens: 2 });
  assert.equal(await model.chat('Hello'), 'Weft runs');
  assert.throws(() => model.set_config({ max: 2 }), { kind: 'invalid' });
  assert.throws(() => model.set_config('many'), { kind: 'invalid' });
  model.dispose();
  const other = new WasmModel(modelBytes);
  assert.throws(() => other.tokenize('x'), { message: /still loading/ });
  assert.equal(await other.generate_stream('Hello', () => true), whole);
  other.dispose();
});

test('CommonJS has the same', () => {
  const require = createRequire(import.meta.url);
  assert.equal(require('weft-gpu/model').Model, Model);
});

test('what cannot be loaded is an error', async () => {
  await assert.rejects(Model.load(path.join(folder, 'none.gguf')), { name: 'WeftError', kind: 'not-found' });
  await assert.rejects(Model.load(new Uint8Array(100)), { kind: 'format' });
  await assert.rejects(Model.load(modelBytes.subarray(0, 20000), { adapter: 'cpu' }), { kind: 'format' });
  await assert.rejects(Model.load(3), { kind: 'invalid' });
  await assert.rejects(Model.load(file, { tokens: 3 }), { message: /no option 'tokens'/ });
  await assert.rejects(Model.load(file, { cache: 'f8' }), { kind: 'invalid' });
  await assert.rejects(Model.load(file, { adapter: 'none such' }), { kind: 'unsupported' });
  await assert.rejects(Model.load(file, { progress: () => { throw new RangeError('stop'); }, adapter: 'cpu' }), RangeError);
  await assert.rejects(Model.load(file, { signal: AbortSignal.abort(), adapter: 'cpu' }), { kind: 'cancelled' });
  assert.throws(() => new Model(file, null), { kind: 'invalid' });
  await assert.rejects(new WasmModel(new Uint8Array(8)).generate('x'), { kind: 'format' });
});

test('a model that is disposed of ends its texts, and says so', async () => {
  const model = await Model.load(file, { adapter: 'cpu' });
  const text = model.generate('Hello', { ignore_end: true });
  model.dispose();
  model.dispose();
  await text.result.catch((error) => assert.ok(['cancelled', 'invalid'].includes(error.kind)));
  await assert.rejects(model.generate('Hello'), { message: /disposed/ });
  assert.throws(() => model.info, { message: /disposed/ });
  const early = new Model(file, { adapter: 'cpu' });
  early.dispose();
  await early.ready;
  await assert.rejects(early.generate('Hello'), { message: /disposed/ });
});

test('a model moves to another device, or stays', () => withModel(async (model) => {
  await assert.rejects(model.enable_gpu({ adapter: 'none such' }), { kind: 'unsupported' });
  assert.equal(await model.generate('Hello'), whole);
  await model.enable_gpu({ adapter: 'cpu', threads: 1 });
  assert.equal(await model.generate('Hello'), whole);
}));

test('a model uses the context that it is given, and shares its tensors there', async () => {
  const context = await createContext({ adapter: 'cpu' });
  const model = await Model.load(file, { context, name: 'mine' });
  assert.equal(model.context, context);
  assert.ok(shares(context).list().some(({ owner, name }) => owner === 'mine' && name === 'output_norm.weight'));
  assert.equal(await model.generate('Hello'), whole);
  await assert.rejects(Model.load(file, { context, threads: 2 }), { kind: 'invalid' });
  await assert.rejects(Model.load(file, { context: {} }), { kind: 'invalid' });
  model.dispose();
});

test('the event loop turns while a trained model writes', trained, async (t) => {
  const model = await Model.load(path.join(shared, 'stories15M-q8_0.gguf'), { adapter: 'cpu' });
  let turns = 0;
  const timer = setInterval(() => { turns++; model.tokenize('Once upon a time'); }, 1);
  t.after(() => { clearInterval(timer); model.dispose(); });
  const want = fs.readFileSync(path.join(shared, 'expected/llama.cpp.stories15M-q8_0.greedy.n120.txt'), 'utf8');
  const options = { temperature: 0, max_tokens: 100 };
  const [text] = await Promise.all([model.generate('Once upon a time', options), model.generate('One day', options)]);
  assert.ok(turns > 0);
  assert.ok(want.includes(text.slice(0, 120)), text);
});

test('the end of a text does not wait for the next one', () => withModel(async (model) => {
  assert.equal(await model.generate('Hello'), whole);
  const next = model.generate('Hello', { ignore_end: true });
  for await (const piece of next) if (piece === ' on') break;
  assert.equal((await next.result).stop, 'cancelled');
}, { context_length: 16384 }));

test('a program ends when its model is idle, and while it writes', async () => {
  const load = `import { Model } from 'weft-gpu/model'; const m = await Model.load(${JSON.stringify(file)}, { adapter: 'cpu' });`;
  const idle = await program(`${load} console.log(await m.generate('Hello'));`);
  assert.deepEqual(idle, { out: `${whole}\n`, err: '', status: 0, signal: null });
  const busy = await program(`${load} m.generate('Hello', { ignore_end: true }); setImmediate(() => process.exit(3));`);
  assert.equal(busy.status, 3);
  assert.ok(top);
});
