// SPDX-License-Identifier: Apache-2.0
/*
 * api_live.c - the upgrade to WebSocket (RFC 6455 4.2): /ws, /v1/live, and any path of the live
 * port.
 *
 * in     handshakes
 * out    sockets for HttpDesc.on_socket
 * knows  subprotocols, permessage-deflate, tokens of clients that can set no headers
 * not    what is said on the socket
 */
#define _GNU_SOURCE
#include <sodium.h>
#include <string.h>

#include "server/http/http_priv.h"
#include "server/websocket/websocket.h"

static const char token_prefix[] = "weft.token.";

/* What was agreed on, in the request's arena. */
typedef struct Upgrade {
    const char *protocol;               /* "": none                                       */
    bool        deflate;
} Upgrade;

static void close_upgraded(void *handle)
{
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

static void on_upgraded(void *user, struct MHD_Connection *connection, void *state,
                        const char *extra, size_t extra_size, MHD_socket socket,
                        struct MHD_UpgradeResponseHandle *handle)
{
    Request       *r = state;
    const Upgrade *u = user;
    (void)connection;
    r->http->desc.on_socket(r->http->desc.user, &(HttpSocket){
        .fd = socket, .extra = extra, .extra_size = extra_size, .who = &r->who,
        .origin = r->origin, .protocol = u->protocol, .deflate = u->deflate, .handle = handle,
        .close = close_upgraded});
}

static const char *upgrade_fault(Request *r)
{
    const char *upgrade = request_header(r, "Upgrade"), *version = NULL, *key = NULL;
    const char *connection = request_header(r, "Connection");
    uint8_t     bytes[32];
    size_t      size = 0;
    if (!upgrade || strcasecmp(upgrade, "websocket") != 0 || !connection
        || !strcasestr(connection, "upgrade"))
        return "this address takes WebSocket connections";
    version = request_header(r, "Sec-WebSocket-Version");
    if (!version || strcmp(version, "13") != 0)
        return "Sec-WebSocket-Version must be 13";
    key = request_header(r, "Sec-WebSocket-Key");
    if (!key || sodium_base642bin(bytes, sizeof bytes, key, strlen(key), NULL, &size, NULL,
                                  sodium_base64_VARIANT_ORIGINAL) != 0 || size != 16)
        return "Sec-WebSocket-Key must be 16 bytes in base64";
    return NULL;
}

/* The next word of a list; moves *at past it. False at the end. */
static bool next_word(const char **at, const char **word, size_t *size)
{
    *at += strspn(*at, ", \t");
    *word = *at;
    *size = strcspn(*at, ", \t");
    *at += *size;
    return *size > 0;
}

/* The first of our protocols that the client offers; "": none. */
static const char *choose_protocol(const char *offered)
{
    static const char *const known[] = {"weft.live", "weft.echo"};
    const char *word;
    size_t      size;
    for (size_t i = 0; offered && i < COUNTOF(known); i++)
        for (const char *at = offered; next_word(&at, &word, &size);)
            if (size == strlen(known[i]) && memcmp(word, known[i], size) == 0)
                return known[i];
    return "";
}

const char *live_token(Request *r)
{
    const char *offered = request_header(r, "Sec-WebSocket-Protocol"), *word;
    const char *query = request_query(r, "token");
    size_t      size, prefix = sizeof token_prefix - 1;
    if (!request_header(r, "Upgrade"))
        return NULL;
    for (const char *at = offered; at && next_word(&at, &word, &size);)
        if (size > prefix && memcmp(word, token_prefix, prefix) == 0)
            return arena_printf(&r->arena, "Bearer %.*s", (int)(size - prefix), word + prefix);
    return query ? arena_printf(&r->arena, "Bearer %s", query) : NULL;
}

void api_live(Request *r)
{
    const char *fault = upgrade_fault(r);
    char        accept[32];
    if (!r->http->desc.on_socket || !r->http->config->live_enabled) {
        answer_error(r, 404, WEFT_ERROR_NOT_FOUND, "live connections are off");
        return;
    }
    if (fault) {
        answer_error(r, 426, WEFT_ERROR_FORMAT, "%s", fault);
        return;
    }
    const char *extension = websocket_extension(request_header(r, "Sec-WebSocket-Extensions"));
    Upgrade    *u = ARENA_NEW(&r->arena, Upgrade);
    u->protocol = choose_protocol(request_header(r, "Sec-WebSocket-Protocol"));
    u->deflate = extension && strcmp(u->protocol, "weft.echo") != 0;
    struct MHD_Response *response = MHD_create_response_for_upgrade(on_upgraded, u);
    if (response) {
        websocket_accept(request_header(r, "Sec-WebSocket-Key"), accept);
        MHD_add_response_header(response, "Upgrade", "websocket");
        MHD_add_response_header(response, "Sec-WebSocket-Accept", accept);
        if (*u->protocol)
            MHD_add_response_header(response, "Sec-WebSocket-Protocol", u->protocol);
        if (u->deflate)
            MHD_add_response_header(response, "Sec-WebSocket-Extensions", extension);
    }
    guard_audit(r, "live", true, u->protocol, "");
    answer_response(r, 101, response);
}
