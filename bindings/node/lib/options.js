// SPDX-License-Identifier: Apache-2.0
//
// options.js - what create() may be told.
//
// in     an array of strings "name=value", or an object with the same names
// out    numbers and strings for the addon; a TypeError that names what is wrong
// knows  the options of Weft
// not    what they do
'use strict';

const CACHE = { on: 0, memory: 1, off: 2 };         // WGPUWeftCacheMode
const BACKEND = { cpu: 0x57450001, vulkan: 6 };     // WGPUBackendType
const LANES = [0, 1, 4, 8, 16];

const bad = (name, value, wanted) => new TypeError(`weft: the option ${name} is ${JSON.stringify(value)}; it must be ${wanted}.`);

const count = (name, value, high) => {
  const n = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (!Number.isInteger(n) || n < 0 || n > high) throw bad(name, value, `a whole number from 0 to ${high}`);
  return n;
};

// Each gives what it sets.
const readers = {
  threads: (value) => ({ threads: count('threads', value, 1024) }),
  lanes: (value) => {
    const lanes = count('lanes', value, 16);
    if (!LANES.includes(lanes)) throw bad('lanes', value, 'one of 0, 1, 4, 8 and 16');
    return { lanes };
  },
  deadline: (value) => {
    const ms = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof ms !== 'number' || !(ms >= 0 && ms <= 1e9)) throw bad('deadline', value, 'a number of milliseconds, 0 for none');
    return { deadlineNS: Math.ceil(ms * 1e6) };
  },
  adapter: (value) => {
    if (typeof value !== 'string') throw bad('adapter', value, "'cpu', 'vulkan' or a part of an adapter's name");
    return Object.hasOwn(BACKEND, value) ? { backend: BACKEND[value] } : { adapterName: value };
  },
  cache: (value) => {
    if (!Object.hasOwn(CACHE, value)) throw bad('cache', value, "'on', 'memory' or 'off'");
    return { cacheMode: CACHE[value] };
  },
  cacheDirectory: (value) => {
    if (typeof value !== 'string') throw bad('cacheDirectory', value, 'a path');
    return { cacheDirectory: value };
  },
};

const pairs = (given) => {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    if (typeof given !== 'object') throw new TypeError("weft: create() takes an array of 'name=value' or an object of options.");
    return Object.entries(given).filter(([, value]) => value !== undefined);
  }
  return given.map((flag) => {
    const cut = typeof flag === 'string' ? flag.indexOf('=') : -1;
    if (cut < 1) throw new TypeError(`weft: the flag ${JSON.stringify(flag)} is not of the form 'name=value'.`);
    return [flag.slice(0, cut), flag.slice(cut + 1)];
  });
};

const readOptions = (given) => {
  const options = { threads: 0, lanes: 0, deadlineNS: 0, backend: 0, adapterName: '', cacheMode: 0, cacheDirectory: '' };
  for (const [name, value] of pairs(given)) {
    if (!Object.hasOwn(readers, name)) {
      throw new TypeError(`weft: there is no option '${name}'. There are ${Object.keys(readers).join(', ')}.`);
    }
    Object.assign(options, readers[name](value));
  }
  return options;
};

module.exports = { readOptions };
