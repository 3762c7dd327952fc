// SPDX-License-Identifier: Apache-2.0
/*
 * guard.c - what is refused before a body is read: ambiguous lengths, foreign hosts and
 * origins, strangers, too many requests.
 *
 * in     headers
 * out    an identity, or an answer
 * knows  RFC 9112 6.3, CSRF, W3C trace context
 * not    what the routes do
 */
#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http_priv.h"

typedef struct Count {
    const char *name;
    uint32_t    count;
} Count;

static enum MHD_Result count_header(void *user, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    Count *c = user;
    (void)kind;
    (void)value;
    c->count += strcasecmp(name, c->name) == 0;
    return MHD_YES;
}

static uint32_t header_count(Request *r, const char *name)
{
    Count c = {.name = name};
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, count_header, &c);
    return c.count;
}

/* ---- headers ---- */

/* Names with a space or a control character are how requests are smuggled past proxies. */
static enum MHD_Result check_name(void *user, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    bool *bad = user;
    (void)kind;
    for (const char *at = name; *at; at++)
        *bad = *bad || (unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7f || *at == ':';
    for (const char *at = value ? value : ""; *at; at++)
        *bad = *bad || ((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f;
    return MHD_YES;
}

/* A header of these that comes twice may mean one thing to a proxy and another here. */
static const char *const unique[] = {
    "Content-Length", "Transfer-Encoding", "Host", "Origin", "Authorization", "X-Api-Key",
    "X-Session-Token", "Content-Type", "Content-Encoding", "Idempotency-Key",
};

static bool guard_unique(Request *r)
{
    for (size_t i = 0; i < COUNTOF(unique); i++)
        if (header_count(r, unique[i]) > 1) {
            answer_error(r, 400, WEFT_ERROR_FORMAT, "the header %s comes twice", unique[i]);
            return false;
        }
    return true;
}

/* libmicrohttpd would wait for the end of the connection where it does not know the coding. */
static bool guard_coding(Request *r)
{
    const char *coding = request_header(r, "Transfer-Encoding");
    if (!coding)
        return true;
    if (request_header(r, "Content-Length"))
        answer_error(r, 400, WEFT_ERROR_FORMAT, "Content-Length and Transfer-Encoding together");
    else if (strcmp(r->version, "HTTP/1.0") == 0)
        answer_error(r, 400, WEFT_ERROR_FORMAT, "HTTP/1.0 has no Transfer-Encoding");
    else if (strcasecmp(coding, "chunked") != 0)
        answer_error(r, 501, WEFT_ERROR_UNSUPPORTED, "Transfer-Encoding '%.40s'; chunked is "
                     "understood", coding);
    return r->stage != STAGE_ANSWERED;
}

static bool guard_lengths(Request *r)
{
    const char *length = request_header(r, "Content-Length");
    bool        bad = false;
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, check_name, &bad);
    if (bad)
        answer_error(r, 400, WEFT_ERROR_FORMAT, "a header is malformed");
    else if (!guard_unique(r) || !guard_coding(r))
        return false;
    else if (length && strtoull(length, NULL, 10) > r->http->config->max_body)
        answer_error(r, 413, WEFT_ERROR_QUOTA, "the body is larger than %llu bytes",
                     (unsigned long long)r->http->config->max_body);
    return r->stage != STAGE_ANSWERED;
}

/* A trace that comes with the request goes on; otherwise one begins here. */
static void read_trace(Request *r)
{
    const char *given = request_header(r, "traceparent");
    uint8_t     random[24];
    char        hex[49];
    bool        ok = given && strlen(given) == 55 && memcmp(given, "00-", 3) == 0
              && given[35] == '-' && given[52] == '-'
              && strspn(given + 3, "0123456789abcdef") == 32
              && strspn(given + 36, "0123456789abcdef") == 16
              && strspn(given + 3, "0") < 32 && strspn(given + 36, "0") < 16;
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(hex, sizeof hex, random, sizeof random);
    snprintf(r->trace, sizeof r->trace, "00-%.32s-%.16s-01", ok ? given + 3 : hex, hex + 32);
}

/* "http://host:port/path" counts more than the header (RFC 9112 3.2.2). */
static void read_authority(Request *r)
{
    const char *at = r->path;
    size_t      scheme = strncasecmp(at, "http://", 7) == 0 ? 7
                       : strncasecmp(at, "https://", 8) == 0 ? 8 : 0;
    r->host = request_header(r, "Host");
    if (!scheme)
        return;
    size_t length = strcspn(at + scheme, "/");
    r->host = arena_printf(&r->arena, "%.*s", (int)MIN_OF(length, 256), at + scheme);
    r->path = at[scheme + length] ? at + scheme + length : "/";
}

bool guard_headers(Request *r)
{
    Http *h = r->http;
    read_trace(r);
    read_authority(r);
    if (!guard_lengths(r))
        return false;
    if (!auth_host_ok(h->config, r->host, h->address,
                      r->metrics_port ? h->metrics_port : r->live_port ? h->live_port
                                                                       : h->port)) {
        answer_error(r, 421, WEFT_ERROR_DENIED, "this server is not '%.100s'; server.hosts lists "
                     "the names it goes by", r->host ? r->host : "");
        return false;
    }
    if (r->has_nul) {
        answer_error(r, 400, WEFT_ERROR_FORMAT, "the address contains a NUL character");
        return false;
    }
    if (strlen(r->path) > 2048) {
        answer_error(r, 414, WEFT_ERROR_FORMAT, "the address is too long");
        return false;
    }
    return true;
}

/* Pages come from the port of the API, also those that call the live port. */
static const char *page_host(Request *r)
{
    const char *host = r->host;
    if (!r->live_port || !host)
        return host;
    const char *colon = strrchr(host, ':'), *bracket = strrchr(host, ']');
    size_t      name = colon && (!bracket || colon > bracket) ? (size_t)(colon - host)
                                                              : strlen(host);
    return arena_printf(&r->arena, "%.*s:%u", (int)name, host, r->http->port);
}

bool guard_origin(Request *r)
{
    const char *origin = request_header(r, "Origin");
    if (!origin || r->metrics_port)
        return true;
    if (!r->http->config->sec_origin
        || auth_origin_ok(r->http->config, origin, page_host(r))) {
        r->origin = arena_printf(&r->arena, "%.256s", origin);
        return true;
    }
    metrics_add(r->http->desc.metrics, METRIC_REJECTED, 4, 1);
    guard_audit(r, "origin", false, r->path, origin);
    answer_error(r, 403, WEFT_ERROR_DENIED, "the origin '%.200s' is not allowed; auth.origins "
                 "lists those that are", origin);
    return false;
}

/* ---- identities ---- */

void guard_audit(Request *r, const char *action, bool allowed, const char *object,
                 const char *reason)
{
    audit_write(r->http->desc.audit, &(AuditEvent){
        .action = action, .allowed = allowed, .tenant = r->who.tenant,
        .subject = r->who.subject, .origin = r->origin, .object = object, .reason = reason,
        .trace = r->trace});
}

static void refuse(Request *r, AuthResult result)
{
    metrics_add(r->http->desc.metrics, METRIC_REJECTED, 0, 1);
    switch (result) {
    case AUTH_UNREACHABLE:
        answer_error(r, 503, WEFT_ERROR_DEVICE_LOST, "the identity service cannot be reached");
        break;
    case AUTH_SECOND_FACTOR:
        answer_error(r, 403, WEFT_ERROR_DENIED, "the session needs a second factor");
        break;
    case AUTH_EXPIRED:
        answer_error(r, 401, WEFT_ERROR_DENIED, "the token has expired");
        break;
    case AUTH_MISSING:
        answer_error(r, 401, WEFT_ERROR_DENIED, "send an API key or a token: "
                     "'Authorization: Bearer KEY'");
        break;
    default:
        answer_error(r, 401, WEFT_ERROR_DENIED, "the key, token or session is not valid");
    }
    guard_audit(r, "authenticate", false, r->path, result == AUTH_UNREACHABLE ? "unreachable"
                                                                             : "refused");
}

/* A page of another site can make a browser send its cookies; it cannot set a header of its
 * own, nor can it send JSON, without a preflight that the origin check refuses. */
static bool guard_csrf(Request *r)
{
    bool changes = strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0;
    if (!r->who.cookie || (!changes && !request_header(r, "Upgrade")))
        return true;
    if (*r->origin && (request_header(r, "X-Weft-Csrf") || !changes))
        return true;
    guard_audit(r, "csrf", false, r->path, "no Origin or X-Weft-Csrf");
    answer_error(r, 403, WEFT_ERROR_DENIED, "cookie sessions need an allowed Origin and the "
                 "header X-Weft-Csrf");
    return false;
}

bool guard_scope(Request *r)
{
    if (!r->route->scope || (r->who.scopes & r->route->scope) == r->route->scope)
        return true;
    char words[128];
    scopes_write(r->route->scope, words, sizeof words);
    metrics_add(r->http->desc.metrics, METRIC_REJECTED, 0, 1);
    guard_audit(r, "authorize", false, r->path, words);
    answer_error(r, 403, WEFT_ERROR_DENIED, "this needs the scope '%s'", words);
    return false;
}

/* A connection counts for the tenant of its last request. */
static bool guard_connection(Request *r)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Connection *c = info ? info->socket_context : NULL;
    Jobs       *jobs = r->http->desc.jobs;
    if (!c || (c->counted && strcmp(c->tenant, r->who.tenant) == 0))
        return true;
    if (c->counted)
        jobs_count_connection(jobs, c->tenant, -1);
    c->counted = jobs_count_connection(jobs, r->who.tenant, 1);
    if (c->counted) {
        strcpy(c->tenant, r->who.tenant);
        return true;
    }
    metrics_add(r->http->desc.metrics, METRIC_REJECTED, 1, 1);
    answer_error(r, 429, WEFT_ERROR_QUOTA, "quota: too many open connections (%llu)",
                 (unsigned long long)r->http->config->quota_connections);
    return false;
}

bool guard_identity(Request *r)
{
    AuthRequest ask = {
        .authorization = request_header(r, "Authorization"),
        .api_key = request_header(r, "X-Api-Key"), .cookie = request_header(r, "Cookie"),
        .session_token = request_header(r, "X-Session-Token"),
        .wake = request_wake, .user = r};
    if (!ask.authorization && !ask.api_key)
        ask.authorization = live_token(r);
    atomic_store(&r->woken, false);
    AuthResult result = auth_check(r->http->desc.auth, &ask, &r->who);
    if (result == AUTH_PENDING) {
        request_sleep(r, NULL);
        return false;
    }
    if (result != AUTH_OK) {
        refuse(r, result);
        return false;
    }
    if (!guard_connection(r))
        return false;
    if (!jobs_count_request(r->http->desc.jobs, r->who.tenant, r->origin)) {
        metrics_add(r->http->desc.metrics, METRIC_REJECTED, 1, 1);
        answer_error(r, 429, WEFT_ERROR_QUOTA, "quota: too many requests in this second");
        return false;
    }
    return guard_csrf(r) && guard_scope(r);
}
