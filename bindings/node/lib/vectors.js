// SPDX-License-Identifier: Apache-2.0
//
// vectors.js - search index, self-organising map and projection of vectors.
//
// in     rows of numbers, or one Float32Array of them; ids
// out    VectorIndex, SelfOrganisingMap, Projection
// knows  weft/vectors.h
// not    files but those of an index; clients (weft-gpu/live)
'use strict';

const { native } = require('./native.js');
const { run } = require('./job.js');
const { Context, defaultContext, HANDLE } = require('./context.js');
const { WeftError, invalid } = require('./weft-error.js');
const { bytesOf, rejecting } = require('./tensor/tensor.js');

const split = (given, what) => {
  if (given === null || typeof given !== 'object') throw invalid(`${what}: expected an object of options`);
  const { context = defaultContext(), ...options } = given;
  if (!(context instanceof Context)) throw invalid(`${what}: 'context' is not a Context`);
  return { context, options };
};

/** Rows as one Float32Array, and how many they are. */
const rowsOf = (rows, dimension) => {
  if (rows instanceof Float32Array) {
    if (rows.length % dimension !== 0) throw new WeftError('shape', `${rows.length} numbers are no rows of ${dimension}`);
    return { numbers: rows, count: rows.length / dimension };
  }
  const all = typeof rows?.[0] === 'number' ? [rows] : Array.from(rows ?? []);
  const numbers = new Float32Array(all.length * dimension);
  all.forEach((row, i) => {
    if (row?.length !== dimension) throw new WeftError('shape', `row ${i} has ${row?.length} numbers, not ${dimension}`);
    numbers.set(row, i * dimension);
  });
  return { numbers, count: all.length };
};

const idsOf = (ids) => BigUint64Array.from(ids, (id) => {
  if (!Number.isSafeInteger(Number(id)) || Number(id) < 0) throw invalid(`'${id}' is not an id`);
  return BigInt(id);
});

const cut = (numbers, width) => {
  const rows = [];
  for (let at = 0; width > 0 && at < numbers.length; at += width) rows.push(numbers.subarray(at, at + width));
  return rows;
};

class Layer {
  constructor(handle, context, call) {
    this[HANDLE] = handle;
    this.context = context;
    Object.defineProperty(this, 'call', { value: call });
  }

  /** Starts a call of src/vectors.c; a promise of its bytes. */
  start(action, { rows, ids, numbers = [], path, options } = {}) {
    return rejecting(() => {
      const { numbers: data, count } = rows === undefined ? { numbers: new Float32Array(0), count: 0 } : rowsOf(rows, this.dimension);
      const list = ids === undefined ? new BigUint64Array(0) : idsOf(ids);
      if (rows !== undefined && ids !== undefined && list.length !== count) throw new WeftError('shape', `${list.length} ids for ${count} vectors`);
      return run(this, (token) => native[this.call](this[HANDLE], action, bytesOf(data), count, bytesOf(list), numbers, path, token), options);
    });
  }

  dispose() { native.close(this[HANDLE]); }
}
if (Symbol.dispose) Layer.prototype[Symbol.dispose] = Layer.prototype.dispose;

/** Finds the nearest of many vectors: { dimension, metric: 'cosine' | 'dot' | 'euclidean', ... }. */
class VectorIndex extends Layer {
  constructor(given, handle = undefined) {
    const { context, options } = split(given, 'VectorIndex');
    super(handle ?? native.vectorsIndexCreate(context[HANDLE], options), context, 'vectorsIndexRun');
    this.dimension = this.info.dimension;
  }
  static load(path, { context = defaultContext() } = {}) {
    return new VectorIndex({ context }, native.vectorsIndexLoad(context[HANDLE], path));
  }

  /** { dimension, count, bytes, lists, probes, recall } */
  get info() { return native.vectorsIndexInfo(this[HANDLE]); }
  /** Without ids they are numbered on from the largest. */
  insert(rows, ids) { return this.start('insert', { rows, ids }); }
  replace(rows, ids = []) { return this.start('replace', { rows, ids }); }
  remove(ids) { return this.start('remove', { ids: ids ?? [] }); }
  async get(ids) { return cut(new Float32Array(await this.start('get', { ids })), this.dimension); }
  async ids() { return Array.from(new BigUint64Array(await this.start('ids')), Number); }
  /** For each query the nearest, best first: [{ id, score }]. */
  async search(queries, { count = 10, exact = false, probes = 0 } = {}) {
    const bytes = await this.start('search', { rows: queries, numbers: [count, Number(exact), probes] });
    const view = new DataView(bytes), lists = [];
    for (let at = 0; at < bytes.byteLength; at += 16) {
      if (at / 16 % count === 0) lists.push([]);
      const id = view.getBigUint64(at, true);
      if (id !== 0xffffffffffffffffn) lists.at(-1).push({ id: Number(id), score: view.getFloat32(at + 8, true) });
    }
    return lists;
  }
  train(options) { return this.start('train', { options }); }
  async recall({ count = 10, probes = 0, samples = 0 } = {}) {
    return new Float64Array(await this.start('recall', { numbers: [count, probes, samples] }))[0];
  }
  save(path) { return this.start('save', { path }); }
}

/** Arranges vectors on a grid of units: { dimension, width, height, grid, toroidal, ... }. */
class SelfOrganisingMap extends Layer {
  constructor(given, handle = undefined) {
    const { context, options } = split(given, 'SelfOrganisingMap');
    super(handle ?? native.vectorsMapCreate(context[HANDLE], options), context, 'vectorsMapRun');
    Object.assign(this, native.vectorsMapShape(this[HANDLE]));
  }
  static restore(state, { context = defaultContext() } = {}) {
    return new SelfOrganisingMap({ context }, native.vectorsMapRestore(context[HANDLE], bytesOf(new Uint8Array(state))));
  }

  train(rows, { epochs = 10, online = false, ...options } = {}) {
    return this.start('train', { rows, numbers: [epochs, Number(online)], options });
  }
  /** Takes rows as they arrive. */
  update(rows) { return this.start('update', { rows }); }
  /** For each row { unit, second, distance }. */
  async match(rows) {
    const view = new DataView(await this.start('match', { rows }));
    return Array.from({ length: view.byteLength / 12 }, (_, i) => ({
      unit: view.getUint32(i * 12, true), second: view.getUint32(i * 12 + 4, true), distance: view.getFloat32(i * 12 + 8, true) }));
  }
  async quality(rows) {
    const [quantisationError, topographicError, explainedVariance] = new Float64Array(await this.start('quality', { rows }));
    return { quantisationError, topographicError, explainedVariance };
  }
  async weights() { return cut(new Float32Array(await this.start('weights')), this.dimension); }
  async plane(component) { return new Float32Array(await this.start('plane', { numbers: [component] })); }
  async umatrix() { return new Float32Array(await this.start('umatrix')); }
  async hits(rows) { return Array.from(new BigUint64Array(await this.start('hits', { rows })), Number); }
  distance(a, b) { return native.vectorsMapDistance(this[HANDLE], a, b); }
  state() { return this.start('state'); }
}

/** Vectors along their principal components, still while more arrive: { dimension, components, align, halfLife }. */
class Projection extends Layer {
  constructor(given, handle = undefined, dimension = given?.dimension) {
    const { context, options } = split(given, 'Projection');
    super(handle ?? native.vectorsProjectionCreate(context[HANDLE], options), context, 'vectorsProjectionRun');
    this.dimension = dimension;
  }
  static restore(state, { context = defaultContext(), dimension } = {}) {
    return new Projection({ context }, native.vectorsProjectionRestore(context[HANDLE], bytesOf(new Uint8Array(state))), dimension);
  }

  update(rows) { return this.start('update', { rows }); }
  async apply(rows) {
    const { components } = await this.info();
    return cut(new Float32Array(await this.start('apply', { rows })), components);
  }
  async info() {
    const [components, count, total, ...rest] = new Float64Array(await this.start('info'));
    return { components, count, total, variance: rest.filter((_, i) => i % 2 === 0), share: rest.filter((_, i) => i % 2 === 1) };
  }
  async axes() {
    const rows = cut(new Float32Array(await this.start('axes')), this.dimension);
    return { axes: rows.slice(0, -1), mean: rows.at(-1) };
  }
  state() { return this.start('state'); }
}

module.exports = { VectorIndex, SelfOrganisingMap, Projection };
