// SPDX-License-Identifier: Apache-2.0
/*
 * auth.h - who asks, what they may do, and the record of every decision.
 *
 * in     headers of requests
 * out    an Identity, or why not; lines of the audit log
 * knows  API keys, signed tokens, Kratos sessions, origins
 * not    HTTP itself, jobs
 *
 * Threads    any.
 */
#ifndef WEFT_SERVER_AUTH_H
#define WEFT_SERVER_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/config/config.h"
#include "server/metrics/metrics.h"

#define AUTH_MAX_TENANT 64u

typedef enum Scope {
    SCOPE_JOBS = 1, SCOPE_BUFFERS = 2, SCOPE_WORKER = 4, SCOPE_ADMIN = 8, SCOPE_LIVE = 16,
    SCOPE_USER = SCOPE_JOBS | SCOPE_BUFFERS | SCOPE_LIVE,
    SCOPE_ALL = 31
} Scope;

/* "jobs,buffers" to bits and back. 0: a word is unknown. */
uint32_t scopes_read(const char *text);
void     scopes_write(uint32_t scopes, char *out, size_t size);

typedef enum AuthVia { AUTH_NONE, AUTH_KEY, AUTH_TOKEN, AUTH_SESSION } AuthVia;

typedef struct Identity {
    char     tenant[AUTH_MAX_TENANT + 1];
    char     subject[AUTH_MAX_TENANT + 1];  /* the key's id, the token's nonce, the session */
    uint32_t scopes;
    AuthVia  via;
    bool     cookie;                    /* a browser sent it by itself: CSRF matters      */
    int64_t  expires;                   /* milliseconds since 1970; 0: never              */
} Identity;

typedef enum AuthResult {
    AUTH_OK, AUTH_MISSING, AUTH_WRONG, AUTH_EXPIRED, AUTH_PENDING, AUTH_UNREACHABLE,
    AUTH_SECOND_FACTOR,
} AuthResult;

/* Headers of a request; NULL: absent. */
typedef struct AuthRequest {
    const char *authorization, *api_key, *cookie, *session_token;
    /* For AUTH_PENDING: called, on another thread, when it is worth asking again. */
    void      (*wake)(void *user);
    void       *user;
} AuthRequest;

typedef struct Auth Auth;

/* NULL: `why`. Makes the signing key on first use. */
Auth *auth_open(const Config *config, const char *folder, const Log *log, char *why,
                size_t size);
void  auth_close(Auth *a);
/* Reads the keys again. */
void  auth_reload(Auth *a);
AuthResult auth_check(Auth *a, const AuthRequest *request, Identity *out);

/* ---- keys ---- */

/* Makes a key and adds its hash to the file. `key` gets the secret, which is stored
 * nowhere. */
bool auth_key_create(const char *file, const char *tenant, uint32_t scopes, char *key,
                     size_t key_size, char *why, size_t size);
bool auth_key_revoke(const char *file, const char *id, char *why, size_t size);
/* The file that a configuration and a data folder mean. */
void auth_keys_path(const Config *config, const char *folder, char *out, size_t size);

/* ---- tokens ---- */

/* A signed text. `payload` is JSON with "x", the time of expiry in milliseconds. False: it
 * does not fit. */
bool auth_sign(Auth *a, const char *payload, char *out, size_t size);
/* The payload of a token that is genuine and has not expired; malloc'ed. */
AuthResult auth_verify(Auth *a, const char *token, char **payload);
/* A token for a tenant. */
bool auth_token_create(Auth *a, const char *tenant, uint32_t scopes, uint64_t ttl_ns, char *out,
                       size_t size);

/* ---- origins and hosts ---- */

/* Is this Host header one of ours? `port` is the one we listen on. */
bool auth_host_ok(const Config *config, const char *host, const char *address, uint16_t port);
/* Is this Origin allowed? `host` is the request's Host header. */
bool auth_origin_ok(const Config *config, const char *origin, const char *host);

/* ---- audit ---- */

typedef struct Audit Audit;

typedef struct AuditEvent {
    const char *action;                 /* "validate", "execute", "token"                 */
    bool        allowed;
    const char *tenant, *subject, *origin, *object, *reason, *trace;  /* NULL: none       */
} AuditEvent;

/* Opens the newest file, after checking its last line. NULL: `why`. `limit` bytes a file,
 * 0: 64 MiB. */
Audit *audit_open(const char *folder, uint64_t limit, Metrics *metrics, char *why, size_t size);
void   audit_close(Audit *a);
/* Appends a line. NULL `a`: nothing. False: it was not written. */
bool   audit_write(Audit *a, const AuditEvent *event);
/* Makes what was written durable. */
void   audit_sync(Audit *a);

typedef struct AuditReport {
    uint64_t files, events, executions, validations;
    char     fault[512];                /* "": the chain is whole                         */
} AuditReport;

/* Checks the chain over all files of a folder. False: `fault` names file and line. */
bool   audit_verify(const char *folder, AuditReport *out);

#endif
