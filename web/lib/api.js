// SPDX-License-Identifier: Apache-2.0
// api.js - calls of the compute server that served this page.
//
// A key that the user gives (lib/header.js) is kept for this tab alone. Sessions by cookie need
// no key; requests carry the header that protects them against other sites.

const KEY = 'weft-key';

/** An answer that is an error: `kind` and `status` of the server, or kind "network". */
export class ApiError extends Error {
    constructor(status, kind, message) {
        super(message);
        this.name = 'ApiError';
        this.status = status;
        this.kind = kind;
    }
}

export const key = {
    get: () => sessionStorage.getItem(KEY) || '',
    set: (value) => value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY),
};

/** The headers that identify this page to the server. */
export function headers(more = {}) {
    const secret = key.get();
    return { 'X-Weft-Csrf': '1', ...(secret ? { Authorization: `Bearer ${secret}` } : {}), ...more };
}

async function fail(response) {
    let kind = 'internal', message = `${response.status} ${response.statusText}`;
    try {
        const { error } = await response.json();
        kind = error.kind ?? error.type ?? kind;
        message = error.message;
    } catch { /* not JSON: the status says it */ }
    if (response.status === 401) document.dispatchEvent(new CustomEvent('weft-unauthorized'));
    throw new ApiError(response.status, kind, message);
}

/** fetch() with the identity of this page; an error status becomes an ApiError. */
export async function request(path, options = {}) {
    let response;
    try {
        response = await fetch(path, { ...options, headers: headers(options.headers) });
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new ApiError(0, 'network', 'the server does not answer');
    }
    return response.ok ? response : fail(response);
}

export async function getJson(path, options) {
    return (await request(path, options)).json();
}

export async function postJson(path, value, options = {}) {
    const response = await request(path, {
        ...options, method: 'POST', body: JSON.stringify(value),
        headers: { 'Content-Type': 'application/json' },
    });
    return response.json();
}
