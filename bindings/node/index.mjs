// SPDX-License-Identifier: Apache-2.0
//
// index.mjs - the same package for `import`.
import weft from './index.js';

export const { create, globals } = weft;
