// SPDX-License-Identifier: Apache-2.0
//
// bytes.js - the part of an ArrayBuffer or a view that a call means.
//
// in     a buffer or view, an offset and a size in its elements
// out    a Uint8Array of just these bytes, without a copy
// knows  that typed arrays count elements, and everything else bytes
// not    what the bytes are for
'use strict';

const { operationError } = require('./errors.js');

const whole = (data) => (ArrayBuffer.isView(data)
  ? { buffer: data.buffer, start: data.byteOffset, length: data.byteLength, unit: data.BYTES_PER_ELEMENT ?? 1 }
  : { buffer: data, start: 0, length: data.byteLength, unit: 1 });

const bytesOf = (data, offset, size, title) => {
  const { buffer, start, length, unit } = whole(data);
  const from = offset * unit;
  if (from > length) throw operationError(`${title}: the data begin at byte ${from} of ${length}.`);
  const count = size === undefined ? length - from : size * unit;
  if (count > length - from) throw operationError(`${title}: ${count} bytes from byte ${from} are more than the ${length} of the data.`);
  if (count % 4 !== 0) throw operationError(`${title}: the size, ${count} bytes, is not a multiple of 4.`);
  // A buffer that was detached has no bytes to view.
  return length === 0 ? new Uint8Array(0) : new Uint8Array(buffer, start + from, count);
};

module.exports = { bytesOf };
