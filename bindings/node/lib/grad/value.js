// SPDX-License-Identifier: Apache-2.0
//
// value.js - scalars that remember how they were computed, and backpropagation.
//
// in     numbers
// out    Value; make(), which builds the nodes of all operators
// knows  the walk over a graph, without recursion
// not    operators: their rules are in rules.js; compilation: trace.js
//
// A rule is what is known of an operator: { name, label(labels, node), back(node) }. A node keeps its
// arguments: one or two in fields, more in a list. Graphs have millions of nodes, so a node is small: it
// has no closures, its label is made on demand, and what few nodes have is elsewhere.
'use strict';

let nextId = 0;
let epoch = 0;                      // marks of a walk; a node with the mark of now was visited
let recordings = 0;                 // compilations under way: detached nodes keep their arguments

const LABEL_LIMIT = 4096;           // characters; the inner parts of longer ones are left out

/** What few values have. */
class More {
  list = undefined;                 // arguments, where they are more than two
  source = undefined;               // arguments that a compiled graph needs, where they differ
  numbers = undefined;              // of the operator
  paramName = undefined;
  id = undefined;
}

class Value {
  /** Nodes are made without their history. Value.withNoGrad() sets it for a while. */
  static no_grad_mode = false;
  /** A GraphBuilder that is told of every node. */
  static currentBuilder = null;

  constructor(data, label = '', requiresGrad = false) {
    if (!Number.isFinite(data)) throw new Error(`Invalid number passed to Value: ${String(data)}`);
    this.data = data;
    this.grad = 0;
    this.requiresGrad = requiresGrad;
    this._label = label;            // null: made from the rule
    this._rule = undefined;
    this._a = undefined;            // arguments: the first, the second
    this._b = undefined;
    this._more = undefined;
    this._mark = 0;                 // of the last walk that came by, and what it noted
    this._slot = 0;
  }

  #own() { return this._more ??= new More(); }
  get _list() { return this._more?.list; }
  set _list(list) { this.#own().list = list; }
  get _source() { return this._more?.source; }
  set _source(list) { this.#own().source = list; }
  get _opConstants() { return this._more?.numbers; }
  set _opConstants(numbers) { this.#own().numbers = numbers; }
  get paramName() { return this._more?.paramName; }
  set paramName(name) { this.#own().paramName = name; }
  get _id() { return this.#own().id ??= nextId++; }

  get label() {
    if (this._label === null) this._label = makeLabel(this);
    return this._label;
  }
  set label(text) { this._label = text; }

  /** The arguments of a node; none for a leaf. */
  get prev() {
    if (this._list !== undefined) return this._list;
    if (this._a === undefined) return [];
    return this._b === undefined ? [this._a] : [this._a, this._b];
  }
  /** Backpropagation goes on to these; the derivatives of the node itself stay as they were. */
  set prev(list) {
    const rule = this._rule, before = new Value(this.data, '', this.requiresGrad);
    before._a = this._a;
    before._b = this._b;
    before._more = this._more && Object.assign(new More(), this._more);
    const back = (node) => { before.grad = node.grad; rule.back?.(before); };
    if (rule !== undefined) this._rule = { ...rule, isCustom: true, back };
    this._a = this._b = undefined;
    if (this._list !== undefined || list.length > 0) this._list = list.length > 0 ? [...list] : undefined;
  }

  get _op() { return this._rule?.name; }
  set _op(name) { this._rule = { ...this._rule, name }; }

  /** Derivatives of this by everything it was computed from are added to their grad. */
  backward(zeroGrad = false) {
    const order = walk(this);
    if (zeroGrad) for (let i = 0; i < order.length; i++) order[i].grad = 0;
    propagate(this, order);
  }

  toString() { return `Value(data=${this.data.toFixed(4)}, grad=${this.grad.toFixed(4)}, label=${this.label})`; }

  static zeroGradTree(root) {
    for (const node of walk(root)) node.grad = 0;
  }
  static zeroGradAll(values) {
    for (const value of values) Value.zeroGradTree(value);
  }

  static withNoGrad(fn) {
    const before = Value.no_grad_mode;
    Value.no_grad_mode = true;
    try { return fn(); } finally { Value.no_grad_mode = before; }
  }

  /** A node with a derivative of the caller's: `backward(node)` gives a function that adds to the
   * grad of the arguments. */
  static make(data, left, right, backward, label, op) {
    return Value.makeNary(data, right ? [left, right] : [left], backward, label, op);
  }
  static makeNary(data, inputs, backward, label, op) {
    const node = makeMany({ name: op, isCustom: true }, data, inputs);
    node.label = label;
    if (node.requiresGrad) node._rule.back = backward(node);
    return node;
  }
}

/** The rule of a leaf that no compiled graph expects to change. */
const CONSTANT = { name: undefined, label: (labels, leaf) => String(leaf.data) };
const constant = (number, label) => {
  const leaf = new Value(number, label, false);
  leaf._rule = CONSTANT;
  return leaf;
};
const isConstant = (value) => value._rule === CONSTANT;
const isLeaf = (value) => value._a === undefined && value._more?.list === undefined;
const asValue = (x) => (typeof x === 'number' ? constant(x, null) : x);

// ---- nodes ----

const finish = (node, source) => {
  if (Value.no_grad_mode && recordings > 0) node._source = source;
  if (Value.currentBuilder !== null) Value.currentBuilder.recordOp(node);
  return node;
};

const make1 = (rule, data, a) => {
  const node = new Value(data, null, false);
  node._rule = rule;
  if (!Value.no_grad_mode) {
    node._a = a;
    node.requiresGrad = a.requiresGrad;
    if (Value.currentBuilder === null) return node;
  }
  return finish(node, [a]);
};

const make2 = (rule, data, a, b) => {
  const node = new Value(data, null, false);
  node._rule = rule;
  if (!Value.no_grad_mode) {
    node._a = a;
    node._b = b;
    node.requiresGrad = a.requiresGrad || b.requiresGrad;
    if (Value.currentBuilder === null) return node;
  }
  return finish(node, [a, b]);
};

const makeMany = (rule, data, list) => {
  const node = new Value(data, null, false);
  node._rule = rule;
  if (!Value.no_grad_mode) {
    node._list = list;
    node.requiresGrad = list.some((v) => v.requiresGrad);
  }
  return finish(node, list);
};

/** Runs `fn` with a record of all that compiled graphs need. */
const recording = (fn) => {
  recordings++;
  try { return fn(); } finally { recordings--; }
};

// ---- walks ----

const nextEpoch = () => ++epoch;

/** All nodes that `root` was computed from, each after its arguments. */
const walk = (root) => {
  const mark = nextEpoch(), order = [], stack = [root];
  while (stack.length > 0) {
    const node = stack[stack.length - 1];
    if (node._mark === mark) { stack.pop(); continue; }
    const depth = stack.length, a = node._a, b = node._b, list = node._more?.list;
    if (list !== undefined) {
      for (let i = list.length - 1; i >= 0; i--) if (list[i]._mark !== mark) stack.push(list[i]);
    }
    if (b !== undefined && b._mark !== mark) stack.push(b);
    if (a !== undefined && a._mark !== mark) stack.push(a);
    if (stack.length > depth) continue;
    node._mark = mark;
    order.push(node);
    stack.pop();
  }
  return order;
};

const propagate = (root, order) => {
  root.grad = 1;
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i];
    if (!node.requiresGrad || node._rule === undefined) continue;
    node._rule.back?.(node);
  }
};

// ---- labels ----

const makeLabel = (root) => {
  for (const node of walk(root)) {
    if (node._label !== null) continue;
    const labels = node.prev.map((v) => (v._label.length > LABEL_LIMIT ? '…' : v._label));
    node._label = node._rule?.label?.(labels, node) ?? '';
  }
  return root._label;
};

module.exports = {
  Value, asValue, constant, isConstant, isLeaf, make1, make2, makeMany, nextEpoch, propagate, recording, walk,
};
