// SPDX-License-Identifier: Apache-2.0
//
// conformance.test.mjs - the runner of the suite, on a suite of our own that misbehaves.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { top } from './fixture.mjs';

const files = {
  'common/framework/data_cache.js': 'exports.dataCache = { setStore() {} };',
  'common/framework/resources.js': 'exports.getResourcePath = (p) => p; exports.setBaseResourcePath = () => {};',
  'common/internal/logging/logger.js': `exports.Logger = class { record() { const result = {}; return [result, result]; } };`,
  'common/internal/query/parseQuery.js': 'exports.parseQuery = (query) => query;',
  'common/util/navigator_gpu.js': 'exports.setGPUProvider = (f) => { globalThis.provider = f; };',
  'common/internal/file_loader.js': `
    const acts = {
      pass: (r) => { r.status = 'pass'; },
      gpu: async (r) => { r.status = await provider().requestAdapter() ? 'pass' : 'skip'; },
      warn: (r) => { r.status = 'warn'; },
      skip: (r) => { r.status = 'skip'; r.logs = [{ name: 'SKIP', message: 'no such feature' }]; },
      fail: (r) => { r.status = 'fail'; r.logs = [{ name: 'EXPECTATION FAILED', message: 'two\\nlines' }, { name: 'INFO', message: 'quiet' }]; },
      crash: () => process.kill(process.pid, 'SIGKILL'),
      hang: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
    };
    exports.DefaultTestFileLoader = class {
      async loadCases(query) {
        if (query === 'webgpu:none') throw new Error('no such file');
        return query.split(':')[1].split(',').map((act, i) => ({ query: \`\${query}/\${i}\`, run: async (r) => acts[act](r) }));
      }
    };`,
};

const runOn = (queries, ...args) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'weft-suite-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.join(root, 'out-node', path.dirname(name)), { recursive: true });
      fs.writeFileSync(path.join(root, 'out-node', name), text);
    }
    fs.writeFileSync(path.join(root, 'queries'), queries);
    const { stdout, stderr, status } = spawnSync(process.execPath, [path.join(top, 'conformance', 'run.js'), '--cts', root,
      '--queries', path.join(root, 'queries'), '--out', path.join(root, 'out'), '--timeout', '20', ...args], { encoding: 'utf8' });
    const read = (name) => { try { return fs.readFileSync(path.join(root, 'out', name), 'utf8'); } catch { return ''; } };
    return { stdout, stderr, status, failures: read('failures.txt'), results: read('results.tsv'), skips: read('skips.txt') };
  } finally {
    fs.rmSync(root, { recursive: true });
  }
};

const table = (stdout) => Object.fromEntries(stdout.split('\n').slice(1).map((line) => line.trim().split(/\s+/))
  .filter((row) => /^\d+$/.test(row[1])).map(([name, ...numbers]) => [name, numbers.slice(0, 4).map(Number)]));

test('a case that crashes or hangs costs one case', () => {
  const { stdout, status, failures, results, skips } = runOn(`# === A1 first\n# a comment\nwebgpu:pass,crash,warn,hang,skip\n
# === B first of B\nwebgpu:fail,gpu\nwebgpu:none\n`, '--jobs', '2');
  assert.deepEqual(table(stdout), { A1: [5, 2, 2, 1], B: [3, 1, 2, 0], all: [8, 3, 4, 1] });
  assert.equal(status, 1);
  assert.match(failures, /webgpu:pass,crash,warn,hang,skip\/1\n {4}the process ended: SIGKILL/);
  assert.match(failures, /\/3\n {4}no end within 20 s/);
  assert.match(failures, /webgpu:fail,gpu\/0\n {4}EXPECTATION FAILED: two lines\n/);
  assert.match(failures, /no such file/);
  assert.equal(skips, 'webgpu:pass,crash,warn,hang,skip/4\n    SKIP: no such feature\n');
  assert.match(results, /^A1\twebgpu:pass,crash,warn,hang,skip\t5\t1\t1\t2\t1\t/m);
});

test('sections and adapters are chosen, and mistakes are told', () => {
  const { stdout, status } = runOn('# === A1 x\nwebgpu:fail\n# === B x\nwebgpu:gpu\n', '--only', 'B', '--adapter', 'no such adapter');
  assert.deepEqual(table(stdout), { B: [1, 0, 0, 1], all: [1, 0, 0, 1] });
  assert.equal(status, 0);
  assert.match(runOn('', '--only', 'C').stderr, /no queries/);
  assert.match(runOn('', '--colour', 'red').stderr, /what is --colour/);
});
