#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// pack.js - makes the npm package, with the addon, the library and LLVM inside.
//
//   bindings/node/scripts/pack.js [BUILD [FOLDER]]      default: build/release, build/npm
//
// in     a build of Weft (`make`), its compiler and LLVM's static libraries
// out    FOLDER/weft-gpu-VERSION.tgz; it needs glibc and Node.js, no compiler, on machines of this
//        kind, and compiles on others
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { compile } = require('./build.js');

const top = path.join(__dirname, '..'), tree = path.join(top, '..', '..');
const [build = path.join(tree, 'build', 'release'), folder = path.join(tree, 'build', 'npm')] = process.argv.slice(2).map((p) => path.resolve(p));

const copyPackage = (to) => {
  for (const name of fs.readdirSync(top))
    if (!['build', 'conformance', 'node_modules', 'test', 'CMakeLists.txt'].includes(name)) fs.cpSync(path.join(top, name), path.join(to, name), { recursive: true });
  fs.copyFileSync(path.join(tree, 'LICENSE'), path.join(to, 'LICENSE'));
  const about = JSON.parse(fs.readFileSync(path.join(to, 'package.json'), 'utf8'));
  about.files.push('prebuilt');
  fs.writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
};

const main = () => {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'weft-npm-'));
  try {
    const prebuilt = path.join(work, 'prebuilt', `${process.platform}-${process.arch}`);
    copyPackage(work);
    execFileSync(path.join(tree, 'tools', 'link-bundle'), [build, prebuilt], { stdio: 'inherit' });
    compile(path.join(prebuilt, 'weft.node'), [`-I${path.join(tree, 'include')}`, path.join(prebuilt, 'libweft.so.0'), '-Wl,-rpath,$ORIGIN', '-s']);
    fs.mkdirSync(folder, { recursive: true });
    const name = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: work, encoding: 'utf8' }).trim().split('\n').at(-1);
    console.log(path.join(folder, name));
  } finally {
    fs.rmSync(work, { recursive: true });
  }
};

main();
