// SPDX-License-Identifier: Apache-2.0
//
// graph-builder.js - what a function records: its leaves, and a hash of its structure.
//
// in     parameters that are known, a function that computes a value
// out    the value; leaves in a fixed order; equal hashes for equal structures
// knows  the operators in the order in which they were made
// not    compilation: trace.js has signatures of its own
'use strict';

const { Value, isLeaf } = require('./value.js');

const MIX = [0x9e3779b1, 0x85ebca77];

/** Two hashes of 32 bits side by side. */
class Hash {
  #parts = [0x811c9dc5, 0x01000193];
  add(number) {
    this.#parts = this.#parts.map((part, i) => {
      const x = Math.imul(part ^ (number >>> 0), MIX[i]);
      return (x ^ (x >>> 15)) >>> 0;
    });
  }
  text(word) { for (let i = 0; i < word.length; i++) this.add(word.charCodeAt(i)); }
  toString() { return this.#parts.map((part) => part.toString(16).padStart(8, '0')).join(''); }
}

class GraphBuilder {
  #known;
  #leaves = new Set();
  #operations = [];

  constructor(knownParams = []) {
    this.#known = new Set(knownParams);
    for (const leaf of knownParams) this.#leaves.add(leaf);
  }

  /** Called for every node while build() runs. */
  recordOp(node) {
    if (isLeaf(node)) { this.#leaves.add(node); return; }
    for (const argument of node.prev) if (isLeaf(argument)) this.#leaves.add(argument);
    this.#operations.push(node);
  }

  build(fn) {
    const before = Value.currentBuilder;
    Value.currentBuilder = this;
    try {
      const output = fn();
      if (isLeaf(output)) this.#leaves.add(output);
      return { output, signature: this.#signature() };
    } finally {
      Value.currentBuilder = before;
    }
  }

  getCurrentSignature() { return { hash: 'incomplete', leaves: [...this.#leaves] }; }

  /** Known parameters first, then what has derivatives, then the rest; each in the order of first use. */
  #sorted() {
    const rank = (v) => (this.#known.has(v) ? 0 : 2) + (v.requiresGrad ? 0 : 1);
    return [...this.#leaves].sort((a, b) => rank(a) - rank(b));
  }

  #signature() {
    const leaves = this.#sorted(), hash = new Hash();
    const places = new Map(leaves.map((leaf, i) => [leaf, i]));
    for (const leaf of leaves) hash.add(leaf.requiresGrad ? 1 : 2);
    for (const node of this.#operations) {
      hash.text(node._op ?? 'unknown');
      if (node._op === 'clamp') hash.text(node._opConstants.join());
      for (const argument of node.prev) {
        if (!places.has(argument)) places.set(argument, places.size);
        hash.add(places.get(argument) + 16);
      }
      if (!places.has(node)) places.set(node, places.size);
      if (node._op === 'powValue' && isLeaf(node.prev[1])) hash.text(String(node.prev[1].data));
    }
    return { hash: hash.toString(), leaves, leafIndexMap: new Map(leaves.map((leaf, i) => [leaf, i])) };
  }
}

module.exports = { GraphBuilder };
