// SPDX-License-Identifier: Apache-2.0
//
// live.test.mjs - the live protocol: our client with our server, and both with `weft serve`, if WEFT_COMMAND names it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { test } from 'node:test';
import { GPUWebSocketServer, LiveClient, readHeaded, writeHeaded } from 'weft-gpu/live';
import { encode, Parser } from '../lib/live/frames.mjs';

const start = async (options) => {
  const server = new GPUWebSocketServer(0, options);
  await once(server, 'listening');
  return { server, url: `ws://127.0.0.1:${server.port}` };
};
const open = async (url, options) => {
  const client = new LiveClient(url, options);
  await client.once(options.channels ? 'subscribed' : 'open');
  return client;
};

test('results and vectors come to subscribers, in the form of each', async () => {
  const { server, url } = await start();
  const text = await open(url, { headed: false, channels: ['vector_updates', 'job_results'] });
  const binary = await open(url, { headed: false, binary: true, channels: ['vector_updates'] });
  const headed = await open(url, { channels: ['vector_updates'] });
  const none = await open(url, { headed: false });
  const batches = [text, binary, headed].map((c) => c.once('vectors')), result = text.once('job_completed');
  server.broadcastVectorBatch([[1, 2, 3], [4, 5, 6.5]], { ids: [7, 9], labels: ['a', 'b'] });
  server.broadcastJobResult({ id: 'x', vector: [1, 2] });
  for (const batch of await Promise.all(batches))
    assert.deepEqual(batch.vectors, [Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6.5)]);
  assert.deepEqual([(await batches[2]).ids, (await batches[2]).labels, (await batches[2]).seq], [[7, 9], ['a', 'b'], 1]);
  assert.deepEqual((await result).result.vector, [1, 2]);
  const direct = none.once('vectors');
  server.sendBinaryVector(Float32Array.of(0.5, 0.25));          // to all, always binary
  assert.deepEqual((await direct).vectors, [Float32Array.of(0.5, 0.25)]);
  const recent = none.once('vectors');
  none.requestVectors({ limit: 1 });
  assert.deepEqual((await recent).vectors, [Float32Array.of(4, 5, 6.5)]);
  for (const c of [text, binary, headed, none]) c.close();
  await server.close();
});

test('a client comes back and gets what it missed', async () => {
  const { server, url } = await start();
  const client = await open(url, { channels: ['vector_updates'] });
  const first = client.once('vectors');
  server.broadcastVectorBatch([[1]]);
  await first;
  const seen = [], all = new Promise((resolve) => client.on('vectors', ({ seq }) => { seen.push(seq); if (seen.length === 2) resolve(); }));
  for (const c of server.clients) c.stream.destroy();
  await client.once('close');
  server.broadcastVectorBatch([[2]]);
  server.broadcastVectorBatch([[3]]);
  await all;
  assert.deepEqual(seen, [2, 3]);
  client.close();
  await server.close();
});

test('a server that began again numbers its events anew', async () => {
  const first = await start(), { port } = first.server;
  const client = await open(first.url, { channels: ['vector_updates'] });
  for (let i = 1; i <= 3; i++) {
    const batch = client.once('vectors');
    first.server.broadcastVectorBatch([[i]]);
    await batch;
  }
  assert.equal(client.seq, 3);
  const again = client.once('subscribed');
  for (const c of first.server.clients) c.stream.destroy();
  await first.server.close();
  const second = new GPUWebSocketServer(port);
  await once(second, 'listening');
  assert.equal((await again).resumed, false);
  const batch = client.once('vectors');
  second.broadcastVectorBatch([[9]]);
  await batch;
  assert.equal(client.seq, 1);
  client.close();
  await second.close();
});

test('slow clients get the latest and are told what they missed', async () => {
  const { server, url } = await start({ maxQueue: 65536 });
  const client = await open(url, { channels: ['vector_updates'] });
  const [{ stream }] = server.clients;
  const row = new Float32Array(16384).fill(1), missed = client.once('missed');
  let last = 0, count = 0;
  client.on('vectors', ({ seq }) => { last = seq; count++; });
  stream.cork();                        // as if the kernel took no more
  for (let i = 0; i < 50; i++) server.broadcastVectorBatch([row]);
  assert.ok(stream.writableLength < 65536 + 70000);
  stream.uncork();
  const lost = (await missed).channels.vector_updates;
  while (last < 50) await client.once('vectors');
  assert.equal(count + lost, 50);
  client.close();
  await server.close();
});

test('bad clients: errors, then the end of the connection for wrong frames', async () => {
  const { server, url } = await start({ maxMessage: 1000, origins: ['https://good'], authenticate: (r) => r.url !== '/closed' });
  const client = await open(url, {});
  await assert.rejects(client.subscribe('weather'), /no channel/);
  client.close();
  const raw = async (bytes, head = '') => {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write(`GET ${head.startsWith('/') ? head : `/ HTTP/1.1\r\n${head}`}${head.startsWith('/') ? ' HTTP/1.1\r\n' : ''}Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
      + 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n');
    let got = Buffer.alloc(0);
    socket.on('data', (data) => { got = Buffer.concat([got, data]); });
    socket.on('error', () => {});
    socket.write(bytes);
    await once(socket, 'close');
    const end = got.indexOf('\r\n\r\n') + 4;
    return { status: Number(got.subarray(9, 12)), code: got.length > end + 3 ? got.readUInt16BE(end + 2) : 0 };
  };
  const masked = { masked: true };
  assert.equal((await raw(encode(1, Buffer.from('x')))).code, 1002);                                  // not masked
  assert.equal((await raw(encode(3, Buffer.from('x'), masked))).code, 1002);                          // unknown
  assert.equal((await raw(encode(0, Buffer.from('x'), masked))).code, 1002);                          // out of order
  assert.equal((await raw(encode(1, Buffer.from([0xff]), masked))).code, 1007);                       // not UTF-8
  assert.equal((await raw(encode(2, Buffer.alloc(1001), masked))).code, 1009);                        // too large
  assert.equal((await raw(encode(9, Buffer.alloc(126), masked))).code, 1002);                         // a long ping
  assert.equal((await raw(encode(8, Buffer.from([3]), masked))).code, 1002);
  assert.equal((await raw('', 'Origin: https://evil\r\n')).status, 403);
  assert.equal((await raw('', '/closed')).status, 401);
  await server.close();
});

test('frames arrive byte by byte, in fragments, and are checked', () => {
  const seen = [], parser = new Parser({ text: (t) => seen.push(t), ping: () => seen.push('ping') }, { masked: true });
  const cut = encode(1, Buffer.from('ab'), { masked: true }), rest = encode(0, Buffer.from('c'), { masked: true });
  cut[0] &= 127;
  for (const byte of Buffer.concat([cut, encode(9, Buffer.alloc(0), { masked: true }), rest])) parser.push(Buffer.from([byte]));
  assert.deepEqual(seen, ['ping', 'abc']);
  const back = readHeaded(writeHeaded(Float32Array.of(1, 2), 1, { ids: [3, 5], labels: ['x', null], seq: 4 }));
  assert.deepEqual([back.ids, back.labels, back.seq, back.vectors.map(([x]) => x)], [[3, 5], ['x', null], 4, [1, 2]]);
});

test('the client speaks to weft serve', { skip: process.env.WEFT_COMMAND ? false : 'WEFT_COMMAND is not set' }, async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'weft-live-'));
  const serve = spawn(process.env.WEFT_COMMAND, ['serve', '--data', data, '--set', 'server.listen=127.0.0.1:0',
    '--set', 'server.metrics_listen=off', '--set', 'server.log_level=off']);
  let printed = '';
  while (!/live on port (\d+)/.test(printed)) printed += (await once(serve.stdout, 'data'))[0];
  const client = await open(`ws://127.0.0.1:${/live on port (\d+)/.exec(printed)[1]}`, { channels: ['vector_updates'] });
  const batch = client.once('vectors');
  assert.deepEqual((await client.addVectors([[1, 2], [3, 4]], { labels: ['a', 'b'] })).ids, [0, 1]);
  assert.deepEqual((await batch).labels, ['a', 'b']);
  const binary = client.once('ingested');
  client.sendVectors(Float32Array.of(5, 6), 2);
  assert.deepEqual((await binary).ids, [2]);
  await assert.rejects(client.addVectors([[1]]), { kind: 'shape' });
  const job = await client.submitJob({ wgsl: '@group(0) @binding(0) var<storage, read_write> y : array<f32>;'
    + '@compute @workgroup_size(1) fn main() { y[0] = 7; }', outputs: { y: { shape: [1] } } });
  assert.deepEqual(job.vector, [7]);
  client.close();
  serve.kill();
  await once(serve, 'exit');
  fs.rmSync(data, { recursive: true });
});
