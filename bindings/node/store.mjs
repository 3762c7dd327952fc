// SPDX-License-Identifier: Apache-2.0
//
// store.mjs - the same for `import`.
import store from './store.js';

export const { Store, openStore } = store;
