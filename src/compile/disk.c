// SPDX-License-Identifier: Apache-2.0
/*
 * disk.c - compiled objects as files.
 *
 * in     keys and objects
 * out    one file an object: head, key, bindings, object, IR; a checksum over all
 * knows  what a file consists of
 * not    where files are (folder.c), what a key consists of, loading
 *
 * Anything that is not exactly as expected is ignored, and replaced by the next write.
 */
#include "compile/disk.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC     0x3746454657ull   /* "WFEF7" */
#define MAX_FILE  (256u << 20)

typedef struct Head {
    uint64_t magic, checksum;       /* of everything after this field             */
    uint64_t key_size, object_size, memory_size;
    uint32_t nbindings, lanes, workgroup_size[3], has_barrier;
    uint32_t nnodes, nchecks, inner, usual; /* of the proof                       */
    uint32_t turned, band, ir_size;
} Head;

/* ---- reading ---- */

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
        h->ir_size > MAX_FILE ||
        h->nbindings > 4096 || h->nnodes > PROOF_MAX_NODES || h->nchecks > 65536)
        return false;
    return size == sizeof *h + padded((size_t)h->key_size) + tables_size(h) +
                   padded((size_t)h->object_size) + h->ir_size;
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
                        .turned = h->turned, .band = h->band,
                        .proof = {.nnodes = h->nnodes, .nchecks = h->nchecks,
                                  .inner = h->inner, .usual = h->usual}};
    o.bindings = malloc((h->nbindings + 1) * sizeof *o.bindings);
    o.proof.nodes = malloc((h->nnodes + 1) * sizeof *o.proof.nodes);
    o.proof.checks = malloc((h->nchecks + 1) * sizeof *o.proof.checks);
    o.emitted.object = malloc((size_t)h->object_size + 1);
    o.ir = h->ir_size ? malloc(h->ir_size) : NULL;
    o.ir_size = h->ir_size;
    if (!o.bindings || !o.emitted.object || !o.proof.nodes || !o.proof.checks ||
        (h->ir_size && !o.ir)) {
        compiled_object_fini(&o);
        return false;
    }
    tables = take(o.bindings, tables, h->nbindings * sizeof *o.bindings);
    tables = take(o.proof.nodes, tables, h->nnodes * sizeof *o.proof.nodes);
    take(o.proof.checks, tables, h->nchecks * sizeof *o.proof.checks);
    memcpy(o.emitted.object, object, (size_t)h->object_size);
    if (h->ir_size)
        memcpy(o.ir, object + padded((size_t)h->object_size), h->ir_size);
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

bool disk_cache_read(const CacheFolder *d, const KernelKey *key, CompiledObject *out)
{
    bool ok = false;
    size_t size = 0, from = offsetof(Head, key_size);
    uint8_t *bytes = folder_read(d, key->hash, &size);
    if (bytes && size >= sizeof(Head)) {
        Head h;
        memcpy(&h, bytes, sizeof h);
        ok = head_fits(&h, size) && h.key_size == key->size &&
             memcmp(bytes + sizeof h, key->bytes, key->size) == 0 &&
             h.checksum == bytes_hash(bytes + from, size - from) && unpack(out, bytes, &h);
    }
    free(bytes);
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
              .inner = o->proof.inner, .usual = o->proof.usual, .turned = o->turned,
              .band = o->band, .ir_size = o->ir_size};
    memcpy(h.workgroup_size, o->workgroup_size, sizeof h.workgroup_size);
    size_t key_size = padded(key->size), from = offsetof(Head, key_size);
    size_t object_size = padded(o->emitted.object_size);
    *size = sizeof h + key_size + tables_size(&h) + object_size + o->ir_size;
    uint8_t *bytes = calloc(1, *size);
    if (!bytes)
        return NULL;
    memcpy(bytes + sizeof h, key->bytes, key->size);
    uint8_t *at = bytes + sizeof h + key_size;
    put(at + tables_size(&h), o->emitted.object, o->emitted.object_size);
    put(at + tables_size(&h) + object_size, o->ir, o->ir_size);
    at = put(at, o->bindings, o->nbindings * sizeof *o->bindings);
    at = put(at, o->proof.nodes, o->proof.nnodes * sizeof *o->proof.nodes);
    put(at, o->proof.checks, o->proof.nchecks * sizeof *o->proof.checks);
    memcpy(bytes, &h, sizeof h);
    h.checksum = bytes_hash(bytes + from, *size - from);
    memcpy(bytes, &h, sizeof h);
    return bytes;
}

void disk_cache_write(CacheFolder *d, const KernelKey *key, const CompiledObject *o)
{
    size_t size = 0;
    uint8_t *bytes = d->path ? pack(key, o, &size) : NULL;
    if (bytes)
        folder_write(d, key->hash, bytes, size);
    free(bytes);
}
