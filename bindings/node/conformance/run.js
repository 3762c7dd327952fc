#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// run.js - runs the WebGPU conformance suite on Weft and prints the results by section.
//
// in     a compiled checkout of the suite; a file of queries
// out    a table on standard output; results.tsv (a row for each query), failures.txt
//        and skips.txt in the output folder
// knows  processes: one that crashes or hangs costs one case
// not    the suite: suite.js has it
//
//   node run.js --cts DIR [--queries FILE] [--only SECTION,... | QUERY] [--adapter NAME]
//               [--flags "FLAG ..."] [--jobs N] [--timeout SECONDS] [--out DIR]
//
// DIR is a checkout compiled for Node.js into DIR/out-node, with its resources in
// DIR/out-node/resources. In FILE, a line `# === NAME ...` begins the section NAME;
// other lines with # are comments, and all others are queries.
'use strict';

const { fork } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const top = path.join(__dirname, '..', '..', '..');

const readArguments = (argv) => {
  const options = {
    cts: undefined, only: '', adapter: '', flags: '',
    queries: path.join(top, '..', 'shared', 'cts', 'compute-queries.txt'),
    jobs: String(os.availableParallelism?.() ?? os.cpus().length), timeout: '600',
    out: path.join(top, 'build', 'conformance'),
  };
  for (let i = 0; i < argv.length; i += 2) {
    const name = argv[i].replace(/^--/, '');
    if (!Object.hasOwn(options, name) || argv[i + 1] === undefined) throw new Error(`what is ${argv[i]}?`);
    options[name] = argv[i + 1];
  }
  if (!options.cts) throw new Error('--cts DIR: a checkout of the suite (https://github.com/gpuweb/cts)');
  if (!fs.existsSync(path.join(options.cts, 'out-node'))) throw new Error(`${options.cts}/out-node: the suite is not compiled for Node.js`);
  return { ...options, jobs: Math.max(1, Number(options.jobs) || 1), timeout: Number(options.timeout) * 1000 };
};

/** [{ section, query }] in the order of the file */
const readQueries = (text, only) => {
  const wanted = only ? only.split(',') : [];
  if (only.startsWith('webgpu:')) return [{ section: '-', query: only }];
  const list = [];
  let section = '-';
  for (const line of text.split('\n').map((s) => s.trim())) {
    const head = /^# === ([A-Z]\d?) /.exec(line);
    if (head) section = head[1];
    else if (line && !line.startsWith('#') && (!only || wanted.includes(section))) list.push({ section, query: line });
  }
  return list;
};

// ---- results ----

const newCounts = () => ({ cases: 0, pass: 0, warn: 0, fail: 0, skip: 0, seconds: 0, cpu: 0 });

const add = (sum, counts) => { for (const key of Object.keys(counts)) sum[key] += counts[key]; };

const open = (options) => {
  fs.mkdirSync(options.out, { recursive: true });
  const [results, failures, skips] = ['results.tsv', 'failures.txt', 'skips.txt'].map((name) => path.join(options.out, name));
  fs.writeFileSync(results, 'section\tquery\tcases\tpass\twarn\tfail\tskip\tseconds\tcpu\n');
  fs.writeFileSync(failures, '');
  fs.writeFileSync(skips, '');
  return { results, failures, skips, sections: new Map() };
};

const recordCase = (files, counts, { name, status, seconds, cpu, why }) => {
  counts.cases++;
  counts[status]++;
  counts.seconds += seconds;
  counts.cpu += cpu ?? 0;
  const file = { fail: files.failures, skip: files.skips }[status];
  if (file) fs.appendFileSync(file, `${name}\n${why.map((line) => `    ${line}\n`).join('')}`);
};

const recordQuery = (files, { section, query }, counts) => {
  if (!files.sections.has(section)) files.sections.set(section, newCounts());
  add(files.sections.get(section), counts);
  const row = [section, query, counts.cases, counts.pass, counts.warn, counts.fail, counts.skip, counts.seconds.toFixed(2), counts.cpu.toFixed(2)];
  fs.appendFileSync(files.results, `${row.join('\t')}\n`);
};

const printTable = (files, seconds) => {
  const columns = ['cases', 'pass', 'fail', 'skip', 'seconds', 'cpu'];
  const cell = { pass: (c) => c.pass + c.warn, seconds: (c) => c.seconds.toFixed(1), cpu: (c) => c.cpu.toFixed(1) };
  const line = (name, c) => console.log([name.padEnd(8), ...columns.map((k) => String(cell[k]?.(c) ?? c[k]).padStart(9))].join(''));
  const sum = newCounts();
  console.log([''.padEnd(8), ...columns.map((k) => k.padStart(9))].join(''));
  for (const [name, counts] of files.sections) { line(name, counts); add(sum, counts); }
  line('all', sum);
  console.log(`${seconds.toFixed(0)} seconds in all; ${path.dirname(files.results)} has ${['results', 'failures', 'skips'].map((k) => path.basename(files[k])).join(', ')}`);
  return sum.fail;
};

// ---- workers ----

const spawnWorker = (options) => fork(path.join(__dirname, 'suite.js'), [], {
  cwd: options.cts,
  execArgv: ['--expose-gc', '--no-warnings'],
  env: { ...process.env, CTS: path.resolve(options.cts), CONFORMANCE_ADAPTER: options.adapter, CONFORMANCE_FLAGS: options.flags },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});

/** Runs queries from `queue` one after the other; starts again after a crash. */
const work = (options, queue, files, progress) => new Promise((resolve) => {
  let child, timer, job, counts, at, current;

  const next = () => {
    job = queue.shift();
    if (job === undefined) { child?.kill(); child = undefined; resolve(); return; }
    counts = newCounts();
    at = 0;
    go();
  };

  const go = () => {
    current = undefined;
    if (child === undefined) {
      child = spawnWorker(options);
      child.on('message', hear);
      child.on('exit', lost);
    }
    child.send({ query: job.query, from: at });
  };

  const hear = (message) => {
    if (message.begin !== undefined) {
      current = { name: message.begin, began: Date.now() };
      clearTimeout(timer);
      timer = setTimeout(() => { current.late = true; child.kill('SIGKILL'); }, options.timeout);
    } else if (message.end !== undefined) {
      clearTimeout(timer);
      recordCase(files, counts, message.end);
      current = undefined;
      at++;
    } else {
      if (message.error) recordCase(files, counts, { name: job.query, status: 'fail', seconds: 0, why: [message.error] });
      done();
    }
  };

  const done = () => {
    recordQuery(files, job, counts);
    progress(job, counts);
    next();
  };

  const lost = (code, signal) => {
    clearTimeout(timer);
    if (child === undefined) return;
    child = undefined;
    const why = current?.late ? `no end within ${options.timeout / 1000} s` : `the process ended: ${signal ?? code}`;
    const seconds = current ? (Date.now() - current.began) / 1000 : 0;
    recordCase(files, counts, { name: current?.name ?? job.query, status: 'fail', seconds, why: [why] });
    if (current === undefined) { done(); return; }      // it cannot even begin
    at++;
    go();
  };

  next();
});

const main = async () => {
  const options = readArguments(process.argv.slice(2));
  const queue = readQueries(fs.readFileSync(options.queries, 'utf8'), options.only);
  if (!queue.length) throw new Error(`no queries in ${options.queries}${options.only && ` for ${options.only}`}`);
  const files = open(options), total = queue.length, began = Date.now();
  let finished = 0;
  const progress = (job, counts) => {
    finished++;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${finished}/${total} ${job.query}`.slice(0, 120));
    if (counts.fail) console.error(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${counts.fail} of ${counts.cases} failed: ${job.query}`);
  };
  await Promise.all(Array.from({ length: Math.min(options.jobs, total) }, () => work(options, queue, files, progress)));
  process.exitCode = printTable(files, (Date.now() - began) / 1000) ? 1 : 0;
};

main().catch((error) => { console.error(error.message); process.exitCode = 2; });
