// SPDX-License-Identifier: Apache-2.0
//
// model.mjs - the same for `import`.
import model from './model.js';

export const { Model, WasmModel, Generation, WeftError } = model;
