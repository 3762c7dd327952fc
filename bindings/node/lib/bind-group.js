// SPDX-License-Identifier: Apache-2.0
//
// bind-group.js - the conversion of GPUBindGroupDescriptor, member by member.
//
// in     what a program gives to createBindGroup()
// out    { label, layout, entries }, where entries has four values for each entry:
//        binding, state of the resource, offset, size or undefined
// knows  the order in which Web IDL reads members
// why    programs create bind groups for every launch, and the tables of webidl.js, which
//        serve all other dictionaries, take three times as long
'use strict';

const { anyState, enforced, forEachIn, isObject, lacks, stateOf, usvString, wrong } = require('./webidl.js');

const RESOURCES = new Set(['GPUBuffer', 'GPUSampler', 'GPUTexture', 'GPUTextureView', 'GPUExternalTexture']);

/** A dictionary that may be left out: its members are those of an empty one then. */
const dictionary = (value, where, name) => {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw wrong(where(), `is not of type '${name}'.`);
  return value;
};

const required = (value, key, where, name) => {
  if (value === undefined) throw lacks(where(), key, name);
  return value;
};

const unsigned = (value, type, key, where) => (
  typeof value === 'number' && value >>> 0 === value ? value + 0 : type(value, `${where()}.${key}`));

const object = (value, key, where, name) => {
  const state = stateOf(value, name);
  if (state === undefined) throw wrong(`${where()}.${key}`, `is not of type '${name}'.`);
  return state;
};

const pushBufferBinding = (entries, value, where) => {
  const binding = dictionary(value, where, 'GPUBufferBinding');
  entries.push(object(required(binding.buffer, 'buffer', where, 'GPUBufferBinding'), 'buffer', where, 'GPUBuffer'));
  const { offset } = binding;
  entries.push(offset === undefined ? 0 : unsigned(offset, enforced.unsignedLongLong, 'offset', where));
  const { size } = binding;
  entries.push(size === undefined ? undefined : unsigned(size, enforced.unsignedLongLong, 'size', where));
};

const pushResource = (entries, value, where) => {
  const state = anyState(value);
  if (state !== undefined && RESOURCES.has(state.interface)) entries.push(state, 0, undefined);
  else pushBufferBinding(entries, value, where);
};

const pushEntry = (entries, value, where) => {
  const entry = dictionary(value, where, 'GPUBindGroupEntry');
  const binding = required(entry.binding, 'binding', where, 'GPUBindGroupEntry');
  entries.push(unsigned(binding, enforced.unsignedLong, 'binding', where));
  pushResource(entries, required(entry.resource, 'resource', where, 'GPUBindGroupEntry'), () => `${where()}.resource`);
};

const GPUBindGroupDescriptor = (value, start) => {
  const where = () => start;
  const given = dictionary(value, where, 'GPUBindGroupDescriptor');
  const { label } = given;
  const text = label === undefined ? '' : usvString(label, `${start}.label`);
  const list = required(given.entries, 'entries', where, 'GPUBindGroupDescriptor'), entries = [];
  forEachIn(list, `${start}.entries`, (entry, i) => pushEntry(entries, entry, () => `${start}.entries [${i}]`));
  const layout = object(required(given.layout, 'layout', where, 'GPUBindGroupDescriptor'), 'layout', where, 'GPUBindGroupLayout');
  return { label: text, layout, entries };
};

module.exports = { GPUBindGroupDescriptor };
