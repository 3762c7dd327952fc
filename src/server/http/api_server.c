// SPDX-License-Identifier: Apache-2.0
/*
 * api_server.c - what the server says about itself: health, state, devices, alerts, metrics;
 * tokens.
 *
 * in     requests
 * out    answers
 * knows  jobs/, metrics/, auth/
 */
#define _GNU_SOURCE
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/http/http_priv.h"
#include "server/worker/sandbox.h"

extern const char openapi_text[];

/* ---- health ---- */

void api_health(Request *r)
{
    answer_text(r, 200, "application/json", "{\"status\":\"ok\"}\n", 16);
}

static void show_protections(Text *out, uint32_t bits)
{
    text_char(out, '{');
    for (uint32_t i = 0; i < SANDBOX_PART_COUNT; i++)
        text_printf(out, "%s\"%s\":%s", i ? "," : "", sandbox_name((SandboxPart)i),
                    bits & 1u << i ? "true" : "false");
    text_char(out, '}');
}

void api_ready(Request *r)
{
    State       state = jobs_state(r->http->desc.jobs);
    PoolFigures pool = jobs_pool(r->http->desc.jobs);
    char        fault[256];
    bool        ready = !jobs_fault(r->http->desc.jobs, fault, sizeof fault)
              && (state == SERVER_IDLE || state == SERVER_PROCESSING)
              && pool.ready + pool.busy > 0;
    Text out = {.arena = &r->arena};
    text_printf(&out, "{\"ready\":%s,\"state\":\"%s\",\"workers\":%u,\"protections\":",
                ready ? "true" : "false", state_name(state), pool.workers);
    show_protections(&out, pool.protections);
    if (jobs_gpu(r->http->desc.jobs, &pool)) {
        text_printf(&out, ",\"gpu\":{\"workers\":%u,\"protections\":", pool.workers);
        show_protections(&out, pool.protections);
        text_char(&out, '}');
    }
    if (*fault) {
        text_add(&out, STR(",\"fault\":"));
        text_json(&out, str_of(fault));
    }
    text_add(&out, STR("}\n"));
    answer_json(r, ready ? 200 : 503, &out);
}

static int64_t resident_bytes(void)
{
    long  pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

void api_metrics(Request *r)
{
    Text out = {.arena = &r->arena};
    jobs_pool(r->http->desc.jobs);
    metrics_set(r->http->desc.metrics, METRIC_MEMORY, 0, resident_bytes());
    metrics_print(r->http->desc.metrics, &out);
    answer_text(r, 200, "text/plain; version=0.0.4; charset=utf-8", out.data, out.len);
}

/* ---- state ---- */

void api_state(Request *r)
{
    const Config *c = r->http->config;
    State         state = jobs_state(r->http->desc.jobs);
    PoolFigures   pool = jobs_pool(r->http->desc.jobs);
    Metrics      *m = r->http->desc.metrics;
    Text          out = {.arena = &r->arena};
    text_printf(&out, "{\"state\":\"%s\",\"workers\":{\"total\":%u,\"ready\":%u,\"busy\":%u,"
                "\"started\":%llu,\"died\":%llu,\"killed\":%llu},\"jobs\":{\"submitted\":%lld,"
                "\"done\":%lld,\"failed\":%lld,\"cancelled\":%lld,\"queued\":%lld,"
                "\"running\":%lld},\"transitions\":{\"server\":%lld,\"device\":%lld},"
                "\"browser_support\":[", state_name(state), pool.workers, pool.ready, pool.busy,
                (unsigned long long)pool.started, (unsigned long long)pool.died,
                (unsigned long long)pool.killed, (long long)metrics_get(m, METRIC_SUBMITTED, 0),
                (long long)metrics_get(m, METRIC_FINISHED, 0),
                (long long)metrics_get(m, METRIC_FINISHED, 1),
                (long long)metrics_get(m, METRIC_FINISHED, 2),
                (long long)metrics_get(m, METRIC_QUEUED, 0),
                (long long)metrics_get(m, METRIC_RUNNING, 0),
                (long long)metrics_get(m, METRIC_TRANSITIONS, 0),
                (long long)metrics_get(m, METRIC_TRANSITIONS, 1));
    for (uint32_t i = 0; i < c->int_browsers.count; i++) {
        text_add(&out, i ? STR(",") : STR(""));
        text_json(&out, str_of(c->int_browsers.items[i]));
    }
    text_add(&out, STR("],\"protections\":"));
    show_protections(&out, pool.protections);
    text_add(&out, STR("}\n"));
    answer_json(r, 200, &out);
}

static void show_device(Text *out, const char *profile, const PoolFigures *pool)
{
    text_printf(out, "{\"profile\":\"%s\",\"name\":", profile);
    text_json(out, str_of(pool->device));
    text_printf(out, ",\"workers\":%u,\"ready\":%u,\"busy\":%u,\"bandwidth_bytes_per_second\":"
                "%.0f,\"operations_per_second\":%.0f", pool->workers, pool->ready, pool->busy,
                pool->bandwidth, pool->arithmetic);
    if (*pool->fault) {
        text_add(out, STR(",\"fault\":"));
        text_json(out, str_of(pool->fault));
    }
    text_char(out, '}');
}

void api_devices(Request *r)
{
    PoolFigures pool = jobs_pool(r->http->desc.jobs);
    Text        out = {.arena = &r->arena};
    text_add(&out, STR("{\"devices\":["));
    show_device(&out, "kernel", &pool);
    if (jobs_gpu(r->http->desc.jobs, &pool)) {
        text_char(&out, ',');
        show_device(&out, "gpu", &pool);
    }
    text_add(&out, STR("]}\n"));
    answer_json(r, 200, &out);
}

void api_alerts(Request *r)
{
    Alert    alerts[32];
    uint32_t count = jobs_alerts(r->http->desc.jobs, alerts, COUNTOF(alerts));
    Text     out = {.arena = &r->arena};
    text_add(&out, STR("{\"alerts\":["));
    for (uint32_t i = 0; i < count; i++) {
        text_printf(&out, "%s{\"name\":\"%s\",\"active\":%s,\"since\":%lld,\"count\":%llu,"
                    "\"detail\":", i ? "," : "", alerts[i].name,
                    alerts[i].active ? "true" : "false", (long long)alerts[i].since,
                    (unsigned long long)alerts[i].count);
        text_json(&out, str_of(alerts[i].detail));
        text_char(&out, '}');
    }
    text_add(&out, STR("]}\n"));
    answer_json(r, 200, &out);
}

#define MAX_TENANTS 1000u

void api_tenants(Request *r)
{
    TenantFigures *all = ARENA_ARRAY(&r->arena, TenantFigures, MAX_TENANTS);
    uint32_t       count = jobs_tenants(r->http->desc.jobs, all, MAX_TENANTS);
    Text           out = {.arena = &r->arena};
    text_add(&out, STR("{\"tenants\":["));
    for (uint32_t i = 0; i < count; i++) {
        const TenantFigures *t = &all[i];
        text_printf(&out, "%s{\"name\":", i ? "," : "");
        text_json(&out, str_of(t->name));
        text_printf(&out, ",\"jobs\":%llu,\"memory\":%llu,\"stored\":%llu,"
                    "\"connections\":%llu,\"seconds\":%.6f,\"operations\":%llu}",
                    (unsigned long long)t->jobs, (unsigned long long)t->memory,
                    (unsigned long long)t->stored, (unsigned long long)t->connections,
                    (double)t->time_ns / 1e9, (unsigned long long)t->operations);
    }
    text_add(&out, STR("]}\n"));
    answer_json(r, 200, &out);
}

void api_openapi(Request *r)
{
    answer_text(r, 200, "application/json", openapi_text, strlen(openapi_text));
}

void api_root(Request *r)
{
    static const char text[] =
        "Weft compute server\n\n"
        "  POST /v1/jobs      run a WGSL kernel\n"
        "  GET  /v1/jobs      your jobs\n"
        "  GET  /v1/state     what the server does\n"
        "  GET  /openapi.json the whole API\n";
    const char *accepted = request_header(r, "Accept");
    if (accepted && strstr(accepted, "text/html") && answer_page(r))
        return;
    answer_text(r, 200, "text/plain; charset=utf-8", text, sizeof text - 1);
}

/* ---- tokens ---- */

void api_token(Request *r)
{
    json_t     *root = body_json(r, r->body, r->body_size);
    char        token[1024];
    uint64_t    ttl = r->http->config->token_ttl;
    if (!root)
        return;
    const char *tenant = json_string_value(json_object_get(root, "tenant"));
    const char *scopes = json_string_value(json_object_get(root, "scopes"));
    const char *life = json_string_value(json_object_get(root, "ttl"));
    uint32_t    bits = scopes ? scopes_read(scopes) : SCOPE_USER;
    if (!tenant)
        tenant = r->who.tenant;
    if (!bits || (bits & ~r->who.scopes) || (life && !units_time(life, &ttl)))
        answer_error(r, 400, WEFT_ERROR_INVALID, "scopes: some of your own; ttl: a time such as "
                     "10m");
    else if (strcmp(tenant, r->who.tenant) && !(r->who.scopes & SCOPE_ADMIN))
        answer_error(r, 403, WEFT_ERROR_DENIED, "tokens of other tenants need the scope 'admin'");
    else if (!auth_token_create(r->http->desc.auth, tenant, bits, ttl, token, sizeof token))
        answer_error(r, 400, WEFT_ERROR_INVALID, "tenant: letters, digits and -_.@");
    else {
        guard_audit(r, "token", true, tenant, scopes);
        Text out = {.arena = &r->arena};
        text_printf(&out, "{\"token\":\"%s\"}\n", token);
        answer_json(r, 200, &out);
    }
    json_decref(root);
}
