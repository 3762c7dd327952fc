// SPDX-License-Identifier: Apache-2.0
/*
 * redis_priv.h - what the files of the Redis store share.
 */
#ifndef WEFT_SERVER_REDIS_PRIV_H
#define WEFT_SERVER_REDIS_PRIV_H

#include "server/store/redis_link.h"
#include "server/store/store.h"

typedef enum RedisScript {
#define SCRIPT(id, text) SCRIPT_##id,
#include "server/store/redis_scripts.def"
#undef SCRIPT
    SCRIPT_COUNT
} RedisScript;

typedef struct Redis {
    RedisLink   writes, reads, claims;  /* each for one thread at a time                  */
    char        prefix[64], server[64];
    char        digests[SCRIPT_COUNT][41];
    uint64_t    salt, ops;              /* of nonces                                      */
    _Atomic int up;                     /* the last try of another link than `reads`      */
    _Atomic uint64_t failures;          /* reads without an answer                        */
} Redis;

extern const StoreBackend store_redis;

/* A command that runs a script; its first argument is the prefix. */
void redis_script(Redis *r, RedisCommand *c, RedisScript script);
/* Connected; readers do not try while others cannot: requests would wait for it. */
bool redis_ready(Redis *r, RedisLink *l);

bool     redis_job_get(void *s, Arena *arena, const char *id, bool with_blobs, JobRecord *out);
bool     redis_job_by_key(void *s, Arena *arena, const char *tenant, const char *idem,
                          JobRecord *out);
uint32_t redis_job_list(void *s, Arena *arena, const char *tenant, uint32_t states,
                        const char *after, JobRecord *out, uint32_t room);
bool     redis_unfinished(void *s, void (*each)(void *user, const JobRecord *job), void *user);
bool     redis_buffer_get(void *s, Arena *arena, const char *tenant, const char *name,
                          BufferRecord *out);
uint32_t redis_buffer_list(void *s, Arena *arena, const char *tenant, BufferRecord *out,
                           uint32_t room);
uint64_t redis_bytes_of(void *s, const char *tenant, StoreBytes what);
uint64_t redis_failures(const void *s);

extern const StoreShared redis_shared;

#endif
