// SPDX-License-Identifier: Apache-2.0
//
// trace.js - from recorded values to topologies: graphs that differ in parameters and constants alone.
//
// in     the values that a function gave, and its parameters
// out    topologies, each with its instances: which parameters, which numbers
// knows  the structure of graphs; leaves are numbered by first visit
// not    what operators mean: rules.js; what becomes of a topology: topology.js
//
// A topology is a list of numbers, the code. Each definition gets the next local number:
//     PARAMETER | FIXED | NUMBER                          a leaf
//     WORD + rule * 2 + detached, count, arguments ...    an operator
//     POWER, base, number of the exponent                 the exponent is part of the topology
'use strict';

const { isConstant, isLeaf, nextEpoch } = require('./value.js');
const { rules } = require('./rules.js');

const PARAMETER = 1, FIXED = 2, NUMBER = 3, POWER = 4, WORD = 16;

/** The rule of a node, or undefined if it is unknown. */
const ruleOf = (node) => {
  const rule = node._rule;
  if (!rule.isCustom) return rule;
  const known = rules[rule.name];
  const fits = known && known.arity === argumentsOf(node).length && !known.numbers;
  return fits ? known : undefined;
};

const argumentsOf = (node) => node._source ?? node.prev;
/** A leaf for a trace: nothing is known of how it was computed. */
const isSource = (value) => isLeaf(value) && value._source === undefined;

class Topology {
  constructor(code) {
    this.code = code;
    this.members = [];              // which function each instance is
    this.parameters = [];           // [instances][parameters]: their numbers
    this.numbers = [];              // [instances][numbers]
    this.live = [];                 // the same: the value whose data it is, or undefined
  }
}

class Tracer {
  topologies = [];
  /** Functions with operators that have no rule: they are evaluated as they were recorded. */
  opaque = [];
  /** Values that are exponents, and the exponent that was compiled. */
  exponents = new Map();
  /** All exponents by number. */
  exponentList = [];

  #places;                          // value -> number of the parameter
  #buckets = new Map();             // hash -> topologies
  #exponentNumbers = new Map();
  #code = []; #parameters = []; #numbers = []; #live = [];
  #next = 0;
  #mark = 0;
  #stack = [];

  constructor(params) { this.#places = new Map(params.map((p, i) => [p, i])); }

  /** Adds the function `member` with the result `root`. */
  add(root, member) {
    this.#code.length = this.#parameters.length = this.#numbers.length = this.#live.length = 0;
    this.#next = 0;
    this.#mark = nextEpoch();
    const isKnown = isSource(root) ? (this.#leaf(root), true) : this.#graph(root);
    if (!isKnown) { this.opaque.push(member); return; }
    const topology = this.#find();
    topology.members.push(member);
    for (const p of this.#parameters) topology.parameters.push(p);
    for (const x of this.#numbers) topology.numbers.push(x);
    for (const v of this.#live) topology.live.push(v);
  }

  #graph(root) {
    const stack = this.#stack, mark = this.#mark;
    stack.length = 0;
    stack.push(root);
    while (stack.length > 0) {
      const node = stack[stack.length - 1];
      if (node._mark === mark) { stack.pop(); continue; }
      const depth = stack.length;
      this.#pushArguments(node, stack, mark);
      if (stack.length > depth) continue;
      if (!this.#define(node)) return false;
      stack.pop();
    }
    return true;
  }

  #pushArguments(node, stack, mark) {
    const more = node._more, list = more?.source ?? more?.list;
    if (list !== undefined) {
      for (let i = list.length - 1; i >= 0; i--) if (list[i]._mark !== mark && !isSource(list[i])) stack.push(list[i]);
      return;
    }
    const a = node._a, b = node._b;
    if (b !== undefined && b._mark !== mark && !isSource(b)) stack.push(b);
    if (a._mark !== mark && !isSource(a)) stack.push(a);
  }

  #define(node) {
    const rule = ruleOf(node);
    if (rule === undefined) return false;
    const code = this.#code, isDetached = isLeaf(node) ? 1 : 0;
    const more = node._more, list = more?.source ?? more?.list;
    if (rule === rules.powValue && !isDetached && this.#power(node)) return true;
    const word = WORD + rule.id * 2 + isDetached;
    if (list !== undefined || rule.numbers !== undefined) {
      const words = (list ?? node.prev).map((v) => this.#argument(v));
      for (let i = 0; i < (rule.numbers ?? 0); i++) words.push(this.#number((node._opConstants ?? rule.defaults)[i]));
      code.push(word, words.length);
      for (let i = 0; i < words.length; i++) code.push(words[i]);
    } else {
      const a = this.#argument(node._a), b = node._b === undefined ? -1 : this.#argument(node._b);
      if (b < 0) code.push(word, 1, a); else code.push(word, 2, a, b);
    }
    this.#place(node);
    return true;
  }

  #place(node) {
    node._mark = this.#mark;
    node._slot = this.#next++;
  }

  /** A power whose exponent is a leaf that has no derivative: kernels multiply where it is 2. */
  #power(node) {
    const base = node._a ?? node._list[0], exponent = node._b ?? node._list[1];
    if (!isSource(exponent) || this.#places.has(exponent)) return false;
    if (!isConstant(exponent)) this.exponents.set(exponent, exponent.data);
    let number = this.#exponentNumbers.get(exponent.data);
    if (number === undefined) {
      number = this.exponentList.push(exponent.data) - 1;
      this.#exponentNumbers.set(exponent.data, number);
    }
    const at = this.#argument(base);
    this.#code.push(POWER, at, number);
    this.#place(node);
    return true;
  }

  #argument(value) {
    if (value._mark === this.#mark) return value._slot;
    return this.#leaf(value);
  }

  #leaf(value) {
    if (isConstant(value)) return this.#number(value.data);
    const place = this.#places.get(value);
    if (place === undefined) return this.#number(value.data, value);
    this.#parameters.push(place);
    this.#code.push(value.requiresGrad ? PARAMETER : FIXED);
    this.#place(value);
    return value._slot;
  }

  #number(number, value) {
    this.#numbers.push(number);
    this.#live.push(value);
    this.#code.push(NUMBER);
    return this.#next++;
  }

  #find() {
    const code = this.#code;
    let hash = code.length;
    for (let i = 0; i < code.length; i++) hash = Math.imul(hash ^ code[i], 0x9e3779b1) ^ (hash >>> 15);
    let bucket = this.#buckets.get(hash);
    if (bucket === undefined) this.#buckets.set(hash, bucket = []);
    let found = bucket.find((t) => equal(t.code, code));
    if (found === undefined) {
      found = new Topology([...code]);
      bucket.push(found);
      this.topologies.push(found);
    }
    return found;
  }
}

const equal = (a, b) => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

module.exports = { Tracer, PARAMETER, FIXED, NUMBER, POWER, WORD };
