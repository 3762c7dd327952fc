// SPDX-License-Identifier: Apache-2.0
//
// ws-server.mjs - what a program with npm `ws` does: broadcasts binary vectors, as they are or as JSON.
//
//     node ws-server.mjs PATH-OF-WS binary|deflate
import { createRequire } from 'node:module';

const [, , where, mode] = process.argv;
const { WebSocketServer } = createRequire(import.meta.url)(where);
const wss = new WebSocketServer({
  port: 0, host: '127.0.0.1', clientTracking: true, backlog: 4096,
  perMessageDeflate: mode === 'deflate' ? { serverNoContextTakeover: true, clientNoContextTakeover: true, threshold: 256 } : false,
});
wss.on('listening', () => console.log(`port ${wss.address().port}`));
wss.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => {
    if (!isBinary) {
      const { type, channels } = JSON.parse(data);
      if (type === 'subscribe') {
        socket.channels = channels;
        socket.send('{"type":"subscribed"}', { compress: false });
      }
      return;
    }
    const message = mode === 'binary' ? data : JSON.stringify({
      type: 'vector_batch', count: 1, timestamp: new Date().toISOString(),
      vectors: [Array.from(new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)))],
    });
    for (const client of wss.clients) if (client.readyState === 1 && client.channels?.includes('vector_updates')) client.send(message);
  });
});
