// SPDX-License-Identifier: Apache-2.0
//
// store.js - weft-gpu/store: files of tensors.
'use strict';

const { Store, openStore } = require('./lib/store.js');

module.exports = { Store, openStore };
