// SPDX-License-Identifier: Apache-2.0
//
// integration.js - TensorSharingIntegration: shared tensors by name, who uses them, what they take.
//
// in     names, data, models
// out    SharedTensors, figures and recommendations about memory
// knows  that a model has at most one reference to a tensor
// not    devices: webgpu.js computes with the tensors
'use strict';

const { WeftError, invalid } = require('../weft-error.js');
const { Tensor } = require('../tensor/tensor.js');
const { SharedTensor, SharedTensorView, storageTypes, longName, isDtype } = require('./shared-tensor.js');
const { StorageManager } = require('./storage.js');

const WEEK = 7 * 24 * 3600 * 1000;
const SYNC_AGE = 60000;             // milliseconds after which a stored copy is written again
const MB = 1024 * 1024;

const SharingStatus = Object.freeze({ SUCCESS: 'success', NOT_FOUND: 'not_found', INCOMPATIBLE: 'incompatible', ERROR: 'error' });

/** Kinds of tensors, and models that can share one. */
const sharingPatterns = {
  text_embedding: ['bert', 't5', 'llama', 'bart'],
  vision_embedding: ['vit', 'clip', 'detr'],
  audio_embedding: ['whisper', 'wav2vec2', 'clap'],
  vision_text_joint: ['clip', 'llava', 'blip'],
  audio_text_joint: ['clap', 'whisper_text'],
};

/** Whether a model is of a family: 'bert', 'bert-base', 'bert_large'. */
const isOfFamily = (model, family) => model === family || (model.startsWith(family) && /^[-_./0-9]/.test(model.slice(family.length)));

const typeOfData = (data) => {
  if (data instanceof Tensor) return data.dtype;
  if (data instanceof Int32Array) return 'i32';
  if (data instanceof Uint8Array || data instanceof Uint8ClampedArray) return 'u8';
  if (data instanceof Float64Array) return 'f64';
  if (data instanceof Uint32Array) return 'u32';
  if (data instanceof Int8Array) return 'i8';
  if (data instanceof BigInt64Array) return 'i64';
  return 'f32';
};

/** The fourth argument of registerSharedTensor(): a storage type or an element type. */
const readKind = (name, kind) => {
  if (storageTypes.includes(kind)) return { storageType: kind };
  if (typeof kind === 'string' && isDtype(kind)) return { storageType: 'cpu', dtype: kind };
  throw invalid(`Tensor ${name}: '${kind}' is neither a storage type nor an element type`, [name]);
};

class TensorSharingIntegration {
  #tensors = new Map();
  #models = new Map();              // name -> Set of names of tensors
  #stored = new Map();              // name of a tensor -> { storageId, lastSynced }
  #hits = 0;
  #misses = 0;
  #isInitialized = false;
  #storage;
  #webnn;

  constructor(options = {}) {
    this.options = {
      enablePersistence: true, maxMemoryMb: 2048, enableAutoCleanup: true, cleanupThreshold: WEEK, enableCompression: false,
      enableLogging: false, dbName: 'tensor-sharing-db', ...options,
    };
    const { enablePersistence, enableCompression, enableAutoCleanup, cleanupThreshold, enableLogging, dbName } = this.options;
    if (enablePersistence) this.#storage = new StorageManager({ dbName, enableCompression, enableAutoCleanup, cleanupThreshold, enableLogging });
  }

  #log(message) { if (this.options.enableLogging) console.log(`[TensorSharingIntegration] ${message}`); }

  /** Opens the storage; tensors that are stored there can be had from now on. */
  async initialize(webnnBackend = undefined) {
    if (this.#isInitialized) return true;
    this.#webnn = webnnBackend;
    if (this.#storage !== undefined) {
      if (!await this.#storage.initialize()) { this.#log('Failed to initialize storage manager'); return false; }
      for (const { id, lastAccessed, metadata } of await this.#storage.listModels()) {
        if (metadata?.type === 'shared_tensor') this.#stored.set(metadata.tensorName, { storageId: id, lastSynced: lastAccessed });
      }
    }
    this.#isInitialized = true;
    this.#log(`Tensor Sharing Integration initialized successfully, ${this.#stored.size} stored tensors`);
    return true;
  }

  // ---- tensors ----

  /** Shares a copy of `data` (of a Tensor the tensor itself) under a name, in the place of an
   * earlier one; views of that keep its elements. */
  async registerSharedTensor(name, shape, data, kind = 'cpu', producerModel = null, consumerModels = null) {
    const { storageType, dtype } = readKind(name, kind);
    const made = new SharedTensor({ name, shape, dtype: dtype ?? longName(typeOfData(data)), storageType, producerModel });
    made.setData(data);
    await this.#makeRoom(made);
    this.#put(made, consumerModels ?? []);
    if (this.#isInitialized && this.#storage !== undefined) await this.#persist(made);
    this.#log(`Registered shared tensor: ${name} (${made.shape.join('x')}, ${storageType})`);
    return made;
  }

  /** Under the limit of memory, if need be by freeing unused tensors. */
  async #makeRoom(made) {
    const limit = this.options.maxMemoryMb * MB, replaced = this.#tensors.get(made.name)?.getMemoryUsage() ?? 0;
    const needs = () => this.#bytes() - replaced + made.getMemoryUsage();
    if (needs() > limit && this.options.enableAutoCleanup) await this.optimizeMemoryUsage();
    if (needs() > limit) {
      throw new WeftError('memory', `Tensor ${made.name}: ${made.getMemoryUsage()} bytes are beyond the ${this.options.maxMemoryMb} MB for shared tensors, of which ${this.#bytes()} bytes are used`, [made.name]);
    }
  }

  #put(made, consumers) {
    this.#tensors.set(made.name, made);
    if (made.producerModel !== null) this.#use(made.producerModel, made);
    for (const model of consumers) this.#use(model, made);
  }
  #use(model, shared) {
    if (!this.#models.has(model)) this.#models.set(model, new Set());
    this.#models.get(model).add(shared.name);
    shared.acquire(model);
  }

  /** Adds a tensor that was made elsewhere: results of operations. */
  adopt(shared, consumers = []) {
    this.#put(shared, consumers);
    return shared;
  }

  /** The tensor, or null. A model that asks has a reference from then on. */
  async getSharedTensor(name, modelName = null) {
    let shared = this.#tensors.get(name) ?? null;
    if (shared === null) this.#misses++; else this.#hits++;
    if (shared === null && this.#stored.has(name)) shared = await this.#load(name);
    if (shared !== null && modelName !== null) this.#use(modelName, shared);
    shared?.touch();
    return shared;
  }
  getTensor(name, modelName = null) { return this.getSharedTensor(name, modelName); }
  getRegisteredTensors() { return [...this.#tensors.keys()]; }

  async shareTensorBetweenModels(name, fromModel, toModels) {
    const shared = await this.getSharedTensor(name).catch(() => null);
    if (shared === null) return { status: SharingStatus.NOT_FOUND, message: `Tensor ${name} not found` };
    if (!Array.isArray(toModels) || !toModels.every((model) => typeof model === 'string')) {
      return { status: SharingStatus.ERROR, message: 'Error sharing tensor: expected an array of names of models' };
    }
    if (shared.producerModel !== fromModel && !this.#models.get(fromModel)?.has(name)) {
      return { status: SharingStatus.ERROR, message: `Failed to share tensor ${name} from ${fromModel}` };
    }
    for (const model of toModels) this.#use(model, shared);
    return {
      status: SharingStatus.SUCCESS,
      message: `Shared tensor ${name} from ${fromModel} to ${toModels.join(', ')}`,
      tensorInfo: { name, shape: [...shared.shape], storageType: shared.storageType, memoryBytes: shared.getMemoryUsage() },
    };
  }

  /** A window of a tensor, registered under its own name; null without the tensor or outside of it. */
  async createTensorView(name, viewName, offset, size, modelName = null) {
    const parent = await this.getSharedTensor(name);
    if (parent === null) { this.#log(`Parent tensor ${name} not found for creating view`); return null; }
    try {
      const view = parent.createView(viewName, offset, size);
      this.#put(view, modelName === null ? [] : [modelName]);
      return view;
    } catch (error) {
      this.#log(`Failed to create tensor view: ${error.message}`);
      return null;
    }
  }

  /** Gives up all references of a model; how many. */
  async releaseModelTensors(modelName) {
    let released = 0;
    for (const name of this.#models.get(modelName) ?? []) if (this.#tensors.get(name)?.release(modelName)) released++;
    this.#models.delete(modelName);
    return released;
  }
  /** Gives up one reference. */
  release(name, modelName) {
    this.#models.get(modelName)?.delete(name);
    return this.#tensors.get(name)?.release(modelName) ?? false;
  }

  // ---- memory ----

  /** Of all tensors; views have none of their own. */
  #bytes() { return [...this.#tensors.values()].reduce((n, t) => n + (t instanceof SharedTensorView ? 0 : t.getMemoryUsage()), 0); }

  /** Frees what is not pinned, has no references, and was not used for half a minute. */
  async optimizeMemoryUsage() {
    const initial = this.#bytes(), freed = [];
    for (const [name, shared] of this.#tensors) {
      if (!shared.canBeFreed()) continue;
      freed.push(name);
      this.#tensors.delete(name);
      for (const names of this.#models.values()) names.delete(name);
      shared.clear();
    }
    const current = this.#bytes();
    return {
      initial_memory_bytes: initial, current_memory_bytes: current, freed_memory_bytes: initial - current, freed_tensors_count: freed.length,
      freed_tensors: freed, memory_reduction_percent: initial > 0 ? (initial - current) / initial * 100 : 0, remaining_tensor_count: this.#tensors.size,
    };
  }

  /** Kinds of tensors that at least two of the models in use could share. */
  analyzeSharingOpportunities() {
    const rows = Object.entries(sharingPatterns).map(([kind, families]) => [kind, [...this.#models.keys()].filter((model) => families.some((f) => isOfFamily(model, f)))]);
    return Object.fromEntries(rows.filter(([, models]) => models.length >= 2));
  }

  getTensorMemoryUsage() {
    return Object.fromEntries([...this.#tensors].map(([name, t]) => {
      const bytes = t.getMemoryUsage(), consumers = [...this.#models].filter(([model, names]) => model !== t.producerModel && names.has(name)).map(([model]) => model);
      return [name, {
        memory_bytes: bytes, memory_mb: bytes / MB, shape: [...t.shape], dtype: t.dtype, storage_type: t.storageType, reference_count: t.referenceCount,
        consumer_count: consumers.length, consumers, producer: t.producerModel,
      }];
    }));
  }

  getModelMemoryUsage() {
    return Object.fromEntries([...this.#models].map(([model, names]) => {
      const tensors = [...names].map((name) => this.#tensors.get(name)).filter(Boolean);
      const total = tensors.reduce((n, t) => n + t.getMemoryUsage(), 0);
      return [model, {
        total_memory_bytes: total, total_memory_mb: total / MB, tensor_count: tensors.length,
        tensors: Object.fromEntries(tensors.map((t) => [t.name, { memory_bytes: t.getMemoryUsage(), memory_mb: t.getMemoryUsage() / MB, shape: [...t.shape] }])),
      }];
    }));
  }

  #hitRate() { return this.#hits + this.#misses > 0 ? this.#hits / (this.#hits + this.#misses) : 0; }

  getOptimizationRecommendations() {
    const all = [...this.#tensors.values()];
    const largest = all.map((t) => ({ name: t.name, memory_mb: t.getMemoryUsage() / MB })).sort((a, b) => b.memory_mb - a.memory_mb);
    return {
      largest_tensors: largest.slice(0, 5),
      low_reference_tensors: all.filter((t) => t.referenceCount <= 1 && !t.isPinned).map((t) => t.name),
      sharing_opportunities: this.analyzeSharingOpportunities(),
      total_memory_mb: this.#bytes() / MB,
      potential_savings_mb: all.filter((t) => t.canBeFreed()).reduce((n, t) => n + t.getMemoryUsage(), 0) / MB,
      cache_efficiency: { hits: this.#hits, misses: this.#misses, hit_rate: this.#hitRate() },
    };
  }

  getStats() {
    return {
      total_tensors: this.#tensors.size, total_models: this.#models.size, memory_usage_bytes: this.#bytes(), memory_usage_mb: this.#bytes() / MB,
      cache_hits: this.#hits, cache_misses: this.#misses, hit_rate: this.#hitRate(), models: [...this.#models.keys()],
      sharing_opportunities: this.analyzeSharingOpportunities(),
      ...(this.#storage === undefined ? {} : { persistentTensorCount: this.#stored.size }),
    };
  }

  // ---- storage ----

  async #persist(shared) {
    const data = await shared.readData(), { name, shape, dtype, storageType, producerModel } = shared;
    if (data === null) return false;
    const old = this.#stored.get(name)?.storageId, storageId = `shared_tensor_${name}_${Date.now()}`, tensorId = `${storageId}_data`;
    const isKept = await this.#storage.storeTensor(tensorId, data, [...shape], dtype, { name, storageType, producerModel, isPersistent: true })
      && await this.#storage.storeModelMetadata({
        id: storageId, name: `Shared Tensor: ${name}`, version: '1.0', totalSize: shared.getMemoryUsage(), tensorIds: [tensorId],
        metadata: { type: 'shared_tensor', tensorName: name, shape: [...shape], dataType: dtype, storageType, producerModel },
      });
    if (!isKept) { this.#log(`Failed to persist shared tensor: ${name}`); return false; }
    if (old !== undefined && old !== storageId) await this.#storage.deleteModel(old);
    this.#stored.set(name, { storageId, lastSynced: Date.now() });
    return true;
  }

  async #load(name) {
    const model = await this.#storage.getModelMetadata(this.#stored.get(name).storageId);
    const kept = model && await this.#storage.getTensor(model.tensorIds[0]);
    if (!kept) { this.#stored.delete(name); return null; }
    const shared = new SharedTensor({ name, shape: kept.shape, dtype: kept.dataType, storageType: model.metadata.storageType, producerModel: model.metadata.producerModel });
    shared.setData(kept.data);
    this.#put(shared, []);
    return shared;
  }

  /** Writes tensors that are not stored, or were written more than a minute ago. */
  async synchronizePersistentStorage() {
    if (this.#storage === undefined) return { success: false, message: 'Persistence is not enabled', updatedCount: 0, failedUpdates: [] };
    if (!await this.initialize(this.#webnn)) return { success: false, message: 'Error: the storage cannot be opened', updatedCount: 0, failedUpdates: [] };
    let updatedCount = 0;
    const failedUpdates = [];
    for (const [name, shared] of this.#tensors) {
      const stored = this.#stored.get(name);
      if (shared instanceof SharedTensorView || (stored && Date.now() - stored.lastSynced <= SYNC_AGE) || (stored && shared.referenceCount === 0)) continue;
      if (await this.#persist(shared)) updatedCount++; else failedUpdates.push(name);
    }
    return { success: true, message: `Synchronized ${updatedCount} tensors with persistent storage`, updatedCount, failedUpdates };
  }

  // ---- WebNN: with a backend that was given to initialize() ----

  async createWebNNTensorsFromShared(names, modelName) {
    if (!this.#webnn) return null;
    const made = new Map();
    for (const name of names) {
      const shared = await this.getSharedTensor(name, modelName), data = await shared?.readData();
      if (data) made.set(name, (await this.#webnn.createTensor(data, [...shared.shape], shared.dtype)).tensor);
    }
    return made;
  }
  async saveAsWebNNModel(modelId, modelName, names) {
    if (!this.#webnn || this.#storage === undefined) return false;
    const tensorIds = [];
    for (const name of names) {
      const shared = await this.getSharedTensor(name), data = await shared?.readData();
      if (!data) return false;
      tensorIds.push(`${modelId}_${name}`);
      if (!await this.#storage.storeTensor(tensorIds.at(-1), data, [...shared.shape], shared.dtype, { name })) return false;
    }
    return this.#storage.storeModelMetadata({ id: modelId, name: modelName, version: '1.0', totalSize: 0, tensorIds, metadata: { type: 'shared_tensors', tensorNames: names } });
  }
  async loadFromWebNNModel(modelId, producerModel = null) {
    const model = this.#webnn && this.#storage && await this.#storage.getModelMetadata(modelId);
    if (!model) return [];
    const names = [];
    for (const id of model.tensorIds) {
      const kept = await this.#storage.getTensor(id);
      if (!kept) continue;
      await this.registerSharedTensor(kept.metadata.name, kept.shape, kept.data, 'webnn', producerModel);
      names.push(kept.metadata.name);
    }
    return names;
  }
}

module.exports = { TensorSharingIntegration, SharingStatus };
