// SPDX-License-Identifier: Apache-2.0
//
// weft-error.js - the error of every layer of libweft.
//
// in     kind, message and names
// out    WeftError
// knows  nothing else
'use strict';

/** What went wrong: `kind` is one of weft/error.h ('shape', 'not-found', ...), `names` are the
 * tensors, files, bindings or fields that are involved. */
class WeftError extends Error {
  constructor(kind, message, names = [], options = undefined) {
    super(message, options);
    this.kind = kind;
    this.names = names;
  }
}
Object.defineProperty(WeftError.prototype, 'name', { value: 'WeftError', writable: true, configurable: true });

const invalid = (message, names) => new WeftError('invalid', message, names);

module.exports = { WeftError, invalid };
