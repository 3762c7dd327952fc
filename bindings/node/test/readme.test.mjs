// SPDX-License-Identifier: Apache-2.0
//
// readme.test.mjs - the examples of both README files do what they say.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { program, top } from './fixture.mjs';

for (const what of ['pool', 'vectors']) test(`the example of ${what} prints what its last comment says`, async () => {
  const [, code] = new RegExp(`\`\`\`js ${what}\\n([^]*?)\`\`\``).exec(fs.readFileSync(path.join(top, 'README.md'), 'utf8'));
  const [, want] = /\/\/ ([\d ]+)\n$/.exec(code);
  const { out, err, status } = await program(code);
  assert.deepEqual({ out, err, status }, { out: `${want}\n`, err: '', status: 0 });
});

test('the example of live vectors prints what its comment says', async () => {
  const [, code] = /```js live\n([^]*?)```/.exec(fs.readFileSync(path.join(top, 'README.md'), 'utf8'));
  const { out, err, status } = await program(code);
  assert.deepEqual({ out, err, status }, { out: `${/\/\/ (second .*)\n/.exec(code)[1]}\n`, err: '', status: 0 });
});

for (const readme of ['README.md', '../../README.md'])
  test(`the example of ${readme} prints what its last comment says`, async () => {
    const [, code] = /```js\n([^]*?)```/.exec(fs.readFileSync(path.join(top, readme), 'utf8'));
    const [, want] = /\/\/ ([\d ]+)\n$/.exec(code);
    const { out, err, status } = await program(code);
    assert.deepEqual({ out, err, status }, { out: `${want}\n`, err: '', status: 0 });
  });
