// SPDX-License-Identifier: Apache-2.0
/*
 * strided.c - stores into views, whose elements do not lie together.
 *
 * in     a contiguous tensor and a view of its shape
 * out    a copy of buffers, or a kernel; packed elements of other views in the same word are
 *        left alone by atomics
 * not    the graph
 */
#include "tensor/strided_priv.h"

#include "tensor/plan_priv.h"

#define SIZE 256u
#define ROW  (65535u * SIZE)

static void write_target(Writer *w, Arena *arena, const weft_tensor *t, int64_t offset)
{
    Text        index = {.arena = arena};
    const char *rest = "i";
    text_printf(&index, "%lluu", (unsigned long long)(uint32_t)offset);
    for (uint32_t d = t->rank; d-- > 0;) {
        int64_t s = t->strides[d];
        if (t->shape[d] == 1)
            continue;
        writer_line(w, "let c%u = %s %% %lluu;", d, rest, (unsigned long long)t->shape[d]);
        writer_line(w, "let r%u = %s / %lluu;", d, rest, (unsigned long long)t->shape[d]);
        rest = arena_printf(arena, "r%u", d);
        text_printf(&index, " %s c%u * %lluu", s < 0 ? "-" : "+", d,
                    (unsigned long long)(s < 0 ? -s : s));
    }
    writer_line(w, "let to = %s;", index.data);
}

static const char *store_text(Arena *arena, const weft_tensor *t, int64_t offset)
{
    uint32_t    pack = store_pack(t->state, (weft_dtype)t->dtype), bits = 32 / pack;
    const char *type = store_type(t->state, (weft_dtype)t->dtype);
    Writer      w;
    writer_init(&w, arena);
    writer_comment(&w, "stores %s into a view", tensor_text(t));
    if (t->dtype == WEFT_F16 && pack == 1)
        writer_enable(&w, "f16");
    if (t->dtype == WEFT_F64)
        writer_enable(&w, "weft_f64");
    writer_binding(&w, 0, 0, WRITER_READ, "x", arena_printf(arena, "array<%s>", type));
    writer_binding(&w, 0, 1, WRITER_READ_WRITE, "y",
                   arena_printf(arena, "array<%s>", pack > 1 ? "atomic<u32>" : type));
    writer_begin_main(&w, SIZE, 1, 1, WRITER_ID);
    writer_line(&w, "let i = id.y * %uu + id.x;", ROW);
    writer_open(&w, "if i < %lluu", (unsigned long long)t->count);
    write_target(&w, arena, t, offset);
    if (pack == 1) {
        writer_line(&w, "y[to] = x[i];");
    } else {
        writer_line(&w, "let bits = (x[i / %uu] >> (i %% %uu * %uu)) & 0x%xu;", pack, pack, bits,
                    (1u << bits) - 1);
        writer_line(&w, "let at = to %% %uu * %uu;", pack, bits);
        writer_line(&w, "atomicAnd(&y[to / %uu], ~(0x%xu << at));", pack, (1u << bits) - 1);
        writer_line(&w, "atomicOr(&y[to / %uu], bits << at);", pack);
    }
    writer_close(&w);
    writer_end_main(&w);
    return writer_text(&w);
}

static bool store_dispatch(weft_tensor *t, weft_tensor *from, const char *text, uint64_t start,
                           uint64_t end)
{
    weft_context  *ctx = t->ctx;
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = text, .entry = "main", .label = "store into a view" });
    uint64_t groups = (t->count + SIZE - 1) / SIZE;
    weft_binding b[2] = {
        {.buffer = storage_device(tensor_root(from)->storage)},
        {.buffer = storage_device(tensor_root(t)->storage), .offset = start,
         .size = end - start},
    };
    bool ok = p && b[0].buffer && b[1].buffer && weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = p, .bindings = b, .binding_count = 2,
        .groups = {(uint32_t)MIN_OF(groups, 65535u), (uint32_t)((groups + 65534) / 65535), 1} });
    weft_pipeline_release(p);
    return ok;
}

bool strided_store(weft_tensor *t, weft_tensor *from)
{
    uint64_t start, end, unit = weft_dtype_bytes((weft_dtype)t->dtype, 1);
    Storage *to = tensor_root(t)->storage, *st = tensor_root(from)->storage;
    Arena    arena;
    if (tensor_is_contiguous(t)) {
        weft_buffer *a = storage_device(to), *b = storage_device(st);
        return a && b && weft_buffer_copy(a, (uint64_t)t->offset * unit, b, 0,
                                          weft_tensor_bytes(t));
    }
    leaf_range(&start, &end, t);
    arena_init(&arena, 0);
    const char *text = store_text(&arena, t, t->offset - (int64_t)(start / unit));
    to->busy = st->busy = true;
    bool ok = store_dispatch(t, from, text, start, end);
    to->busy = st->busy = false;
    arena_fini(&arena);
    return ok;
}
