// SPDX-License-Identifier: Apache-2.0
//
// storage.js - StorageManager: tensors and descriptions of models that outlive the process.
//
// in     typed arrays with shapes, objects of metadata
// out    the same, from a folder of weft/store.h
// knows  that a failure is a result here (false, null, [], 0), not an exception
// not    who shares what
'use strict';

const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');
const { Context } = require('../context.js');
const { Store } = require('../store.js');
const { longName, hostArray, count } = require('./shared-tensor.js');

const WEEK = 7 * 24 * 3600 * 1000;

const arrays = new Map([Float32Array, Float64Array, Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array].map((type) => [type.name, type]));

/** Where databases are, unless their name is a path. */
const folderOf = (name, version) => {
  const base = process.env.XDG_DATA_HOME || path.join(os.homedir(), '.local', 'share');
  return path.resolve(name.includes('/') ? `${name}-${version}` : path.join(base, 'weft', `${name}-${version}`));
};

/** Tensors and models by id, in a folder that stores equal elements once. */
class StorageManager {
  #folder;
  #context;

  constructor(options = {}) {
    this.options = {
      dbName: 'webnn-storage', dbVersion: 1, enableCompression: false, maxStorageSize: 0, enableAutoCleanup: true,
      cleanupThreshold: WEEK, enableLogging: false, ...options,
    };
    this.#folder = folderOf(this.options.dbName, this.options.dbVersion);
  }

  get path() { return this.#folder; }

  #log(message) { if (this.options.enableLogging) console.log(`[StorageManager] ${message}`); }

  /** What fails is said to the log, and gives `otherwise`. */
  async #guard(what, otherwise, f) {
    if (this.#context === undefined) { this.#log(`${what}: not initialized`); return otherwise; }
    try {
      return await f();
    } catch (error) {
      this.#log(`${what}: ${error.message}`);
      return otherwise;
    }
  }

  #open(model, write = false) {
    return new Store({ path: this.#folder, format: 'folder', model, write, context: this.#context, quota: this.options.maxStorageSize || undefined });
  }
  #models() { return this.#open(undefined, false).models; }
  #has(model) { return this.#models().some(({ name }) => name === model); }

  async initialize() {
    this.#context ??= new Context({ noDevice: true });
    return this.#guard('initialize', false, async () => {
      await this.#open(undefined, true).commit().catch(() => {});
      if (this.options.enableAutoCleanup) await this.cleanup();
      return true;
    });
  }

  // ---- tensors ----

  storeTensor(id, data, shape, dataType = 'float32', metadata = undefined) {
    return this.#guard(`storeTensor ${id}`, false, async () => {
      const store = this.#open(`tensor:${id}`, true);
      const array = arrays.has(data?.constructor?.name) ? data : hostArray(dataType).from(data);
      if (array.length !== count(shape)) throw new Error(`${array.length} elements for the shape [${shape.join(', ')}]`);
      const raw = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      const bytes = this.options.enableCompression ? zlib.deflateSync(raw) : raw;
      await store.put('data', { data: new Uint8Array(bytes), shape: [bytes.length], dtype: 'u8' });
      store.setMetadata('tensor', JSON.stringify({
        id, shape, dataType: longName(dataType), array: array.constructor.name, byteSize: raw.length, isCompressed: this.options.enableCompression, metadata, createdAt: Date.now(),
      }));
      await store.commit();
      return true;
    });
  }

  #describe(id) {
    if (!this.#has(`tensor:${id}`)) return null;
    const store = this.#open(`tensor:${id}`);
    return { store, ...JSON.parse(store.metadata.tensor) };
  }

  #read({ store, array, isCompressed }) {
    const bytes = store.read('data'), raw = isCompressed ? zlib.inflateSync(bytes) : bytes;
    const copy = new Uint8Array(raw);           // aligned
    return new (arrays.get(array))(copy.buffer);
  }

  getTensor(id) {
    return this.#guard(`getTensor ${id}`, null, () => {
      const found = this.#describe(id);
      if (found === null) return null;
      const { store, isCompressed, array, ...facts } = found;
      return { ...facts, data: this.#read(found), lastAccessed: Date.now() };
    });
  }
  getTensorData(id) {
    return this.#guard(`getTensorData ${id}`, null, () => {
      const found = this.#describe(id);
      return found === null ? null : this.#read(found);
    });
  }
  deleteTensor(id) { return this.#guard(`deleteTensor ${id}`, false, () => this.#delete(`tensor:${id}`)); }

  #delete(model) {
    if (!this.#has(model)) return false;
    this.#open(undefined, true).deleteModel(model);
    return true;
  }

  // ---- models ----

  storeModelMetadata(model) {
    return this.#guard(`storeModelMetadata ${model?.id}`, false, async () => {
      const { id, name, version, totalSize, tensorIds } = model;
      if (typeof id !== 'string' || !Array.isArray(tensorIds)) throw new Error('a model has an id and tensorIds');
      const store = this.#open(`model:${id}`, true), now = Date.now();
      store.setMetadata('model', JSON.stringify({ createdAt: now, ...model, id, name, version, totalSize, tensorIds, lastAccessed: now }));
      await store.commit();
      return true;
    });
  }
  getModelMetadata(id) {
    return this.#guard(`getModelMetadata ${id}`, null, () => (this.#has(`model:${id}`) ? this.#modelOf(`model:${id}`) : null));
  }
  #modelOf(name) { return JSON.parse(this.#open(name).metadata.model); }
  listModels() {
    return this.#guard('listModels', [], () => this.#models().filter(({ name }) => name.startsWith('model:')).map(({ name }) => this.#modelOf(name)));
  }
  /** The model and its tensors. */
  deleteModel(id) {
    return this.#guard(`deleteModel ${id}`, false, async () => {
      const model = await this.getModelMetadata(id);
      if (model === null) return false;
      for (const tensor of model.tensorIds) this.#delete(`tensor:${tensor}`);
      return this.#delete(`model:${id}`);
    });
  }

  // ---- the whole ----

  getStorageInfo() {
    const { dbName, dbVersion, maxStorageSize } = this.options;
    const none = { modelCount: 0, tensorCount: 0, totalSize: 0, dbName, dbVersion };
    return this.#guard('getStorageInfo', none, () => {
      const all = this.#models(), totalSize = this.#open(undefined).usage.bytes;
      const tensorCount = all.filter(({ name }) => name.startsWith('tensor:')).length;
      const info = { modelCount: all.length - tensorCount, tensorCount, totalSize, dbName, dbVersion };
      return maxStorageSize > 0 ? { ...info, remainingQuota: Math.max(0, maxStorageSize - totalSize) } : info;
    });
  }
  clear() {
    return this.#guard('clear', false, async () => {
      for (const { name } of this.#models()) this.#delete(name);
      await this.#open(undefined, true).clean();
      return true;
    });
  }
  /** Removes what was not used for `cleanupThreshold` milliseconds; bytes that were freed. */
  cleanup() {
    return this.#guard('cleanup', 0, () => this.#open(undefined, true).clean(Math.max(1, Math.ceil(this.options.cleanupThreshold / 1000))));
  }
}

module.exports = { StorageManager };
