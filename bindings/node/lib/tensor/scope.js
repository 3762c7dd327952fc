// SPDX-License-Identifier: Apache-2.0
//
// scope.js - tensors that go when a function is done.
//
// in     tensors as they are made
// out    scope(f): what f made is disposed of, but for what it returns
// knows  that f may be asynchronous, and that others run meanwhile
// not    what is computed
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

const storage = new AsyncLocalStorage();
let open = 0;                       // scopes: without one nothing is looked up

/** Notes a new tensor in the scope that made it. */
const enlist = (tensor) => {
  if (open > 0) storage.getStore()?.made.add(tensor);
};

const collect = (value, kept, seen = new Set()) => {
  if (value === null || typeof value !== 'object' || seen.has(value)) return kept;
  seen.add(value);
  if (typeof value.dispose === 'function') { kept.add(value); return kept; }
  if (Array.isArray(value)) value.forEach((v) => collect(v, kept, seen));
  else if (value instanceof Map || value instanceof Set) for (const v of value.values()) collect(v, kept, seen);
  else if (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null) Object.values(value).forEach((v) => collect(v, kept, seen));
  return kept;
};

const end = (scope, result) => {
  open--;
  const kept = collect(result, new Set(scope.kept));
  for (const tensor of scope.made) {
    if (!kept.has(tensor)) tensor.dispose();
    else scope.outer?.made.add(tensor);
  }
  scope.made = new Set();           // what is made later, by what f left running, is not ours
};

/** Calls f. Tensors that it makes are disposed of when it is done, or when its promise is,
 * except those in its result and those that were given to keep(). */
const scope = (f) => {
  const own = { made: new Set(), kept: new Set(), outer: storage.getStore() };
  open++;
  let result;
  try {
    result = storage.run(own, f);
  } catch (error) {
    end(own);
    throw error;
  }
  if (typeof result?.then !== 'function') {
    end(own, result);
    return result;
  }
  return Promise.resolve(result).then(
    (value) => { end(own, value); return value; },
    (error) => { end(own); throw error; },
  );
};

/** The tensor outlives the scope it was made in. */
const keep = (tensor) => {
  storage.getStore()?.kept.add(tensor);
  return tensor;
};

module.exports = { scope, keep, enlist };
