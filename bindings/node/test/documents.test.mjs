// SPDX-License-Identifier: Apache-2.0
//
// documents.test.mjs - the JavaScript in the documents runs, and prints what they say.
//
// A block of js with a block of text after it is a program, and the text is what it prints.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { program, top } from './fixture.mjs';

const folder = path.join(top, '..', '..', 'docs');
for (const name of fs.readdirSync(folder).filter((file) => file.endsWith('.md'))) {
  const text = fs.readFileSync(path.join(folder, name), 'utf8');
  for (const { 1: code, 2: want, index } of text.matchAll(/^```js\n([^]*?)^```\n\n```text\n([^]*?)^```\n/gm)) {
    test(`docs/${name}:${text.slice(0, index).split('\n').length}`, async () => {
      const { out, err, status } = await program(code);
      assert.deepEqual({ out, err, status }, { out: want, err: '', status: 0 });
    });
  }
}
