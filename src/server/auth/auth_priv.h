// SPDX-License-Identifier: Apache-2.0
/*
 * auth_priv.h - what the files of auth/ share.
 */
#ifndef WEFT_SERVER_AUTH_PRIV_H
#define WEFT_SERVER_AUTH_PRIV_H

#include <pthread.h>
#include <sodium.h>
#include <time.h>

#include "server/auth/auth.h"

#define KEY_ID_SIZE 9u                  /* 8 digits and NUL                               */

typedef struct Key {
    char     id[KEY_ID_SIZE];
    char     tenant[AUTH_MAX_TENANT + 1];
    uint32_t scopes;
    uint8_t  hash[32];
} Key;

typedef struct KeyRing {
    Key            *keys;               /* malloc'ed [count]                              */
    size_t          count;
    struct timespec changed;            /* of the file                                    */
} KeyRing;

typedef struct Kratos Kratos;

struct Auth {
    const Config   *config;
    const Log      *log;
    char            keys_path[4096];
    pthread_mutex_t lock;
    KeyRing         ring;
    uint64_t        looked_ns;          /* at the file                                    */
    uint8_t         secret[crypto_sign_SECRETKEYBYTES], public[crypto_sign_PUBLICKEYBYTES];
    Kratos         *kratos;             /* NULL: none                                     */
};

/* keys.c; false: the file is damaged. A file that is not there has no keys. */
bool keys_load(KeyRing *ring, const char *path, char *why, size_t size);
void keys_fini(KeyRing *ring);
/* The key of a text "weft_ID_SECRET", or NULL. Takes the same time for every wrong one. */
const Key *keys_find(const KeyRing *ring, const char *text);
bool tenant_name_ok(const char *name);

/* kratos.c */
Kratos    *kratos_open(const Config *config, const Log *log);
void       kratos_close(Kratos *k);
AuthResult kratos_check(Kratos *k, const AuthRequest *request, Identity *out);

int64_t    auth_now_ms(void);

#endif
