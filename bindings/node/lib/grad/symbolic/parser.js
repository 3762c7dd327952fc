// SPDX-License-Identifier: Apache-2.0
//
// parser.js - from text to formulas.
//
// in     assignments and expressions, one after the other; new lines and ; are blanks
// out    { assignments: [{ variable, expression }], output }
// knows  precedence: + -, * /, a sign, ** from the right, members and calls
// not    which functions exist
'use strict';

const {
  NumberNode, VariableNode, BinaryOpNode, UnaryOpNode, FunctionCallNode, VectorAccessNode, VectorConstructorNode,
} = require('./ast.js');

const TOKEN = /\s+|;|(?<number>\d+\.?\d*(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<sign>\*\*|[-+*/().,=])/y;
const DEPTH_LIMIT = 500;            // of parentheses and signs

const tokenize = (text) => {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const pos = TOKEN.lastIndex, match = TOKEN.exec(text);
    if (match === null) throw new Error(`Unexpected character '${text[pos]}' at position ${pos}`);
    const { number, name, sign } = match.groups;
    if (number !== undefined) tokens.push({ type: 'number', value: Number(number), pos });
    else if (name !== undefined) tokens.push({ type: 'name', value: name, pos });
    else if (sign !== undefined) tokens.push({ type: sign, value: sign, pos });
  }
  tokens.push({ type: 'end', value: 'end of the text', pos: text.length });
  return tokens;
};

const COMPONENTS = ['x', 'y', 'z'], PROPERTIES = ['magnitude', 'sqrMagnitude', 'normalized'], VECTORS = ['Vec2', 'Vec3'];

class Parser {
  #tokens; #at = 0; #depth = 0;

  constructor(text) { this.#tokens = tokenize(text); }

  parseProgram() {
    const assignments = [];
    while (!this.#is('end')) {
      const isNamed = this.#is('name') && this.#tokens[this.#at + 1].type === '=';
      const variable = isNamed ? this.#next().value : `_output${assignments.length}`;
      if (isNamed) this.#next();
      assignments.push({ variable, expression: this.#sum() });
    }
    const hasOutput = assignments.some(({ variable }) => variable === 'output');
    return { assignments, output: hasOutput ? 'output' : assignments.at(-1)?.variable ?? '' };
  }

  #is(...types) { return types.includes(this.#tokens[this.#at].type); }
  #next() { return this.#tokens[this.#at++]; }
  #expect(type, message) {
    const { value, pos } = this.#tokens[this.#at];
    if (!this.#is(type)) throw new Error(`${message}: got '${value}' at position ${pos}`);
    return this.#next();
  }
  #deeper(parse) {
    if (++this.#depth > DEPTH_LIMIT) throw new Error(`The formula is nested more than ${DEPTH_LIMIT} deep`);
    const node = parse();
    this.#depth--;
    return node;
  }

  #chain(signs, part) {
    let left = part();
    while (this.#is(...signs)) left = new BinaryOpNode(this.#next().value, left, part());
    return left;
  }
  #sum() { return this.#chain(['+', '-'], () => this.#product()); }
  #product() { return this.#chain(['*', '/'], () => this.#power()); }
  #power() {
    const base = this.#postfix();
    if (!this.#is('**')) return base;
    this.#next();
    return new BinaryOpNode('**', base, this.#deeper(() => this.#power()));
  }

  #postfix() {
    let node = this.#primary();
    while (this.#is('.')) {
      this.#next();
      const { value: name } = this.#expect('name', 'Expected component name after "."');
      if (COMPONENTS.includes(name)) node = new VectorAccessNode(node, name);
      else if (PROPERTIES.includes(name)) node = new FunctionCallNode(name, [node]);
      else node = new FunctionCallNode(name, [node, ...this.#arguments()]);
    }
    return node;
  }

  #primary() {
    const { value, pos } = this.#tokens[this.#at];
    if (this.#is('number')) return new NumberNode(this.#next().value);
    if (this.#is('+', '-')) return new UnaryOpNode(this.#next().value, this.#deeper(() => this.#primary()));
    if (this.#is('(')) {
      this.#next();
      const node = this.#deeper(() => this.#sum());
      this.#expect(')', 'Expected closing parenthesis');
      return node;
    }
    if (!this.#is('name')) throw new Error(`Unexpected token '${value}' at position ${pos}`);
    this.#next();
    if (!this.#is('(')) return new VariableNode(value);
    const args = this.#deeper(() => this.#arguments());
    return VECTORS.includes(value) ? new VectorConstructorNode(value, args) : new FunctionCallNode(value, args);
  }

  #arguments() {
    this.#expect('(', 'Expected an opening parenthesis');
    const args = [];
    if (!this.#is(')')) {
      do args.push(this.#sum()); while (this.#is(',') && this.#next());
    }
    this.#expect(')', 'Expected closing parenthesis in function call');
    return args;
  }
}

const parse = (text) => new Parser(text).parseProgram();

module.exports = { Parser, parse };
