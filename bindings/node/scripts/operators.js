#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// operators.js - writes what has to name every operator: operators.d.ts and tensor.mjs.
//
//   node scripts/operators.js [--check]
//
// in     the built addon, which has the rows of weft/tensor_ops.def, and lib/tensor/
// out    both files; with --check the status says whether they are up to date
// knows  that imports and types need names in the text
// not    operators one by one
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const top = path.join(__dirname, '..');
const all = require('../tensor.js');
const { functions, operatorRows, camel } = require('../lib/tensor/ops.js');

const head = (name, purpose) => `// SPDX-License-Identifier: Apache-2.0
//
// ${name} - ${purpose}
//
// Made by scripts/operators.js from weft/tensor_ops.def and lib/tensor/: to be made again, not edited.
`;

const methods = (rows, parameters) => rows.map(([name, meaning]) => `  /** ${meaning} */\n  ${camel(name)}(${parameters}): Tensor;\n`).join('');

const isMethod = (name) => typeof all.Tensor.prototype[name] === 'function';

const declarations = () => `${head('operators.d.ts', 'the operators of tensors as methods and as functions.')}
import type { Axes, Tensor, TensorLike } from './tensor.js';

/** The rows of weft/tensor_ops.def. */
export interface ElementwiseOperators {
${methods(operatorRows.unary, '')}${methods(operatorRows.binary, 'b: TensorLike')}${methods(operatorRows.reduction, 'axes?: Axes, keep?: boolean')}}

/** A method of Tensor as a function: its first argument is the tensor. */
export type Operator<K extends keyof Tensor> = Tensor[K] extends (...args: infer A) => infer R ? (x: TensorLike, ...args: A) => R : never;

${Object.keys(functions).filter(isMethod).map((name) => `export const ${name}: Operator<'${name}'>;`).join('\n')}
`;

const wrapped = (words, width) => words.reduce((lines, word) => {
  const line = lines.at(-1);
  if (line.length + word.length + 2 > width) lines.push(`  ${word},`);
  else lines[lines.length - 1] = `${line} ${word},`;
  return lines;
}, [' ']).join('\n');

const module_ = () => `${head('tensor.mjs', 'weft-gpu/tensor for `import`.')}
import weft from './tensor.js';

export const {
${wrapped(Object.keys(all), 110)}
} = weft;
`;

const files = { 'operators.d.ts': declarations(), 'tensor.mjs': module_() };
let isStale = false;
for (const [name, text] of Object.entries(files)) {
  const file = path.join(top, name);
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} is out of date: run node bindings/node/scripts/operators.js`);
    isStale = true;
  } else {
    fs.writeFileSync(file, text);
  }
}
process.exitCode = isStale ? 1 : 0;
