#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Language models asked by OpenAI's own client, npm's `openai`, installed into a folder of
its own."""
import os
import subprocess
import tempfile
import unittest

import models_test
from harness import PATIENCE, Server, key_of, main

WEFT = None
SCRIPT = """
import assert from 'node:assert';
import OpenAI from 'openai';
const [url, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL: url + '/v1', apiKey, maxRetries: 0 });
const model = (await client.models.list()).data[0].id;
assert.equal((await client.models.retrieve(model)).id, model);
const messages = [{ role: 'user', content: 'Tell me a story' }];
const whole = await client.chat.completions.create({ model, messages, max_tokens: 24, seed: 3,
  logprobs: true, top_logprobs: 2 });
assert.equal(whole.choices[0].logprobs.content.length, whole.usage.completion_tokens);
let text = '', usage;
for await (const chunk of await client.chat.completions.create({ model, messages, seed: 3,
  max_tokens: 24, stream: true, stream_options: { include_usage: true } })) {
  text += chunk.choices[0]?.delta?.content ?? '';
  usage = chunk.usage ?? usage;
}
assert.equal(text, whole.choices[0].message.content);
assert.equal(usage.completion_tokens, whole.usage.completion_tokens);
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'],
  additionalProperties: false };
const json = await client.chat.completions.create({ model, messages, max_tokens: 100, seed: 1,
  response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema } } });
if (json.choices[0].finish_reason === 'stop')
  assert.equal(typeof JSON.parse(json.choices[0].message.content).n, 'number');
const completion = await client.completions.create({ model, prompt: 'Once', max_tokens: 5 });
assert.ok(completion.choices[0].text.length > 0);
const { data } = await client.embeddings.create({ model, input: ['a', 'b'] });
assert.equal(data.length, 2);
assert.ok(Math.abs(data[0].embedding.reduce((s, x) => s + x * x, 0) - 1) < 1e-3);
const many = await Promise.all([...Array(8)].map((_, i) => client.chat.completions.create(
  { model, messages, max_tokens: 20, seed: i })));
assert.equal(many.length, 8);
await assert.rejects(client.chat.completions.create({ model: 'gpt-4', messages }),
  (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found');
for (const stream of [false, true])
  await assert.rejects(client.chat.completions.create({ model, stream,
    messages: [{ role: 'user', content: 'word '.repeat(5000) }] }),
  (e) => e instanceof OpenAI.BadRequestError && e.code === 'context_length_exceeded'
    && e.type === 'invalid_request_error');
await assert.rejects(client.chat.completions.create({ model, messages, temperature: -1 }),
  (e) => e instanceof OpenAI.BadRequestError);
await assert.rejects(new OpenAI({ baseURL: url + '/v1', apiKey: 'wrong', maxRetries: 0 })
  .models.list(), (e) => e instanceof OpenAI.AuthenticationError);
const stream = await client.chat.completions.create({ model, messages, max_tokens: 400,
  stream: true });
for await (const _ of stream) break;            // leaves: the server stops computing
console.log('all well');
"""


@unittest.skipUnless(os.path.exists(models_test.MODEL), "../shared/data/llm is missing")
class OpenAi(unittest.TestCase):
    def test_client(self):
        with tempfile.TemporaryDirectory() as folder:
            try:
                subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund",
                                "openai@7"], cwd=folder, check=True, timeout=300)
            except (OSError, subprocess.SubprocessError) as problem:
                raise unittest.SkipTest(f"npm: {problem}") from None
            path = os.path.join(folder, "client.mjs")
            with open(path, "w") as out:
                out.write(SCRIPT)
            with Server(WEFT, f"models.files={models_test.MODEL}",
                        config="auth:\n  required: true\n", start=False) as s:
                key = key_of(WEFT, s.data, "alice")
                s.start()
                models_test.until_loaded(s, key)
                done = subprocess.run(["node", path, f"http://127.0.0.1:{s.port}", key],
                                      capture_output=True, text=True, timeout=PATIENCE)
            self.assertIn("all well", done.stdout, done.stderr)


if __name__ == "__main__":
    main(globals())
