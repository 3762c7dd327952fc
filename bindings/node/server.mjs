// SPDX-License-Identifier: Apache-2.0
/*
 * server.mjs - a client of the Weft compute server: weft-gpu/server.
 *
 *     import { Server } from 'weft-gpu/server';
 *     const server = new Server('http://127.0.0.1:8080', { key });
 *     const { y } = await server.run({ wgsl, inputs: { x: [1, 2, 3] },
 *                                      outputs: { y: { shape: [3], dtype: 'f32' } } });
 *
 * Needs nothing but fetch(): Node.js 18 or newer, or a browser.
 */

const arrays = { f32: Float32Array, i32: Int32Array, u32: Uint32Array, u8: Uint8Array };

/** What the server answered, if that was not what was asked for. */
export class ServerError extends Error {
  constructor(status, kind, message) {
    super(message);
    this.name = 'ServerError';
    this.status = status;
    this.kind = kind;
  }
}

function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 32768)
    text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/* Typed arrays travel as bytes, everything else as JSON. */
function packInput(value) {
  if (value instanceof ArrayBuffer)
    return { base64: toBase64(new Uint8Array(value)) };
  if (ArrayBuffer.isView(value))
    return { base64: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) };
  return value;
}

/* JSON has no NaN: the server writes it as a text. */
function unpackOutput(output) {
  if (output.base64 !== undefined)
    return fromBase64(output.base64);
  const Type = arrays[output.dtype];
  return Type ? Type.from(output.data, Number) : output.data.map(Number);
}

export class Server {
  #url; #headers;

  /** url: where `weft serve` listens; key: an API key or a token. */
  constructor(url = 'http://127.0.0.1:8080', { key, sessionToken, headers } = {}) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = { ...headers };
    if (key)
      this.#headers.Authorization = `Bearer ${key}`;
    if (sessionToken)
      this.#headers['X-Session-Token'] = sessionToken;
  }

  async #call(method, path, body, { headers = {}, raw = false, signal } = {}) {
    const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body);
    const answer = await fetch(this.#url + path, {
      method, signal, body: body === undefined || isBytes ? body : JSON.stringify(body),
      headers: { 'Content-Type': isBytes ? 'application/octet-stream' : 'application/json',
                 ...this.#headers, ...headers },
    });
    if (raw && answer.ok)
      return new Uint8Array(await answer.arrayBuffer());
    const text = await answer.text();
    const json = text ? JSON.parse(text) : {};
    if (!answer.ok)
      throw new ServerError(answer.status, json.error?.kind ?? 'internal',
                            json.error?.message ?? `status ${answer.status}`);
    return json;
  }

  /** Submits a job; with wait: true the answer is the ended job. */
  submit(job, { idempotencyKey } = {}) {
    const inputs = Object.fromEntries(Object.entries(job.inputs ?? {})
      .map(([name, value]) => [name, packInput(value)]));
    return this.#call('POST', '/v1/jobs', { ...job, inputs },
                      { headers: idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {} });
  }

  /** Runs a job to its end; its outputs by name, as typed arrays. */
  async run(job, options) {
    const done = await this.submit({ ...job, wait: true }, options);
    return Object.fromEntries(Object.entries(done.outputs)
      .map(([name, output]) => [name, unpackOutput(output)]));
  }

  /** A job; its events until it has ended, as an async iterator of jobs. */
  job(id) { return this.#call('GET', `/v1/jobs/${id}`); }

  async *events(id) {
    const answer = await fetch(`${this.#url}/v1/jobs/${id}/events`, { headers: this.#headers });
    if (!answer.ok)
      throw new ServerError(answer.status, 'not-found', `no events of ${id}`);
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of answer.body) {
      text += decoder.decode(part, { stream: true });
      for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
        const data = text.slice(0, end).split('\n').find((line) => line.startsWith('data: '));
        if (data)
          yield JSON.parse(data.slice(6));
      }
    }
  }

  cancel(id) { return this.#call('DELETE', `/v1/jobs/${id}`); }
  output(id, name) { return this.#call('GET', `/v1/jobs/${id}/outputs/${name}`, undefined, { raw: true }); }
  check(wgsl, limits) { return this.#call('POST', '/v1/check', { wgsl, limits }); }
  state() { return this.#call('GET', '/v1/state'); }

  jobs({ state, limit, after } = {}) {
    const query = new URLSearchParams(Object.entries({ state, limit, after })
      .filter(([, value]) => value !== undefined));
    return this.#call('GET', `/v1/jobs?${query}`);
  }

  buffers() { return this.#call('GET', '/v1/buffers'); }
  getBuffer(name) { return this.#call('GET', `/v1/buffers/${name}`, undefined, { raw: true }); }
  putBuffer(name, bytes) { return this.#call('PUT', `/v1/buffers/${name}`, bytes); }
  deleteBuffer(name) { return this.#call('DELETE', `/v1/buffers/${name}`); }

  /** For foreign workers: examples/worker shows how. */
  register(runner, name) { return this.#call('POST', '/v1/workers', { runner, name }); }
  async lease(worker, runner) {
    const lease = await this.#call('POST', `/v1/workers/${worker}/lease`, { runner });
    return lease.job ? lease : null;
  }
  heartbeat(lease, progress) { return this.#call('POST', `/v1/leases/${lease}/heartbeat`, { progress }); }
  result(lease, outputs) {
    const packed = Object.fromEntries(Object.entries(outputs).map(([name, { dtype, data }]) =>
      [name, { dtype, ...packInput(data) }]));
    return this.#call('POST', `/v1/leases/${lease}/result`, { outputs: packed });
  }
  fail(lease, message, retry = false) {
    return this.#call('POST', `/v1/leases/${lease}/fail`, { message, retry });
  }
}
