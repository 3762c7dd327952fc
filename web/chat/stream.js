// SPDX-License-Identifier: Apache-2.0
// stream.js - server-sent events of a chat answer, piece by piece.

/** The data of each event of a response body, as text. */
export async function* events(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        rest += value.replaceAll('\r', '');
        for (let end; (end = rest.indexOf('\n\n')) >= 0; rest = rest.slice(end + 2)) {
            const data = rest.slice(0, end).split('\n').filter((line) => line.startsWith('data:'))
                .map((line) => line.slice(5).trimStart()).join('\n');
            if (data) yield data;
        }
    }
}

/** The pieces of an answer: { piece, finish, tokens }; `finish` says why it ends, `tokens` how
 *  many it had. Throws what the server reports inside the stream, and if that ends without an end. */
export async function* pieces(response) {
    for await (const data of events(response.body)) {
        if (data === '[DONE]') return;
        const { error, choices, usage } = JSON.parse(data);
        if (error) throw new Error(error.message);
        const { delta, finish_reason: finish } = choices?.[0] ?? {};
        if (delta?.content || finish || usage) yield { piece: delta?.content ?? '', finish, tokens: usage?.completion_tokens };
    }
    throw new Error('the server ended it early');
}
