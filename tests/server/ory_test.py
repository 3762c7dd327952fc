#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stand-in for Ory Kratos, asked by Ory's own client: what the server's tests use is
what a real client understands. Installs npm's @ory/client into a folder of its own."""
import http.server
import os
import subprocess
import tempfile
import threading
import unittest

import auth_test
from harness import PATIENCE, main

WEFT = None
SCRIPT = """
import assert from 'node:assert';
import { Configuration, FrontendApi } from '@ory/client';
const api = new FrontendApi(new Configuration({ basePath: process.argv[2] }));
const { data } = await api.toSession({ xSessionToken: 'good' });
assert.equal(data.identity.id, 'tenant-1');
assert.equal(data.active, true);
const cookie = await api.toSession({ cookie: 'ory_kratos_session=good' });
assert.equal(cookie.data.id, data.id);
await assert.rejects(api.toSession({ xSessionToken: 'nobody' }), (e) => e.response.status === 401);
console.log('all well');
"""


class Ory(unittest.TestCase):
    def test_stand_in(self):
        auth_test.Kratos.sessions = {"good": (200, auth_test.session("tenant-1"))}
        kratos = http.server.ThreadingHTTPServer(("127.0.0.1", 0), auth_test.Kratos)
        threading.Thread(target=kratos.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory() as folder:
            try:
                subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund",
                                "@ory/client@1.22"], cwd=folder, check=True, timeout=300)
            except (OSError, subprocess.SubprocessError) as problem:
                raise unittest.SkipTest(f"npm: {problem}") from None
            path = os.path.join(folder, "client.mjs")
            with open(path, "w") as out:
                out.write(SCRIPT)
            done = subprocess.run(["node", path, f"http://127.0.0.1:{kratos.server_port}"],
                                  capture_output=True, text=True, timeout=PATIENCE)
        kratos.shutdown()
        kratos.server_close()
        self.assertIn("all well", done.stdout, done.stderr)


if __name__ == "__main__":
    main(globals())
