// SPDX-License-Identifier: Apache-2.0
//
// suite.js - one process that runs cases of the suite.
//
// in     messages { query, from }: a query, and how many of its cases to pass over
// out    messages { begin } and { end } for each case, { error } or {} for a query
// knows  the suite's own loader and logger
// not    other processes
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { create, globals } = require('../index.js');

const root = path.join(process.env.CTS, 'out-node');
const load = (file) => require(path.join(root, file));
const { dataCache } = load('common/framework/data_cache.js');
const { getResourcePath, setBaseResourcePath } = load('common/framework/resources.js');
const { DefaultTestFileLoader } = load('common/internal/file_loader.js');
const { Logger } = load('common/internal/logging/logger.js');
const { parseQuery } = load('common/internal/query/parseQuery.js');
const { setGPUProvider } = load('common/util/navigator_gpu.js');

const MESSAGES = 3, COLUMNS = 400;      // of a failure that are kept

Object.assign(globalThis, globals);
setBaseResourcePath('out-node/resources');
dataCache.setStore({ load: (name) => fs.promises.readFile(getResourcePath(`cache/${name}`)) });

const { CONFORMANCE_ADAPTER: adapter, CONFORMANCE_FLAGS: flags } = process.env;
setGPUProvider(() => create([...(adapter ? [`adapter=${adapter}`] : []), ...(flags ? flags.split(' ') : [])]));

// Some cases put methods of their own on classes, and put back something else.
const kept = Object.values(globals).filter((g) => typeof g === 'function')
  .map(({ prototype }) => [prototype, Object.getOwnPropertyDescriptors(prototype)]);
const restoreClasses = () => {
  for (const [prototype, properties] of kept) {
    for (const key of Reflect.ownKeys(prototype)) if (!Object.hasOwn(properties, key)) delete prototype[key];
  }
};

const loader = new DefaultTestFileLoader();

const tell = (message) => new Promise((resolve) => { process.send(message, resolve); });

/** Why a case failed or was skipped. */
const reasons = (status, logs) => (status === 'fail' || status === 'skip' ? logs ?? [] : [])
  .filter((log) => !/INFO/.test(log.name)).slice(0, MESSAGES)
  .map((log) => `${log.name}: ${log.message}`.replaceAll('\n', ' ').slice(0, COLUMNS));

const runCase = async (testcase) => {
  const name = testcase.query.toString(), log = new Logger(), began = performance.now(), used = process.cpuUsage();
  await tell({ begin: name });
  const [recorder, result] = log.record(name);
  await testcase.run(recorder, []);
  restoreClasses();
  const seconds = (performance.now() - began) / 1000, { user, system } = process.cpuUsage(used);
  await tell({ end: { name, status: result.status, seconds, cpu: (user + system) / 1e6, why: reasons(result.status, result.logs) } });
};

const runQuery = async ({ query, from }) => {
  let at = 0;
  for (const testcase of await loader.loadCases(parseQuery(query))) if (at++ >= from) await runCase(testcase);
};

process.on('message', (job) => {
  runQuery(job).then(() => tell({ all: true }), (error) => tell({ error: String(error?.stack ?? error) }));
});
