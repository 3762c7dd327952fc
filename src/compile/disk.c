// SPDX-License-Identifier: Apache-2.0
/*
 * disk.c - the disk cache of compiled objects.
 *
 * in     keys and objects
 * out    one file an object: head, key, bindings, object; a checksum over all
 * knows  files
 * not    what a key consists of, loading
 *
 * The files hold code that will be run, so the folder must belong to the user and
 * be closed to others. Files are written aside and renamed, so readers and other
 * processes see whole files or none. Anything that is not exactly as expected is
 * ignored, and replaced by the next write.
 */
#include "compile/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC     0x3346454657ull   /* "WFEF3" */
#define MAX_FILE  (256u << 20)
#define SUFFIX    ".weft"

typedef struct Head {
    uint64_t magic, checksum;       /* of everything after this field             */
    uint64_t key_size, object_size, memory_size;
    uint32_t nbindings, lanes, workgroup_size[3], has_barrier;
    uint32_t nnodes, nchecks, inner, unused;    /* of the proof                   */
} Head;

uint64_t bytes_hash(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t h = 0x9e3779b97f4a7c15u ^ size;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; size; size--)
        h = (h ^ *at++) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

/* ---- the folder ---- */

/* $XDG_CACHE_HOME/weft or $HOME/.cache/weft; NULL: neither is set. */
static char *default_folder(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool use_base = base && base[0] == '/';
    if (!use_base && !(home && home[0] == '/'))
        return NULL;
    const char *root = use_base ? base : home, *tail = use_base ? "/weft" : "/.cache/weft";
    size_t size = strlen(root) + strlen(tail) + 1;
    char *folder = malloc(size);
    if (folder)
        snprintf(folder, size, "%s%s", root, tail);
    return folder;
}

static void make_folders(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    mkdir(path, 0700);
}

static bool is_ours(const struct stat *info)
{
    return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void disk_cache_init(DiskCache *d, const char *folder, uint64_t limit)
{
    struct stat info;
    *d = (DiskCache){.limit = limit};
    char *path = folder ? strdup(folder) : default_folder();
    if (!path)
        return;
    make_folders(path);
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode) || !is_ours(&info)) {
        free(path);
        return;
    }
    d->folder = path;
}

void disk_cache_fini(DiskCache *d)
{
    free(d->folder);
    *d = (DiskCache){0};
}

/* ---- reading ---- */

static void *read_whole(const char *path, size_t *size)
{
    struct stat info;
    uint8_t *bytes = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return NULL;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && is_ours(&info) &&
        info.st_size >= (off_t)sizeof(Head) && info.st_size <= (off_t)MAX_FILE)
        bytes = malloc((size_t)info.st_size);
    size_t got = 0;
    while (bytes && got < (size_t)info.st_size) {
        ssize_t n = read(file, bytes + got, (size_t)info.st_size - got);
        if (n <= 0) {
            free(bytes);
            bytes = NULL;
        } else {
            got += (size_t)n;
        }
    }
    close(file);
    *size = got;
    return bytes;
}

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* Bindings, nodes and checks, one after the other, padded together. */
static size_t tables_size(const Head *h)
{
    return padded(h->nbindings * sizeof(KernelBinding) + h->nnodes * sizeof(ProofNode) +
                  h->nchecks * sizeof(ProofCheck));
}

/* Do the parts that the head speaks of fill the file exactly? */
static bool head_fits(const Head *h, size_t size)
{
    if (h->magic != MAGIC || h->key_size > MAX_FILE || h->object_size > MAX_FILE ||
        h->nbindings > 4096 || h->nnodes > PROOF_MAX_NODES || h->nchecks > 65536)
        return false;
    return size == sizeof *h + padded((size_t)h->key_size) + tables_size(h) +
                   (size_t)h->object_size;
}

static const uint8_t *take(void *to, const uint8_t *from, size_t size)
{
    memcpy(to, from, size);
    return from + size;
}

static bool unpack(CompiledObject *out, const uint8_t *bytes, const Head *h)
{
    const uint8_t *tables = bytes + sizeof *h + padded((size_t)h->key_size);
    const uint8_t *object = tables + tables_size(h);
    CompiledObject o = {.nbindings = h->nbindings, .has_barrier = h->has_barrier,
                        .proof = {.nnodes = h->nnodes, .nchecks = h->nchecks,
                                  .inner = h->inner}};
    o.bindings = malloc((h->nbindings + 1) * sizeof *o.bindings);
    o.proof.nodes = malloc((h->nnodes + 1) * sizeof *o.proof.nodes);
    o.proof.checks = malloc((h->nchecks + 1) * sizeof *o.proof.checks);
    o.emitted.object = malloc((size_t)h->object_size + 1);
    if (!o.bindings || !o.emitted.object || !o.proof.nodes || !o.proof.checks) {
        compiled_object_fini(&o);
        return false;
    }
    tables = take(o.bindings, tables, h->nbindings * sizeof *o.bindings);
    tables = take(o.proof.nodes, tables, h->nnodes * sizeof *o.proof.nodes);
    take(o.proof.checks, tables, h->nchecks * sizeof *o.proof.checks);
    memcpy(o.emitted.object, object, (size_t)h->object_size);
    memcpy(o.workgroup_size, h->workgroup_size, sizeof o.workgroup_size);
    o.emitted.object_size = (size_t)h->object_size;
    o.emitted.memory_size = h->memory_size;
    o.emitted.lanes = h->lanes;
    if (!proof_is_sound(&o.proof, o.nbindings)) {
        compiled_object_fini(&o);
        return false;
    }
    *out = o;
    return true;
}

static char *file_path(const DiskCache *d, uint64_t hash, const char *tail)
{
    size_t size = strlen(d->folder) + strlen(tail) + 32;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%016llx%s", d->folder, (unsigned long long)hash, tail);
    return path;
}

bool disk_cache_read(const DiskCache *d, const KernelKey *key, CompiledObject *out)
{
    bool ok = false;
    size_t size = 0, from = offsetof(Head, key_size);
    char *path = d->folder ? file_path(d, key->hash, SUFFIX) : NULL;
    uint8_t *bytes = path ? read_whole(path, &size) : NULL;
    if (bytes) {
        Head h;
        memcpy(&h, bytes, sizeof h);
        ok = head_fits(&h, size) && h.key_size == key->size &&
             memcmp(bytes + sizeof h, key->bytes, key->size) == 0 &&
             h.checksum == bytes_hash(bytes + from, size - from) && unpack(out, bytes, &h);
    }
    free(bytes);
    free(path);
    return ok;
}

/* ---- writing ---- */

static uint8_t *put(uint8_t *to, const void *from, size_t size)
{
    if (size)
        memcpy(to, from, size);
    return to + size;
}

static uint8_t *pack(const KernelKey *key, const CompiledObject *o, size_t *size)
{
    Head h = {.magic = MAGIC, .key_size = key->size, .object_size = o->emitted.object_size,
              .memory_size = o->emitted.memory_size, .nbindings = o->nbindings,
              .lanes = o->emitted.lanes, .has_barrier = o->has_barrier,
              .nnodes = o->proof.nnodes, .nchecks = o->proof.nchecks,
              .inner = o->proof.inner};
    memcpy(h.workgroup_size, o->workgroup_size, sizeof h.workgroup_size);
    size_t key_size = padded(key->size), from = offsetof(Head, key_size);
    *size = sizeof h + key_size + tables_size(&h) + o->emitted.object_size;
    uint8_t *bytes = calloc(1, *size);
    if (!bytes)
        return NULL;
    memcpy(bytes + sizeof h, key->bytes, key->size);
    uint8_t *at = bytes + sizeof h + key_size;
    put(at + tables_size(&h), o->emitted.object, o->emitted.object_size);
    at = put(at, o->bindings, o->nbindings * sizeof *o->bindings);
    at = put(at, o->proof.nodes, o->proof.nnodes * sizeof *o->proof.nodes);
    put(at, o->proof.checks, o->proof.nchecks * sizeof *o->proof.checks);
    memcpy(bytes, &h, sizeof h);
    h.checksum = bytes_hash(bytes + from, *size - from);
    memcpy(bytes, &h, sizeof h);
    return bytes;
}

static bool write_whole(const char *path, const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(file, bytes + done, size - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return close(file) == 0 && done == size;
}

/* ---- the limit ---- */

typedef struct CacheFile {
    char   name[32];
    off_t  size;
    time_t time;
} CacheFile;

static int older_first(const void *x, const void *y)
{
    const CacheFile *a = x, *b = y;
    return (a->time > b->time) - (a->time < b->time);
}

static CacheFile *list_files(const DiskCache *d, int folder, size_t *count, uint64_t *total)
{
    CacheFile *list = NULL;
    size_t n = 0, room = 0;
    DIR *dir = opendir(d->folder);
    *total = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat info;
        size_t len = strlen(entry->d_name);
        if (len >= sizeof list->name || len < sizeof SUFFIX || !strstr(entry->d_name, SUFFIX) ||
            fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (n == room) {
            room = room ? room * 2 : 64;
            CacheFile *grown = realloc(list, room * sizeof *list);
            if (!grown)
                break;
            list = grown;
        }
        memcpy(list[n].name, entry->d_name, len + 1);
        list[n].size = info.st_size;
        list[n++].time = info.st_mtime;
        *total += (uint64_t)info.st_size;
    }
    if (dir)
        closedir(dir);
    *count = n;
    return list;
}

/* The oldest files go until three quarters of the limit are left. */
static void keep_limit(const DiskCache *d)
{
    size_t count = 0;
    uint64_t total = 0;
    int folder = open(d->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    CacheFile *list = list_files(d, folder, &count, &total);
    if (total > d->limit) {
        qsort(list, count, sizeof *list, older_first);
        for (size_t i = 0; i < count && total > d->limit / 4 * 3; i++) {
            unlinkat(folder, list[i].name, 0);
            total -= (uint64_t)list[i].size;
        }
    }
    free(list);
    close(folder);
}

void disk_cache_write(const DiskCache *d, const KernelKey *key, const CompiledObject *o)
{
    char tail[48];
    size_t size = 0;
    if (!d->folder)
        return;
    snprintf(tail, sizeof tail, ".%ld.%p.new", (long)getpid(), (const void *)o);
    char *aside = file_path(d, key->hash, tail), *path = file_path(d, key->hash, SUFFIX);
    uint8_t *bytes = aside && path ? pack(key, o, &size) : NULL;
    if (bytes && write_whole(aside, bytes, size) && rename(aside, path) == 0)
        keep_limit(d);
    else if (aside)
        unlink(aside);
    free(bytes);
    free(aside);
    free(path);
}
