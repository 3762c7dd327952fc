// SPDX-License-Identifier: Apache-2.0
/*
 * worker.mjs - a foreign worker: a program that takes jobs of its own kind from a Weft
 * compute server. This one, in Node.js, reverses texts; one that drives CUDA, or a machine
 * in a laboratory, has the same loop.
 *
 *     node examples/worker/worker.mjs http://127.0.0.1:8080 [KEY] [--once]
 *
 * A job for it names its kind, and the bytes to work on:
 *
 *     {"runner": "reverse", "inputs": {"text": {"base64": "…"}}, "outputs": {"text": {"size": 12}}}
 */
import { Server } from '../../bindings/node/server.mjs';

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const once = process.argv.includes('--once');
const server = new Server(words[0], { key: words[1] });
const { worker, lease_seconds } = await server.register('reverse', 'example');

async function work(lease) {
  // A lease ends unless the worker says, now and then, that it is still there.
  const pulse = setInterval(() => server.heartbeat(lease.lease).catch(() => {}),
                            lease_seconds * 1000 / 3);
  try {
    const text = Buffer.from(lease.inputs.text.base64, 'base64');
    const data = Uint8Array.from(text).reverse();
    await server.result(lease.lease, { text: { dtype: 'u8', data } });
    console.log(`job ${lease.job}: ${data.length} bytes reversed`);
  } catch (error) {
    await server.fail(lease.lease, String(error.message));
  } finally {
    clearInterval(pulse);
  }
}

for (;;) {
  const lease = await server.lease(worker, 'reverse');
  if (lease)
    await work(lease);
  else
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (lease && once)
    break;
}
