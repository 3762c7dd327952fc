// SPDX-License-Identifier: Apache-2.0
/*
 * kratos.c - sessions of Ory Kratos, asked for by a thread and kept for a moment.
 *
 * in     cookies and session tokens
 * out    identities; unreachable means "not now", never "allowed"
 * knows  GET /sessions/whoami
 * not    HTTP requests of our own clients
 *
 * A missing `active`, `identity` or `expires_at` means "refuse". The cache is keyed by a
 * hash of the credential and never outlives the session.
 */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/auth/auth_priv.h"

#define CACHE_SIZE  1024u
#define MAX_ANSWER  (64u << 10)
#define MAX_WAITING 64u                 /* requests that wait for one credential          */
#define RETRY_NS    ((uint64_t)NS_PER_S)

typedef struct Waiting {
    void (*wake)(void *user);
    void  *user;
} Waiting;

typedef struct Entry {
    uint8_t    key[32];
    bool       used, asked, in_work;
    AuthResult result;                  /* AUTH_PENDING: being asked                      */
    uint64_t   until;                   /* clock_ns()                                     */
    Identity   identity;
    char      *cookie, *token;          /* malloc'ed, while it is asked                   */
    Waiting    waiting[MAX_WAITING];
    uint32_t   waiting_count;
} Entry;

struct Kratos {
    const Config   *config;
    const Log      *log;
    char            url[2048];
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  more;
    bool            stopping;
    Entry           entries[CACHE_SIZE];
};

typedef struct Answer {
    char   text[MAX_ANSWER + 1];
    size_t size;
} Answer;

static size_t on_data(char *data, size_t one, size_t count, void *user)
{
    Answer *a = user;
    (void)one;
    if (count > MAX_ANSWER - a->size)
        return 0;                       /* too large: the transfer fails */
    memcpy(a->text + a->size, data, count);
    a->size += count;
    return count;
}

/* "2030-01-02T03:04:05.123Z" to milliseconds; 0: not such a time. */
static int64_t read_time(const char *text)
{
    struct tm t = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &t) : NULL;
    if (!rest || !strchr(rest, 'Z'))
        return 0;
    return (int64_t)timegm(&t) * 1000;
}

static AuthResult read_session(const Answer *a, Identity *out)
{
    json_t     *root = json_loadb(a->text, a->size, JSON_REJECT_DUPLICATES, NULL);
    json_t     *identity = json_object_get(root, "identity");
    const char *id = json_string_value(json_object_get(identity, "id"));
    const char *state = json_string_value(json_object_get(identity, "state"));
    const char *session = json_string_value(json_object_get(root, "id"));
    int64_t     expires = read_time(json_string_value(json_object_get(root, "expires_at")));
    AuthResult  result = AUTH_WRONG;
    if (json_is_true(json_object_get(root, "active")) && id && session && tenant_name_ok(id)
        && (!state || strcmp(state, "active") == 0) && expires > auth_now_ms()) {
        *out = (Identity){.via = AUTH_SESSION, .scopes = SCOPE_USER, .expires = expires};
        snprintf(out->tenant, sizeof out->tenant, "%s", id);
        snprintf(out->subject, sizeof out->subject, "session:%.48s", session);
        result = AUTH_OK;
    }
    json_decref(root);
    return result;
}

/* ---- asking ---- */

static AuthResult ask(Kratos *k, const char *cookie, const char *token, Identity *out)
{
    CURL              *curl = curl_easy_init();
    Answer            *answer = calloc(1, sizeof *answer);
    struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json");
    AuthResult         result = AUTH_UNREACHABLE;
    char              *line = NULL;
    if (token && asprintf(&line, "X-Session-Token: %s", token) >= 0)
        headers = curl_slist_append(headers, line);
    if (curl && answer && headers) {
        curl_easy_setopt(curl, CURLOPT_URL, k->url);
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        if (cookie)
            curl_easy_setopt(curl, CURLOPT_COOKIE, cookie);
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(k->config->kratos_timeout / 1000000));
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
        long     status = 0;
        CURLcode code = curl_easy_perform(curl);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        if (code == CURLE_OK && status == 200)
            result = read_session(answer, out);
        else if (code == CURLE_OK && status == 401)
            result = AUTH_WRONG;
        else if (code == CURLE_OK && status == 403)
            result = AUTH_SECOND_FACTOR;
        else
            log_event(k->log, LOG_WARN, "kratos", code == CURLE_OK ? "unexpected status"
                      : curl_easy_strerror(code), NULL);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    free(answer);
    free(line);
    return result;
}

static uint64_t lifetime(const Kratos *k, AuthResult result, const Identity *who)
{
    uint64_t ns = result == AUTH_UNREACHABLE ? RETRY_NS : k->config->kratos_cache;
    if (result == AUTH_OK) {
        int64_t left = who->expires - auth_now_ms();
        ns = MIN_OF(ns, left > 0 ? (uint64_t)left * 1000000 : 0);
    }
    return ns;
}

static void settle(Kratos *k, Entry *e, AuthResult result, const Identity *who)
{
    e->result = result;
    e->identity = *who;
    e->until = clock_ns() + lifetime(k, result, who);
    e->in_work = e->asked = false;
    free(e->cookie);
    free(e->token);
    e->cookie = e->token = NULL;
    for (uint32_t i = 0; i < e->waiting_count; i++)
        e->waiting[i].wake(e->waiting[i].user);
    e->waiting_count = 0;
}

static Entry *find_asked(Kratos *k)
{
    for (uint32_t i = 0; i < CACHE_SIZE; i++)
        if (k->entries[i].asked && !k->entries[i].in_work)
            return &k->entries[i];
    return NULL;
}

static void *thread_main(void *user)
{
    Kratos *k = user;
    pthread_mutex_lock(&k->lock);
    while (!k->stopping) {
        Entry *e = find_asked(k);
        if (!e) {
            pthread_cond_wait(&k->more, &k->lock);
            continue;
        }
        e->in_work = true;
        Identity who = {0};
        bool     cookie = e->cookie != NULL;
        pthread_mutex_unlock(&k->lock);
        AuthResult result = ask(k, e->cookie, e->token, &who);
        who.cookie = cookie;
        pthread_mutex_lock(&k->lock);
        settle(k, e, result, &who);
    }
    pthread_mutex_unlock(&k->lock);
    return NULL;
}

/* ---- what others call ---- */

Kratos *kratos_open(const Config *config, const Log *log)
{
    Kratos *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    k->config = config;
    k->log = log;
    size_t length = strlen(config->kratos_url);
    while (length && config->kratos_url[length - 1] == '/')
        length--;
    snprintf(k->url, sizeof k->url, "%.*s/sessions/whoami", (int)length, config->kratos_url);
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->more, NULL);
    if (pthread_create(&k->thread, NULL, thread_main, k) != 0) {
        free(k);
        return NULL;
    }
    return k;
}

void kratos_close(Kratos *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->stopping = true;
    pthread_cond_signal(&k->more);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    for (uint32_t i = 0; i < CACHE_SIZE; i++) {
        free(k->entries[i].cookie);
        free(k->entries[i].token);
    }
    pthread_mutex_destroy(&k->lock);
    pthread_cond_destroy(&k->more);
    free(k);
}

static void hash_credential(uint8_t out[32], const AuthRequest *r)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, 32);
    const char *parts[] = {r->cookie ? r->cookie : "", r->session_token ? r->session_token : ""};
    for (size_t i = 0; i < COUNTOF(parts); i++)
        crypto_generichash_update(&state, (const uint8_t *)parts[i], strlen(parts[i]) + 1);
    crypto_generichash_final(&state, out, 32);
}

/* The entry of a credential: its own, a free one, or one that has run out. NULL: all are
 * in use. */
static Entry *find_entry(Kratos *k, const uint8_t key[32], uint64_t now)
{
    Entry *free_one = NULL;
    for (uint32_t i = 0; i < CACHE_SIZE; i++) {
        Entry *e = &k->entries[i];
        if (e->used && memcmp(e->key, key, 32) == 0)
            return e;
        if (!free_one && (!e->used || (!e->asked && now >= e->until)))
            free_one = e;
    }
    if (free_one) {
        *free_one = (Entry){.used = true, .result = AUTH_MISSING};
        memcpy(free_one->key, key, 32);
    }
    return free_one;
}

static AuthResult begin(Kratos *k, Entry *e, const AuthRequest *r)
{
    if (!e->asked) {
        e->cookie = r->cookie ? strdup(r->cookie) : NULL;
        e->token = r->session_token ? strdup(r->session_token) : NULL;
        e->asked = true;
    }
    if (e->waiting_count == MAX_WAITING)
        return AUTH_UNREACHABLE;
    e->waiting[e->waiting_count++] = (Waiting){r->wake, r->user};
    pthread_cond_signal(&k->more);
    return AUTH_PENDING;
}

AuthResult kratos_check(Kratos *k, const AuthRequest *r, Identity *out)
{
    uint8_t    key[32];
    uint64_t   now = clock_ns();
    AuthResult result = AUTH_UNREACHABLE;
    hash_credential(key, r);
    if (r->session_token && strpbrk(r->session_token, "\r\n"))
        return AUTH_WRONG;
    pthread_mutex_lock(&k->lock);
    Entry *e = find_entry(k, key, now);
    if (e && !e->asked && e->result != AUTH_MISSING && now < e->until) {
        result = e->result;
        *out = e->identity;
    } else if (e) {
        result = begin(k, e, r);
    }
    pthread_mutex_unlock(&k->lock);
    return result;
}
