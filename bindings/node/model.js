// SPDX-License-Identifier: Apache-2.0
//
// model.js - weft-gpu/model: language models from GGUF files.
'use strict';

const { Model } = require('./lib/model/model.js');
const { WasmModel } = require('./lib/model/wasm-model.js');
const { Generation } = require('./lib/model/generation.js');
const { WeftError } = require('./lib/weft-error.js');

module.exports = { Model, WasmModel, Generation, WeftError };
