// SPDX-License-Identifier: Apache-2.0
/*
 * daemon.c - libmicrohttpd: connections, requests, waiting.
 *
 * in     an address, a configuration
 * out    requests, whole and checked, for the handlers of routes.c
 * knows  libmicrohttpd
 * not    what the routes do
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "server/http/http_priv.h"

#define CONNECTION_MEMORY 32768u        /* of libmicrohttpd: headers and answers          */
#define CLOSE_MS          10000           /* for clients that take their last answer        */

/* ---- requests ---- */

const char *request_header(const Request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

const char *request_query(const Request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* A wake that comes before the connection sleeps is not lost: `woken` keeps it. */
void request_sleep(Request *r, void (*again)(Request *r))
{
    r->again = again;
    if (r->aside) {                     /* it sleeps already */
        r->sleeps = true;
        return;
    }
    MHD_suspend_connection(r->connection);
    atomic_store(&r->slept, true);
    atomic_store(&r->suspended, true);
    if (atomic_load(&r->woken) || atomic_load(&r->http->closing))
        request_wake(r);
}

void request_wake(void *request)
{
    Request *r = request;
    atomic_store(&r->woken, true);
    if (atomic_exchange(&r->suspended, false))
        MHD_resume_connection(r->connection);
}

static void request_link(Request *r)
{
    Http *h = r->http;
    pthread_mutex_lock(&h->lock);
    r->after = h->requests;
    if (r->after)
        r->after->before = r;
    h->requests = r;
    pthread_mutex_unlock(&h->lock);
}

static void request_unlink(Request *r)
{
    Http *h = r->http;
    pthread_mutex_lock(&h->lock);
    if (r->before)
        r->before->after = r->after;
    else
        h->requests = r->after;
    if (r->after)
        r->after->before = r->before;
    pthread_mutex_unlock(&h->lock);
}

bool request_try_hold(Request *r, uint64_t bytes)
{
    r->room = jobs_take_room(r->http->desc.jobs, r->who.tenant, bytes);
    r->held += r->room == ROOM_TAKEN ? bytes : 0;
    return r->room == ROOM_TAKEN;
}

bool answer_no_room(Request *r)
{
    if (r->room == ROOM_TENANT_FULL)
        answer_error(r, 429, WEFT_ERROR_QUOTA, "quota: too much memory is in use for requests "
                     "(%llu)", (unsigned long long)r->http->config->quota_requests);
    else
        answer_error(r, 503, WEFT_ERROR_MEMORY, "too much memory is in use for requests of all "
                     "tenants (%llu)", (unsigned long long)r->http->config->request_memory);
    return false;
}

bool request_hold(Request *r, uint64_t bytes)
{
    return request_try_hold(r, bytes) || answer_no_room(r);
}

void request_drop_body(Request *r)
{
    free(r->body);
    r->body = NULL;
    jobs_give_room(r->http->desc.jobs, r->who.tenant, r->expected);
    r->held -= r->expected;
    r->body_size = r->body_room = r->expected = 0;
}

static void request_free(Request *r)
{
    request_unlink(r);
    if (r->job) {
        if (r->watching)
            job_unwatch(r->http->desc.jobs, r->job, &r->waiter);
        job_release(r->http->desc.jobs, r->job);
    }
    models_release(r->model);
    live_call_release(r->call);
    if (r->response)
        MHD_destroy_response(r->response);
    request_drop_body(r);
    jobs_give_room(r->http->desc.jobs, r->who.tenant, r->held);
    arena_fini(&r->arena);
    free(r);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    (void)user;
    (void)connection;
    (void)code;
    if (*state)
        request_free(*state);
    *state = NULL;
}

/* ---- the way of a request ---- */

static void find_route(Request *r);

/* Counts memory for a body whose length was not announced. */
static bool expect_more(Request *r, uint64_t size)
{
    if (size <= r->expected)
        return true;
    uint64_t more = MAX_OF(size - r->expected, r->expected);
    if (!request_try_hold(r, more))
        return false;
    r->expected += more;
    return true;
}

/* libmicrohttpd takes no answer while a body arrives: one that is too large is read to its
 * end without being kept, one that does not end is cut off. False: close the connection. */
static bool add_body(Request *r, const char *data, size_t size)
{
    uint64_t limit = r->http->config->max_body;
    if (r->stage == STAGE_ANSWERED)
        return true;
    if (clock_ns() - r->begun_ns > r->http->config->body_timeout) {
        guard_audit(r, "body", false, r->path, "the request took too long to arrive");
        return false;
    }
    if (!r->keeps_body || r->too_large || size > limit - r->body_size
        || !expect_more(r, r->body_size + size)) {
        r->too_large += size;
        return r->too_large <= limit;
    }
    if (r->body_size + size + 1 > r->body_room) {
        size_t   room = MAX_OF(r->body_room * 2, r->body_size + size + 1);
        uint8_t *body = realloc(r->body, room);
        if (!body)
            return false;
        r->body = body;
        r->body_room = room;
    }
    memcpy(r->body + r->body_size, data, size);
    r->body_size += size;
    r->body[r->body_size] = '\0';
    return true;
}

static void serve(Request *r)
{
    if (body_inflate(r))
        r->route->handle(r);
}

static void handle(Request *r)
{
    r->stage = STAGE_HANDLE;
    atomic_store(&r->arriving, false);
    r->complete_ns = clock_ns();
    if (r->room != ROOM_TAKEN)
        answer_no_room(r);
    else if (r->too_large && r->keeps_body)
        answer_error(r, 413, WEFT_ERROR_QUOTA, "the body is larger than %llu bytes",
                     (unsigned long long)r->http->config->max_body);
    else if (r->body_size > HTTP_LARGE || request_header(r, "Content-Encoding"))
        request_aside(r, serve);
    else
        serve(r);
}

/* Memory for a body of known length is counted before it comes. */
static void expect_body(Request *r)
{
    const char *length = request_header(r, "Content-Length");
    r->keeps_body = strcmp(r->route->method, "POST") == 0
                 || strcmp(r->route->method, "PUT") == 0;
    uint64_t    size = length && r->keeps_body ? strtoull(length, NULL, 10) : 0;
    if (size && !request_hold(r, size))
        return;
    r->expected = size;
    r->stage = STAGE_BODY;
}

/* Everything that can be refused before the body. */
static void begin(Request *r)
{
    r->stage = STAGE_AUTH;
    if (!guard_headers(r))
        return;
    find_route(r);
    if (r->stage == STAGE_ANSWERED || !guard_origin(r))
        return;
    if (!r->route->is_public && !guard_identity(r))
        return;
    expect_body(r);
}

static void begin_again(Request *r)
{
    if (guard_identity(r))
        expect_body(r);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *size, void **state)
{
    Request *r = *state;
    if (!r)
        return MHD_NO;
    if (r->stage == STAGE_NEW) {
        r->connection = connection;
        r->method = method;
        r->path = url;
        r->version = version;
        (void)user;
        begin(r);
        return MHD_YES;
    }
    if (atomic_load(&r->suspended))
        return MHD_YES;
    if (r->response) {
        struct MHD_Response *response = r->response;
        r->response = NULL;
        MHD_queue_response(connection, (unsigned)r->status, response);
        MHD_destroy_response(response);
        return MHD_YES;
    }
    if (atomic_load(&r->http->closing) && r->stage != STAGE_ANSWERED) {
        *size = 0;
        answer_error(r, 503, WEFT_ERROR_DEVICE_LOST, "the server is shutting down");
        return MHD_YES;
    }
    if (r->stage == STAGE_AUTH) {       /* resumed after Kratos has answered */
        begin_again(r);
        if (r->stage != STAGE_BODY)
            return MHD_YES;
    }
    if (*size) {
        bool ok = add_body(r, upload, *size);
        *size = 0;
        return ok ? MHD_YES : MHD_NO;
    }
    if (r->stage == STAGE_BODY)
        handle(r);
    else if (r->stage == STAGE_HANDLE && r->again)
        r->again(r);
    return MHD_YES;
}

/* Called before the headers are read: the raw URI is seen here and nowhere else. */
static void *on_uri(void *user, const char *uri, struct MHD_Connection *connection)
{
    Request *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->http = user;
    r->connection = connection;
    r->origin = "";
    r->has_nul = strstr(uri, "%00") != NULL;
    r->begun_ns = clock_ns();
    r->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    atomic_store(&r->arriving, true);
    arena_init(&r->arena, 0);
    request_link(r);
    return r;
}

static void *on_uri_metrics(void *user, const char *uri, struct MHD_Connection *connection)
{
    Request *r = on_uri(user, uri, connection);
    if (r)
        r->metrics_port = true;
    return r;
}

static void *on_uri_live(void *user, const char *uri, struct MHD_Connection *connection)
{
    Request *r = on_uri(user, uri, connection);
    if (r)
        r->live_port = true;
    return r;
}

/* ---- routes ---- */

/* Does the path match "/v1/jobs/{id}/events"? Fills r->parts. */
static bool matches(Request *r, const char *pattern)
{
    const char *path = r->path;
    uint32_t    n = 0;
    while (*pattern) {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        size_t length = strcspn(path, "/");
        if (length == 0 || n == HTTP_MAX_PARTS)
            return false;
        r->parts[n++] = arena_printf(&r->arena, "%.*s", (int)length, path);
        path += length;
        pattern = strchr(pattern, '}') + 1;
    }
    return !*path;
}

/* HEAD is GET without the body, which libmicrohttpd leaves out. */
static bool takes_method(const Request *r, const Route *route)
{
    return strcmp(route->method, r->method) == 0
        || (strcmp(r->method, "HEAD") == 0 && strcmp(route->method, "GET") == 0
            && route->handle != api_live && route->handle != api_events);
}

static void answer_preflight(Request *r)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL,
                                                                    MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
    MHD_add_response_header(response, "Access-Control-Allow-Headers",
                            "Authorization, Content-Type, Idempotency-Key, X-Api-Key, "
                            "X-Session-Token, X-Weft-Csrf, traceparent");
    MHD_add_response_header(response, "Access-Control-Allow-Credentials", "true");
    answer_response(r, 204, response);
}

static void find_route(Request *r)
{
    static const Route live = {"GET", "", SCOPE_LIVE, false, false, api_live};
    if (r->live_port && strcmp(r->method, "GET") == 0) {
        r->route = &live;
        return;
    }
    for (uint32_t i = 0; i < http_route_count; i++) {
        const Route *route = &http_routes[i];
        if (r->live_port || (r->metrics_port && !route->on_metrics) || !matches(r, route->path))
            continue;
        if (takes_method(r, route)) {
            r->route = route;
            return;
        }
        r->allow = r->allow ? arena_printf(&r->arena, "%s, %s", r->allow, route->method)
                            : route->method;
    }
    if (r->allow && strcmp(r->method, "OPTIONS") == 0 && guard_origin(r))
        answer_preflight(r);
    else if (r->stage != STAGE_ANSWERED && r->allow)
        answer_error(r, 405, WEFT_ERROR_NOT_FOUND, "this address does not take %.20s",
                     r->method);
    else if (r->stage != STAGE_ANSWERED && !answer_page(r))
        answer_error(r, 404, WEFT_ERROR_NOT_FOUND, "there is no such address");
}

const char *http_route(uint32_t index)
{
    static _Thread_local char text[128];
    if (index >= http_route_count)
        return NULL;
    snprintf(text, sizeof text, "%s %s", http_routes[index].method, http_routes[index].path);
    return text;
}

/* ---- opening ---- */

static void on_connection(void *user, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode code)
{
    Http *h = user;
    (void)connection;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *state = calloc(1, sizeof(Connection));
        metrics_add(h->desc.metrics, METRIC_CONNECTIONS, 0, 1);
        return;
    }
    Connection *c = *state;
    if (c && c->counted)
        jobs_count_connection(h->desc.jobs, c->tenant, -1);
    free(c);
    *state = NULL;
    metrics_add(h->desc.metrics, METRIC_CONNECTIONS, 0, -1);
}

/* Texts of libmicrohttpd go to our log, not to standard error. */
static void on_message(void *user, const char *format, va_list args) PRINTF_LIKE(2, 0);
static void on_message(void *user, const char *format, va_list args)
{
    Http *h = user;
    char  text[512];
    vsnprintf(text, sizeof text, format, args);
    log_event(h->desc.log, LOG_DEBUG, "http", text, NULL);
}

static bool resolve(const char *text, struct sockaddr_storage *out, char *host, size_t size,
                    uint16_t *port)
{
    struct sockaddr_in  *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    *out = (struct sockaddr_storage){0};
    if (!address_split(text, host, size, port))
        return false;
    const char *numeric = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    if (inet_pton(AF_INET, numeric, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(*port);
        return true;
    }
    if (inet_pton(AF_INET6, numeric, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(*port);
        return true;
    }
    return false;
}

typedef enum Port { PORT_API, PORT_METRICS, PORT_LIVE } Port;

static struct MHD_Daemon *start(Http *h, const struct sockaddr_storage *address, Port port)
{
    static void *(*const on_uris[])(void *, const char *, struct MHD_Connection *) = {
        [PORT_API] = on_uri, [PORT_METRICS] = on_uri_metrics, [PORT_LIVE] = on_uri_live};
    const Config *c = h->config;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG
                   | MHD_ALLOW_UPGRADE;
    if (address->ss_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    bool tls = h->certificate && port != PORT_METRICS;
    if (tls)
        flags |= MHD_USE_TLS;
    struct MHD_OptionItem secrets[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, h->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, h->key},
        {MHD_OPTION_END, 0, NULL},
    };
    if (!tls)
        secrets[0] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return MHD_start_daemon(flags, 0, NULL, NULL, on_request, h,
        MHD_OPTION_EXTERNAL_LOGGER, on_message, h,
        MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)address,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)c->max_connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)c->max_connections_ip,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)MAX_OF(c->idle_timeout / NS_PER_S, 1),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096u,
        MHD_OPTION_URI_LOG_CALLBACK, on_uris[port], h,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
        MHD_OPTION_ARRAY, secrets, MHD_OPTION_END);
}

static uint16_t port_of(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

static char *read_file(const char *path, char *why, size_t size)
{
    FILE *file = fopen(path, "rbe");
    char *text = file ? calloc(1, 65537) : NULL;
    if (text && fread(text, 1, 65536, file) == 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    if (!text)
        snprintf(why, size, "%s: cannot be read", path);
    return text;
}

static bool open_tls(Http *h, char *why, size_t size)
{
    const Config *c = h->config;
    if (!*c->tls_certificate && !*c->tls_key)
        return true;
    if (!*c->tls_certificate || !*c->tls_key) {
        snprintf(why, size, "TLS needs both server.tls_certificate and server.tls_key");
        return false;
    }
    h->certificate = read_file(c->tls_certificate, why, size);
    h->key = h->certificate ? read_file(c->tls_key, why, size) : NULL;
    return h->key != NULL;
}

static bool open_metrics(Http *h, char *why, size_t size)
{
    struct sockaddr_storage address;
    char                    host[64];
    const char             *text = h->config->metrics_listen;
    if (!*text || strcmp(text, "off") == 0)
        return true;
    if (!resolve(text, &address, host, sizeof host, &h->metrics_port)) {
        snprintf(why, size, "server.metrics_listen: '%s' is not an address with a port", text);
        return false;
    }
    h->metrics = start(h, &address, PORT_METRICS);
    if (!h->metrics) {
        snprintf(why, size, "%s: cannot listen there; is the port in use? "
                 "server.metrics_listen: off needs none", text);
        return false;
    }
    h->metrics_port = port_of(h->metrics);
    return true;
}

/* Beside the API: on its address and port 8095, or any port if the API has any. */
static void live_address(const Http *h, char *out, size_t size)
{
    char     host[64];
    uint16_t port = 0;
    address_split(h->config->listen, host, sizeof host, &port);
    snprintf(out, size, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port ? 8095 : 0);
}

static bool open_live(Http *h, char *why, size_t size)
{
    struct sockaddr_storage address;
    char                    host[64], automatic[80];
    const char             *text = h->config->live_listen;
    if (!h->desc.on_socket || !h->config->live_enabled || strcmp(text, "off") == 0)
        return true;
    if (strcmp(text, "auto") == 0) {
        live_address(h, automatic, sizeof automatic);
        text = automatic;
    }
    if (!resolve(text, &address, host, sizeof host, &h->live_port)) {
        snprintf(why, size, "live.listen: '%s' is not an address with a port", text);
        return false;
    }
    h->live = start(h, &address, PORT_LIVE);
    if (!h->live) {
        snprintf(why, size, "%s: cannot listen there; is the port in use? live.listen: off needs "
                 "none", text);
        return false;
    }
    h->live_port = port_of(h->live);
    return true;
}

Http *http_open(const HttpDesc *desc, char *why, size_t size)
{
    struct sockaddr_storage address;
    Http *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->desc = *desc;
    h->config = desc->config;
    pthread_mutex_init(&h->lock, NULL);
    const char *text = desc->config->listen;
    bool ok = resolve(text, &address, h->address, sizeof h->address, &h->port);
    if (!ok)
        snprintf(why, size, "server.listen: '%s' is not an address with a port", text);
    if (!asides_open(h)) {
        snprintf(why, size, "a thread cannot be started");
        ok = false;
    }
    ok = ok && open_tls(h, why, size) && open_metrics(h, why, size) && open_live(h, why, size);
    if (ok) {
        h->api = start(h, &address, PORT_API);
        if (!h->api)
            snprintf(why, size, "%s: cannot listen there; is the port in use?%s", text,
                     h->certificate ? " Are certificate and key in PEM format?" : "");
        else
            h->port = port_of(h->api);
    }
    if (!ok || !h->api) {
        http_close(h);
        return NULL;
    }
    return h;
}

void http_reload(Http *h, const Config *config)
{
    h->config = config;
}

void http_quiesce(Http *h)
{
    if (h && h->live)
        MHD_quiesce_daemon(h->live);
    if (h && h->api)
        MHD_quiesce_daemon(h->api);
}

/* Wakes every sleeping request, and waits until all that slept have their answer:
 * libmicrohttpd cannot stop while one sleeps, and cuts off those that are not sent. */
static void wake_all(Http *h)
{
    bool waits = true;
    for (int ms = 0; waits && ms < CLOSE_MS; ms += 5) {
        waits = false;
        pthread_mutex_lock(&h->lock);
        for (Request *r = h->requests; r; r = r->after) {
            waits = waits || atomic_load(&r->slept);
            request_wake(r);
        }
        pthread_mutex_unlock(&h->lock);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

void http_close(Http *h)
{
    if (!h)
        return;
    atomic_store(&h->closing, true);
    asides_close(h);
    wake_all(h);
    if (h->api)
        MHD_stop_daemon(h->api);
    if (h->metrics)
        MHD_stop_daemon(h->metrics);
    if (h->live)
        MHD_stop_daemon(h->live);
    pthread_mutex_destroy(&h->lock);
    free(h->certificate);
    free(h->key);
    free(h);
}

uint16_t http_port(const Http *h)
{
    return h->port;
}

uint16_t http_metrics_port(const Http *h)
{
    return h->metrics ? h->metrics_port : 0;
}

uint16_t http_live_port(const Http *h)
{
    return h->live ? h->live_port : 0;
}
