// SPDX-License-Identifier: Apache-2.0
//
// buffer.js - GPUBuffer, and the ArrayBuffers that show its mapped memory.
//
// in     handles of the addon
// out    GPUBuffer
// knows  which ranges are mapped and given out: the state of a map belongs to the
//        thread of JavaScript, and changes when it hears of it
// not    when a map is allowed: the library decides
//
// An ArrayBuffer carries the state of its buffer, so that the memory it shows is known
// as long as it is. Before the memory goes, its ArrayBuffers are detached.
'use strict';

const { constants: { MAX_LENGTH } } = require('node:buffer');
const { markAsUntransferable } = require('node:worker_threads');
const { adopt, optional, preset } = require('./webidl.js');
const { native, forget } = require('./native.js');
const { u32, u64 } = require('./dictionaries.js');
const { defineObject } = require('./object.js');
const { expectWork } = require('./work.js');
const { operationError, abortError } = require('./errors.js');

const SUCCESS = 1, ABORTED = 4;         // WGPUMapAsyncStatus
const WRITE = 2;                        // GPUMapMode

// ---- who is mapped: a device that is destroyed takes the memory of its buffers along ----

const collected = new FinalizationRegistry(({ set, ref }) => set.delete(ref));

const enlist = (buffer) => {
  if (buffer.ref !== undefined) return;
  buffer.ref = new WeakRef(buffer);
  buffer.device.mapped.add(buffer.ref);
  collected.register(buffer, { set: buffer.device.mapped, ref: buffer.ref }, buffer.ref);
};

const delist = (buffer) => {
  if (buffer.ref === undefined) return;
  buffer.device.mapped.delete(buffer.ref);
  collected.unregister(buffer.ref);
  buffer.ref = undefined;
};

/** What JavaScript sees of a map comes to its end. */
const endMap = (buffer, why) => {
  const { pending, ranges } = buffer;
  buffer.mapState = 'unmapped';
  buffer.pending = undefined;
  buffer.ranges = [];
  delist(buffer);
  for (const { start, end, memory } of ranges) {
    if (memory.byteLength !== end - start) buffer.taken = true;
    native.detach(memory);
  }
  if (pending !== undefined) {
    forget(pending.token);
    pending.reject(abortError(why));
  }
};

const endMapsOf = (device) => {
  for (const ref of [...device.mapped]) {
    const buffer = ref.deref();
    if (buffer !== undefined) endMap(buffer, 'The device was destroyed before the buffer was mapped.');
  }
};

// ---- ranges that cannot be detached ----

// WebGPU gives these ArrayBuffers a key without which nothing detaches them. Node.js has
// no way to do that and detach them ourselves: markAsUntransferable() either is no such
// key, or it is one that it keeps.
const marksWithKey = (() => {
  const probe = new ArrayBuffer(8);
  if (typeof probe.transfer !== 'function') return false;
  markAsUntransferable(probe);
  try { probe.transfer(); } catch { return true; }
  return false;
})();

const refuse = { value() { throw new TypeError('A mapped range of a GPUBuffer cannot be transferred.'); } };

const guard = (memory) => {
  if (!marksWithKey) markAsUntransferable(memory);
  if (typeof memory.transfer === 'function') Object.defineProperties(memory, { transfer: refuse, transferToFixedLength: refuse });
};

// ---- mapping ----

const settled = (buffer, pending, { mode, start, end }) => (status, detail, text) => {
  if (buffer.pending === pending) buffer.pending = undefined;
  if (status === SUCCESS) {
    Object.assign(buffer, { mapState: 'mapped', mode, start, end });
    pending.resolve();
    return;
  }
  buffer.mapState = 'unmapped';
  delist(buffer);
  pending.reject(status === ABORTED ? abortError(text) : operationError(text || 'The buffer cannot be mapped.'));
};

const mapAsync = (buffer, mode, offset, size) => {
  const length = size ?? Math.max(0, buffer.size - offset);
  if (buffer.mapState !== 'unmapped') {         // the library reports it as well
    expectWork(buffer.device.work, buffer, (token) => native.mapAsync(buffer.handle, mode, offset, length, token), () => {});
    return Promise.reject(operationError(`The buffer is already ${buffer.mapState}.`));
  }
  return new Promise((resolve, reject) => {
    const pending = { resolve, reject };
    buffer.mapState = 'pending';
    buffer.pending = pending;
    enlist(buffer);
    pending.token = expectWork(buffer.device.work, buffer, (token) => native.mapAsync(buffer.handle, mode, offset, length, token),
      settled(buffer, pending, { mode, start: offset, end: offset + length }));
  });
};

const rangeFault = (buffer, start, end) => {
  if (buffer.mapState !== 'mapped') return `the buffer is ${buffer.mapState}`;
  if (start % 8 !== 0) return `the offset ${start} is not a multiple of 8`;
  if ((end - start) % 4 !== 0) return `the size ${end - start} is not a multiple of 4`;
  if (start < buffer.start || end > buffer.end) return `bytes ${start} to ${end} are not within the mapped ${buffer.start} to ${buffer.end}`;
  if (buffer.ranges.some((r) => start < r.end && r.start < end)) return 'the range overlaps one that was given out before';
  return undefined;
};

const getMappedRange = (buffer, offset, size) => {
  const end = offset + (size ?? Math.max(0, buffer.size - offset));
  const fault = rangeFault(buffer, offset, end);
  if (fault !== undefined) throw operationError(`GPUBuffer.getMappedRange(): ${fault}.`);
  if (end - offset > MAX_LENGTH) throw new RangeError(`GPUBuffer.getMappedRange(): an ArrayBuffer has ${MAX_LENGTH} bytes at most, not ${end - offset}.`);
  const memory = end === offset ? new ArrayBuffer(0)
    : native.mappedRange(buffer.handle, offset, end - offset, buffer.mode === WRITE);
  if (memory === null) throw operationError('GPUBuffer.getMappedRange(): out of memory.');
  guard(memory);
  adopt(memory, { interface: 'ArrayBuffer', buffer });
  buffer.ranges.push({ start: offset, end, memory });
  return memory;
};

const unmap = (buffer) => {
  if (buffer.mapState === 'unmapped') return;
  endMap(buffer, 'The buffer was unmapped before it was mapped.');
  native.unmap(buffer.handle);
};

// Memory that another thread got hold of is left to the garbage collector.
const destroy = (buffer) => {
  const { mapState } = buffer;
  if (mapState !== 'unmapped') endMap(buffer, 'The buffer was destroyed before it was mapped.');
  if (!buffer.taken) native.bufferDestroy(buffer.handle);
  else if (mapState !== 'unmapped') native.unmap(buffer.handle);
};

const GPUBuffer = defineObject('GPUBuffer', {
  attributes: {
    size: (state) => state.size,
    usage: (state) => state.usage,
    mapState: (state) => state.mapState,
  },
  methods: {
    mapAsync: { args: [u32, preset(u64, 0), optional(u64)], run: mapAsync, promise: true },
    getMappedRange: { args: [preset(u64, 0), optional(u64)], run: getMappedRange },
    unmap: { run: unmap },
    destroy: { run: destroy },
  },
});

const createBuffer = (device, { label, size, usage, mappedAtCreation }) => {
  if (mappedAtCreation && size % 4 !== 0) {
    throw new RangeError(`GPUDevice.createBuffer(): a buffer that is mapped at creation has a size that is a multiple of 4; ${size} is not.`);
  }
  const handle = mappedAtCreation && size > MAX_LENGTH ? null
    : native.createBuffer(device.handle, label, size, usage, mappedAtCreation);
  if (handle === null) throw new RangeError(`GPUDevice.createBuffer(): there is no memory for ${size} mapped bytes.`);
  const state = { interface: 'GPUBuffer', handle, label, device, size, usage, mapState: 'unmapped', ranges: [] };
  if (mappedAtCreation) {
    Object.assign(state, { mapState: 'mapped', mode: WRITE, start: 0, end: size });
    enlist(state);
  }
  return adopt(Object.create(GPUBuffer.prototype), state);
};

/** A GPUBuffer for a buffer that exists, with the members of its state. */
const wrapBuffer = (device, members) => adopt(Object.create(GPUBuffer.prototype), {
  interface: 'GPUBuffer', device, mapState: 'unmapped', ranges: [], ...members,
});

module.exports = { GPUBuffer, createBuffer, wrapBuffer, endMapsOf };
