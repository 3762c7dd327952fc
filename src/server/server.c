// SPDX-License-Identifier: Apache-2.0
/*
 * server.c - puts the parts of the server together and takes them apart.
 *
 * in     a configuration, a data folder
 * out    a running server until a signal ends it
 * knows  all parts of the server
 * not    command lines
 */
#define _GNU_SOURCE
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/auth/auth.h"
#include "server/bus/bus.h"
#include "server/http/http.h"
#include "server/jobs/jobs.h"
#include "server/live/live.h"
#include "server/metrics/metrics.h"
#include "server/models/models.h"
#include "server/pages/pages.h"
#include "server/websocket/websocket.h"
#include "server/worker/sandbox.h"

/* A configuration that was loaded while the server ran: other threads may read it until the
 * end. */
typedef struct Loaded Loaded;
struct Loaded {
    Loaded *next;
    Config  config;
};

typedef struct Server {
    const ServerDesc *desc;
    Config            config;
    Log               log;
    Metrics           metrics;
    uint32_t          protections;
    int               folder_lock;      /* of the data folder                             */
    Audit            *audit;
    Auth             *auth;
    Bus              *bus;              /* to other servers                               */
    char              id[STORE_ID_SIZE];/* of this one, the same after a restart          */
    Jobs             *jobs;
    Models           *models;
    Live             *live;
    Sockets          *sockets;
    pthread_mutex_t   lock;             /* of the next                                    */
    bool              takes_sockets;
    Pages            *pages;
    Http             *http;
    Loaded           *loaded;
} Server;

static void say(Server *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(Server *s, const char *fmt, ...)
{
    char    text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    s->desc->print(s->desc->user, text);
}

/* ---- configuration ---- */

static bool load_config(const ServerDesc *desc, Config *config, char *why, size_t size)
{
    if (desc->config_path) {
        if (!config_load(config, desc->config_path, why, size))
            return false;
    } else {
        config_init(config);
        /* Without a file: a server for this machine alone. */
        config->auth_required = false;
    }
    for (const char *const *at = desc->settings; at && *at; at++) {
        const char *equals = strchr(*at, '=');
        char        key[256];
        if (!equals || (size_t)(equals - *at) >= sizeof key) {
            snprintf(why, size, "'%s' is not KEY=VALUE", *at);
            return false;
        }
        memcpy(key, *at, (size_t)(equals - *at));
        key[equals - *at] = '\0';
        if (!config_set(config, key, equals + 1, why, size))
            return false;
    }
    return true;
}

/* What is wrong with the configuration, here; NULL: nothing. */
static const char *find_fault(const Config *c, uint32_t protections, char *why, size_t size)
{
    if (config_fault(c, why, size))
        return why;
    if (!(protections & 1u << SANDBOX_SECCOMP) && !c->workers_unsafe)
        return "this machine offers no seccomp: kernels would run without their sandbox; "
               "workers.allow_without_seccomp: true starts all the same";
    return NULL;
}

static void tell_protections(Server *s)
{
    for (uint32_t i = 0; i < SANDBOX_PART_COUNT; i++)
        say(s, "  %-14s %s", sandbox_name((SandboxPart)i),
            s->protections & 1u << i ? "active" : "not available");
}

/* ---- events ---- */

static void on_start(void *user, const JobRecord *job)
{
    Server *s = user;
    audit_write(s->audit, &(AuditEvent){
        .action = "execute", .allowed = true, .tenant = job->tenant, .subject = job->subject,
        .origin = job->origin, .object = job->id, .trace = job->trace});
}

static void on_end(void *user, const JobRecord *job, const char *publish)
{
    Server *s = user;
    live_job_ended(s->live, job, publish);
}

static void on_state(void *user, State from, StateEvent event, State to)
{
    Server *s = user;
    live_state_changed(s->live, from, event, to);
}

/* For clients on sockets, which come through s->http. */
static bool submit_job(void *user, const LiveSubmit *submit, char id[STORE_ID_SIZE],
                       weft_error_kind *kind, char *why, size_t size)
{
    Server *s = user;
    pthread_mutex_lock(&s->lock);
    Http *http = s->http;
    pthread_mutex_unlock(&s->lock);
    if (http)
        return http_submit(http, submit, id, kind, why, size);
    *kind = WEFT_ERROR_DEVICE_LOST;
    snprintf(why, size, "the server is starting");
    return false;
}

static void on_socket(void *user, const HttpSocket *h)
{
    Server *s = user;
    pthread_mutex_lock(&s->lock);       /* an upgrade may come while the server ends */
    if (s->takes_sockets)
        sockets_add(s->sockets, &(SocketDesc){
            .fd = h->fd, .extra = h->extra, .extra_size = h->extra_size,
            .protocol = h->protocol, .tenant = h->who->tenant, .expires = h->who->expires,
            .scopes = h->who->scopes, .deflate = h->deflate, .handle = h->handle,
            .close = h->close});
    else
        h->close(h->handle);
    pthread_mutex_unlock(&s->lock);
}

/* ---- opening ---- */

static bool open_folder(Server *s, char *why, size_t size)
{
    char path[4096];
    if (mkdir(s->desc->folder, 0700) != 0 && errno != EEXIST) {
        snprintf(why, size, "%s: %s", s->desc->folder, strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/lock", s->desc->folder);
    s->folder_lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->folder_lock < 0 || flock(s->folder_lock, LOCK_EX | LOCK_NB) != 0) {
        snprintf(why, size, "%s: %s", s->desc->folder, s->folder_lock < 0 ? strerror(errno)
                 : "another server uses this folder");
        return false;
    }
    return true;
}

/* The server's name, made at its first start. */
static bool read_id(Server *s, char *why, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/server-id", s->desc->folder);
    FILE *file = fopen(path, "re");
    bool  ok = file && fgets(s->id, sizeof s->id, file) && strlen(s->id) == STORE_ID_SIZE - 1;
    if (file)
        fclose(file);
    if (ok)
        return true;
    jobs_new_id(s->id);
    file = fopen(path, "we");
    ok = file && fputs(s->id, file) >= 0;
    ok = file && fclose(file) == 0 && ok;
    if (!ok)
        snprintf(why, size, "%.900s: cannot be written", path);
    return ok;
}

/* Without pages the API works all the same; a folder that was asked for must exist. */
static bool open_pages(Server *s, char *why, size_t size)
{
    char        found[4096];
    const char *folder = s->config.web;
    if (strcmp(folder, "off") == 0)
        return true;
    if (!*folder && !pages_default_folder(found, sizeof found)) {
        log_event(&s->log, LOG_WARN, "pages", "no folder share/weft/web beside the command: "
                  "there are no web pages", NULL);
        return true;
    }
    s->pages = pages_open(*folder ? folder : found, why, size);
    return s->pages != NULL;
}

static bool open_connections(Server *s, char *why, size_t size)
{
    SocketProtocol protocols[LIVE_PROTOCOLS];
    live_protocols(s->live, protocols);
    s->sockets = sockets_open(&(SocketsDesc){
        .metrics = &s->metrics, .max_message = s->config.live_max_message,
        .max_queue = s->config.live_queue, .ping = s->config.live_ping,
        .protocols = protocols, .protocol_count = LIVE_PROTOCOLS});
    s->takes_sockets = s->sockets != NULL;
    if (!s->sockets || !live_start(s->live, &(LiveParts){
            .jobs = s->jobs, .sockets = s->sockets, .show_job = http_show_job,
            .submit = submit_job, .user = s}, why, size))
        return false;
    Http *http = http_open(&(HttpDesc){
        .config = &s->config, .jobs = s->jobs, .auth = s->auth, .models = s->models,
        .live = s->live, .audit = s->audit, .metrics = &s->metrics, .log = &s->log,
        .pages = s->pages, .protections = s->protections,
        .on_socket = on_socket, .user = s}, why, size);
    pthread_mutex_lock(&s->lock);
    s->http = http;
    pthread_mutex_unlock(&s->lock);
    return http != NULL;
}

static bool open_parts(Server *s, char *why, size_t size)
{
    char audit[4096];
    snprintf(audit, sizeof audit, "%s/audit", s->desc->folder);
    if (!open_folder(s, why, size))
        return false;
    if (s->config.sec_audit && !(s->audit = audit_open(audit, 0, &s->metrics, why, size)))
        return false;
    s->auth = auth_open(&s->config, s->desc->folder, &s->log, why, size);
    if (!s->auth)
        return false;
    bool shared = strcmp(s->config.store_kind, "redis") == 0;
    s->bus = read_id(s, why, size) ? bus_open(&(BusDesc){
        .url = shared ? s->config.store_url : NULL, .prefix = s->config.store_prefix,
        .log = &s->log}, why, size) : NULL;
    if (!s->bus)
        return false;
    s->live = live_open(&(LiveDesc){.config = &s->config, .server = s->id, .bus = s->bus,
                                    .shared = shared, .metrics = &s->metrics, .log = &s->log},
                        why, size);
    if (!s->live)
        return false;
    s->jobs = jobs_open(&(JobsDesc){.config = &s->config, .folder = s->desc->folder,
                                    .server = s->id, .bus = s->bus,
                                    .metrics = &s->metrics, .log = &s->log,
                                    .on_start = on_start, .on_end = on_end,
                                    .on_state = on_state, .user = s}, why, size);
    if (!s->jobs)
        return false;
    s->models = models_open(&(ModelsDesc){.config = &s->config, .metrics = &s->metrics,
                                          .log = &s->log}, why, size);
    if (!s->models || !open_pages(s, why, size))
        return false;
    return open_connections(s, why, size);
}

static void close_parts(Server *s)
{
    if (s->http)
        http_quiesce(s->http);
    if (s->jobs)
        jobs_drain(s->jobs);
    pthread_mutex_lock(&s->lock);
    s->takes_sockets = false;
    pthread_mutex_unlock(&s->lock);
    live_stop(s->live);
    sockets_close(s->sockets);
    http_close(s->http);
    models_close(s->models);
    bus_close(s->bus);
    pages_close(s->pages);
    jobs_close(s->jobs);
    live_close(s->live);
    auth_close(s->auth);
    audit_close(s->audit);
    if (s->folder_lock >= 0)
        close(s->folder_lock);
    config_fini(&s->config);
    for (Loaded *next; s->loaded; s->loaded = next) {
        next = s->loaded->next;
        config_fini(&s->loaded->config);
        free(s->loaded);
    }
}

/* ---- running ---- */

static void raise_descriptors(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
}

static void announce(Server *s)
{
    char     host[64];
    uint16_t port;
    address_split(s->config.listen, host, sizeof host, &port);
    say(s, "listening on %s://%s%s%s:%u", *s->config.tls_certificate ? "https" : "http",
        strchr(host, ':') ? "[" : "", host, strchr(host, ':') ? "]" : "", http_port(s->http));
    if (http_live_port(s->http))
        say(s, "live on port %u", http_live_port(s->http));
    if (http_metrics_port(s->http))
        say(s, "metrics on port %u", http_metrics_port(s->http));
    if (!s->config.auth_required)
        say(s, "warning: authentication is off: every program on this machine may use it");
}

/* Everything that can change while the server runs: keys, origins, quotas, limits. */
static void reload(Server *s)
{
    char    why[1024] = "out of memory";
    Loaded *loaded = calloc(1, sizeof *loaded);
    auth_reload(s->auth);
    if (!loaded || !load_config(s->desc, &loaded->config, why, sizeof why)
        || config_fault(&loaded->config, why, sizeof why)) {
        log_event(&s->log, LOG_ERROR, "reload", why, NULL);
        if (loaded)
            config_fini(&loaded->config);
        free(loaded);
        return;
    }
    loaded->next = s->loaded;
    s->loaded = loaded;
    jobs_reload(s->jobs, &loaded->config);
    http_reload(s->http, &loaded->config);
    log_event(&s->log, LOG_INFO, "reload", "configuration and keys were read again", NULL);
}

static void wait_for_end(Server *s, const sigset_t *signals)
{
    for (int ticks = 0;; ticks++) {
        struct timespec second = {.tv_sec = 1};
        int             signal = sigtimedwait(signals, NULL, &second);
        if (signal == SIGINT || signal == SIGTERM)
            return;
        if (signal == SIGHUP)
            reload(s);
        audit_sync(s->audit);
        http_tick(s->http);
        if (ticks % 10 == 0 || signal == SIGHUP)
            jobs_sweep(s->jobs);
    }
}

static int check(Server *s, const char *fault)
{
    say(s, "protections of worker processes on this machine:");
    tell_protections(s);
    if (s->config.workers_gpu)
        say(s, "the profile gpu is on: its workers have neither landlock nor mdwe");
    say(s, "%s", fault ? fault : "the configuration is valid");
    return fault ? 1 : 0;
}

int server_run(const ServerDesc *desc)
{
    Server   server = {.desc = desc, .folder_lock = -1, .log = {LOG_INFO, 2},
                       .lock = PTHREAD_MUTEX_INITIALIZER}, *s = &server;
    char     why[1024] = "";
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);           /* a file that is too large is an error, not the end */
    s->protections = sandbox_probe();
    if (!load_config(desc, &s->config, why, sizeof why)) {
        say(s, "configuration: %s", why);
        config_fini(&s->config);
        return 2;
    }
    log_level_find(s->config.log_level, &s->log.level);
    const char *fault = find_fault(&s->config, s->protections, why, sizeof why);
    if (desc->check || fault) {
        int status = desc->check ? check(s, fault) : (say(s, "%s", fault), 2);
        config_fini(&s->config);
        return status;
    }
    raise_descriptors();
    bool ok = open_parts(s, why, sizeof why);
    if (ok) {
        announce(s);
        wait_for_end(s, &signals);
        say(s, "draining");
    } else {
        say(s, "%s", why);
    }
    close_parts(s);
    return ok ? 0 : 2;
}
