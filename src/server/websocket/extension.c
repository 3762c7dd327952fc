// SPDX-License-Identifier: Apache-2.0
/*
 * extension.c - which offer of permessage-deflate suits us (RFC 7692 5).
 *
 * in     Sec-WebSocket-Extensions of a client
 * out    our answer, or none
 *
 * Messages are compressed once for all clients: with the largest window and without context
 * takeover. An offer that demands a smaller window of the server does not suit.
 */
#include <string.h>
#include <strings.h>

#include "server/websocket/websocket.h"

typedef struct Span {
    const char *at;
    size_t      size;
} Span;

static Span trimmed(const char *at, size_t size)
{
    while (size && (*at == ' ' || *at == '\t')) {
        at++;
        size--;
    }
    while (size && (at[size - 1] == ' ' || at[size - 1] == '\t'))
        size--;
    return (Span){at, size};
}

/* The next piece up to `end`, which quotes hide. Moves *text past it. */
static Span piece(const char **text, char end)
{
    const char *start = *text;
    bool        quoted = false;
    while (**text && (quoted || **text != end)) {
        quoted ^= **text == '"';
        ++*text;
    }
    Span s = trimmed(start, (size_t)(*text - start));
    *text += **text == end;
    return s;
}

static bool is(Span s, const char *word)
{
    return s.size == strlen(word) && strncasecmp(s.at, word, s.size) == 0;
}

/* A parameter that we can accept without saying more in the answer. */
static bool parameter_suits(Span p)
{
    const char *text = p.at;
    char        copy[64];
    if (p.size >= sizeof copy)
        return false;
    memcpy(copy, p.at, p.size);
    copy[p.size] = '\0';
    text = copy;
    Span name = piece(&text, '='), value = trimmed(text, strlen(text));
    if (is(name, "server_no_context_takeover") || is(name, "client_no_context_takeover"))
        return value.size == 0;
    if (is(name, "client_max_window_bits"))     /* a hint: its default is ours */
        return true;
    return is(name, "server_max_window_bits") && (is(value, "15") || is(value, "\"15\""));
}

const char *websocket_extension(const char *offers)
{
    const char *at = offers ? offers : "";
    while (*at) {
        Span offer = piece(&at, ',');
        char copy[512];
        if (offer.size == 0 || offer.size >= sizeof copy)
            continue;
        memcpy(copy, offer.at, offer.size);
        copy[offer.size] = '\0';
        const char *rest = copy;
        bool        suits = is(piece(&rest, ';'), "permessage-deflate");
        while (suits && *rest)
            suits = parameter_suits(piece(&rest, ';'));
        if (suits)
            return "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
    }
    return NULL;
}
