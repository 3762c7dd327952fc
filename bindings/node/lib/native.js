// SPDX-License-Identifier: Apache-2.0
//
// native.js - the addon, and the way of its events to those who wait for them.
//
// in     weft.node
// out    its functions; tokens to ask it with
// knows  where weft.node may be
// not    what its functions do
'use strict';

const path = require('node:path');
const fs = require('node:fs');
const { WeftError } = require('./weft-error.js');

// As the package has it after its installation or brings it, and as a build of the tree has it.
const places = [
  path.join(__dirname, '..', 'build', 'weft.node'),
  path.join(__dirname, '..', 'prebuilt', `${process.platform}-${process.arch}`, 'weft.node'),
  path.join(__dirname, '..', '..', '..', 'build', 'release', 'bindings', 'node', 'weft.node'),
];

const find = () => {
  if (process.env.WEFT_NODE_ADDON) return path.resolve(process.env.WEFT_NODE_ADDON);
  const place = places.find((p) => fs.existsSync(p));
  if (place === undefined) throw new Error(`weft.node is not built. Run 'npm run build' in ${path.join(__dirname, '..')}.`);
  return place;
};

const waiting = new Map();      // token -> { settle(status, detail, text, payload), arrived(), owner }
const watched = new Map();      // token -> WeakRef of an object with such a method
let last = 0;

const nextToken = () => {
  do last = last % 0xffffffff + 1; while (waiting.has(last) || watched.has(last));
  return last;
};

/** A token for one event, which calls `arrived`, if there is one, and then `settle`.
 * `owner` is kept until then: an object that is collected takes the events along that it
 * was asked for. With `notice` there may be others before it, with the status NOTICE. */
const expect = (owner, settle, arrived, notice) => {
  const token = nextToken();
  waiting.set(token, { owner, settle, arrived, notice });
  return token;
};
const NOTICE = 3;

/** `settle` does not hear of the event any more. */
const forget = (token) => {
  const request = waiting.get(token);
  if (request !== undefined) request.settle = undefined;
};

/** The request with this token was refused: there will be no event. */
const withdraw = (token) => waiting.delete(token);

/** A token for many events, which call `object.notice` as long as the object is reachable. */
const watch = () => nextToken();
const watchWith = (token, object) => watched.set(token, new WeakRef(object));
const unwatch = (token) => watched.delete(token);

const dispatch = (token, status, detail, text, payload) => {
  const request = waiting.get(token);
  if (request !== undefined) {
    if (status === NOTICE && request.notice !== undefined) { request.notice(detail, payload); return; }
    waiting.delete(token);
    request.arrived?.();
    request.settle?.(status, detail, text, payload);
    return;
  }
  const object = watched.get(token)?.deref();
  if (object === undefined) watched.delete(token);
  else object.notice(status, detail, text);
};

const fail = (kind, message, names) => new WeftError(kind, message, names);
const native = require(find()).start(dispatch, fail);

module.exports = { native, expect, forget, withdraw, watch, watchWith, unwatch };
