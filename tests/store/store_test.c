/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_test.c - tensors into files and back, in every format; wrong files and wrong calls.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/store.h>

#include "store/sha256.h"

static char folder[] = "/tmp/weft-store-XXXXXX";
static weft_context *ctx;

static const char *path_of(const char *name)
{
    static char paths[8][256];
    static int  next;
    char       *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void no_error(void)
{
    if (weft_context_error(ctx)->kind)
        fail_msg("%s", weft_context_error(ctx)->message);
}

static void expect_error(weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("expected a %s error with '%s', got %s: %s", weft_error_kind_name(kind), part,
                 weft_error_kind_name(e->kind), e->message);
    weft_context_error_clear(ctx);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static size_t read_file(const char *path, uint8_t *out, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(out, 1, most, file);
    fclose(file);
    return size;
}

static weft_store *open_store(const weft_store_desc *desc)
{
    weft_store *s = weft_store_open(ctx, desc);
    no_error();
    assert_non_null(s);
    return s;
}

/* ---- every format ---- */

static const float numbers[6] = {1, 2, 3, 4, 5, -6.5f};

static void put_numbers(weft_store *s, const char *name, float first)
{
    float data[6];
    memcpy(data, numbers, sizeof data);
    data[0] = first;
    assert_true(weft_store_put_data(s, name, &(weft_store_data){
        .rank = 2, .shape = {2, 3}, .data = data, .bytes = sizeof data}));
}

static float first_number(weft_store *s, const char *name)
{
    float data[6] = {0};
    assert_true(weft_store_read(data, sizeof data, s, name));
    assert_memory_equal(data + 1, numbers + 1, sizeof data - sizeof *data);
    return data[0];
}

static void check_format(const char *path, const char *model, bool metadata, uint64_t shard)
{
    weft_store_desc d = {.path = path, .model = model, .write = true, .shard_size = shard};
    weft_store     *s = open_store(&d);
    put_numbers(s, "b", 10);
    put_numbers(s, "a.weight", 20);
    put_numbers(s, "z", 25);
    assert_int_equal(weft_store_count(s), 0);       /* not yet */
    if (metadata)
        assert_true(weft_store_set_metadata(s, "version", "1 \"quoted\" \xc3\xa4"));
    assert_true(weft_store_commit(s));
    assert_int_equal(weft_store_count(s), 3);
    put_numbers(s, "b", 30);                        /* replaces */
    put_numbers(s, "c", 40);
    assert_true(weft_store_remove(s, "z"));
    assert_true(first_number(s, "b") == 10);        /* until the commit */
    assert_true(weft_store_commit(s));
    assert_true(first_number(s, "b") == 30);
    put_numbers(s, "lost", 50);                     /* without a commit */
    weft_store_release(s);

    s = open_store(&(weft_store_desc){.path = path, .model = model, .verify = true});
    weft_store_entry e;
    assert_int_equal(weft_store_count(s), 3);
    assert_true(weft_store_entry_get(&e, s, 0));
    assert_string_equal(e.name, "a.weight");
    assert_int_equal(e.dtype, WEFT_F32);
    assert_int_equal(e.rank, 2);
    assert_int_equal(e.shape[1], 3);
    assert_int_equal(e.bytes, 24);
    assert_false(weft_store_entry_get(&e, s, 3));
    assert_true(weft_store_find(&e, s, "c"));
    assert_false(weft_store_find(&e, s, "lost"));
    assert_true(first_number(s, "a.weight") == 20);
    assert_true(first_number(s, "b") == 30);
    assert_true(first_number(s, "c") == 40);
    if (metadata)
        assert_string_equal(weft_store_metadata(s, "version"), "1 \"quoted\" \xc3\xa4");
    assert_null(weft_store_metadata(s, "none"));
    assert_false(weft_store_put_data(s, "x", &(weft_store_data){0}));
    expect_error(WEFT_ERROR_DENIED, "for reading");
    assert_null(weft_store_get(s, "lost"));
    expect_error(WEFT_ERROR_NOT_FOUND, "'lost'");
    weft_store_release(s);
    no_error();
}

static void test_every_format_keeps_what_was_committed(void **state)
{
    (void)state;
    check_format(path_of("one.safetensors"), NULL, true, 0);
    check_format(path_of("many.safetensors.index.json"), NULL, true, 40);
    check_format(path_of("arrays.npz"), NULL, false, 0);
    check_format(path_of("models"), "org/model 1.0", true, 0);
}

static void test_a_npy_file_has_one_tensor(void **state)
{
    (void)state;
    weft_store *s = open_store(&(weft_store_desc){.path = path_of("x.npy"), .write = true});
    put_numbers(s, "array", 7);
    assert_true(weft_store_commit(s));
    assert_true(first_number(s, "array") == 7);
    put_numbers(s, "second", 8);
    assert_false(weft_store_commit(s));
    expect_error(WEFT_ERROR_INVALID, "one tensor, not 2");
    assert_false(weft_store_set_metadata(s, "a", "b"));
    expect_error(WEFT_ERROR_UNSUPPORTED, "metadata");
    weft_store_release(s);
}

/* ---- tensors ---- */

static void test_tensors_outlive_their_store(void **state)
{
    (void)state;
    const char *paths[] = {path_of("t.safetensors"), path_of("t.npz"), path_of("t-models")};
    for (int i = 0; i < 3; i++) {
        weft_store *s = open_store(&(weft_store_desc){.path = paths[i], .write = true,
                                                      .model = "m"});
        weft_tensor *x = weft_tensor_create(ctx, &(weft_tensor_desc){
            .rank = 2, .shape = {2, 3}, .data = numbers});
        weft_tensor *sum = weft_tensor_add(x, x);
        assert_true(weft_store_put(s, "x", x));
        assert_true(weft_store_put(s, "sum", sum));     /* evaluates */
        assert_true(weft_store_commit(s));
        weft_tensor_release(x);
        weft_tensor_release(sum);
        x = weft_store_get(s, "x");
        sum = weft_store_get(s, "sum");
        assert_string_equal(weft_tensor_label(x), "x");
        weft_store_release(s);
        weft_tensor *difference = weft_tensor_sub(sum, x);
        float        out[6];
        assert_true(weft_tensor_read(out, sizeof out, difference));
        assert_memory_equal(out, numbers, sizeof out);
        weft_tensor_release(difference);
        weft_tensor_release(sum);
        weft_tensor_release(x);
        no_error();
    }
}

static void test_all_types_come_back(void **state)
{
    (void)state;
    weft_store *file = open_store(&(weft_store_desc){.path = path_of("types.safetensors"),
                                                     .write = true});
    weft_store *model = open_store(&(weft_store_desc){.path = path_of("types"), .model = "t",
                                                      .write = true});
    uint8_t data[64] = {1, 0, 1, 1};
    for (int t = WEFT_DTYPE_NONE + 1; t < WEFT_DTYPE_COUNT; t++) {
        weft_dtype dtype = (weft_dtype)t;
        uint64_t   count = dtype == WEFT_Q4_0 || dtype == WEFT_Q8_0 ? 32 : 4;
        weft_store_data d = {.dtype = dtype, .rank = 1, .shape = {count}, .data = data,
                             .bytes = weft_dtype_bytes(dtype, count)};
        bool plain = dtype != WEFT_Q4_0 && dtype != WEFT_Q8_0 && dtype != WEFT_I4
                  && dtype != WEFT_U4;
        assert_true(weft_store_put_data(model, weft_dtype_name(dtype), &d));
        assert_int_equal(weft_store_put_data(file, weft_dtype_name(dtype), &d), plain);
        if (!plain)
            expect_error(WEFT_ERROR_UNSUPPORTED, weft_dtype_name(dtype));
    }
    assert_true(weft_store_commit(model) && weft_store_commit(file));
    weft_store *both[] = {model, file};
    for (int i = 0; i < 2; i++) {
        weft_store_entry e;
        for (uint32_t k = 0; weft_store_entry_get(&e, both[i], k); k++) {
            uint8_t  back[64];
            uint64_t bytes = weft_dtype_bytes(e.dtype, e.shape[0]);
            assert_string_equal(weft_dtype_name(e.dtype), e.name);
            assert_true(weft_store_read(back, bytes, both[i], e.name));
            assert_memory_equal(back, data, bytes);
        }
        weft_store_release(both[i]);
    }
    no_error();
}

static void test_empty_tensors_and_scalars(void **state)
{
    (void)state;
    const char *paths[] = {path_of("e.safetensors"), path_of("e.npz"), path_of("e-models")};
    for (int i = 0; i < 3; i++) {
        weft_store *s = open_store(&(weft_store_desc){.path = paths[i], .write = true,
                                                      .model = "m"});
        float one = 3;
        assert_true(weft_store_put_data(s, "empty", &(weft_store_data){.rank = 2,
                                                                       .shape = {0, 5}}));
        assert_true(weft_store_put_data(s, "scalar", &(weft_store_data){.data = &one,
                                                                        .bytes = 4}));
        assert_true(weft_store_commit(s));
        weft_tensor *empty = weft_store_get(s, "empty"), *scalar = weft_store_get(s, "scalar");
        double       value = 0;
        no_error();
        assert_int_equal(weft_tensor_count(empty), 0);
        assert_int_equal(weft_tensor_size(empty, 1), 5);
        assert_true(weft_tensor_item(&value, scalar));
        assert_true(value == 3);
        weft_tensor_release(empty);
        weft_tensor_release(scalar);
        weft_store_release(s);
    }
}

/* ---- wrong files ---- */

/* A safetensors file with this head and 64 bytes of elements. */
static void expect_bad_head(const char *head, const char *part)
{
    uint8_t  file[1024] = {0};
    size_t   length = strlen(head);
    file[0] = (uint8_t)length;
    file[1] = (uint8_t)(length >> 8);
    memcpy(file + 8, head, length);
    const char *path = path_of("bad.safetensors");
    write_file(path, file, 8 + length + 64);
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path}));
    expect_error(WEFT_ERROR_FORMAT, part);
}

static void test_wrong_safetensors_name_the_field(void **state)
{
    (void)state;
    static const struct { const char *head, *part; } cases[] = {
        {"", "head"}, {"[]", "head"}, {"{\"a\":1}", "'a': it is not an object"}, {"{", "line 1"},
        {"{\"a\":{}}", "'shape'"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", "'data_offsets'"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "8 bytes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[16],\"data_offsets\":[4,68]}}", "beyond"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[16],\"data_offsets\":[8,4]}}", "beyond"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", "'shape'"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
         "axes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}",
         "'shape' and 'dtype'"},
        {"{\"a\":{\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,4]}}", "'dtype'"},
        {"{\"__metadata__\":{\"k\":1}}", "'k' is not a string"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "uplicate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *part = strcmp(cases[i].part, "8 bytes") == 0 ? "4 bytes" : cases[i].part;
        expect_bad_head(cases[i].head, part);
    }
    write_file(path_of("short.safetensors"), "\x05\0\0", 3);
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path_of("short.safetensors")}));
    expect_error(WEFT_ERROR_FORMAT, "shorter than 8 bytes");
    write_file(path_of("long.safetensors"), "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10);
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path_of("long.safetensors")}));
    expect_error(WEFT_ERROR_FORMAT, "beyond the file");
}

static void test_unknown_types_are_listed_and_kept(void **state)
{
    (void)state;
    static const char head[] =
        "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]},"
        "\"b\":{\"dtype\":\"I16\",\"shape\":[2],\"data_offsets\":[4,8]}}";
    uint8_t file[512] = {sizeof head - 1};
    const char *path = path_of("odd.safetensors");
    memcpy(file + 8, head, sizeof head - 1);
    memcpy(file + 8 + sizeof head - 1, "wxyz\xff\xff\x02\x00", 8);
    write_file(path, file, 8 + sizeof head - 1 + 8);
    weft_store      *s = open_store(&(weft_store_desc){.path = path, .write = true});
    weft_store_entry e;
    int32_t          wide[2];
    assert_true(weft_store_find(&e, s, "a"));
    assert_int_equal(e.dtype, WEFT_DTYPE_NONE);
    assert_string_equal(e.type, "F8_E4M3");
    assert_null(weft_store_get(s, "a"));
    expect_error(WEFT_ERROR_TYPE, "F8_E4M3");
    assert_true(weft_store_read(wide, sizeof wide, s, "b"));
    assert_int_equal(wide[0], -1);
    assert_int_equal(wide[1], 2);
    put_numbers(s, "c", 1);
    assert_true(weft_store_commit(s));
    assert_true(weft_store_find(&e, s, "a"));
    assert_string_equal(e.type, "F8_E4M3");
    assert_int_equal(e.bytes, 4);
    weft_store_release(s);
}

static void test_an_index_stays_in_its_folder(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"weight_map\":{\"a\":\"../one.safetensors\"}}",
        "{\"weight_map\":{\"a\":\"/etc/passwd\"}}", "{\"weight_map\":{\"a\":7}}",
        "{\"weight_map\":[]}", "{}", "[]",
    };
    const char *path = path_of("evil.safetensors.index.json");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(path, bad[i], strlen(bad[i]));
        assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path}));
        assert_int_equal(weft_context_error(ctx)->kind, WEFT_ERROR_FORMAT);
        weft_context_error_clear(ctx);
    }
    write_file(path, "{\"weight_map\":{\"none\":\"one.safetensors\"}}", 41);
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path}));
    expect_error(WEFT_ERROR_FORMAT, "not in the file 'one.safetensors'");
}

/* Every byte of an archive is damaged, and every end cut off: an error or equal numbers. */
static void test_damaged_archives_give_errors(void **state)
{
    (void)state;
    static uint8_t whole[4096], part[4096];
    const char *path = path_of("damaged.npz");
    weft_store *s = open_store(&(weft_store_desc){.path = path, .write = true});
    put_numbers(s, "x", 5);
    put_numbers(s, "y", 6);
    assert_true(weft_store_commit(s));
    weft_store_release(s);
    size_t size = read_file(path, whole, sizeof whole);
    for (size_t i = 0; i < 2 * size; i++) {
        memcpy(part, whole, size);
        if (i < size)
            part[i] ^= 0xff;
        write_file(path, part, i < size ? size : i - size);
        s = weft_store_open(ctx, &(weft_store_desc){.path = path, .verify = true});
        weft_store_entry e;
        for (uint32_t k = 0; weft_store_entry_get(&e, s, k); k++) {
            uint8_t back[24];
            (void)weft_store_read(back, sizeof back, s, e.name);
        }
        assert_true(s || weft_context_error(ctx)->kind == WEFT_ERROR_FORMAT);
        weft_store_release(s);
        weft_context_error_clear(ctx);
    }
}

/* ---- the folder ---- */

static void test_a_folder_lists_deletes_and_cleans(void **state)
{
    (void)state;
    const char *path = path_of("folder");
    for (int i = 0; i < 3; i++) {
        char model[] = "model-0";
        model[6] = (char)('0' + i);
        weft_store *s = open_store(&(weft_store_desc){.path = path, .model = model,
                                                      .write = true});
        put_numbers(s, "same", 1);                  /* stored once */
        put_numbers(s, "own", (float)i + 2);
        assert_true(weft_store_commit(s));
        weft_store_release(s);
    }
    weft_store      *s = open_store(&(weft_store_desc){.path = path, .write = true});
    weft_store_model m;
    weft_store_usage u;
    uint32_t         count = 0;
    uint64_t         freed = 0;
    assert_true(weft_store_model_list(s, &count));
    assert_int_equal(count, 3);
    assert_true(weft_store_model_get(&m, s, 1));
    assert_string_equal(m.name, "model-1");
    assert_int_equal(m.bytes, 48);
    assert_int_equal(m.tensors, 2);
    assert_true(m.created > 0 && m.used >= m.created);
    assert_true(weft_store_usage_get(&u, s));
    assert_int_equal(u.models, 3);
    assert_int_equal(u.objects, 4);
    assert_int_equal(u.bytes, 96);
    assert_int_equal(u.unused, 0);
    assert_true(weft_store_verify(s, NULL, NULL));
    assert_true(weft_store_model_delete(s, "model-1"));
    assert_false(weft_store_model_delete(s, "model-1"));
    expect_error(WEFT_ERROR_NOT_FOUND, "model-1");
    assert_true(weft_store_usage_get(&u, s));
    assert_int_equal(u.unused, 24);
    assert_true(weft_store_clean(s, WEFT_OFF, &freed));
    assert_int_equal(freed, 24);
    assert_true(weft_store_clean(s, 3600, &freed));
    assert_int_equal(freed, 0);
    assert_true(weft_store_model_list(s, &count));
    assert_int_equal(count, 2);
    weft_store_release(s);
}

static void test_puts_need_a_model(void **state)
{
    (void)state;
    weft_store *s = open_store(&(weft_store_desc){.path = path_of("no-model"), .write = true});
    assert_false(weft_store_put_data(s, "x", &(weft_store_data){.rank = 1}));
    expect_error(WEFT_ERROR_INVALID, "name a model");
    weft_store_release(s);
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path_of("folder"),
                                                        .model = "none"}));
    expect_error(WEFT_ERROR_NOT_FOUND, "'none'");
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path_of("missing")}));
    expect_error(WEFT_ERROR_NOT_FOUND, "missing");
}

static void test_the_quota_holds(void **state)
{
    (void)state;
    weft_store_desc d = {.path = path_of("quota"), .model = "m", .write = true, .quota = 50};
    weft_store     *s = open_store(&d);
    put_numbers(s, "a", 1);
    put_numbers(s, "b", 2);
    assert_true(weft_store_commit(s));
    put_numbers(s, "c", 3);
    assert_false(weft_store_commit(s));
    expect_error(WEFT_ERROR_QUOTA, "72 bytes, the quota is 50");
    weft_store_release(s);
    s = open_store(&d);
    assert_int_equal(weft_store_count(s), 2);
    put_numbers(s, "again", 1);                     /* takes no new memory */
    assert_true(weft_store_commit(s));
    weft_store_release(s);
}

static void test_damaged_objects_are_found(void **state)
{
    (void)state;
    const char *path = path_of("rotten");
    weft_store *s = open_store(&(weft_store_desc){.path = path, .model = "m", .write = true});
    weft_store_entry e;
    char        object[400];
    put_numbers(s, "x", 1);
    assert_true(weft_store_commit(s));
    assert_true(weft_store_find(&e, s, "x"));
    snprintf(object, sizeof object, "%s/objects/%.2s/%s", path, e.checksum, e.checksum + 2);
    weft_store_release(s);
    write_file(object, "012345678901234567890123", 24);
    s = open_store(&(weft_store_desc){.path = path, .model = "m", .verify = true});
    assert_null(weft_store_get(s, "x"));
    expect_error(WEFT_ERROR_FORMAT, "checksum");
    assert_false(weft_store_verify(s, NULL, NULL));
    expect_error(WEFT_ERROR_FORMAT, "checksum");
    weft_store_release(s);
    write_file(object, "0", 1);
    s = open_store(&(weft_store_desc){.path = path, .model = "m"});
    assert_null(weft_store_get(s, "x"));
    expect_error(WEFT_ERROR_FORMAT, "1 bytes, not 24");
    weft_store_release(s);
}

/* ---- wrong calls ---- */

static void test_wrong_calls_are_errors(void **state)
{
    (void)state;
    assert_null(weft_store_open(ctx, NULL));
    expect_error(WEFT_ERROR_INVALID, "path");
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path_of("none.npy")}));
    expect_error(WEFT_ERROR_NOT_FOUND, "none.npy");
    write_file(path_of("picture.png"), "PNG", 3);
    assert_null(weft_store_open(ctx, &(weft_store_desc){.path = path_of("picture.png")}));
    expect_error(WEFT_ERROR_UNSUPPORTED, "picture.png");
    weft_store *s = open_store(&(weft_store_desc){.path = path_of("w.safetensors"),
                                                  .write = true});
    assert_false(weft_store_put(s, "x", NULL));
    expect_error(WEFT_ERROR_INVALID, "NULL");
    assert_false(weft_store_put_data(s, "", &(weft_store_data){.rank = 1}));
    expect_error(WEFT_ERROR_INVALID, "name");
    assert_false(weft_store_put_data(s, "__metadata__", &(weft_store_data){.rank = 1}));
    expect_error(WEFT_ERROR_INVALID, "__metadata__");
    assert_false(weft_store_put_data(s, "x", &(weft_store_data){.rank = 1, .shape = {5}}));
    expect_error(WEFT_ERROR_SHAPE, "do not fill");
    assert_false(weft_store_put_data(s, "x", &(weft_store_data){.rank = 9}));
    expect_error(WEFT_ERROR_INVALID, "rank");
    assert_false(weft_store_put_data(s, "x", NULL));
    expect_error(WEFT_ERROR_INVALID, "no data");
    assert_false(weft_store_remove(s, "x"));
    expect_error(WEFT_ERROR_NOT_FOUND, "'x'");
    assert_false(weft_store_model_list(s, NULL));
    expect_error(WEFT_ERROR_INVALID, "not a folder");
    weft_store_release(s);
    assert_null(weft_store_open(NULL, NULL));
    assert_null(weft_store_get(NULL, "x"));
    assert_false(weft_store_commit(NULL));
    assert_int_equal(weft_store_count(NULL), 0);
    weft_store_release(NULL);
}

static void test_files_need_no_device(void **state)
{
    (void)state;
    weft_context *none = weft_context_create(&(weft_context_desc){.no_device = true});
    weft_store   *s = weft_store_open(none, &(weft_store_desc){.path = path_of("one.safetensors")});
    float         data[6];
    assert_non_null(s);
    assert_true(weft_store_read(data, sizeof data, s, "b"));
    assert_null(weft_store_get(s, "b"));
    assert_int_equal(weft_context_error(none)->kind, WEFT_ERROR_UNSUPPORTED);
    weft_store_release(s);
    weft_context_release(none);
}

static void test_sha256(void **state)
{
    (void)state;
    static const struct { const char *text, *want; } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < 3; i++) {
        for (size_t step = 1; step < 70; step += 13) {
            Sha256 s;
            char   hex[SHA256_HEX];
            size_t size = strlen(cases[i].text);
            sha256_init(&s);
            for (size_t at = 0; at < size; at += step)
                sha256_add(&s, cases[i].text + at, size - at < step ? size - at : step);
            sha256_hex(hex, &s);
            assert_string_equal(hex, cases[i].want);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    ctx = weft_context_create(NULL);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[100];
    (void)state;
    weft_context_release(ctx);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format_keeps_what_was_committed),
        cmocka_unit_test(test_a_npy_file_has_one_tensor),
        cmocka_unit_test(test_tensors_outlive_their_store),
        cmocka_unit_test(test_all_types_come_back),
        cmocka_unit_test(test_empty_tensors_and_scalars),
        cmocka_unit_test(test_wrong_safetensors_name_the_field),
        cmocka_unit_test(test_unknown_types_are_listed_and_kept),
        cmocka_unit_test(test_an_index_stays_in_its_folder),
        cmocka_unit_test(test_damaged_archives_give_errors),
        cmocka_unit_test(test_a_folder_lists_deletes_and_cleans),
        cmocka_unit_test(test_puts_need_a_model),
        cmocka_unit_test(test_the_quota_holds),
        cmocka_unit_test(test_damaged_objects_are_found),
        cmocka_unit_test(test_wrong_calls_are_errors),
        cmocka_unit_test(test_files_need_no_device),
        cmocka_unit_test(test_sha256),
    };
    return cmocka_run_group_tests_name("store", tests, set_up, tear_down);
}
