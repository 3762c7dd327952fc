// SPDX-License-Identifier: Apache-2.0
//
// codegen.js - formulas as JavaScript, and as mathematics.
//
// in     formulas, programs with their gradients
// out    text
// knows  precedence; the functions of Math
// not    derivatives: derive.js
'use strict';

const PRECEDENCE = { '+': 1, '-': 1, '*': 2, '/': 2, '**': 3 };
const own = {
  ln: 'Math.log', heaviside: '(x => x > 0 ? 1 : 0)', sigmoid: '(x => 1 / (1 + Math.exp(-x)))', relu: '(x => Math.max(0, x))',
  d_min: '((u, v, du, dv) => u < v ? du : dv)', d_max: '((u, v, du, dv) => u > v ? du : dv)',
};
const inMath = ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'exp', 'log', 'sqrt', 'abs', 'sign', 'floor',
  'ceil', 'round', 'pow', 'min', 'max', 'atan2'];

/** Whether an operand needs parentheses beside `op`. */
const isLoose = (node, op, isRight) => {
  if (node.type !== 'BinaryOp') return node.type === 'UnaryOp' && op === '**' && !isRight;
  const inner = PRECEDENCE[node.op] ?? 0, outer = PRECEDENCE[op] ?? 0;
  if (inner !== outer) return inner < outer;
  return op === '**' ? !isRight : isRight && (op === '-' || op === '/');
};

/** A visitor that writes; `style` has what differs: power(a, b), call(name). */
class Writer {
  #style;
  constructor(style) { this.#style = style; }
  write(node) { return node.accept(this); }
  #operand(node, op, isRight) { return isLoose(node, op, isRight) ? `(${this.write(node)})` : this.write(node); }

  visitNumber(node) { return String(node.value); }
  visitVariable(node) { return node.name; }
  visitUnaryOp({ op, operand }) {
    const text = this.write(operand), isBare = operand.type !== 'BinaryOp' && !/^[-+]/.test(text);
    return isBare ? `${op}${text}` : `${op}(${text})`;
  }
  visitBinaryOp({ op, left, right }) {
    if (op === '**') return this.#style.power(left, right, this);
    return `${this.#operand(left, op, false)} ${op} ${this.#operand(right, op, true)}`;
  }
  visitFunctionCall({ name, args }) { return `${this.#style.call(name)}(${args.map((a) => this.write(a)).join(', ')})`; }
  visitVectorAccess({ vector, component }) { return `${this.write(vector)}.${component}`; }
  visitVectorConstructor({ vectorType, components }) { return `${vectorType}(${components.map((c) => this.write(c)).join(', ')})`; }
  tight(node, isRight) { return this.#operand(node, '**', isRight); }
}

const code = new Writer({
  power: (a, b, w) => `Math.pow(${w.write(a)}, ${w.write(b)})`,
  call: (name) => own[name] ?? (inMath.includes(name) ? `Math.${name}` : name),
});
const notation = new Writer({ power: (a, b, w) => `${w.tight(a, false)}^${w.tight(b, true)}`, call: (name) => name });

const generateCode = (node) => code.write(node);
const generateMathNotation = (node) => notation.write(node);

const identifier = (name) => name.replace(/\W/g, '_');

/** `const a = ...;` with the formula as a comment before it. */
const statement = (style, name, node, what, includeMath) => [
  ...(includeMath ? [`// ${what} = ${generateMathNotation(node)}`] : []), `${style} ${name} = ${generateCode(node)};`,
];
const partialOf = (program, name) => `∂${program.output}/∂${name}`;

/** Statements that compute the output and its gradients into `result`. */
const generateGradientCode = (program, gradients, { includeMath = true, varStyle = 'const', includeForward = true, indent = '  ' } = {}) => {
  const lines = ['// The value and its gradients', ''];
  if (includeForward) {
    lines.push('// Forward pass');
    for (const { variable, expression } of program.assignments) lines.push(...statement(varStyle, variable, expression, variable, includeMath), '');
    lines.push('// Gradient computation', '');
  }
  const isLocal = new Set(program.assignments.map(({ variable }) => variable));
  const names = [...gradients.keys()].filter((name) => !isLocal.has(name));
  const inner = [...gradients.keys()].filter((name) => isLocal.has(name) && name !== program.output);
  for (const name of [...inner, ...names]) {
    lines.push(...statement(varStyle, `grad_${identifier(name)}`, gradients.get(name), partialOf(program, name), includeMath), '');
  }
  lines.push('// Result', `${varStyle} result = {`, `${indent}value: ${program.output},`, `${indent}gradients: {`);
  for (const name of names) lines.push(`${indent}${indent}${/\W/.test(name) ? JSON.stringify(name) : name}: grad_${identifier(name)},`);
  lines.push(`${indent}}`, '};');
  return lines.join('\n');
};

/** A function of the parameters that gives { value, gradients }. */
const generateGradientFunction = (program, gradients, functionName, parameters, { includeMath = true, indent = '  ' } = {}) => {
  const known = parameters.filter((name) => gradients.has(name));
  const head = ['/**', ` * Compute ${program.output} and its gradients`, ...parameters.map((name) => ` * @param ${name} - Input parameter`),
    ' * @returns Object with value and gradients', ' */', `function ${functionName}(${parameters.join(', ')}) {`];
  const body = [
    ...program.assignments.flatMap(({ variable, expression }) => statement('const', variable, expression, variable, includeMath)), '',
    ...known.flatMap((name) => statement('const', `grad_${name}`, gradients.get(name), partialOf(program, name), includeMath)), '',
    'return {', `${indent}value: ${program.output},`,
    `${indent}gradients: { ${parameters.map((name) => `${name}: ${gradients.has(name) ? `grad_${name}` : '0'}`).join(', ')} }`, '};',
  ];
  return [...head, ...body.map((line) => (line === '' ? '' : indent + line)), '}'].join('\n');
};

module.exports = { generateCode, generateMathNotation, generateGradientCode, generateGradientFunction };
