// SPDX-License-Identifier: Apache-2.0
//
// readme.test.mjs - the example of the README does what it says.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { program, top } from './fixture.mjs';

test('the example prints what its last comment says', async () => {
  const [, code] = /```js\n([^]*?)```/.exec(fs.readFileSync(path.join(top, 'README.md'), 'utf8'));
  const [, want] = /\/\/ (\d+)\n$/.exec(code);
  const { out, err, status } = await program(code);
  assert.deepEqual({ out, err, status }, { out: `${want}\n`, err: '', status: 0 });
});
