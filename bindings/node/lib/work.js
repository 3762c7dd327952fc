// SPDX-License-Identifier: Apache-2.0
//
// work.js - hears soon when the work of a queue is done.
//
// in     requests that the library answers when a queue has got so far
// out    the answers, in the event loop
// knows  that to wake a thread takes longer than a small dispatch
// not    what is asked for
//
// Before it goes on the loop waits a moment, asleep in the driver as a program in C would be.
// If nothing came in that time, a thread of the library calls when the queue is done.
// Programs do the same again and again: who had to be called is called at once the next
// time, until that comes soon.
'use strict';

const { setImmediate } = require('node:timers');
const { native, expect } = require('./native.js');

const MOMENT = 0.2;             // milliseconds
const CALL_TIME = 0.2;          // that it takes to be called

/** Takes what is there or comes within `time`, the eldest first. */
const receive = (work, time) => {
  const until = performance.now() + time;
  let left = time;
  do {
    const [eldest] = work.futures.values();
    native.processEvents(work.instance, eldest ?? 0, left * 1e6);
    left = until - performance.now();
  } while (left > 0 && work.futures.size > 0);
};

const call = (work) => {
  if (work.isCalled) return;
  work.isCalled = true;
  native.workDone(work.queue, true, expect(work, () => {
    work.isCalled = false;
    receive(work, 0);
    if (work.futures.size > 0 && !work.isWaiting) call(work);
  }));
};

const wait = (work) => {
  work.isWaiting = false;
  receive(work, MOMENT);
  if (work.futures.size > 0) call(work);
};

/** Asks with a token for something that comes when the queue has done what it has to do
 * now, and then calls `settle`. Gives the token; `ask` gives the future. */
const expectWork = (work, owner, ask, settle) => {
  const asked = performance.now();
  const token = expect(owner, settle, () => {
    work.futures.delete(token);
    work.isSlow = performance.now() - asked > MOMENT + CALL_TIME;
  });
  work.futures.set(token, ask(token));
  if (work.isSlow) {
    call(work);
  } else if (!work.isWaiting) {
    work.isWaiting = true;
    setImmediate(wait, work);
  }
  return token;
};

/** What is expected of a queue. Both are handles. */
const newWork = (instance, queue) => ({
  instance, queue,
  futures: new Map(),           // by their tokens
  isWaiting: false, isCalled: false, isSlow: false,
});

module.exports = { expectWork, newWork };
