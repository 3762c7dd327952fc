// SPDX-License-Identifier: Apache-2.0
//
// idl.test.mjs - the shape of the classes, and the conversions of Web IDL.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { create, globals, open, top, usage } from './fixture.mjs';

const require = createRequire(import.meta.url);
const { rows, languageFeatures, weftLanguageFeatures, flags } = require('../lib/enums.js');
const idl = require('../lib/webidl.js');

// ---- tables ----

const header = fs.readFileSync(path.join(top, '..', '..', 'include', 'webgpu', 'webgpu.h'), 'utf8');

/** Names and numbers of an enumeration of the header. */
const enumeration = (name) => {
  const [, body] = new RegExp(`typedef enum WGPU${name} \\{([^]*?)\\} WGPU${name}`).exec(header);
  return [...body.matchAll(new RegExp(`WGPU${name}_(\\w+)\\s*= (\\d+),`, 'g'))].map(([, key, number]) => [key, Number(number)]);
};

const plain = (text) => text.replace(/[-_]/g, '').toLowerCase();

test('names and numbers of enumerations are those of webgpu.h', () => {
  const none = ['GPUBufferMapState', 'GPUPipelineErrorReason', 'GPUAutoLayoutMode', 'GPUCanvasAlphaMode', 'GPUCanvasToneMappingMode', 'PredefinedColorSpace'];
  const later = ['snorm10-10-10-2'];            // in the specification and not yet in webgpu.h
  for (const [name, [first, values]] of Object.entries(rows)) {
    if (none.includes(name)) continue;
    const numbers = new Map(enumeration(name.slice(3)).map(([key, number]) => [plain(key), number]));
    values.forEach((value, i) => {
      if (!later.includes(value)) assert.equal(numbers.get(plain(value)), first + i, `${name} ${value}`);
    });
  }
  const features = enumeration('WGSLLanguageFeatureName');
  assert.deepEqual(features.map(([key]) => plain(key)), languageFeatures.map(plain));
  const weft = fs.readFileSync(path.join(top, '..', '..', 'include', 'webgpu', 'weft.h'), 'utf8');
  weftLanguageFeatures.forEach((name, i) => {
    const [, hex] = new RegExp(`WGPUWGSLLanguageFeatureName_Weft${plain(name)} +\\(\\(\\w+\\)0x(\\w+)\\)`, 'i').exec(weft);
    assert.equal(parseInt(hex, 16), 0x57450001 + i);
    assert.ok(create().wgslLanguageFeatures.has(name));
  });
});

test('flags are those of webgpu.h', () => {
  const constants = (name) => Object.fromEntries([...header.matchAll(new RegExp(`WGPU${name}_(\\w+) *= 0x(\\w+);`, 'g'))].map(([, key, hex]) => [plain(key), parseInt(hex, 16)]));
  const names = { GPUBufferUsage: 'BufferUsage', GPUMapMode: 'MapMode', GPUTextureUsage: 'TextureUsage', GPUShaderStage: 'ShaderStage', GPUColorWrite: 'ColorWriteMask' };
  for (const [name, values] of Object.entries(flags)) {
    const { none, ...want } = constants(names[name]);
    assert.deepEqual(Object.fromEntries(Object.entries(values).map(([key, value]) => [plain(key), value])), want, name);
    assert.equal(Object.prototype.toString.call(values), `[object ${name}]`);
    assert.throws(() => { values.NEW = 1; values[Object.keys(values)[0]] = 5; }, TypeError);
  }
});

test('limits are all there, in the order of the specification', async () => {
  const { limits } = await create().requestAdapter();
  const names = Object.keys(globals.GPUSupportedLimits.prototype);
  assert.equal(names.length, 36);
  for (const name of names) assert.ok(Number.isInteger(limits[name]) && limits[name] >= 0, name);
});

// ---- classes ----

test('constructors are illegal, but for errors and events', () => {
  const free = ['GPUValidationError', 'GPUOutOfMemoryError', 'GPUInternalError', 'GPUPipelineError', 'GPUUncapturedErrorEvent'];
  for (const [name, made] of Object.entries(globals)) {
    if (typeof made !== 'function') continue;
    assert.equal(made.name, name);
    assert.throws(() => made(), TypeError, name);
    assert.throws(() => new made(), TypeError, name);
    assert.equal(free.includes(name) ? 1 : 0, made.length > 0 ? 1 : 0, name);
    assert.equal(Object.prototype.toString.call(made.prototype), `[object ${name}]`);
    assert.equal(Object.getOwnPropertyDescriptor(made, 'prototype').writable, false);
  }
});

test('attributes and methods are enumerable, on prototypes, and know their objects', () => {
  for (const [name, made] of Object.entries(globals)) {
    if (typeof made !== 'function') continue;
    for (const key of Object.getOwnPropertyNames(made.prototype)) {
      if (key === 'constructor') continue;
      const property = Object.getOwnPropertyDescriptor(made.prototype, key), title = `${name}.${key}`;
      assert.ok(property.enumerable && property.configurable, title);
      if (property.get) {
        assert.equal(property.get.name, `get ${key}`);
        assert.throws(() => property.get.call({}), TypeError, title);
        assert.throws(() => made.prototype[key], TypeError, title);
        assert.equal('prototype' in property.get, false);
      } else {
        assert.equal(property.value.name === key || key === 'keys', true, title);
        assert.equal('prototype' in property.value, false, title);
        const result = (() => { try { return property.value.call({}, {}, {}, {}, {}, {}, {}); } catch (error) { return error; } })();
        if (result instanceof Promise) assert.rejects(result, TypeError, title);
        else assert.ok(result instanceof TypeError, title);
      }
    }
  }
});

test('methods count the arguments they need', () => {
  const lengths = {
    GPUDevice: { createBuffer: 1, createCommandEncoder: 0, createSampler: 0, popErrorScope: 0 },
    GPUBuffer: { mapAsync: 1, getMappedRange: 0, unmap: 0 },
    GPUQueue: { submit: 1, writeBuffer: 3, onSubmittedWorkDone: 0 },
    GPUCommandEncoder: { copyBufferToBuffer: 2, clearBuffer: 1, resolveQuerySet: 5, finish: 0 },
    GPUComputePassEncoder: { setBindGroup: 2, dispatchWorkgroups: 1, dispatchWorkgroupsIndirect: 2, setImmediates: 2 },
    GPUSupportedFeatures: { has: 1, forEach: 1 },
  };
  for (const [name, methods] of Object.entries(lengths)) {
    for (const [key, length] of Object.entries(methods)) assert.equal(globals[name].prototype[key].length, length, `${name}.${key}`);
  }
});

test('methods that give promises reject, and never throw', async () => {
  const device = await open();
  const buffer = device.createBuffer({ size: 4, usage: usage.MAP_READ });
  const { prototype } = globals.GPUBuffer;
  await assert.rejects(buffer.mapAsync(), TypeError);
  await assert.rejects(buffer.mapAsync(-1), TypeError);
  await assert.rejects(prototype.mapAsync.call({}, 1), TypeError);
  await assert.rejects(create().requestAdapter(1), TypeError);
  await assert.rejects(create().requestAdapter({ powerPreference: 'solar' }), TypeError);
});

test('sets of names are like sets, and cannot be changed', async () => {
  const { features } = await create().requestAdapter();
  assert.ok(features.has('core-features-and-limits') && !features.has('x'));
  assert.deepEqual([...features], [...features.keys()]);
  assert.deepEqual([...features.entries()][0], [[...features][0], [...features][0]]);
  assert.equal(features.size, new Set(features).size);
  const seen = [];
  features.forEach(function (value, key, set) { seen.push(value === key && set === features && this === seen); }, seen);
  assert.ok(seen.length === features.size && seen.every(Boolean));
  assert.equal(features.add, undefined);
  assert.equal(features.keys, features[Symbol.iterator]);
  assert.throws(() => features.has(), TypeError);
  const words = create().wgslLanguageFeatures;
  assert.equal(words[Symbol.toStringTag], 'WGSLLanguageFeatures');
});

test('attributes that are the same object stay so', async () => {
  const gpu = create(), adapter = await gpu.requestAdapter(), device = await adapter.requestDevice({ label: 'mine', defaultQueue: { label: 'q' } });
  assert.equal(gpu.wgslLanguageFeatures, gpu.wgslLanguageFeatures);
  for (const key of ['features', 'limits', 'info']) assert.equal(adapter[key], adapter[key]);
  for (const key of ['features', 'limits', 'adapterInfo', 'queue', 'lost']) assert.equal(device[key], device[key]);
  assert.deepEqual([device.label, device.queue.label], ['mine', 'q']);
  device.label = 'a\ud800b';
  assert.equal(device.label, 'a\ufffdb');
  assert.throws(() => { device.queue = 1; }, TypeError);
  assert.deepEqual(Object.keys(device), []);
  assert.match(adapter.info.device, /^[a-z0-9]*(-[a-z0-9]+)*$/);
});

test('errors are made as the specification says', () => {
  const { GPUPipelineError, GPUUncapturedErrorEvent, GPUValidationError, GPUError } = globals;
  const error = new GPUPipelineError('why', { reason: 'internal' });
  assert.deepEqual([error.name, error.message, error.reason], ['GPUPipelineError', 'why', 'internal']);
  assert.equal(new GPUPipelineError(undefined, { reason: 'validation' }).message, '');
  assert.throws(() => new GPUPipelineError('why'), TypeError);
  assert.throws(() => new GPUPipelineError('why', { reason: 'other' }), TypeError);
  const inner = new GPUValidationError('x');
  assert.ok(inner instanceof GPUError && inner.message === 'x');
  assert.throws(() => new GPUUncapturedErrorEvent('e'), TypeError);
  assert.throws(() => new GPUUncapturedErrorEvent('e', { error: new Error() }), TypeError);
  const event = new GPUUncapturedErrorEvent('e', { error: inner, cancelable: true });
  assert.deepEqual([event.type, event.error, event.cancelable, event instanceof Event], ['e', inner, true, true]);
  class Mine extends GPUValidationError { extra() { return this.message; } }
  assert.equal(new Mine('y').extra(), 'y');
});

// ---- conversions ----

test('members of dictionaries are read once, parents first, then by name', async () => {
  const device = await open();
  const read = [];
  const watched = (object) => new Proxy(object, { get(target, key) { if (typeof key === 'string') read.push(key); return target[key]; } });
  device.createBuffer(watched({ usage: 8, size: 4, label: 'x', mappedAtCreation: false, other: 1 }));
  assert.deepEqual(read, ['label', 'mappedAtCreation', 'size', 'usage']);
  read.length = 0;
  device.createBindGroupLayout({ entries: [watched({ binding: 0, visibility: 4, buffer: {} })] });
  assert.deepEqual(read, ['binding', 'buffer', 'externalTexture', 'sampler', 'storageTexture', 'texture', 'visibility']);
});

test('whole numbers are in range, or a TypeError', () => {
  const u32 = idl.enforced.unsignedLong, u64 = idl.enforced.unsignedLongLong;
  for (const [given, want] of [[1.9, 1], [-0.5, 0], ['7', 7], [null, 0], [true, 1], [[8], 8], [{ valueOf: () => 3 }, 3]]) assert.equal(Object.is(u32(given, ''), want), true, String(given));
  for (const given of [-1, 2 ** 32, NaN, Infinity, 'x', undefined, {}, 1n, Symbol()]) assert.throws(() => u32(given, ''), TypeError);
  assert.equal(u64(2 ** 53 - 1, ''), 2 ** 53 - 1);
  assert.throws(() => u64(2 ** 53, ''), TypeError);
  assert.equal(idl.unsignedLong(-1, ''), 2 ** 32 - 1);
  for (const [given, want] of [[-5, 0], [1e9, 65535], [2.5, 2], [3.5, 4], [NaN, 0]]) assert.equal(idl.clampedUnsignedShort(given, ''), want);
  for (const given of [NaN, Infinity, 'x']) assert.throws(() => idl.double(given, ''), TypeError);
  assert.throws(() => idl.float(1e39, ''), TypeError);
});

test('strings, lists, records, unions', () => {
  assert.equal(idl.usvString('\udc00x', ''), '\ufffdx');
  assert.throws(() => idl.domString(Symbol('s'), ''), TypeError);
  const list = idl.sequence(idl.domString);
  assert.deepEqual(list(new Set([1, 'a']), ''), ['1', 'a']);
  assert.deepEqual(list({ * [Symbol.iterator]() { yield 1; } }, ''), ['1']);
  for (const given of [undefined, null, 5, 'text', {}, { [Symbol.iterator]: 5 }, { [Symbol.iterator]: () => 5 }]) assert.throws(() => list(given, ''), TypeError);
  const record = idl.record(idl.usvString, idl.double);
  const hidden = Object.defineProperty({ b: 1, a: '2', 5: 3 }, 'c', { value: 1 });
  assert.deepEqual([...record(hidden, '')], [['5', 3], ['b', 1], ['a', 2]]);
  assert.throws(() => record({ [Symbol()]: 1 }, ''), TypeError);
  assert.throws(() => record({ a: 'x' }, ''), TypeError);
  assert.throws(() => record(5, ''), TypeError);
});

test('a resource may be a buffer or a binding of one; null is not a dictionary without what it needs', async () => {
  const device = await open();
  const buffer = device.createBuffer({ size: 16, usage: usage.STORAGE });
  const layout = device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage' } }] });
  const group = (resource) => device.createBindGroup({ layout, entries: [{ binding: 0, resource }] });
  device.pushErrorScope('validation');
  group(buffer);
  group({ buffer, size: 16 });
  assert.equal(await device.popErrorScope(), null);
  for (const resource of [null, {}, { buffer: {} }, 5, { buffer, offset: -1 }]) assert.throws(() => group(resource), TypeError);
  assert.throws(() => device.createBuffer(), TypeError);
  assert.throws(() => device.createBuffer(null), TypeError);
  assert.throws(() => device.createBuffer(5), TypeError);
  assert.throws(() => device.createComputePipeline({ layout: 'manual', compute: {} }), TypeError);
  assert.throws(() => device.createPipelineLayout({ bindGroupLayouts: [buffer] }), TypeError);
  device.createPipelineLayout({ bindGroupLayouts: [null, undefined, layout] });
});

test('an object of another class is refused, one with its prototype too', async () => {
  const device = await open();
  const range = device.createBuffer({ size: 4, usage: usage.COPY_DST, mappedAtCreation: true }).getMappedRange();
  assert.throws(() => device.queue.writeBuffer(range, 0, new Uint8Array(4)), TypeError);
  assert.throws(() => globals.GPUBuffer.prototype.unmap.call(range), TypeError);
  const fake = Object.create(globals.GPUBuffer.prototype);
  assert.throws(() => fake.size, TypeError);
  assert.throws(() => device.queue.writeBuffer(fake, 0, new Uint8Array(4)), TypeError);
  assert.throws(() => device.queue.submit([device]), TypeError);
});
