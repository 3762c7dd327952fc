// SPDX-License-Identifier: Apache-2.0
//
// parse.mjs - parses the files of Weft.jl, and the examples of its README, with tree-sitter-julia.
//
//   node bindings/julia/parse.mjs FOLDER            what npm installed is there
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url)), folder = path.resolve(process.argv[2]);
const require = createRequire(path.join(folder, 'package.json'));
const Parser = require('web-tree-sitter');
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Parser.Language.load(path.join(folder, 'node_modules/tree-sitter-julia/tree-sitter-julia.wasm')));

/** Places that are no Julia. */
const faults = (text) => {
  const found = [], visit = (node) => {
    if (node.type === 'ERROR' || node.isMissing) found.push(node.startPosition.row + 1);
    else node.children.forEach(visit);
  };
  visit(parser.parse(text).rootNode);
  return found;
};

if (faults('function f( end end').length === 0) throw new Error('the parser accepts everything');
const top = path.join(here, 'Weft.jl'), texts = [];
for (const name of ['src', 'test'].flatMap((part) => fs.readdirSync(path.join(top, part)).map((file) => path.join(part, file))))
  if (name.endsWith('.jl')) texts.push([name, fs.readFileSync(path.join(top, name), 'utf8')]);
const readme = fs.readFileSync(path.join(top, 'README.md'), 'utf8');
for (const [, code] of readme.matchAll(/```julia\n([^]*?)```/g)) texts.push(['README.md', code]);
let wrong = 0;
for (const [name, text] of texts)
  for (const line of faults(text)) { wrong++; console.log(`${name}:${line}: no Julia`); }
console.log(`${texts.length} files and examples, ${wrong} faults`);
process.exit(wrong > 0 || texts.length < 9 ? 1 : 0);
