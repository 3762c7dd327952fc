// SPDX-License-Identifier: Apache-2.0
//
// webidl.js - the conversions and class shapes of Web IDL.
//
// in     JavaScript values of any kind; tables that describe types and interfaces
// out    plain values, or a TypeError that says which value is wrong and why;
//        classes with attributes and methods as Web IDL wants them
// knows  https://webidl.spec.whatwg.org
// not    WebGPU
//
// A type is a function (value, where) -> converted value. `where` is a string that
// begins the sentence of an error. An object of an interface has a state, kept where
// user code cannot reach it; converting such an object gives its state.
'use strict';

const { toUSVString, types } = require('node:util');

const wrong = (where, what) => new TypeError(`${where} ${what}`);

// ---- the state of objects ----

// A private field that can be put on any object, made by whatever constructor.
class Stamp extends (function (object) { return object; }) {
  #state;
  constructor(object, state) { super(object); this.#state = state; }
  static read(object) { return #state in object ? object.#state : undefined; }
}

/** interface name -> parent interface name, for those that have one of ours */
const parents = new Map();

const isA = (name, wanted) => {
  for (let n = name; n !== undefined; n = parents.get(n)) if (n === wanted) return true;
  return false;
};

/** Gives `object` its state for good; `state.interface` says what it is. */
const adopt = (object, state) => { new Stamp(object, state); return object; };

/** The state of `value` if it is an object of an interface of ours, or undefined. */
const anyState = (value) => (
  (typeof value !== 'object' && typeof value !== 'function') || value === null ? undefined : Stamp.read(value));

/** The state of `value` if it is an object of that interface, or undefined. */
const stateOf = (value, name) => {
  const state = anyState(value);
  return state !== undefined && (state.interface === name || isA(state.interface, name)) ? state : undefined;
};

// ---- types ----

const toNumber = (value, where) => {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'symbol') throw wrong(where, `is a ${typeof value}, not a number.`);
  return +value;
};

const integer = (low, high) => (value, where) => {
  if (typeof value === 'number' && value >= low && value <= high && Number.isInteger(value)) return value + 0;
  const number = toNumber(value, where);
  if (!Number.isFinite(number)) throw wrong(where, `is ${number}, not a finite number.`);
  const n = Math.trunc(number);
  if (n < low || n > high) throw wrong(where, `is ${n}, outside the range from ${low} to ${high}.`);
  return n + 0;     // no -0
};

/** [EnforceRange] */
const enforced = {
  long: integer(-0x80000000, 0x7fffffff),
  unsignedLong: integer(0, 0xffffffff),
  unsignedLongLong: integer(0, Number.MAX_SAFE_INTEGER),
};

/** Without an attribute: modulo 2^32. */
const unsignedLong = (value, where) => toNumber(value, where) >>> 0;

/** [Clamp], rounded to even. */
const clampedUnsignedShort = (value, where) => {
  const n = Math.min(Math.max(toNumber(value, where), 0), 0xffff);
  if (Number.isNaN(n)) return 0;
  const down = Math.floor(n), rest = n - down;
  return rest < 0.5 ? down : rest > 0.5 ? down + 1 : down + (down % 2);
};

const double = (value, where) => {
  const n = toNumber(value, where);
  if (!Number.isFinite(n)) throw wrong(where, `is ${n}, not a finite number.`);
  return n;
};

const float = (value, where) => {
  const n = Math.fround(toNumber(value, where));
  if (!Number.isFinite(n)) throw wrong(where, 'is not a finite 32-bit number.');
  return n;
};

const boolean = (value) => !!value;

const domString = (value, where) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'symbol') throw wrong(where, 'is a symbol, not a string.');
  return `${value}`;
};

const usvString = (value, where) => toUSVString(domString(value, where));

const enumeration = (name, values) => {
  const set = new Set(values);
  return (value, where) => {
    const s = domString(value, where);
    if (!set.has(s)) throw wrong(where, `is "${s}", not a valid value of ${name}.`);
    return s;
  };
};

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

const arrayValues = Array.prototype.values;
const arrayIterator = Object.getPrototypeOf([][Symbol.iterator]());
const arrayNext = arrayIterator.next;

/** Calls visit(element, index) for what the iterator of `value`, made by `begin`, gives. */
const walk = (value, begin, where, visit) => {
  if (begin === arrayValues && Array.isArray(value) && arrayIterator.next === arrayNext) {
    for (let i = 0; i < value.length; i++) visit(value[i], i);
    return;
  }
  const iterator = begin.call(value);
  if (!isObject(iterator)) throw wrong(where, 'has an iterator that is not an object.');
  const next = iterator.next;
  for (let i = 0; ; i++) {
    const step = next.call(iterator);
    if (!isObject(step)) throw wrong(where, 'has an iterator whose result is not an object.');
    if (step.done) return;
    visit(step.value, i);
  }
};

/** walk() of a value that must be iterable. */
const forEachIn = (value, where, visit) => {
  const begin = isObject(value) ? value[Symbol.iterator] : undefined;
  if (begin === undefined || begin === null) throw wrong(where, 'is not iterable.');
  if (typeof begin !== 'function') throw wrong(where, 'has an iterator that is not a function.');
  walk(value, begin, where, visit);
};

const sequence = (type) => (value, where) => {
  const list = [];
  forEachIn(value, where, (element, i) => list.push(type(element, `${where} [${i}]`)));
  return list;
};

/** A Map, in the order of the properties. */
const record = (keyType, valueType) => (value, where) => {
  if (!isObject(value)) throw wrong(where, 'is not an object.');
  const result = new Map();
  for (const key of Reflect.ownKeys(value)) {
    const own = Reflect.getOwnPropertyDescriptor(value, key);
    if (own === undefined || !own.enumerable) continue;
    const k = keyType(key, `${where}: a key`);
    result.set(k, valueType(value[key], `${where}.${k}`));
  }
  return result;
};

const nullable = (type) => (value, where) => (value === null || value === undefined ? null : type(value, where));
const orUndefined = (type) => (value, where) => (value === undefined ? undefined : type(value, where));

/** An object of the interface `name`, of which the state is taken. */
const object = (name) => (value, where) => {
  const state = stateOf(value, name);
  if (state === undefined) throw wrong(where, `is not of type '${name}'.`);
  return state;
};

/** The first interface that fits, or else what `otherwise` makes of the value. */
const either = (names, otherwise) => (value, where) => {
  for (const name of names) {
    const state = stateOf(value, name);
    if (state !== undefined) return state;
  }
  return otherwise(value, where);
};

/** A list if it can be iterated, or else a dictionary. */
const listOr = (element, dictionaryType) => {
  return (value, where) => {
    const begin = isObject(value) ? value[Symbol.iterator] : undefined;
    if (begin === undefined || begin === null) return dictionaryType(value, where);
    if (typeof begin !== 'function') throw wrong(where, 'has an iterator that is not a function.');
    const list = [];
    walk(value, begin, where, (item, i) => list.push(element(item, `${where} [${i}]`)));
    return list;
  };
};

// ---- dictionaries ----

const required = (type) => ({ type, required: true });
const optional = (type) => ({ type });
const preset = (type, value) => ({ type, value });       // its default, already converted
const presetFrom = (type) => ({ type, make: true });     // its default: {} or [], converted

const lacks = (where, key, name) => wrong(where, `lacks the required member '${key}' of ${name}.`);

const byName = ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0);

/** Members of the parent first, then each level in the order of the names. */
const dictionary = (name, parent, members) => {
  const all = [...(parent ? parent.members : []), ...Object.entries(members).sort(byName)];
  const convert = (value, where) => {
    if (value !== undefined && value !== null && !isObject(value)) throw wrong(where, `is not of type '${name}'.`);
    const result = {};
    for (let i = 0; i < all.length; i++) {
      const key = all[i][0], member = all[i][1];
      const given = value === undefined || value === null ? undefined : value[key];
      if (given !== undefined) result[key] = member.type(given, `${where}.${key}`);
      else if (member.required) throw lacks(where, key, name);
      else result[key] = member.make ? empty(member.type, where) : member.value;
    }
    return result;
  };
  convert.members = all;
  return convert;
};

// Without a value a dictionary has its defaults; lists and records want something empty.
const NOTHING = Object.freeze([]);
const empty = (type, where) => type(type.members ? undefined : NOTHING, where);

// ---- buffers ----

const resizable = (buffer) => buffer.resizable === true || buffer.growable === true;

const viewed = (value) => (ArrayBuffer.isView(value) ? value.buffer : types.isAnyArrayBuffer(value) ? value : undefined);

/** AllowSharedBufferSource: the value itself. */
const bufferSource = (value, where) => {
  const buffer = viewed(value);
  if (buffer === undefined) throw wrong(where, 'is not an ArrayBuffer or a view of one.');
  if (resizable(buffer)) throw wrong(where, 'is a buffer that can be resized.');
  return value;
};

// ---- interfaces ----

const illegal = () => new TypeError('Illegal constructor');

const newClass = (name, parent, construct) => (parent
  ? { [name]: class extends parent { constructor(...args) { if (!construct) throw illegal(); return construct(new.target, args); } } }
  : { [name]: class { constructor(...args) { if (!construct) throw illegal(); return construct(new.target, args); } } })[name];

const argument = (spec) => (typeof spec === 'function' ? { type: spec, required: true } : spec);

const ordinal = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];

/** (argument list) -> converted list; throws if there are too few. */
const converter = (title, specs) => {
  const list = specs.map(argument);
  const least = list.filter((a) => a.required).length;
  const wheres = list.map((_, i) => `${title}: the ${ordinal[i] ?? i + 1 + 'th'} argument`);
  const convert = (args) => {
    if (args.length < least) throw new TypeError(`${title}: ${least} argument${least === 1 ? '' : 's'} required, ${args.length} given.`);
    const out = new Array(list.length);
    for (let i = 0; i < list.length; i++) {
      const a = list[i], given = args[i];
      if (given === undefined && !a.required) out[i] = a.make ? empty(a.type, wheres[i]) : a.value;
      else out[i] = a.type(given, wheres[i]);
    }
    return out;
  };
  convert.least = least;
  return convert;
};

const named = (f, name, length) => {
  Object.defineProperty(f, 'name', { value: name, configurable: true });
  Object.defineProperty(f, 'length', { value: length, configurable: true });
  return f;
};

const receiver = (self, name, title) => {
  const state = stateOf(self, name);
  if (state === undefined) throw new TypeError(`${title}: called on an object that is not of type '${name}'.`);
  return state;
};

const addAttribute = (prototype, interfaceName, name, { get, set, type }) => {
  const title = `${interfaceName}.${name}`;
  const accessor = {
    get [name]() { return get(receiver(this, interfaceName, title), this); },
    set [name](value) { set(receiver(this, interfaceName, title), type(value, title), this); },
  };
  const { get: g, set: s } = Object.getOwnPropertyDescriptor(accessor, name);
  Object.defineProperty(prototype, name, { get: g, set: set && s, enumerable: true, configurable: true });
};

const addMethod = (prototype, interfaceName, name, { args = [], run, promise, overload, least }) => {
  const title = `${interfaceName}.${name}()`;
  const convert = overload ?? converter(title, args);
  const call = (self, given) => {
    const state = receiver(self, interfaceName, title);
    return run(state, ...convert(given, title));
  };
  const holder = promise
    ? { [name](...given) { try { return call(this, given); } catch (error) { return Promise.reject(error); } } }
    : { [name](...given) { return call(this, given); } };
  named(holder[name], name, least ?? convert.least);
  Object.defineProperty(prototype, name, { value: holder[name], enumerable: true, configurable: true, writable: true });
};

/**
 * Makes the class of an interface.
 *
 *   parent      a class of ours, or of the platform
 *   construct   (newTarget, args) -> object; without it the constructor is illegal
 *   length      arguments that the constructor needs
 *   attributes  name -> getter(state, self) or { get, set, type }
 *   methods     name -> { args, run(state, ...args), promise, overload, least }
 */
const defineInterface = (name, { parent, construct, length = 0, attributes = {}, methods = {} }) => {
  const made = newClass(name, parent, construct);
  named(made, name, length);
  if (parent && interfaces.has(parent.name)) parents.set(name, parent.name);
  for (const [key, a] of Object.entries(attributes)) addAttribute(made.prototype, name, key, typeof a === 'function' ? { get: a } : a);
  for (const [key, m] of Object.entries(methods)) addMethod(made.prototype, name, key, m);
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: name, configurable: true });
  interfaces.set(name, made);
  return made;
};
const interfaces = new Map();

/** An object of the interface with that state. */
const create = (name, state) => {
  state.interface = name;
  return adopt(Object.create(interfaces.get(name).prototype), state);
};

/** readonly setlike<DOMString>, over a Set in state.set. */
const addSetlike = (made) => {
  const name = made.name, prototype = made.prototype;
  const set = (self, title) => receiver(self, name, `${name}.${title}`).set;
  const holder = {
    get size() { return set(this, 'size').size; },
    has(value) { if (arguments.length < 1) throw new TypeError(`${name}.has(): 1 argument required, 0 given.`); return set(this, 'has()').has(domString(value, `${name}.has(): the first argument`)); },
    entries() { return set(this, 'entries()').entries(); },
    values() { return set(this, 'values()').values(); },
    forEach(callback, self = undefined) {
      const all = set(this, 'forEach()');
      if (typeof callback !== 'function') throw new TypeError(`${name}.forEach(): the first argument is not a function.`);
      for (const value of all) callback.call(self, value, value, this);
    },
  };
  named(holder.forEach, 'forEach', 1);
  for (const key of Object.keys(holder)) Object.defineProperty(prototype, key, { ...Object.getOwnPropertyDescriptor(holder, key), enumerable: true });
  Object.defineProperty(prototype, 'keys', { value: holder.values, enumerable: true, configurable: true, writable: true });
  Object.defineProperty(prototype, Symbol.iterator, { value: holder.values, configurable: true, writable: true });
};

/** A namespace of constants. */
const defineNamespace = (name, constants) => {
  const made = {};
  for (const [key, value] of Object.entries(constants)) Object.defineProperty(made, key, { value, enumerable: true });
  Object.defineProperty(made, Symbol.toStringTag, { value: name, configurable: true });
  return made;
};

module.exports = {
  wrong, lacks, forEachIn, enforced, unsignedLong, clampedUnsignedShort, double, float, boolean, domString, usvString,
  enumeration, sequence, record, nullable, orUndefined, object, either, listOr, isObject,
  dictionary, required, optional, preset, presetFrom, bufferSource, converter,
  adopt, anyState, stateOf, create, defineInterface, defineNamespace, addSetlike, interfaces,
};
