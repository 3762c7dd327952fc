// SPDX-License-Identifier: Apache-2.0
//
// socket.mjs - a WebSocket for Node.js where it has none of its own.
//
// in     a URL, protocols, headers
// out    what browsers have: onopen, onmessage, onclose, onerror, send(), close()
// knows  the client's handshake (RFC 6455 4.1)
// not    what messages mean
import crypto from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { acceptKey, BINARY, CLOSE, encode, Parser, PING, PONG, TEXT } from './frames.mjs';

export class Socket {
  binaryType = 'arraybuffer';
  readyState = 0;
  protocol = '';
  onopen = null; onmessage = null; onclose = null; onerror = null;
  #stream = null; #key = crypto.randomBytes(16).toString('base64'); #told = false;

  constructor(url, protocols = [], { headers = {}, limit = 64 << 20 } = {}) {
    const target = new URL(url);
    const request = (target.protocol === 'wss:' ? https : http).request(
      new URL(target.href.replace(/^ws/, 'http')), {
        headers: {
          ...headers, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': this.#key,
          'Sec-WebSocket-Extensions': 'permessage-deflate; client_no_context_takeover; server_no_context_takeover',
          ...(protocols.length > 0 && { 'Sec-WebSocket-Protocol': protocols.join(', ') }),
        },
      });
    request.on('upgrade', (response, stream, first) => this.#opened(response, stream, first, limit));
    request.on('response', (response) => { response.resume(); this.#failed(new Error(`the server answered ${response.statusCode}`)); });
    request.on('error', (error) => this.#failed(error));
    request.end();
  }

  #failed(error) {
    if (this.readyState === 3) return;
    this.onerror?.({ error, message: error.message });
    this.#ended(1006, error.message);
  }

  #ended(code, reason) {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#stream?.destroy();
    this.onclose?.({ code, reason, wasClean: code !== 1006 });
  }

  #opened(response, stream, first, limit) {
    if (response.headers['sec-websocket-accept'] !== acceptKey(this.#key)) {
      stream.destroy();
      this.#failed(new Error('the handshake is wrong'));
      return;
    }
    this.#stream = stream;
    this.readyState = 1;
    this.protocol = response.headers['sec-websocket-protocol'] ?? '';
    const parser = new Parser({
      text: (data) => this.onmessage?.({ data }),
      binary: (data) => this.onmessage?.({ data: data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) }),
      ping: (data) => this.#write(PONG, data),
      close: ({ code, reason }) => { this.#closing(code === 1005 ? 1000 : code); this.#ended(code, reason); },
    }, { masked: false, deflates: 'sec-websocket-extensions' in response.headers, limit });
    stream.on('data', (bytes) => {
      try { parser.push(bytes); } catch (error) { this.#closing(error.code ?? 1002); this.#failed(error); }
    });
    stream.on('close', () => this.#ended(1006, ''));
    stream.on('error', (error) => this.#failed(error));
    stream.setNoDelay?.(true);
    this.onopen?.({});
    if (first.length > 0) stream.emit('data', first);
  }

  #write(opcode, payload) {
    if (this.readyState === 1 || this.readyState === 2) this.#stream.write(encode(opcode, payload, { masked: true }));
  }

  #closing(code) {
    if (this.#told) return;
    this.#told = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#write(CLOSE, payload);
  }

  send(data) {
    if (this.readyState !== 1) throw new Error('the socket is not open');
    if (typeof data === 'string') this.#write(TEXT, Buffer.from(data));
    else if (ArrayBuffer.isView(data)) this.#write(BINARY, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    else this.#write(BINARY, Buffer.from(data));
  }

  close(code = 1000) {
    if (this.readyState === 0) { this.readyState = 3; return; }
    this.#closing(code);
    if (this.readyState === 1) {
      this.readyState = 2;
      setTimeout(() => this.#ended(1006, ''), 2000).unref();
    }
  }

  ping() { this.#write(PING, Buffer.alloc(0)); }
}
