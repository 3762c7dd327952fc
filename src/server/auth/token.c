// SPDX-License-Identifier: Apache-2.0
/*
 * token.c - signed tokens: "wt1." payload "." signature, both base64url.
 *
 * in     JSON payloads with a time of expiry
 * out    tokens; payloads of tokens that are genuine and not expired
 * knows  Ed25519
 * not    what the payloads grant
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "server/auth/auth_priv.h"

#define MAX_PAYLOAD 4096u
static const char prefix[] = "wt1.";

int64_t auth_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static char *encode(const void *bytes, size_t size)
{
    size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char  *text = malloc(room);
    return text ? sodium_bin2base64(text, room, bytes, size,
                                    sodium_base64_VARIANT_URLSAFE_NO_PADDING) : NULL;
}

bool auth_sign(Auth *a, const char *payload, char *out, size_t size)
{
    uint8_t signature[crypto_sign_BYTES];
    crypto_sign_detached(signature, NULL, (const uint8_t *)payload, strlen(payload), a->secret);
    char *body = encode(payload, strlen(payload)), *seal = encode(signature, sizeof signature);
    int   n = body && seal ? snprintf(out, size, "%s%s.%s", prefix, body, seal) : -1;
    free(body);
    free(seal);
    return n > 0 && (size_t)n < size;
}

static bool decode(uint8_t *out, size_t room, const char *text, size_t length, size_t *size)
{
    const char *end = NULL;
    return sodium_base642bin(out, room, text, length, NULL, size, &end,
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0
        && end == text + length;
}

AuthResult auth_verify(Auth *a, const char *token, char **payload)
{
    uint8_t     body[MAX_PAYLOAD], seal[crypto_sign_BYTES];
    size_t      body_size = 0, seal_size = 0;
    const char *start = token + strlen(prefix);
    if (strncmp(token, prefix, strlen(prefix)) != 0)
        return AUTH_WRONG;
    const char *dot = strchr(start, '.');
    if (!dot || !decode(body, sizeof body - 1, start, (size_t)(dot - start), &body_size)
        || !decode(seal, sizeof seal, dot + 1, strlen(dot + 1), &seal_size)
        || seal_size != sizeof seal
        || crypto_sign_verify_detached(seal, body, body_size, a->public) != 0)
        return AUTH_WRONG;
    json_t *root = json_loadb((const char *)body, body_size, JSON_REJECT_DUPLICATES, NULL);
    json_t *expires = json_object_get(root, "x");
    AuthResult result = !json_is_integer(expires) ? AUTH_WRONG
                      : json_integer_value(expires) <= auth_now_ms() ? AUTH_EXPIRED : AUTH_OK;
    json_decref(root);
    body[body_size] = '\0';
    if (result == AUTH_OK && !(*payload = strdup((char *)body)))
        result = AUTH_WRONG;
    return result;
}

bool auth_token_create(Auth *a, const char *tenant, uint32_t scopes, uint64_t ttl_ns, char *out,
                       size_t size)
{
    uint8_t random[12];
    char    nonce[25], words[128], payload[1024];
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(nonce, sizeof nonce, random, sizeof random);
    scopes_write(scopes, words, sizeof words);
    if (ttl_ns > a->config->token_ttl)
        ttl_ns = a->config->token_ttl;
    /* The names hold no quotes: tenant_name_ok(). */
    snprintf(payload, sizeof payload, "{\"k\":\"token\",\"t\":\"%s\",\"s\":\"%s\",\"i\":\"%s\","
             "\"x\":%lld}", tenant, words, nonce,
             (long long)(auth_now_ms() + (int64_t)(ttl_ns / 1000000)));
    return tenant_name_ok(tenant) && auth_sign(a, payload, out, size);
}

/* The identity that a token's payload describes. */
static bool read_identity(const char *payload, Identity *out)
{
    json_t     *root = json_loads(payload, 0, NULL);
    const char *kind = json_string_value(json_object_get(root, "k"));
    const char *tenant = json_string_value(json_object_get(root, "t"));
    const char *scopes = json_string_value(json_object_get(root, "s"));
    const char *nonce = json_string_value(json_object_get(root, "i"));
    bool ok = kind && strcmp(kind, "token") == 0 && tenant && scopes && nonce
           && tenant_name_ok(tenant);
    if (ok) {
        *out = (Identity){.via = AUTH_TOKEN, .scopes = scopes_read(scopes),
                          .expires = json_integer_value(json_object_get(root, "x"))};
        snprintf(out->tenant, sizeof out->tenant, "%s", tenant);
        snprintf(out->subject, sizeof out->subject, "token:%s", nonce);
    }
    json_decref(root);
    return ok;
}

/* ---- the signing key ---- */

static bool read_secret(Auth *a, const char *path)
{
    int     fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, a->secret, sizeof a->secret) : -1;
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)sizeof a->secret;
}

static bool make_secret(Auth *a, const char *path)
{
    crypto_sign_keypair(a->public, a->secret);
    int  fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write(fd, a->secret, sizeof a->secret) == (ssize_t)sizeof a->secret
           && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* ---- all together ---- */

void auth_keys_path(const Config *config, const char *folder, char *out, size_t size)
{
    if (*config->auth_keys)
        snprintf(out, size, "%s", config->auth_keys);
    else
        snprintf(out, size, "%s/keys.json", folder);
}

Auth *auth_open(const Config *config, const char *folder, const Log *log, char *why, size_t size)
{
    char  path[4096];
    Auth *a = calloc(1, sizeof *a);
    if (!a || sodium_init() < 0) {
        snprintf(why, size, "out of memory");
        free(a);
        return NULL;
    }
    a->config = config;
    a->log = log;
    pthread_mutex_init(&a->lock, NULL);
    auth_keys_path(config, folder, a->keys_path, sizeof a->keys_path);
    if (*config->auth_secret)
        snprintf(path, sizeof path, "%s", config->auth_secret);
    else
        snprintf(path, sizeof path, "%s/token.key", folder);
    bool ok = read_secret(a, path) || make_secret(a, path);
    if (!ok)
        snprintf(why, size, "%s: %s", path, strerror(errno));
    ok = ok && keys_load(&a->ring, a->keys_path, why, size);
    if (!ok) {
        auth_close(a);
        return NULL;
    }
    crypto_sign_ed25519_sk_to_pk(a->public, a->secret);
    if (*config->kratos_url)
        a->kratos = kratos_open(config, log);
    return a;
}

void auth_close(Auth *a)
{
    if (!a)
        return;
    kratos_close(a->kratos);
    keys_fini(&a->ring);
    pthread_mutex_destroy(&a->lock);
    sodium_memzero(a->secret, sizeof a->secret);
    free(a);
}

void auth_reload(Auth *a)
{
    KeyRing ring;
    char    why[512];
    if (!keys_load(&ring, a->keys_path, why, sizeof why)) {
        log_event(a->log, LOG_ERROR, "keys", why, NULL);
        return;                         /* the old keys stay */
    }
    pthread_mutex_lock(&a->lock);
    keys_fini(&a->ring);
    a->ring = ring;
    pthread_mutex_unlock(&a->lock);
}

static AuthResult check_key(Auth *a, const char *text, Identity *out)
{
    pthread_mutex_lock(&a->lock);
    const Key *k = keys_find(&a->ring, text);
    if (k) {
        *out = (Identity){.via = AUTH_KEY, .scopes = k->scopes};
        strcpy(out->tenant, k->tenant);
        snprintf(out->subject, sizeof out->subject, "key:%s", k->id);
    }
    pthread_mutex_unlock(&a->lock);
    return k ? AUTH_OK : AUTH_WRONG;
}

static AuthResult check_bearer(Auth *a, const char *text, Identity *out)
{
    char *payload = NULL;
    if (strncmp(text, prefix, strlen(prefix)) != 0)
        return check_key(a, text, out);
    AuthResult result = auth_verify(a, text, &payload);
    if (result == AUTH_OK && !read_identity(payload, out))
        result = AUTH_WRONG;
    free(payload);
    return result;
}

AuthResult auth_check(Auth *a, const AuthRequest *r, Identity *out)
{
    AuthResult result = AUTH_MISSING;
    if (r->authorization && strncasecmp(r->authorization, "Bearer ", 7) == 0)
        result = check_bearer(a, r->authorization + 7, out);
    else if (r->authorization)
        result = AUTH_WRONG;
    else if (r->api_key)
        result = check_key(a, r->api_key, out);
    else if (a->kratos && (r->cookie || r->session_token))
        result = kratos_check(a->kratos, r, out);
    if (result == AUTH_OK && !a->config->int_bindings && !out->cookie)
        result = AUTH_WRONG;            /* only browser sessions */
    if (result == AUTH_MISSING && !a->config->auth_required && !r->session_token) {
        *out = (Identity){.tenant = "local", .subject = "local", .scopes = SCOPE_ALL};
        result = AUTH_OK;
    }
    return result;
}
