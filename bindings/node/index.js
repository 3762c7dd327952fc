// SPDX-License-Identifier: Apache-2.0
//
// index.js - the package: create(options) and globals.
//
//     const { create, globals } = require('weft-gpu');
//     Object.assign(globalThis, globals);
//     const adapter = await create([]).requestAdapter();
'use strict';

const { createGPU } = require('./lib/gpu.js');
const { interfaces } = require('./lib/webidl.js');
const { flags } = require('./lib/enums.js');

exports.create = (options) => createGPU(options);
exports.globals = { ...Object.fromEntries(interfaces), ...flags };
