// SPDX-License-Identifier: Apache-2.0
//
// client.mjs - a client of the live protocol, for browsers and Node.js.
//
// in     the address of `weft serve` or of a GPUWebSocketServer
// out    messages by type; vectors as Float32Arrays, whichever way they travelled
// knows  docs/protocol.md: heads, resuming by number
// not    what is done with vectors

const HEAD = 32;

/** What the server refused. */
export class LiveError extends Error {
  constructor({ kind, reason }) {
    super(reason);
    this.name = 'LiveError';
    this.kind = kind;
  }
}

const rowsOf = (numbers, dimension) => {
  const rows = [];
  for (let at = 0; at + dimension <= numbers.length; at += dimension) rows.push(numbers.subarray(at, at + dimension));
  return rows;
};

/** A message of weft.live: head, ids, numbers, labels. */
export const readHeaded = (buffer) => {
  const view = new DataView(buffer);
  const seq = Number(view.getBigUint64(0, true)), first = Number(view.getBigUint64(8, true));
  const dimension = view.getUint32(16, true), count = view.getUint32(20, true), flags = view.getUint32(28, true);
  const start = HEAD + (flags & 1 ? count * 8 : 0), end = start + count * dimension * 4;
  const ids = Array.from({ length: count }, (_, i) => flags & 1 ? Number(view.getBigUint64(HEAD + i * 8, true)) : first + i);
  const labels = flags & 2 ? JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, end))) : undefined;
  return { seq, dimension, count, ids, labels, vectors: rowsOf(new Float32Array(buffer.slice(start, end)), dimension) };
};

/** The same for the other way. `ids` and `labels` may be left out. */
export const writeHeaded = (numbers, dimension, { ids, labels, seq = 0 } = {}) => {
  const count = numbers.length / dimension;
  const tail = labels === undefined ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(labels));
  const start = HEAD + (ids === undefined ? 0 : count * 8), bytes = new Uint8Array(start + numbers.length * 4 + tail.length);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(seq), true);
  view.setUint32(16, dimension, true);
  view.setUint32(20, count, true);
  view.setUint32(24, 1, true);
  view.setUint32(28, (ids === undefined ? 0 : 1) | (labels === undefined ? 0 : 2), true);
  ids?.forEach((id, i) => view.setBigUint64(HEAD + i * 8, BigInt(id), true));
  numbers.forEach((x, i) => view.setFloat32(start + i * 4, x, true));
  bytes.set(tail, start + numbers.length * 4);
  return bytes.buffer;
};

/** How sockets are made; replaced by live.mjs where Node.js has none. */
export const platform = { open: (url, protocols) => new globalThis.WebSocket(url, protocols) };

/**
 *     const live = new LiveClient('ws://localhost:8095', { channels: ['vector_updates'] });
 *     live.on('vectors', ({ vectors, ids }) => draw(vectors));
 *
 * Handlers are called with messages of their type; 'vectors' with every batch, in whatever form it came: `vectors` are
 * Float32Arrays. 'open', 'close' and 'error' tell of the connection, which is made again when it breaks (`reconnect: false`:
 * not), and goes on after the last event that was seen.
 */
export class LiveClient {
  #url; #options; #socket = null; #handlers = new Map(); #waiting = new Map(); #requests = 0;
  #channels; #seq; #stream; #dimension = 0; #ended = false; #pause = 250; #timer;

  constructor(url = 'ws://localhost:8095', { channels = [], ...options } = {}) {
    this.#url = url;
    this.#channels = new Set(channels);
    this.#options = { binary: undefined, headed: true, reconnect: true, token: undefined, ...options };
    this.#connect();
  }

  get isOpen() { return this.#socket?.readyState === 1; }
  /** The number of the last event. */
  get seq() { return this.#seq; }

  on(type, handler) {
    if (!this.#handlers.has(type)) this.#handlers.set(type, new Set());
    this.#handlers.get(type).add(handler);
    return () => this.#handlers.get(type).delete(handler);
  }

  /** The next message of a type. */
  once(type) {
    return new Promise((resolve) => { const off = this.on(type, (message) => { off(); resolve(message); }); });
  }

  #tell(type, message) { for (const handler of [...this.#handlers.get(type) ?? []]) handler(message); }

  #connect() {
    const { headed, token } = this.#options;
    const protocols = [...headed ? ['weft.live'] : [], ...token === undefined ? [] : [`weft.token.${token}`]];
    const socket = platform.open(this.#url, protocols);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#message(data);
    socket.onerror = (event) => this.#tell('error', event.error ?? new Error(event.message ?? 'the connection failed'));
    socket.onclose = (event) => this.#closed(event);
  }

  #opened() {
    this.#pause = 250;
    if (this.#channels.size > 0) this.#subscribe().catch((error) => this.#tell('error', error));
    this.#tell('open', {});
  }

  #closed(event) {
    for (const { reject } of this.#waiting.values()) reject(new Error('the connection was closed'));
    this.#waiting.clear();
    this.#tell('close', event);
    if (this.#ended || !this.#options.reconnect) return;
    this.#timer = setTimeout(() => this.#connect(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, 10000);
  }

  // ---- messages ----

  #message(data) {
    if (typeof data !== 'string') { this.#binary(data); return; }
    const message = JSON.parse(data);
    if (message.stream !== undefined && message.stream !== this.#stream) {
      this.#stream = message.stream;
      this.#seq = undefined;            // events are numbered anew
    }
    if (message.seq !== undefined) this.#seq = Math.max(this.#seq ?? 0, message.seq);
    if (message.type === 'vector_stream') this.#dimension = message.dimension;
    this.#settle(message);
    this.#tell(message.type, message);
    if (message.type === 'vector_batch')
      this.#tell('vectors', { ...message, vectors: message.vectors.map((row) => Float32Array.from(row)) });
    if (message.type === 'error' && message.request === undefined) this.#tell('refused', new LiveError(message));
  }

  #binary(buffer) {
    const batch = this.#socket.protocol === 'weft.live' ? readHeaded(buffer)
      : { dimension: this.#dimension, vectors: rowsOf(new Float32Array(buffer), this.#dimension || buffer.byteLength / 4) };
    if (batch.seq !== undefined) this.#seq = Math.max(this.#seq ?? 0, batch.seq);
    this.#tell('vectors', { type: 'vector_batch', count: batch.vectors.length, ...batch });
  }

  #settle(message) {
    const wait = this.#waiting.get(message.request);
    if (wait === undefined) return;
    this.#waiting.delete(message.request);
    if (message.type === 'error') wait.reject(new LiveError(message));
    else wait.resolve(message);
  }

  #say(type, members = {}) { this.#socket.send(JSON.stringify({ type, ...members })); }

  #ask(type, members) {
    const request = String(++this.#requests);
    return new Promise((resolve, reject) => {
      this.#say(type, { ...members, request });
      this.#waiting.set(request, { resolve, reject });
    });
  }

  // ---- calls ----

  #subscribe() {
    const resume = this.#seq === undefined ? {} : { since: this.#seq, stream: this.#stream };
    return this.#ask('subscribe', { channels: [...this.#channels], binary: this.#options.binary, ...resume });
  }

  /** Listens to channels, also after the next connections. */
  subscribe(...channels) {
    channels.forEach((name) => this.#channels.add(name));
    return this.isOpen ? this.#ask('subscribe', { channels, binary: this.#options.binary }) : this.once('subscribed');
  }
  unsubscribe(...channels) {
    channels.forEach((name) => this.#channels.delete(name));
    return this.#ask('unsubscribe', { channels });
  }
  /** The newest vectors come as 'vectors'. */
  requestVectors({ limit, since } = {}) { this.#say('request_vectors', { limit, since }); }
  ping() { return this.#ask('ping'); }
  /** Rows of numbers, or one Float32Array with its `dimension`; ids and seq of what was ingested. */
  addVectors(vectors, { dimension, ids, labels } = {}) {
    const rows = dimension === undefined ? vectors : rowsOf(vectors, dimension);
    return this.#ask('vectors', { vectors: rows.map((row) => Array.from(row)), ids, labels });
  }
  /** The same in binary, without waiting: needs weft.live. */
  sendVectors(numbers, dimension, more) { this.#socket.send(writeHeaded(numbers, dimension, more)); }
  /** The job as it ended. */
  async submitJob(job) {
    const { id } = await this.#ask('submit_job', { job });
    for (;;) {
      const { result } = await this.once('job_completed');
      if (result.id === id) return result;
    }
  }
  setView(view) { return this.#ask('set_view', { view }); }
  sendMetrics(metrics) { this.#say('client_metrics', metrics); }

  close() {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }
}
