// SPDX-License-Identifier: Apache-2.0
/*
 * fault.c - what is wrong with the values of a configuration, alone and together.
 *
 * in     a Config
 * out    a sentence that names the key, or nothing
 * not    what this machine offers (server.c)
 */
#include <stdio.h>
#include <string.h>

#include "server/config/config.h"

/* Keys that take one of a few words. */
static const struct Choice {
    size_t      offset;
    const char *path, *words[6];
} choices[] = {
    {offsetof(Config, log_level), "server.log_level", {"debug", "info", "warn", "error", "off"}},
    {offsetof(Config, store_kind), "store.kind", {"sqlite", "redis"}},
    {offsetof(Config, store_sync), "store.synchronous", {"full", "normal"}},
    {offsetof(Config, store_answer), "store.answer", {"written", "durable"}},
    {offsetof(Config, queue_kind), "queue.kind", {"embedded", "nats"}},
    {offsetof(Config, vectors_metric), "vectors.metric", {"cosine", "dot", "euclidean"}},
    {offsetof(Config, vectors_grid), "vectors.map.grid", {"hexagonal", "square"}},
};

static bool choice_fits(const struct Choice *c, const char *value)
{
    for (size_t i = 0; i < COUNTOF(c->words) && c->words[i]; i++)
        if (strcmp(c->words[i], value) == 0)
            return true;
    return false;
}

static void choice_explain(const struct Choice *c, const char *value, char *why, size_t size)
{
    size_t at = (size_t)snprintf(why, size, "%s: '%.60s' is not ", c->path, value);
    for (size_t i = 0; i < COUNTOF(c->words) && c->words[i] && at < size; i++) {
        bool last = i + 1 == COUNTOF(c->words) || !c->words[i + 1];
        at += (size_t)snprintf(why + at, size - at, "%s%s",
                               i == 0 ? "" : last ? " or " : ", ", c->words[i]);
    }
}

static const char *fault_of_pairs(const Config *c)
{
    char     host[64], other[64];
    uint16_t port;
    if (!address_split(c->listen, host, sizeof host, &port))
        return "server.listen is not an address with a port";
    if (*c->metrics_listen && strcmp(c->metrics_listen, "off") != 0
        && !address_split(c->metrics_listen, other, sizeof other, &port))
        return "server.metrics_listen is neither an address with a port nor off";
    if (strcmp(c->live_listen, "off") != 0 && strcmp(c->live_listen, "auto") != 0
        && !address_split(c->live_listen, other, sizeof other, &port))
        return "live.listen is neither an address with a port nor auto nor off";
    if (!c->auth_required && !address_is_loopback(host))
        return "auth.required may be false only on a loopback address";
    if (strcmp(c->queue_kind, "nats") == 0 && strcmp(c->store_kind, "redis") != 0)
        return "queue.kind nats needs store.kind redis: other servers could not read the jobs";
    if (!*c->tls_certificate != !*c->tls_key)
        return "server.tls_certificate and server.tls_key belong together";
    if (*c->kratos_url && strncmp(c->kratos_url, "http://", 7) != 0
        && strncmp(c->kratos_url, "https://", 8) != 0)
        return "auth.kratos_url begins with http:// or https://";
    if (c->vectors_width < 2 || c->vectors_height < 2 || c->vectors_width > 256
        || c->vectors_height > 256)
        return "vectors.map.width and height are 2 to 256";
    if (!c->sec_sandbox && !c->workers_unsafe)
        return "enable_shader_sandboxing: false needs workers.allow_without_seccomp: true";
    return NULL;
}

bool config_fault(const Config *c, char *why, size_t size)
{
    for (size_t i = 0; i < COUNTOF(choices); i++) {
        const char *value = *(char *const *)((const char *)c + choices[i].offset);
        if (!choice_fits(&choices[i], value)) {
            choice_explain(&choices[i], value, why, size);
            return true;
        }
    }
    const char *fault = fault_of_pairs(c);
    if (fault)
        snprintf(why, size, "%s", fault);
    return fault != NULL;
}
