// SPDX-License-Identifier: Apache-2.0
/*
 * share.c - tensors by owner and name, and who may see them.
 *
 * in     names and tensors
 * out    references: one for the owner, one for each reader that asked
 * not    memory: it goes with the last reference
 */
#include <stdlib.h>
#include <string.h>

#include "tensor/tensor_priv.h"

typedef struct Reader {
    char *name;
    bool  granted, holds;           /* may ask; has asked and not given up                  */
} Reader;

typedef struct Share {
    char        *owner, *name;
    weft_tensor *tensor;
    Reader      *readers;
    uint32_t     reader_count;
} Share;

struct ShareTable {
    Share   *shares;
    uint32_t count;
};

/* ---- table ---- */

static void share_fini(Share *s)
{
    for (uint32_t i = 0; i < s->reader_count; i++) {
        if (s->readers[i].holds)
            tensor_unuse(s->tensor);
        free(s->readers[i].name);
    }
    tensor_unuse(s->tensor);
    free(s->readers);
    free(s->owner);
    free(s->name);
}

void share_free(ShareTable *t)
{
    for (uint32_t i = 0; t && i < t->count; i++)
        share_fini(&t->shares[i]);
    if (t)
        free(t->shares);
    free(t);
}

static Share *find(const TensorState *s, const char *owner, const char *name)
{
    for (uint32_t i = 0; s && s->shares && i < s->shares->count; i++) {
        Share *e = &s->shares->shares[i];
        if (strcmp(e->owner, owner) == 0 && strcmp(e->name, name) == 0)
            return e;
    }
    return NULL;
}

static Share *get(weft_context *ctx, const char *owner, const char *name)
{
    if (!ctx || !context_ok(ctx))
        return NULL;
    if (!owner || !name) {
        context_fail(ctx, WEFT_ERROR_INVALID, "a shared tensor has an owner and a name");
        return NULL;
    }
    Share *e = find(tensor_state(ctx), owner, name);
    if (!e)
        context_fail_names(ctx, WEFT_ERROR_NOT_FOUND, (const char *const[]){name, owner, NULL},
                           "Tensor %s not found for model %s", name, owner);
    return e;
}

static void share_remove(TensorState *s, Share *e)
{
    Share gone = *e;
    *e = s->shares->shares[--s->shares->count];
    share_fini(&gone);
}

static Reader *reader_find(Share *e, const char *name)
{
    for (uint32_t i = 0; i < e->reader_count; i++)
        if (strcmp(e->readers[i].name, name) == 0)
            return &e->readers[i];
    return NULL;
}

static bool no_memory(weft_context *ctx)
{
    return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the names of shared tensors");
}

/* ---- putting ---- */

static Share *share_add(TensorState *s, const char *owner, const char *name)
{
    if (!s->shares && !(s->shares = calloc(1, sizeof *s->shares)))
        return NULL;
    Share *more = realloc(s->shares->shares, (s->shares->count + 1) * sizeof *more);
    char  *o = strdup(owner), *n = strdup(name);
    if (more)
        s->shares->shares = more;
    if (!more || !o || !n) {
        free(o);
        free(n);
        return NULL;
    }
    Share *e = &more[s->shares->count++];
    *e = (Share){.owner = o, .name = n};
    return e;
}

/* Another tensor under the same name: grants stay, references to the old one go. */
static void share_replace(Share *e, weft_tensor *t)
{
    weft_tensor *old = e->tensor;
    e->tensor = tensor_use(t);
    for (uint32_t i = 0; i < e->reader_count; i++)
        if (e->readers[i].holds) {
            e->readers[i].holds = false;
            tensor_unuse(old);
        }
    tensor_unuse(old);
}

bool weft_share_put(weft_context *ctx, const char *owner, const char *name, weft_tensor *t)
{
    if (!ctx || !TENSOR_ARGS("share_put", t))
        return false;
    if (t->ctx != ctx || !owner || !name || !*owner || !*name)
        return context_fail(ctx, WEFT_ERROR_INVALID, "share_put: an owner, a name and a tensor of "
                            "this context are needed");
    TensorState *s = tensor_state(ctx);
    Share       *e = s ? find(s, owner, name) : NULL;
    if (e) {
        share_replace(e, t);
        return true;
    }
    e = s ? share_add(s, owner, name) : NULL;
    if (!e)
        return no_memory(ctx);
    e->tensor = tensor_use(t);
    return true;
}

/* ---- readers ---- */

bool weft_share_grant(weft_context *ctx, const char *owner, const char *name,
                      const char *reader)
{
    Share *e = get(ctx, owner, name);
    if (!e)
        return false;
    if (!reader)
        return context_fail(ctx, WEFT_ERROR_INVALID, "share_grant: no reader");
    Reader *r = reader_find(e, reader);
    if (!r) {
        Reader *more = realloc(e->readers, (e->reader_count + 1) * sizeof *more);
        char   *copy = strdup(reader);
        if (more)
            e->readers = more;
        if (!more || !copy) {
            free(copy);
            return no_memory(ctx);
        }
        r = &more[e->reader_count++];
        *r = (Reader){.name = copy};
    }
    r->granted = true;
    return true;
}

static void reader_drop(Share *e, Reader *r)
{
    if (r->holds)
        tensor_unuse(e->tensor);
    r->holds = false;
}

bool weft_share_revoke(weft_context *ctx, const char *owner, const char *name,
                       const char *reader)
{
    Share  *e = get(ctx, owner, name);
    Reader *r = e && reader ? reader_find(e, reader) : NULL;
    if (!e)
        return false;
    if (!r || !r->granted)
        return context_fail(ctx, WEFT_ERROR_NOT_FOUND, "%s has no access to tensor %s of %s",
                            reader ? reader : "nobody", name, owner);
    reader_drop(e, r);
    r->granted = false;
    return true;
}

weft_tensor *weft_share_get(weft_context *ctx, const char *owner, const char *name,
                            const char *reader)
{
    Share *e = get(ctx, owner, name);
    if (!e)
        return NULL;
    if (!reader || strcmp(reader, owner) == 0)
        return weft_tensor_retain(e->tensor);
    Reader *r = reader_find(e, reader);
    if (!r || !r->granted) {
        context_fail_names(ctx, WEFT_ERROR_DENIED,
                           (const char *const[]){name, owner, reader, NULL},
                           "%s may not use tensor %s of %s; the owner grants access with "
                           "weft_share_grant", reader, name, owner);
        return NULL;
    }
    if (!r->holds) {
        tensor_use(e->tensor);
        r->holds = true;
    }
    return weft_tensor_retain(e->tensor);
}

bool weft_share_drop(weft_context *ctx, const char *owner, const char *name, const char *reader)
{
    Share *e = get(ctx, owner, name);
    if (!e)
        return false;
    if (!reader || strcmp(reader, owner) == 0) {
        share_remove(tensor_state(ctx), e);
        return true;
    }
    Reader *r = reader_find(e, reader);
    if (!r || !r->holds)
        return context_fail(ctx, WEFT_ERROR_NOT_FOUND, "%s holds no reference to tensor %s of %s",
                            reader, name, owner);
    reader_drop(e, r);
    return true;
}

uint32_t weft_share_release(weft_context *ctx, const char *owner)
{
    TensorState *s = tensor_state(ctx);
    uint32_t     count = 0;
    if (!s || !s->shares || !owner)
        return 0;
    for (uint32_t i = s->shares->count; i-- > 0;) {
        Share  *e = &s->shares->shares[i];
        Reader *r = reader_find(e, owner);
        if (r && r->holds) {
            reader_drop(e, r);
            count++;
        }
        if (strcmp(e->owner, owner) == 0) {
            share_remove(s, e);
            count++;
        }
    }
    return count;
}

/* ---- queries ---- */

uint32_t weft_share_count(const weft_context *ctx)
{
    const TensorState *s = ctx ? context_slot(ctx, CONTEXT_TENSOR) : NULL;
    return s && s->shares ? s->shares->count : 0;
}

bool weft_share_get_info(weft_share_info *out, const weft_context *ctx, uint32_t index)
{
    const TensorState *s = ctx ? context_slot(ctx, CONTEXT_TENSOR) : NULL;
    if (!out || index >= weft_share_count(ctx))
        return false;
    const Share *e = &s->shares->shares[index];
    *out = (weft_share_info){.owner = e->owner, .name = e->name, .tensor = e->tensor,
                             .bytes = weft_tensor_bytes(e->tensor),
                             .location = weft_tensor_location(e->tensor), .references = 1};
    for (uint32_t i = 0; i < e->reader_count; i++) {
        out->references += e->readers[i].holds;
        out->reader_count += e->readers[i].granted;
    }
    return true;
}

static bool holds(Share *e, const char *owner)
{
    Reader *r = reader_find(e, owner);
    return strcmp(e->owner, owner) == 0 || (r && r->holds);
}

uint64_t weft_share_bytes(const weft_context *ctx, const char *owner)
{
    const TensorState *s = ctx ? context_slot(ctx, CONTEXT_TENSOR) : NULL;
    uint64_t bytes = 0;
    for (uint32_t i = 0; owner && s && i < weft_share_count(ctx); i++) {
        Share *e = &s->shares->shares[i];
        bool   counted = false;
        for (uint32_t k = 0; k < i && !counted; k++)
            counted = holds(&s->shares->shares[k], owner)
                      && tensor_root(s->shares->shares[k].tensor) == tensor_root(e->tensor);
        if (holds(e, owner) && !counted)
            bytes += weft_tensor_bytes(tensor_root(e->tensor));
    }
    return bytes;
}
