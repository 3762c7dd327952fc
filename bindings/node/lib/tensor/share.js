// SPDX-License-Identifier: Apache-2.0
//
// share.js - tensors by owner and name, seen by those who have a grant.
//
// in     names and tensors
// out    the same tensors, without a copy
// knows  the sharing of weft/tensor.h
// not    the classes of WebGPUTensorSharing: lib/sharing/
'use strict';

const { native } = require('../native.js');
const { HANDLE } = require('../context.js');
const { wrap, asTensor } = require('./tensor.js');
const { defaultContext } = require('../context.js');

const locations = ['none', 'lazy', 'device', 'host', 'disk', 'both'];

/** The shared tensors of a context. */
const shares = (context = defaultContext()) => ({
  /** Puts a tensor under owner and name, in the place of an earlier one. */
  put(owner, name, tensor) { native.sharePut(context[HANDLE], owner, name, asTensor(tensor, context)[HANDLE]); },
  /** What `owner` put, as seen by `reader`. */
  get(owner, name, reader = undefined) { return wrap(native.shareGet(context[HANDLE], owner, name, reader), context); },
  grant(owner, name, reader) { native.shareGrant(context[HANDLE], owner, name, reader); },
  revoke(owner, name, reader) { native.shareRevoke(context[HANDLE], owner, name, reader); },
  /** Gives up a reader's reference, or the owner's with everything under the name. */
  drop(owner, name, reader = undefined) { native.shareDrop(context[HANDLE], owner, name, reader); },
  /** Everything that an owner put and holds; how many. */
  release(owner) { return native.shareRelease(context[HANDLE], owner); },
  /** Bytes that an owner keeps alive; what views share counts once. */
  bytes(owner) { return native.shareBytes(context[HANDLE], owner); },
  list() {
    return native.shareList(context[HANDLE]).map(([owner, name, bytes, location, references, readers]) => ({
      owner, name, bytes, location: locations[location], references, readers,
    }));
  },
});

module.exports = { shares };
