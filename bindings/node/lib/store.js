// SPDX-License-Identifier: Apache-2.0
//
// store.js - files of tensors: safetensors, npy, npz, a folder of models.
//
// in     paths and options, as weft/store.h has them
// out    Store: entries, tensors that are read when they are used, commits
// knows  weft/store.h
// not    what the tensors are for
'use strict';

const { native } = require('./native.js');
const { run } = require('./job.js');
const { Context, defaultContext, HANDLE } = require('./context.js');
const { WeftError, invalid } = require('./weft-error.js');
const { wrap, asTensor, bytesOf, rejecting } = require('./tensor/tensor.js');
const { arrayOf, dtypeNumber, readData } = require('./tensor/types.js');

/** Bytes of that many elements; types of less than a byte are not read this way. */
const elementCount = (shape) => shape.reduce((n, size) => n * size, 1);

/** Tensors by name in a file or folder. */
class Store {
  constructor(given) {
    if (given === null || typeof given !== 'object') throw invalid('openStore: expected a path or an object of options');
    const { context = defaultContext(), ...options } = given;
    if (!(context instanceof Context)) throw invalid('openStore: \'context\' is not a Context');
    this.context = context;
    this[HANDLE] = native.storeOpen(context[HANDLE], options);
  }

  /** { name, type, dtype, shape, bytes } of each, sorted by name. */
  get entries() { return native.storeEntries(this[HANDLE]); }
  get names() { return this.entries.map(({ name }) => name); }
  /** An entry, or null. */
  find(name) { return native.storeFind(this[HANDLE], name); }
  get metadata() { return native.storeMetadata(this[HANDLE]); }

  /** The tensor: its elements stay in the file until they are used. */
  get(name) { return wrap(native.storeGet(this[HANDLE], name), this.context); }
  /** The elements as a typed array, without a device. */
  read(name) {
    const entry = this.find(name);
    if (entry === null) throw new WeftError('not-found', `there is no tensor '${name}'`, [String(name)]);
    if (entry.dtype === null) throw new WeftError('type', `tensors have no type ${entry.type}`, [name]);
    const array = new (arrayOf(entry.dtype))(elementCount(entry.shape));
    native.storeRead(this[HANDLE], name, bytesOf(array));
    return array;
  }

  /** A tensor, or { data, shape, dtype } without a device; seen after the commit. */
  put(name, value) {
    return rejecting(() => {
      if (value?.data === undefined || typeof value.data === 'function') {
        const t = asTensor(value, this.context);
        return run([this, t], (token) => native.storePut(this[HANDLE], name, t[HANDLE], token));
      }
      const { array, shape, from } = readData(value.data, value.dtype);
      native.storePutData(this[HANDLE], name, dtypeNumber(from), value.shape ?? shape, bytesOf(array));
      return Promise.resolve();
    });
  }
  remove(name) { native.storeRemove(this[HANDLE], name); }
  /** null removes the key. */
  setMetadata(key, value) { native.storeSetMetadata(this[HANDLE], key, value); }
  /** Makes all changes visible at once, and durable. */
  commit() { return rejecting(() => run(this, (token) => native.storeCommit(this[HANDLE], token))); }

  // ---- a folder ----

  get models() { return native.storeModels(this[HANDLE]); }
  get usage() { return native.storeUsage(this[HANDLE]); }
  deleteModel(name) { native.storeModelDelete(this[HANDLE], name); }
  /** Deletes models that were not opened for that many seconds, and what no model has; bytes. */
  clean(maxAge = undefined) { return rejecting(() => run(this, (token) => native.storeClean(this[HANDLE], maxAge, token))); }
  /** Compares everything with its checksums. */
  verify(options) { return rejecting(() => run(this, (token) => native.storeVerify(this[HANDLE], token), options)); }

  dispose() { native.close(this[HANDLE]); }
}
if (Symbol.dispose) Store.prototype[Symbol.dispose] = Store.prototype.dispose;

/** openStore('model.safetensors') or openStore({ path, write: true, ... }) */
const openStore = (given) => new Store(typeof given === 'string' ? { path: given } : given);

module.exports = { Store, openStore };
