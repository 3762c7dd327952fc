// SPDX-License-Identifier: Apache-2.0
//
// ast.js - formulas as trees.
//
// in     parts
// out    nodes with a `type`, which accept() a visitor
// knows  nothing of what formulas mean
'use strict';

class NumberNode {
  type = 'Number';
  constructor(value) { this.value = value; }
  accept(visitor) { return visitor.visitNumber(this); }
  toString() { return String(this.value); }
}

class VariableNode {
  type = 'Variable';
  constructor(name) { this.name = name; }
  accept(visitor) { return visitor.visitVariable(this); }
  toString() { return this.name; }
}

class BinaryOpNode {
  type = 'BinaryOp';
  constructor(op, left, right) { Object.assign(this, { op, left, right }); }
  accept(visitor) { return visitor.visitBinaryOp(this); }
  toString() { return `(${this.left} ${this.op} ${this.right})`; }
}

class UnaryOpNode {
  type = 'UnaryOp';
  constructor(op, operand) { Object.assign(this, { op, operand }); }
  accept(visitor) { return visitor.visitUnaryOp(this); }
  toString() { return `${this.op}${this.operand}`; }
}

class FunctionCallNode {
  type = 'FunctionCall';
  constructor(name, args) { Object.assign(this, { name, args }); }
  accept(visitor) { return visitor.visitFunctionCall(this); }
  toString() { return `${this.name}(${this.args.join(', ')})`; }
}

class VectorAccessNode {
  type = 'VectorAccess';
  constructor(vector, component) { Object.assign(this, { vector, component }); }
  accept(visitor) { return visitor.visitVectorAccess(this); }
  toString() { return `${this.vector}.${this.component}`; }
}

class VectorConstructorNode {
  type = 'VectorConstructor';
  constructor(vectorType, components) { Object.assign(this, { vectorType, components }); }
  accept(visitor) { return visitor.visitVectorConstructor(this); }
  toString() { return `${this.vectorType}(${this.components.join(', ')})`; }
}

/** The nodes that a node is made of. */
const partsOf = {
  Number: () => [], Variable: () => [],
  BinaryOp: (n) => [n.left, n.right], UnaryOp: (n) => [n.operand], FunctionCall: (n) => n.args,
  VectorAccess: (n) => [n.vector], VectorConstructor: (n) => n.components,
};
/** What is its own, apart from its parts. */
const ownOf = {
  Number: (n) => n.value, Variable: (n) => n.name, BinaryOp: (n) => n.op, UnaryOp: (n) => n.op,
  FunctionCall: (n) => n.name, VectorAccess: (n) => n.component, VectorConstructor: (n) => n.vectorType,
};
/** The same node of other parts. */
const rebuild = {
  Number: (n) => n, Variable: (n) => n,
  BinaryOp: (n, [left, right]) => new BinaryOpNode(n.op, left, right), UnaryOp: (n, [operand]) => new UnaryOpNode(n.op, operand),
  FunctionCall: (n, args) => new FunctionCallNode(n.name, args), VectorAccess: (n, [vector]) => new VectorAccessNode(vector, n.component),
  VectorConstructor: (n, components) => new VectorConstructorNode(n.vectorType, components),
};

const nodesEqual = (a, b) => {
  if (a === b) return true;
  if (a.type !== b.type || !Object.is(ownOf[a.type](a), ownOf[b.type](b))) return false;
  const left = partsOf[a.type](a), right = partsOf[b.type](b);
  return left.length === right.length && left.every((part, i) => nodesEqual(part, right[i]));
};

module.exports = {
  NumberNode, VariableNode, BinaryOpNode, UnaryOpNode, FunctionCallNode, VectorAccessNode, VectorConstructorNode,
  nodesEqual, partsOf, rebuild,
};
