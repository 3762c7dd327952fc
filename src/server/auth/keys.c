// SPDX-License-Identifier: Apache-2.0
/*
 * keys.c - API keys: made, stored as hashes, compared in constant time.
 *
 * in     a JSON file; texts "weft_ID_SECRET"
 * out    the tenant and scopes of a key
 * knows  a secret has 256 random bits, so that a fast hash is enough
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "server/auth/auth_priv.h"

#define SECRET_BYTES 32u
#define MAX_KEYS     100000u

static const struct { const char *name; uint32_t bit; } scope_names[] = {
    {"jobs", SCOPE_JOBS}, {"buffers", SCOPE_BUFFERS}, {"worker", SCOPE_WORKER},
    {"admin", SCOPE_ADMIN}, {"live", SCOPE_LIVE}, {"all", SCOPE_ALL},
};

uint32_t scopes_read(const char *text)
{
    uint32_t all = 0;
    while (*text) {
        size_t   length = strcspn(text, ",");
        uint32_t bit = 0;
        for (size_t i = 0; i < COUNTOF(scope_names); i++)
            if (strlen(scope_names[i].name) == length
                && memcmp(scope_names[i].name, text, length) == 0)
                bit = scope_names[i].bit;
        if (!bit)
            return 0;
        all |= bit;
        text += length + (text[length] == ',');
    }
    return all;
}

void scopes_write(uint32_t scopes, char *out, size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (size_t i = 0; i + 1 < COUNTOF(scope_names); i++)
        if (scopes & scope_names[i].bit && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? "," : "",
                                   scope_names[i].name);
}

bool tenant_name_ok(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789-_.@");
    return length > 0 && length <= AUTH_MAX_TENANT && !name[length];
}

static void hash_secret(uint8_t out[32], const char *secret)
{
    static const char use[] = "weft api key";
    crypto_generichash(out, 32, (const uint8_t *)secret, strlen(secret),
                       (const uint8_t *)use, sizeof use - 1);
}

void keys_fini(KeyRing *ring)
{
    free(ring->keys);
    *ring = (KeyRing){0};
}

static bool read_key(Key *k, json_t *from)
{
    const char *id = json_string_value(json_object_get(from, "id"));
    const char *tenant = json_string_value(json_object_get(from, "tenant"));
    const char *hash = json_string_value(json_object_get(from, "hash"));
    const char *scopes = json_string_value(json_object_get(from, "scopes"));
    size_t      length = 0;
    if (!id || !tenant || !hash || !scopes || strlen(id) != KEY_ID_SIZE - 1
        || !tenant_name_ok(tenant))
        return false;
    strcpy(k->id, id);
    strcpy(k->tenant, tenant);
    k->scopes = scopes_read(scopes);
    return k->scopes && strlen(hash) == 64
        && sodium_hex2bin(k->hash, sizeof k->hash, hash, 64, NULL, &length, NULL) == 0
        && length == sizeof k->hash;
}

static bool read_ring(KeyRing *ring, json_t *root)
{
    size_t count = json_array_size(root);
    if (!json_is_array(root) || count > MAX_KEYS)
        return false;
    ring->keys = calloc(count + 1, sizeof *ring->keys);
    for (size_t i = 0; ring->keys && i < count; i++) {
        if (!read_key(&ring->keys[i], json_array_get(root, i)))
            return false;
        ring->count++;
    }
    return ring->keys != NULL;
}

bool keys_load(KeyRing *ring, const char *path, char *why, size_t size)
{
    struct stat about;
    *ring = (KeyRing){0};
    if (stat(path, &about) != 0)
        return errno == ENOENT || (snprintf(why, size, "%s: %s", path, strerror(errno)), false);
    ring->changed = about.st_mtim;
    json_error_t error;
    json_t      *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    bool         ok = root && read_ring(ring, root);
    json_decref(root);
    if (!ok) {
        keys_fini(ring);
        ring->changed = about.st_mtim;
        snprintf(why, size, "%s: not a list of keys", path);
    }
    return ok;
}

const Key *keys_find(const KeyRing *ring, const char *text)
{
    /* "weft_" 8 digits "_" 64 digits */
    uint8_t    hash[32];
    const Key *found = NULL;
    bool       shaped = strlen(text) == 5 + 8 + 1 + 64 && memcmp(text, "weft_", 5) == 0
                     && text[13] == '_';
    hash_secret(hash, shaped ? text + 14 : text);
    for (size_t i = 0; i < ring->count; i++) {
        const Key *k = &ring->keys[i];
        bool same = sodium_memcmp(k->hash, hash, sizeof hash) == 0;
        if (same && shaped && memcmp(k->id, text + 5, 8) == 0)
            found = k;
    }
    return found;
}

/* ---- changing the file ---- */

static bool save(json_t *root, const char *path, char *why, size_t size)
{
    char temporary[4200];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    int  fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && json_dumpfd(root, fd, JSON_INDENT(2)) == 0 && fsync(fd) == 0;
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary, path) == 0;
    if (!ok)
        snprintf(why, size, "%s: %s", path, strerror(errno));
    return ok;
}

/* One at a time changes the file. */
static int lock_file(const char *path)
{
    char name[4200];
    snprintf(name, sizeof name, "%s.lock", path);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

static json_t *load_list(const char *path, char *why, size_t size)
{
    KeyRing ring;
    if (!keys_load(&ring, path, why, size))
        return NULL;
    keys_fini(&ring);
    json_t *root = json_load_file(path, 0, NULL);
    return root ? root : json_array();
}

bool auth_key_create(const char *file, const char *tenant, uint32_t scopes, char *key,
                     size_t key_size, char *why, size_t size)
{
    uint8_t random[4], secret[SECRET_BYTES], hash[32];
    char    id[9], hex[65], hashed[65], words[128];
    if (!tenant_name_ok(tenant)) {
        snprintf(why, size, "a tenant's name has at most %u letters, digits and -_.@",
                 AUTH_MAX_TENANT);
        return false;
    }
    randombytes_buf(random, sizeof random);
    randombytes_buf(secret, sizeof secret);
    sodium_bin2hex(id, sizeof id, random, sizeof random);
    sodium_bin2hex(hex, sizeof hex, secret, sizeof secret);
    hash_secret(hash, hex);
    sodium_bin2hex(hashed, sizeof hashed, hash, sizeof hash);
    scopes_write(scopes, words, sizeof words);
    int     lock = lock_file(file);
    json_t *root = load_list(file, why, size);
    bool    ok = root && json_array_append_new(root, json_pack("{s:s,s:s,s:s,s:s}", "id", id,
                     "tenant", tenant, "hash", hashed, "scopes", words)) == 0
              && save(root, file, why, size);
    json_decref(root);
    if (lock >= 0)
        close(lock);
    if (ok)
        snprintf(key, key_size, "weft_%s_%s", id, hex);
    return ok;
}

bool auth_key_revoke(const char *file, const char *id, char *why, size_t size)
{
    int     lock = lock_file(file);
    json_t *root = load_list(file, why, size);
    bool    found = false;
    for (size_t i = 0; root && i < json_array_size(root); i++) {
        const char *has = json_string_value(json_object_get(json_array_get(root, i), "id"));
        if (has && strcmp(has, id) == 0) {
            json_array_remove(root, i--);
            found = true;
        }
    }
    if (root && !found)
        snprintf(why, size, "there is no key '%.20s'", id);
    bool ok = found && save(root, file, why, size);
    json_decref(root);
    if (lock >= 0)
        close(lock);
    return ok;
}
