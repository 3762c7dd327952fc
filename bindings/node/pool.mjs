// SPDX-License-Identifier: Apache-2.0
//
// pool.mjs - the same for `import`.
import pool from './pool.js';

export const { createPool, sharedContext, execute, Pool, PoolContext, PoolData, WeftError } = pool;
