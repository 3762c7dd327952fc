// SPDX-License-Identifier: Apache-2.0
//
// server.mjs - a server of the live protocol in Node.js, without `weft serve` and without packages.
//
// in     results and vectors of a program; messages of clients
// out    the same messages as `weft serve`, to every client that subscribed
// knows  the server's handshake, queues of slow clients
// not    indexes, maps, jobs: those `weft serve` has
import { EventEmitter } from 'node:events';
import http from 'node:http';
import { acceptKey, BINARY, CLOSE, deflate, encode, FrameError, Parser, PING, PONG, TEXT } from './frames.mjs';
import { writeHeaded } from './client.mjs';

const CHANNELS = ['vector_updates', 'job_results', 'som', 'metrics', 'state'];
const DEFLATE_FROM = 256;

const offersDeflate = (header = '') => header.split(',').some((offer) => {
  const [name, ...parameters] = offer.split(';').map((part) => part.trim());
  return name === 'permessage-deflate' && parameters.every((p) =>
    /^(client_max_window_bits(=.*)?|(client|server)_no_context_takeover|server_max_window_bits="?15"?)$/.test(p));
});

/** Forms of one event, each made when the first client needs it. */
class Event {
  #cache = new Map();
  constructor(message, numbers, dimension) {
    this.message = message;
    this.numbers = numbers;
    this.dimension = dimension;
  }
  #made(name, make) {
    if (!this.#cache.has(name)) this.#cache.set(name, make());
    return this.#cache.get(name);
  }
  #text() { return this.#made('text', () => Buffer.from(JSON.stringify(this.message))); }
  plain() { return this.#made('plain', () => encode(TEXT, this.#text())); }
  compressed() {
    return this.#made('compressed', () => this.#text().length < DEFLATE_FROM ? this.plain()
      : encode(TEXT, deflate(this.#text()), { compressed: true }));
  }
  binary() {
    return this.#made('binary', () => encode(BINARY,
      Buffer.from(this.numbers.buffer, this.numbers.byteOffset, this.numbers.byteLength)));
  }
  headed() {
    return this.#made('headed', () => encode(BINARY, Buffer.from(
      writeHeaded(this.numbers, this.dimension, { seq: this.message?.seq, ids: this.message?.ids, labels: this.message?.labels }))));
  }
}

class Client {
  channels = new Set(); isBinary; dimension = 0; missed = new Map(); pending = new Map(); heard = Date.now();
  constructor(stream, { headed, deflates }) {
    this.stream = stream;
    this.headed = headed;
    this.deflates = deflates;
    this.isBinary = headed;
    stream.on('drain', () => this.#drained());
  }

  /** Sends, or keeps the latest of the channel while the client is behind. */
  send(bytes, channel, limit) {
    if (this.stream.writableLength <= limit && this.pending.size === 0) { this.stream.write(bytes); return; }
    if (this.pending.has(channel)) this.missed.set(channel, (this.missed.get(channel) ?? 0) + 1);
    this.pending.set(channel, bytes);
  }

  #drained() {
    if (this.missed.size > 0) this.stream.write(new Event({ type: 'missed', channels: Object.fromEntries(this.missed) }).plain());
    this.missed.clear();
    for (const bytes of this.pending.values()) this.stream.write(bytes);
    this.pending.clear();
  }

  close(code, reason = '') {
    const payload = Buffer.alloc(2 + Math.min(Buffer.byteLength(reason), 120));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    this.stream.end(encode(CLOSE, payload));
    setTimeout(() => this.stream.destroy(), 2000).unref();
  }
}

const flat = (vectors) => {
  const dimension = vectors[0]?.length ?? 0, numbers = new Float32Array(vectors.length * dimension);
  vectors.forEach((row, i) => {
    if (row.length !== dimension) throw new RangeError(`row ${i} has ${row.length} numbers, the first has ${dimension}`);
    numbers.set(row, i * dimension);
  });
  return { dimension, numbers };
};

/**
 *     const server = new GPUWebSocketServer(8095);
 *     server.broadcastVectorBatch([[0.1, 0.2], [0.3, 0.4]]);
 *
 * Emits 'listening', 'connection', 'message' (client, message) for types that it does not know itself, and 'close'.
 * Options: host, origins (a list; all that are given must match), authenticate(request) -> boolean, maxMessage, maxQueue,
 * history (events that are kept for who comes back), ping (milliseconds).
 */
export class GPUWebSocketServer extends EventEmitter {
  #http; #options; #recent = []; #seq = 0; #stream = Math.random().toString(16).slice(2); #timer;
  clients = new Set();

  constructor(port = 8095, options = {}) {
    super();
    this.#options = { host: '127.0.0.1', maxMessage: 1 << 20, maxQueue: 1 << 20, history: 1000, ping: 20000, ...options };
    this.#http = http.createServer((request, response) => response.writeHead(426).end('this port takes WebSocket connections\n'));
    this.#http.on('upgrade', (request, stream, first) => this.#upgrade(request, stream, first));
    this.#http.on('error', (error) => this.emit('error', error));
    this.#http.listen(port, this.#options.host, () => this.emit('listening'));
    this.#timer = setInterval(() => this.#ping(), this.#options.ping).unref();
  }

  get port() { return this.#http.address()?.port; }

  // ---- what programs announce ----

  /** `result` may have a `vector`: clients see it as it is. */
  broadcastJobResult(result) {
    this.#announce('job_results', new Event({ type: 'job_completed', seq: ++this.#seq, result, timestamp: new Date().toISOString() }));
  }

  /** Rows of numbers of the same length; `ids` and `labels` go with them. */
  broadcastVectorBatch(vectors, { ids, labels } = {}) {
    const { dimension, numbers } = flat(vectors);
    this.#announce('vector_updates', new Event({
      type: 'vector_batch', seq: ++this.#seq, vectors: vectors.map((row) => Array.from(row)), count: vectors.length, dimension,
      ids, labels, timestamp: new Date().toISOString() }, numbers, dimension));
  }

  /** Numbers as one binary message to every client, whatever it subscribed to. */
  sendBinaryVector(numbers, dimension = numbers.length) {
    const event = new Event(undefined, Float32Array.from(numbers), dimension);
    for (const client of this.clients) this.#sendVectors(client, event, true);
  }

  /** The newest `limit` vectors after the event `since`, to one client. */
  sendRecentVectors(client, { limit = 100, since = 0 } = {}) {
    const found = [];
    for (let i = this.#recent.length - 1; i >= 0 && limit > 0; i--) {
      const { message, numbers, dimension } = this.#recent[i];
      if (message.seq <= since) break;
      if (numbers === undefined) continue;
      const n = Math.min(limit, message.count), skip = message.count - n;
      limit -= n;
      found.unshift(skip === 0 ? this.#recent[i] : new Event({ ...message, count: n, vectors: message.vectors.slice(skip),
        ids: message.ids?.slice(skip), labels: message.labels?.slice(skip) }, numbers.subarray(skip * dimension), dimension));
    }
    if (found.length === 0) this.send(client, { type: 'vector_batch', vectors: [], count: 0 });
    for (const event of found) this.#sendVectors(client, event, client.isBinary);
  }

  /** Any message to one client, or to the subscribers of a channel. */
  send(client, message) { this.#sendText(client, new Event(message), 'state'); }
  broadcast(channel, message) {
    const event = new Event(message);
    for (const client of this.clients) if (client.channels.has(channel)) this.#sendText(client, event, channel);
  }

  close() {
    clearInterval(this.#timer);
    for (const client of this.clients) client.close(1001);
    return new Promise((resolve) => { this.#http.close(() => resolve()); });
  }

  // ---- sending ----

  #announce(channel, event) {
    this.#recent.push(event);
    if (this.#recent.length > this.#options.history) this.#recent.shift();
    for (const client of this.clients) if (client.channels.has(channel)) this.#sendEvent(client, event, channel);
  }

  #sendEvent(client, event, channel) {
    if (event.numbers === undefined) this.#sendText(client, event, channel);
    else this.#sendVectors(client, event, client.isBinary);
  }

  #sendText(client, event, channel) {
    client.send(client.deflates ? event.compressed() : event.plain(), channel, this.#options.maxQueue);
  }

  #sendVectors(client, event, isBinary) {
    if (!isBinary) { this.#sendText(client, event, 'vector_updates'); return; }
    if (!client.headed && client.dimension !== event.dimension) {
      client.dimension = event.dimension;
      this.#sendText(client, new Event({ type: 'vector_stream', dimension: event.dimension, dtype: 'f32' }), 'vector_stream');
    }
    client.send(client.headed ? event.headed() : event.binary(), 'vector_updates', this.#options.maxQueue);
  }

  // ---- clients ----

  #refuse(stream, status, text) {
    stream.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  }

  async #upgrade(request, stream, first) {
    const { origins, authenticate } = this.#options, headers = request.headers, key = headers['sec-websocket-key'] ?? '';
    stream.on('error', () => stream.destroy());
    if (request.method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket' || headers['sec-websocket-version'] !== '13'
        || !/^[A-Za-z0-9+/]{22}==$/.test(key)) { this.#refuse(stream, 400, 'not a WebSocket handshake'); return; }
    if (origins && headers.origin && !origins.includes(headers.origin)) { this.#refuse(stream, 403, 'origin'); return; }
    try {
      if (authenticate && !await authenticate(request)) { this.#refuse(stream, 401, 'who are you?'); return; }
    } catch { this.#refuse(stream, 500, 'error'); return; }
    const headed = (headers['sec-websocket-protocol'] ?? '').split(',').some((name) => name.trim() === 'weft.live');
    const deflates = offersDeflate(headers['sec-websocket-extensions']);
    stream.write(['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${acceptKey(key)}`,
      ...headed ? ['Sec-WebSocket-Protocol: weft.live'] : [],
      ...deflates ? ['Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover'] : [],
      '', ''].join('\r\n'));
    this.#open(new Client(stream, { headed, deflates }), first);
  }

  #open(client, first) {
    const { stream } = client;
    this.clients.add(client);
    stream.setTimeout(0);
    stream.setNoDelay(true);
    const parser = new Parser({
      text: (text) => this.#text(client, text),
      binary: (bytes) => this.emit('binary', client, bytes),
      ping: (data) => stream.write(encode(PONG, data)),
      close: ({ code }) => client.close(code === 1005 ? 1000 : code),
    }, { masked: true, deflates: client.deflates, limit: this.#options.maxMessage });
    stream.on('data', (bytes) => {
      client.heard = Date.now();
      try { parser.push(bytes); } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        client.close(error.code, error.message);
      }
    });
    stream.on('close', () => { this.clients.delete(client); this.emit('close', client); });
    this.emit('connection', client);
    if (first.length > 0) stream.emit('data', first);
  }

  #ping() {
    for (const client of this.clients)
      if (Date.now() - client.heard > 2 * this.#options.ping + 1000) client.stream.destroy();
      else client.stream.write(encode(PING, Buffer.alloc(0)));
  }

  #text(client, text) {
    let message;
    try { message = JSON.parse(text); } catch { this.send(client, { type: 'error', kind: 'format', reason: 'the message is not JSON' }); return; }
    const fail = (reason) => this.send(client, { type: 'error', kind: 'invalid', reason, request: message?.request });
    if (message === null || typeof message !== 'object' || typeof message.type !== 'string') { fail('a message is an object with a type'); return; }
    const unknown = (message.channels ?? []).find?.((name) => !CHANNELS.includes(name));
    if (message.channels !== undefined && (!Array.isArray(message.channels) || unknown !== undefined)) { fail(`there is no channel '${unknown}'`); return; }
    if (message.type === 'subscribe') this.#subscribe(client, message);
    else if (message.type === 'unsubscribe') {
      (message.channels ?? CHANNELS).forEach((name) => client.channels.delete(name));
      this.send(client, { type: 'unsubscribed', channels: [...client.channels], request: message.request });
    } else if (message.type === 'request_vectors') this.sendRecentVectors(client, message);
    else if (message.type === 'ping') this.send(client, { type: 'pong', seq: this.#seq, stream: this.#stream, timestamp: new Date().toISOString(), request: message.request });
    else if (!this.emit('message', client, message)) fail(`unknown type '${message.type}'`);
  }

  #subscribe(client, { channels = [], binary, since, stream, request }) {
    channels.forEach((name) => client.channels.add(name));
    if (typeof binary === 'boolean') client.isBinary = binary;
    const resumes = since !== undefined && (stream === undefined || stream === this.#stream) && since <= this.#seq;
    const first = this.#recent[0]?.message.seq ?? this.#seq + 1;
    this.send(client, { type: 'subscribed', channels: [...client.channels], binary: client.isBinary, seq: this.#seq, stream: this.#stream,
      ...since === undefined ? {} : { resumed: resumes && first <= since + 1 }, request });
    if (!resumes) return;
    for (const event of this.#recent)
      if (event.message.seq > since && client.channels.has(event.numbers === undefined ? 'job_results' : 'vector_updates'))
        this.#sendEvent(client, event, event.numbers === undefined ? 'job_results' : 'vector_updates');
  }
}
