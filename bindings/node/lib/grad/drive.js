// SPDX-License-Identifier: Apache-2.0
//
// drive.js - one text of a solver for both ways to run it: at once, and as a promise.
//
// in     a generator that yields functions of a value or of a promise
// out    what it returns, or a promise of that
// knows  nothing of solvers
'use strict';

/** Runs it to its end; what it yields must be there at once. */
const now = (steps) => {
  let step = steps.next();
  while (!step.done) {
    let value;
    try { value = step.value(false); } catch (error) { step = steps.throw(error); continue; }
    step = steps.next(value);
  }
  return step.value;
};

/** The same with promises. */
const later = async (steps) => {
  let step = steps.next();
  while (!step.done) {
    let value;
    try { value = await step.value(true); } catch (error) { step = steps.throw(error); continue; }
    step = steps.next(value);
  }
  return step.value;
};

module.exports = { now, later };
