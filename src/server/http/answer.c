// SPDX-License-Identifier: Apache-2.0
/*
 * answer.c - answers and their headers.
 *
 * in     a status and a body
 * out    a queued response with the headers that every answer has
 * knows  libmicrohttpd
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "server/http/http_priv.h"

static const struct { const char *name; int status; } kinds[] = {
    {"none", 200},
#define X(kind, name, http, meaning) {name, http},
    WEFT_ERROR_KINDS(X)
#undef X
};

const char *error_kind_name(weft_error_kind kind)
{
    return (size_t)kind < COUNTOF(kinds) ? kinds[kind].name : "internal";
}

int error_kind_status(weft_error_kind kind)
{
    return (size_t)kind < COUNTOF(kinds) ? kinds[kind].status : 500;
}

static void header(struct MHD_Response *response, const char *name, const char *value)
{
    MHD_add_response_header(response, name, value);
}

void answer_common(Request *r, struct MHD_Response *response)
{
    header(response, "X-Content-Type-Options", "nosniff");
    if (!MHD_get_response_header(response, "Cache-Control"))
        header(response, "Cache-Control", "no-store");
    header(response, "Referrer-Policy", "no-referrer");
    header(response, "Cross-Origin-Opener-Policy", "same-origin");
    header(response, "Cross-Origin-Embedder-Policy", "require-corp");
    if (*r->trace)
        header(response, "traceparent", r->trace);
    if (*r->origin) {
        header(response, "Access-Control-Allow-Origin", r->origin);
        header(response, "Vary", "Origin");
    }
}

void answer_response(Request *r, int status, struct MHD_Response *response)
{
    if (!response)
        return;                         /* out of memory: the connection is closed */
    answer_common(r, response);
    r->stage = STAGE_ANSWERED;
    r->status = status;
    if (r->aside) {
        r->response = response;         /* queued on the connection's own thread */
    } else {
        MHD_queue_response(r->connection, (unsigned)status, response);
        MHD_destroy_response(response);
    }
    Metrics *m = r->http->desc.metrics;
    metrics_add(m, METRIC_REQUESTS, status < 300 ? 0 : status < 400 ? 1 : status < 500 ? 2 : 3,
                1);
    if (r->complete_ns)
        metrics_time(m, METRIC_REQUEST_TIME, clock_ns() - r->complete_ns);
}

void answer_text(Request *r, int status, const char *type, const void *data, size_t size)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        size, (void *)(uintptr_t)data, MHD_RESPMEM_MUST_COPY);
    if (response)
        header(response, "Content-Type", type);
    answer_response(r, status, response);
}

void answer_bytes(Request *r, const void *data, size_t size)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        size, (void *)(uintptr_t)data, MHD_RESPMEM_PERSISTENT);
    if (response)
        header(response, "Content-Type", "application/octet-stream");
    answer_response(r, 200, response);
}

void answer_json(Request *r, int status, const Text *json)
{
    answer_text(r, status, "application/json", json->len ? json->data : "", json->len);
}

static void retry(const Request *r, struct MHD_Response *response)
{
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%u", r->retry_after ? r->retry_after : 1);
    header(response, "Retry-After", seconds);
}

/* What clients of OpenAI's API look for in an error. */
static void put_openai(const Request *r, Text *out, int status)
{
    const char *type = status == 429 ? "rate_limit_error" : status >= 500 ? "server_error"
                     : "invalid_request_error";
    const char *code = r->error_code ? r->error_code : status == 404 ? "model_not_found"
                     : status == 429 ? "rate_limit_exceeded" : NULL;
    text_printf(out, ",\"type\":\"%s\",\"param\":null,\"code\":", type);
    if (code)
        text_json(out, str_of(code));
    else
        text_add(out, STR("null"));
}

static void log_error(const Request *r, int status, const char *message)
{
    char number[12];
    snprintf(number, sizeof number, "%d", status);
    log_event(r->http->desc.log, status >= 500 ? LOG_INFO : LOG_DEBUG, "http-error", message,
              "http.request.method", r->method, "url.path", r->path,
              "http.response.status_code", number, "weft.tenant", r->who.tenant, "traceparent",
              r->trace, NULL);
}

void answer_error(Request *r, int status, weft_error_kind kind, const char *fmt, ...)
{
    char    message[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    Text out = {.arena = &r->arena};
    text_printf(&out, "{\"error\":{\"kind\":\"%s\",\"message\":", error_kind_name(kind));
    text_json(&out, str_of(message));
    status = status ? status : error_kind_status(kind);
    log_error(r, status, message);
    if (r->answer)
        put_openai(r, &out, status);
    text_add(&out, STR("}}\n"));
    struct MHD_Response *response = MHD_create_response_from_buffer(out.len, out.data,
                                                                    MHD_RESPMEM_MUST_COPY);
    if (response) {
        header(response, "Content-Type", "application/json");
        if (status == 405 && r->allow)
            header(response, "Allow", r->allow);
        if (status == 401)
            header(response, "WWW-Authenticate", "Bearer realm=\"weft\"");
        if (status == 429 || status == 503)
            retry(r, response);
    }
    answer_response(r, status, response);
}
