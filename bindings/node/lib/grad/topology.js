// SPDX-License-Identifier: Apache-2.0
//
// topology.js - from a topology to a graph of weft/grad.h and the instances of a batch.
//
// in     the code of a topology, the parameters and numbers of its instances
// out    blocks, data, and the graph as words for the addon
// knows  which parameters are neighbours everywhere, which numbers are the same everywhere
// not    values: trace.js
'use strict';

const { native } = require('../native.js');
const { rules } = require('./rules.js');
const { PARAMETER, FIXED, NUMBER, POWER, WORD } = require('./trace.js');

const byId = new Map(Object.values(rules).map((rule) => [rule.id, rule]));
const operators = new Map(native.gradOperators().map((name, number) => [name, number]));
const CONSTANT_WORD = 0, GRADIENT_WORD = 0xfffe, OUTPUT_WORD = 0xffff;

/** Writes a graph: operators of weft/grad.h by name. Nodes are numbers. */
class Emitter {
  words = [];
  constants = [];
  #next;
  #known = new Map();               // constant -> node

  constructor(leaves) { this.#next = leaves; }

  #word(operator, args) {
    this.words.push(operator, args.length);
    for (const arg of args) this.words.push(arg);
    return this.#next++;
  }
  op(name, ...args) { return this.#word(operators.get(name), args); }
  constant(number) {
    let node = Object.is(number, -0) ? undefined : this.#known.get(number);
    if (node === undefined) {
      node = this.#word(CONSTANT_WORD, [this.constants.push(number) - 1]);
      this.#known.set(number, node);
    }
    return node;
  }
  /** `value`, with the derivatives by `args` declared to be `partials`. */
  withGradient(value, args, partials) { return this.#word(GRADIENT_WORD, [value, ...args, ...partials]); }
  /** `value`, as if it were a number. */
  detach(value) {
    const zero = this.constant(0);
    return this.withGradient(value, [zero], [zero]);
  }
  output(node) { this.words.push(OUTPUT_WORD, 1, node); }
}

// ---- parameters: blocks ----

/** For each parameter of the topology the one that is next to it in every instance; -1: none. */
const neighbours = (kinds, parameters, count) => {
  const width = kinds.length, at = new Map();
  for (let k = 0; k < width; k++) at.set(parameters[k], k);
  return kinds.map((kind, k) => {
    const next = at.get(parameters[k] + 1);
    if (next === undefined || kinds[next] !== kind) return -1;
    for (let i = 0; i < count; i++) if (parameters[i * width + next] !== parameters[i * width + k] + 1) return -1;
    return next;
  });
};

/** Blocks of parameters: lists of those that are consecutive everywhere. */
const blocksOf = (kinds, parameters, count) => {
  const next = neighbours(kinds, parameters, count), blocks = [];
  const isFirst = kinds.map(() => true);
  for (const k of next) if (k >= 0) isFirst[k] = false;
  for (let k = 0; k < kinds.length; k++) {
    if (!isFirst[k]) continue;
    const block = [];
    for (let at = k; at >= 0; at = next[at]) block.push(at);
    blocks.push(block);
  }
  return blocks;
};

// ---- numbers: constants of the graph, or data of the instances ----

/** For each number of the topology { constant } or { column }; the columns. */
const columnsOf = (width, numbers, live, count) => {
  const columns = [], places = [];
  const isSame = (a, b) => {
    for (let i = a, j = b; i < numbers.length; i += width, j += width) {
      if (numbers[i] !== numbers[j] || live[i] !== live[j]) return false;
    }
    return true;
  };
  for (let k = 0; k < width; k++) {
    let isUniform = true;
    for (let i = k; i < count * width && isUniform; i += width) isUniform = live[i] === undefined && numbers[i] === numbers[k];
    if (isUniform) { places.push({ constant: numbers[k] }); continue; }
    let column = columns.findIndex((other) => isSame(other, k));
    if (column < 0) column = columns.push(k) - 1;
    places.push({ column });
  }
  return { columns, places };
};

// ---- the graph ----

const operands = (code, at, count) => code.slice(at, at + count);

/** Writes the code of a topology; `leaf(kind)` gives the node of the next leaf. */
const write = (e, code, leaf, exponents) => {
  const nodes = [];
  for (let i = 0; i < code.length;) {
    const word = code[i++];
    if (word === PARAMETER || word === FIXED || word === NUMBER) { nodes.push(leaf(word)); continue; }
    if (word === POWER) {
      const base = nodes[code[i++]], exponent = exponents[code[i++]];
      nodes.push(exponent === 2 ? e.op('square', base) : e.op('pow', base, e.constant(exponent)));
      continue;
    }
    const rule = byId.get((word - WORD) >> 1), count = code[i++];
    const args = operands(code, i, count).map((at) => nodes[at]);
    i += count;
    const plain = args.slice(0, count - (rule.numbers ?? 0)), numbers = args.slice(plain.length);
    const made = rule.lower ? rule.lower(e, plain, ...numbers) : e.op(rule.weft, ...plain);
    nodes.push((word - WORD) & 1 ? e.detach(made) : made);
  }
  e.output(nodes.at(-1));
};

/** A topology as the addon wants it. `isSingle`: every parameter is a block of its own. */
const lower = (topology, exponents, { isSingle = false } = {}) => {
  const { code, parameters, numbers, live, members } = topology, count = members.length;
  const kinds = leafKinds(code), width = kinds.length, numberWidth = numbers.length / count;
  const blocks = isSingle ? kinds.map((_, k) => [k]) : blocksOf(kinds, parameters, count);
  const { columns, places } = columnsOf(numberWidth, numbers, live, count);
  const order = blocks.flat(), node = new Map(order.map((k, at) => [k, at]));
  const e = new Emitter(width + columns.length);
  let nextParameter = 0, nextNumber = 0;
  write(e, code, (kind) => {
    if (kind !== NUMBER) return node.get(nextParameter++);
    const { constant, column } = places[nextNumber++];
    return column === undefined ? e.constant(constant) : width + column;
  }, exponents);
  return {
    blocks: Uint32Array.from(blocks, (block) => block.length * 2 + (kinds[block[0]] === FIXED ? 1 : 0)),
    firsts: blocks.map(([first]) => first),
    inputs: order.filter((k) => kinds[k] === PARAMETER),    // differentiated, in the order of the Jacobian
    columns, width, numberWidth,
    words: Uint32Array.from(e.words), constants: Float64Array.from(e.constants),
  };
};

/** PARAMETER or FIXED for each parameter, in the order of the code. */
const leafKinds = (code) => {
  const kinds = [];
  for (let i = 0; i < code.length;) {
    const word = code[i++];
    if (word === PARAMETER || word === FIXED) kinds.push(word);
    else if (word === POWER) i += 2;
    else if (word >= WORD) i += 1 + code[i];
  }
  return kinds;
};

module.exports = { lower, Emitter };
