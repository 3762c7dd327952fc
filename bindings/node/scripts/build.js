#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// build.js - compiles the addon of an installed package, unless it came with one that runs here.
//
//   node scripts/build.js [--again]     --again: also if there is one
//
// in     src/*.c, the headers that come with Node.js, an installed Weft; prebuilt/ of scripts/pack.js
// out    build/weft.node
// knows  cc and pkg-config; CC and PKG_CONFIG choose others
// not    the tree of Weft: there, CMake builds the addon
'use strict';

const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const top = path.join(__dirname, '..');

const stop = (message) => { console.error(`weft: ${message}`); process.exit(1); };

const run = (command, args, otherwise) => {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  } catch (error) {
    return stop(error.code === 'ENOENT' ? `${command} is not installed` : otherwise);
  }
};

const words = (text) => text.split(/\s+/).filter(Boolean);

const findHeaders = () => {
  const prefix = path.join(path.dirname(fs.realpathSync(process.execPath)), '..');
  const places = [path.join(prefix, 'include', 'node'), '/usr/include/node', '/usr/include/nodejs/src'];
  return places.find((place) => fs.existsSync(path.join(place, 'node_api.h')))
    ?? stop(`node_api.h is in none of ${places.join(', ')}. On Debian and Ubuntu: apt install libnode-dev`);
};

const pkgConfig = (...args) => words(run(process.env.PKG_CONFIG ?? 'pkg-config', [...args, 'weft', 'webgpu_weft'],
  'the library is not installed, or not where pkg-config looks: PKG_CONFIG_PATH names the folder of weft.pc'));

/** Compiles src/*.c; `flags` are the compiler's for Weft's headers and libraries. */
const compile = (output, flags) => {
  const sources = fs.readdirSync(path.join(top, 'src')).filter((name) => name.endsWith('.c')).map((name) => path.join(top, 'src', name));
  fs.mkdirSync(path.dirname(output), { recursive: true });
  run(process.env.CC ?? 'cc', [
    '-std=c11', '-D_POSIX_C_SOURCE=200809L', '-DNAPI_VERSION=8', '-O2', '-fPIC', '-fvisibility=hidden', '-shared',
    '-isystem', findHeaders(), ...sources, '-o', output, ...flags, '-pthread', '-lm',
    '-Wl,-z,nodelete',         // a worker that ends leaves the code to the threads that run it
  ], 'the addon does not compile');
};

/** True if the package brought an addon for this kind of machine, and it can be loaded. */
const hasPrebuilt = () => {
  const addon = path.join(top, 'prebuilt', `${process.platform}-${process.arch}`, 'weft.node');
  if (!fs.existsSync(addon)) return false;
  const { status, stderr } = spawnSync(process.execPath, ['-e', 'require(process.argv[1])', addon], { encoding: 'utf8' });
  if (status !== 0) console.error(`weft: the addon of the package does not run here, so it is compiled: ${/Error: .*/.exec(stderr)?.[0] ?? stderr}`);
  return status === 0;
};

const main = () => {
  if (!process.argv.includes('--again') && hasPrebuilt()) return;
  const [libdir] = pkgConfig('--variable=libdir');
  compile(path.join(top, 'build', 'weft.node'), [...pkgConfig('--cflags'), ...pkgConfig('--libs'), `-Wl,-rpath,${libdir}`]);
};

module.exports = { compile };
if (require.main === module) main();
