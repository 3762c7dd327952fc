// SPDX-License-Identifier: Apache-2.0
/*
 * safetensors.c - safetensors files, and indices of several of them.
 *
 * in     a file: the length of its head, the head in JSON, the elements
 * out    entries and metadata; new files
 * knows  https://github.com/huggingface/safetensors (format), Jansson
 * not    what becomes of the entries
 */
#include <jansson.h>

#include <stdlib.h>

#include "store/store_priv.h"

#define MAX_HEAD ((uint64_t)100 << 20)  /* bytes                                       */

static const struct {
    const char *name;
    weft_dtype  dtype;
    Convert     convert;
    uint32_t    size;                   /* bytes of an element in the file             */
} types[] = {
    {"F32", WEFT_F32, CONVERT_NONE, 4},  {"F16", WEFT_F16, CONVERT_NONE, 2},
    {"BF16", WEFT_BF16, CONVERT_NONE, 2}, {"F64", WEFT_F64, CONVERT_NONE, 8},
    {"I32", WEFT_I32, CONVERT_NONE, 4},  {"U32", WEFT_U32, CONVERT_NONE, 4},
    {"I8", WEFT_I8, CONVERT_NONE, 1},    {"U8", WEFT_U8, CONVERT_NONE, 1},
    {"I64", WEFT_I64, CONVERT_NONE, 8},  {"BOOL", WEFT_BOOL, CONVERT_BOOL, 1},
    {"I16", WEFT_I32, CONVERT_I16, 2},   {"U16", WEFT_U32, CONVERT_U16, 2},
};

static const char *type_name(weft_dtype dtype)
{
    for (size_t i = 0; i < COUNTOF(types); i++)
        if (types[i].dtype == dtype && types[i].size == weft_dtype_bytes(dtype, 1))
            return types[i].name;
    return NULL;
}

bool safetensors_can_write(weft_store *s, const char *name, weft_dtype dtype)
{
    const char *names[] = {name, NULL};
    return type_name(dtype)
        || context_fail_names(s->ctx, WEFT_ERROR_UNSUPPORTED, names,
                              "'%s': safetensors files have no type %s", name,
                              weft_dtype_name(dtype));
}

/* ---- the head ---- */

static bool read_shape(weft_store *s, const char *path, Entry *e, json_t *shape)
{
    if (!json_is_array(shape))
        return store_fail_format(s, path, e->name, "'shape' is not a list");
    if (json_array_size(shape) > WEFT_MAX_RANK)
        return store_fail_format(s, path, e->name, "'shape' has %zu axes; at most %u are possible",
                                 json_array_size(shape), WEFT_MAX_RANK);
    e->rank = (uint32_t)json_array_size(shape);
    for (uint32_t i = 0; i < e->rank; i++) {
        json_t *size = json_array_get(shape, i);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return store_fail_format(s, path, e->name, "'shape' has a size that is not a number");
        e->shape[i] = (uint64_t)json_integer_value(size);
    }
    return true;
}

static bool read_offsets(weft_store *s, const char *path, Entry *e, json_t *offsets,
                         uint64_t start, uint64_t room)
{
    json_t *from = json_array_get(offsets, 0), *to = json_array_get(offsets, 1);
    if (!json_is_integer(from) || !json_is_integer(to) || json_array_size(offsets) != 2)
        return store_fail_format(s, path, e->name, "'data_offsets' are not two numbers");
    json_int_t first = json_integer_value(from), last = json_integer_value(to);
    if (first < 0 || last < first || (uint64_t)last > room)
        return store_fail_format(s, path, e->name, "'data_offsets' are beyond the file: %lld to "
                                 "%lld of %llu bytes", (long long)first, (long long)last,
                                 (unsigned long long)room);
    e->offset = start + (uint64_t)first;
    e->bytes = (uint64_t)(last - first);
    return true;
}

static bool read_type(weft_store *s, const char *path, Entry *e, json_t *type)
{
    if (!json_is_string(type))
        return store_fail_format(s, path, e->name, "'dtype' is not a string");
    e->type = arena_printf(&s->arena, "%s", json_string_value(type));
    for (size_t i = 0; i < COUNTOF(types); i++) {
        if (strcmp(types[i].name, e->type) != 0)
            continue;
        e->dtype = types[i].dtype;
        e->convert = types[i].convert;
        if (!entry_count(&e->count, e->rank, e->shape) || e->count > UINT64_MAX / types[i].size
            || e->count * types[i].size != e->bytes)
            return store_fail_format(s, path, e->name, "'shape' and 'dtype' do not give the %llu "
                                     "bytes of 'data_offsets'", (unsigned long long)e->bytes);
    }
    return true;
}

static bool read_tensor(weft_store *s, const char *path, Mapping *file, uint64_t start,
                        const char *name, json_t *value)
{
    Entry e = {.name = arena_printf(&s->arena, "%s", name), .file = file};
    if (!json_is_object(value))
        return store_fail_format(s, path, e.name, "it is not an object");
    return read_shape(s, path, &e, json_object_get(value, "shape"))
        && read_offsets(s, path, &e, json_object_get(value, "data_offsets"), start,
                        file->size - start)
        && read_type(s, path, &e, json_object_get(value, "dtype"))
        && store_add_entry(s, path, &e);
}

static bool read_metadata(weft_store *s, const char *path, json_t *object)
{
    const char *key;
    json_t     *value;
    if (!json_is_object(object))
        return store_fail_format(s, path, "__metadata__", "it is not an object");
    json_object_foreach(object, key, value) {
        if (!json_is_string(value))
            return store_fail_format(s, path, "__metadata__", "'%s' is not a string", key);
        store_add_metadata(s, key, json_string_value(value));
    }
    return true;
}

static json_t *parse(weft_store *s, const char *path, const char *field, const uint8_t *data,
                     uint64_t size)
{
    json_error_t why;
    json_t *head = json_loadb((const char *)data, (size_t)size, JSON_REJECT_DUPLICATES, &why);
    if (!head)
        store_fail_format(s, path, field, "line %d, column %d: %s", why.line, why.column, why.text);
    else if (!json_is_object(head)) {
        store_fail_format(s, path, field, "it is not an object");
        json_decref(head);
        head = NULL;
    }
    return head;
}

/* Where the elements start; 0 with the error set. */
static uint64_t head_end(weft_store *s, const char *path, const Mapping *file)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < 8 && file->size >= 8; i++)
        size |= (uint64_t)file->data[i] << (8 * i);
    if (file->size < 8)
        store_fail_format(s, path, "head", "the file is shorter than 8 bytes");
    else if (size > file->size - 8)
        store_fail_format(s, path, "head", "its length of %llu bytes is beyond the file",
                          (unsigned long long)size);
    else if (size > MAX_HEAD)
        store_fail_format(s, path, "head", "its length of %llu bytes is above %llu",
                          (unsigned long long)size, (unsigned long long)MAX_HEAD);
    else
        return 8 + size;
    return 0;
}

/* All tensors of one file. */
static bool read_file(weft_store *s, const char *path, bool metadata)
{
    Mapping    *file = store_map(s, path);
    uint64_t    start = file ? head_end(s, path, file) : 0;
    json_t     *head = start ? parse(s, path, "head", file->data + 8, start - 8) : NULL;
    bool        ok = head != NULL;
    const char *key;
    json_t     *value;
    if (ok) {
        json_object_foreach(head, key, value) {
            if (strcmp(key, "__metadata__") != 0)
                ok = ok && read_tensor(s, path, file, start, key, value);
            else if (metadata)
                ok = ok && read_metadata(s, path, value);
        }
    }
    json_decref(head);
    return ok;
}

bool safetensors_read(weft_store *s)
{
    return read_file(s, s->desc.path, true) && store_sort(s, s->desc.path);
}

/* ---- an index of several files ---- */

static const char *sibling(Arena *arena, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return arena_printf(arena, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
}

/* Files are beside the index: a name that leads elsewhere is refused. */
static bool check_file_name(weft_store *s, const char *name, json_t *file)
{
    const char *text = json_string_value(file);
    if (!text || !*text || strchr(text, '/') || strcmp(text, "..") == 0 || strcmp(text, ".") == 0)
        return store_fail_format(s, s->desc.path, name,
                                 "its file is not a name in the same folder");
    return true;
}

typedef VEC(const char *) Names;

static bool list_files(weft_store *s, json_t *map, Names *files)
{
    const char *key;
    json_t     *value;
    json_object_foreach(map, key, value) {
        uint32_t i = 0;
        if (!check_file_name(s, key, value))
            return false;
        while (i < files->len && strcmp(files->data[i], json_string_value(value)) != 0)
            i++;
        if (i == files->len && i == 4096)
            return store_fail_format(s, s->desc.path, "weight_map", "it names too many files");
        if (i == files->len)
            VEC_PUSH(&s->arena, files, arena_printf(&s->arena, "%s", json_string_value(value)));
    }
    return true;
}

/* Every tensor of the index must be in the file that the index names, and no other one
 * counts. */
static bool keep_listed(weft_store *s, json_t *map, const uint32_t *ends, const Names *files)
{
    uint32_t kept = 0, file = 0;
    for (uint32_t i = 0; i < s->entries.len; i++) {
        Entry *e = &s->entries.data[i];
        while (i >= ends[file])
            file++;
        const char *want = json_string_value(json_object_get(map, e->name));
        if (want && strcmp(want, files->data[file]) == 0)
            s->entries.data[kept++] = *e;
    }
    s->entries.len = kept;
    if (!store_sort(s, s->desc.path))
        return false;
    const char *key;
    json_t     *value;
    json_object_foreach(map, key, value) {
        if (!store_find_entry(s, key))
            return store_fail_format(s, s->desc.path, key, "it is not in the file '%s'",
                                     json_string_value(value));
    }
    return true;
}

bool sharded_read(weft_store *s)
{
    Mapping *index = store_map(s, s->desc.path);
    json_t  *head = index && (index->size <= MAX_HEAD
                              || store_fail_format(s, s->desc.path, "index", "it is too large"))
                  ? parse(s, s->desc.path, "index", index->data, index->size) : NULL;
    json_t  *map = json_object_get(head, "weight_map");
    json_t  *metadata = json_object_get(head, "metadata"), *value;
    Names    files = {0};
    const char *key;
    bool     ok = head && (json_is_object(map)
                           || store_fail_format(s, s->desc.path, "weight_map", "it is missing"));
    ok = ok && list_files(s, map, &files);
    uint32_t *ends = ARENA_ARRAY(&s->arena, uint32_t, files.len + 1);
    for (uint32_t i = 0; ok && i < files.len; i++) {
        ok = read_file(s, sibling(&s->arena, s->desc.path, files.data[i]), false);
        ends[i] = s->entries.len;
    }
    ok = ok && keep_listed(s, map, ends, &files);
    json_object_foreach(metadata, key, value) {
        if (ok && json_is_string(value))
            store_add_metadata(s, key, json_string_value(value));
    }
    json_decref(head);
    return ok;
}

/* ---- writing ---- */

static void write_pairs(Text *out, const Pairs *pairs)
{
    text_char(out, '{');
    for (uint32_t i = 0; i < pairs->len; i++) {
        text_add(out, i ? STR(",") : STR(""));
        text_json(out, str_of(pairs->data[i].key));
        text_char(out, ':');
        text_json(out, str_of(pairs->data[i].value));
    }
    text_char(out, '}');
}

static void write_tensor(Text *out, const Item *item, uint64_t at)
{
    uint32_t        rank;
    const uint64_t *shape = item_shape(item, &rank);
    bool            same = item->entry && item->entry->dtype == WEFT_DTYPE_NONE;
    text_json(out, str_of(item->name));
    text_printf(out, ":{\"dtype\":\"%s\",\"shape\":[",
                same ? item->entry->type : type_name(item_dtype(item)));
    for (uint32_t i = 0; i < rank; i++)
        text_printf(out, "%s%llu", i ? "," : "", (unsigned long long)shape[i]);
    text_printf(out, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)at,
                (unsigned long long)(at + item_bytes(item)));
}

/* Items [first, last) as one file. */
static bool write_file(weft_store *s, const char *path, const Item *items, uint32_t count,
                       const Pairs *metadata, Arena *arena)
{
    Text     head = {.arena = arena};
    uint64_t at = 0;
    OutFile  file;
    text_char(&head, '{');
    if (metadata && metadata->len) {
        text_add(&head, STR("\"__metadata__\":"));
        write_pairs(&head, metadata);
    }
    for (uint32_t i = 0; i < count; i++) {
        text_add(&head, i || (metadata && metadata->len) ? STR(",") : STR(""));
        write_tensor(&head, &items[i], at);
        at += item_bytes(&items[i]);
    }
    text_char(&head, '}');
    while (head.len % 8)
        text_char(&head, ' ');
    uint8_t size[8];
    for (int i = 0; i < 8; i++)
        size[i] = (uint8_t)((uint64_t)head.len >> (8 * i));
    bool ok = file_begin(&file, s->ctx, path) && file_write(&file, size, sizeof size)
           && file_write(&file, head.data, head.len);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = item_write(s, &file, &items[i]);
    ok = ok && file_replace(&file);
    file_abandon(&file);
    return ok;
}

bool safetensors_write(weft_store *s, const Items *items, Arena *arena)
{
    Pairs metadata;
    store_new_metadata(&metadata, arena, s);
    return write_file(s, s->desc.path, items->data, items->len, &metadata, arena);
}

/* Names of the files that the old index has, to be deleted once the new one is there. */
static void list_old(weft_store *s, Names *out, Arena *arena)
{
    json_error_t why;
    json_t     *head = json_load_file(s->desc.path, 0, &why), *value;
    const char *key;
    json_object_foreach(json_object_get(head, "weight_map"), key, value) {
        const char *name = json_string_value(value);
        uint32_t    i = 0;
        if (!name || strchr(name, '/'))
            continue;
        while (i < out->len && strcmp(out->data[i], name) != 0)
            i++;
        if (i == out->len)
            VEC_PUSH(arena, out, arena_printf(arena, "%s", name));
    }
    json_decref(head);
}

static const char *shard_name(Arena *arena, const char *stem, uint32_t number, uint32_t count)
{
    return arena_printf(arena, "%s-%05u-of-%05u.safetensors", stem, number, count);
}

/* "model" of "model.safetensors.index.json", and a number that no file has yet: the files of
 * the old index stay as they are until the new one replaces it. */
static const char *shard_stem(weft_store *s, uint32_t count, Arena *arena)
{
    static const char ending[] = ".safetensors.index.json";
    const char *slash = strrchr(s->desc.path, '/'), *name = slash ? slash + 1 : s->desc.path;
    size_t      length = strlen(name);
    if (length > sizeof ending - 1 && strcmp(name + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    for (uint32_t number = (uint32_t)file_now();; number++) {
        const char *stem = arena_printf(arena, "%.*s-%08x", (int)length, name, number);
        if (!file_exists(sibling(arena, s->desc.path, shard_name(arena, stem, 1, count))))
            return stem;
    }
}

/* The file of each item: a new one where the size is reached. Returns how many. */
static uint32_t cut_shards(const Items *items, uint64_t limit, uint32_t *shard)
{
    uint32_t count = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < items->len; i++) {
        uint64_t more = item_bytes(&items->data[i]);
        if (i && more > limit - MIN_OF(limit, bytes)) {
            count++;
            bytes = 0;
        }
        shard[i] = count;
        bytes += more;
    }
    return count + 1;
}

static bool write_index(weft_store *s, const Items *items, const uint32_t *shard,
                        const Names *files, Arena *arena)
{
    Text     text = {.arena = arena};
    Pairs    metadata;
    uint64_t total = 0;
    OutFile  file;
    store_new_metadata(&metadata, arena, s);
    for (uint32_t i = 0; i < items->len; i++)
        total += item_bytes(&items->data[i]);
    text_printf(&text, "{\"metadata\":{\"total_size\":%llu", (unsigned long long)total);
    for (uint32_t i = 0; i < metadata.len; i++) {
        text_char(&text, ',');
        text_json(&text, str_of(metadata.data[i].key));
        text_char(&text, ':');
        text_json(&text, str_of(metadata.data[i].value));
    }
    text_add(&text, STR("},\"weight_map\":{"));
    for (uint32_t i = 0; i < items->len; i++) {
        text_add(&text, i ? STR(",") : STR(""));
        text_json(&text, str_of(items->data[i].name));
        text_char(&text, ':');
        text_json(&text, str_of(files->data[shard[i]]));
    }
    text_add(&text, STR("}}\n"));
    bool ok = file_begin(&file, s->ctx, s->desc.path) && file_write(&file, text.data, text.len)
           && file_replace(&file);
    file_abandon(&file);
    return ok;
}

bool sharded_write(weft_store *s, const Items *items, Arena *arena)
{
    uint64_t    limit = s->desc.shard_size ? s->desc.shard_size : (uint64_t)4 << 30;
    uint32_t   *shard = ARENA_ARRAY(arena, uint32_t, items->len + 1);
    uint32_t    count = cut_shards(items, limit, shard), first = 0;
    const char *stem = shard_stem(s, count, arena);
    Names       files = {0}, old = {0};
    bool        ok = true;
    list_old(s, &old, arena);
    for (uint32_t k = 0; ok && k < count; k++) {
        uint32_t last = first;
        while (last < items->len && shard[last] == k)
            last++;
        VEC_PUSH(arena, &files, shard_name(arena, stem, k + 1, count));
        ok = write_file(s, sibling(arena, s->desc.path, files.data[k]), items->data + first,
                        last - first, NULL, arena);
        first = last;
    }
    ok = ok && write_index(s, items, shard, &files, arena);
    const Names *gone = ok ? &old : &files;
    for (uint32_t i = 0; i < gone->len; i++) {
        bool kept = false;
        for (uint32_t k = 0; ok && k < files.len; k++)
            kept = kept || strcmp(files.data[k], gone->data[i]) == 0;
        if (!kept)
            file_remove(s->ctx, sibling(arena, s->desc.path, gone->data[i]));
    }
    return ok;
}
