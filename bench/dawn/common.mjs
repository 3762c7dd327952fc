// SPDX-License-Identifier: Apache-2.0
//
// common.mjs - what comparisons of programs need: to run them, to sum up, to clean up.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** What a program printed; throws what it complained about. */
export function run(command, ...rest) {
  const { status, signal, stdout, stderr, error } = spawnSync(command, rest, { encoding: 'utf8' });
  if (error || status !== 0) {
    const why = error?.message ?? (stderr.trim() || `status ${status ?? signal}`);
    throw new Error(`${path.basename(command)}: ${why}`);
  }
  return stdout;
}

export const median = (a) => [...a].sort((p, q) => p - q)[a.length >> 1];
/** The geometric one. */
export const mean = (a) => Math.exp(a.reduce((sum, x) => sum + Math.log(x), 0) / a.length);

/** Removes the files of a kernel. */
export function forget(folder, name) {
  for (const file of fs.readdirSync(folder))
    if (file.startsWith(`${name}.`)) fs.rmSync(path.join(folder, file));
}
