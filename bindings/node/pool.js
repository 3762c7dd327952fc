// SPDX-License-Identifier: Apache-2.0
//
// pool.js - weft-gpu/pool: kernels on named typed arrays, on whichever device suits.
'use strict';

const { createPool, sharedContext, execute, Pool, PoolContext, PoolData, WeftError } = require('./lib/pool.js');

module.exports = { createPool, sharedContext, execute, Pool, PoolContext, PoolData, WeftError };
