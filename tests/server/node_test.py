#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weft-gpu/server and examples/worker in Node.js, against a real server."""
import base64
import os
import shutil
import subprocess
import unittest

from harness import DOUBLE, PATIENCE, Server, key_of, main

WEFT = None
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

CLIENT = """
import assert from 'node:assert';
import { Server, ServerError } from '%s/bindings/node/server.mjs';
const server = new Server(process.argv[2], { key: process.argv[3] });
const wgsl = process.argv[4];
const job = { wgsl, inputs: { x: [1, 2, 3] }, outputs: { y: { shape: [3], dtype: 'f32' } } };
assert.deepEqual([...(await server.run(job)).y], [2, 4, 6]);
job.inputs = { x: new Float32Array([NaN, 5, 6]) };
assert.deepEqual([...(await server.run(job)).y], [NaN, 10, 12]);
const made = await server.submit(job, { idempotencyKey: 'a' });
const states = [];
for await (const event of server.events(made.id)) states.push(event.state);
assert.equal(states.at(-1), 'done');
assert.equal((await server.output(made.id, 'y')).length, 12);
assert.equal((await server.submit(job, { idempotencyKey: 'a' })).id, made.id);
assert.ok((await server.jobs({ state: 'done', limit: 10 })).jobs.length >= 3);
await server.putBuffer('b', new Float32Array([7, 8, 9]));
job.inputs = { x: { buffer: 'b' } };
assert.deepEqual([...(await server.run(job)).y], [14, 16, 18]);
assert.equal((await server.buffers()).buffers[0].name, 'b');
await server.deleteBuffer('b');
await assert.rejects(server.run({ ...job, inputs: {}, wgsl: 'fn f( {' }),
                     (e) => e instanceof ServerError && e.status === 422 && e.kind === 'compile');
assert.equal((await server.check(wgsl)).report.verdict, 'accepted');
console.log('all well');
""" % TOP


class Node(unittest.TestCase):
    def test_client(self):
        with Server(WEFT, config="auth: {required: true}\n", start=False) as s:
            key = key_of(WEFT, s.data, "alice")
            path = os.path.join(s.data, "client.mjs")
            with open(path, "w") as out:
                out.write(CLIENT)
            s.start()
            s.until_ready()
            done = subprocess.run(["node", path, f"http://127.0.0.1:{s.port}", key, DOUBLE],
                                  capture_output=True, text=True, timeout=PATIENCE)
            self.assertIn("all well", done.stdout, done.stderr)

    def test_foreign_worker(self):
        with Server(WEFT) as s:
            worker = subprocess.Popen(
                ["node", os.path.join(TOP, "examples/worker/worker.mjs"),
                 f"http://127.0.0.1:{s.port}", "--once"], stdout=subprocess.PIPE, text=True)
            job = s.ok("POST", "/v1/jobs", {
                "runner": "reverse", "wait": True,
                "inputs": {"text": {"base64": base64.b64encode(b"stressed").decode()}},
                "outputs": {"text": {"shape": [8], "dtype": "u8"}}})
            self.assertEqual(bytes(job["outputs"]["text"]["data"]), b"desserts")
            self.assertIn("8 bytes reversed", worker.communicate(timeout=PATIENCE)[0])


if __name__ == "__main__":
    if not shutil.which("node"):
        print("left out: node is missing")
    else:
        main(globals())
