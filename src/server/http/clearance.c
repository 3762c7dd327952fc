// SPDX-License-Identifier: Apache-2.0
/*
 * clearance.c - what POST /v1/check grants: origin, level, limits, verdict, and a token that
 * lets this kernel be executed once.
 *
 * in     the report of a worker
 * out    a clearance; later, whether a token fits a request
 * knows  signed tokens, single use in the store
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/http/http_priv.h"

static void hash_kernel(const char *wgsl, char hex[65])
{
    uint8_t hash[32];
    crypto_generichash(hash, sizeof hash, (const uint8_t *)wgsl, strlen(wgsl), NULL, 0);
    sodium_bin2hex(hex, 65, hash, sizeof hash);
}

static const char *level_of(const Identity *who)
{
    return who->scopes & SCOPE_ADMIN ? "trusted" : who->via == AUTH_SESSION ? "session"
         : "standard";
}

static bool make_token(Request *r, const JobSpec *spec, int64_t expires, char *out, size_t size)
{
    uint8_t random[12];
    char    nonce[25], kernel[65], payload[512];
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(nonce, sizeof nonce, random, sizeof random);
    hash_kernel(spec->wgsl, kernel);
    snprintf(payload, sizeof payload, "{\"k\":\"clearance\",\"t\":\"%s\",\"h\":\"%s\",\"m\":%llu,"
             "\"o\":%llu,\"d\":%llu,\"i\":\"%s\",\"x\":%lld}", r->who.tenant, kernel,
             (unsigned long long)spec->memory_limit, (unsigned long long)spec->ops_limit,
             (unsigned long long)spec->time_limit, nonce, (long long)expires);
    return auth_sign(r->http->desc.auth, payload, out, size);
}

void clearance_answer(Request *r, const JobSpec *spec, json_t *report)
{
    const char *verdict = json_string_value(json_object_get(report, "verdict"));
    bool        accepted = verdict && strcmp(verdict, "accepted") == 0;
    char        token[1024] = "";
    int64_t     expires = jobs_now_ms()
                        + (int64_t)(r->http->config->clearance_ttl / 1000000);
    guard_audit(r, "check", accepted, "wgsl", accepted ? "" : "rejected");
    json_t *answer = json_pack("{s:O, s:{s:s, s:s, s:{s:I, s:I, s:f}, s:s}}", "report", report,
        "clearance", "origin", *r->origin ? r->origin : "none", "level", level_of(&r->who),
        "limits", "memory", (json_int_t)spec->memory_limit, "operations",
        (json_int_t)spec->ops_limit, "time", (double)spec->time_limit / 1e9,
        "shader", accepted ? "accepted" : "rejected");
    if (accepted && answer && make_token(r, spec, expires, token, sizeof token)) {
        json_t *clearance = json_object_get(answer, "clearance");
        json_object_set_new(clearance, "execution_token", json_string(token));
        json_object_set_new(clearance, "expires", json_integer(expires));
    }
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    if (text)
        answer_text(r, 200, "application/json", text, strlen(text));
    else
        answer_error(r, 0, WEFT_ERROR_MEMORY, "out of memory");
    free(text);
    json_decref(answer);
}

static const char *clearance_fault(Request *r, const char *payload, const JobSpec *spec,
                                   char nonce[64], int64_t *expires)
{
    json_t     *root = json_loads(payload, 0, NULL);
    char        kernel[65];
    const char *kind = json_string_value(json_object_get(root, "k"));
    const char *tenant = json_string_value(json_object_get(root, "t"));
    const char *hash = json_string_value(json_object_get(root, "h"));
    const char *id = json_string_value(json_object_get(root, "i"));
    const char *why = NULL;
    hash_kernel(spec->wgsl, kernel);
    if (!kind || strcmp(kind, "clearance") || !tenant || !hash || !id || strlen(id) > 60)
        why = "it is not a clearance";
    else if (strcmp(tenant, r->who.tenant))
        why = "it was given to another tenant";
    else if (strcmp(hash, kernel))
        why = "it was given for another kernel";
    else if (spec->memory_limit > (uint64_t)json_integer_value(json_object_get(root, "m"))
             || spec->ops_limit > (uint64_t)json_integer_value(json_object_get(root, "o"))
             || spec->time_limit > (uint64_t)json_integer_value(json_object_get(root, "d")))
        why = "it grants smaller limits";
    else
        snprintf(nonce, 64, "%s", id);
    *expires = json_integer_value(json_object_get(root, "x"));
    json_decref(root);
    return why;
}

bool clearance_use(Request *r, const char *token, const JobSpec *spec)
{
    char       *payload = NULL, nonce[64] = "";
    const char *why = NULL;
    int64_t     expires = 0;
    AuthResult  result = auth_verify(r->http->desc.auth, token, &payload);
    if (result != AUTH_OK)
        why = result == AUTH_EXPIRED ? "it has expired" : "it is not genuine";
    else
        why = clearance_fault(r, payload, spec, nonce, &expires);
    if (!why) {
        StoreOp op = {.kind = STORE_USE_TOKEN, .token = nonce, .expires = expires,
                      .ttl_ms = expires - jobs_now_ms() + 60000};
        if (!store_apply(jobs_store(r->http->desc.jobs), &op))
            why = "the store cannot record its use";
        else if (!op.applied)
            why = "it was used before";
    }
    free(payload);
    if (!why)
        return true;
    metrics_add(r->http->desc.metrics, METRIC_REJECTED, 0, 1);
    guard_audit(r, "validate", false, "clearance", why);
    answer_error(r, 403, WEFT_ERROR_DENIED, "the clearance is refused: %s", why);
    return false;
}
