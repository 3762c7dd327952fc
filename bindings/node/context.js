// SPDX-License-Identifier: Apache-2.0
//
// context.js - weft-gpu/context: devices for the layers above WebGPU, and their error.
'use strict';

const { Context, createContext, defaultContext, setDefaultContext, whyUnavailable } = require('./lib/context.js');
const { WeftError } = require('./lib/weft-error.js');

module.exports = { Context, createContext, defaultContext, setDefaultContext, whyUnavailable, WeftError };
