// SPDX-License-Identifier: Apache-2.0
/*
 * gguf_test.c - GGUF files, whole and broken.
 *
 * Each broken file is a row: how it is made, and the field that the error must name.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "model/build.h"

typedef struct Fixture {
    weft_context *ctx;
    Arena         arena;
} Fixture;

static int setup(void **state)
{
    static Fixture f;
    f.ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    arena_init(&f.arena, 0);
    *state = &f;
    return f.ctx ? 0 : -1;
}

static int teardown(void **state)
{
    Fixture *f = *state;
    weft_context_release(f->ctx);
    arena_fini(&f->arena);
    return 0;
}

static weft_gguf *open_bytes(Fixture *f, const Build *b)
{
    /* An exact copy, so that the sanitizer sees a read behind the end. */
    uint8_t *copy = malloc(b->bytes.len ? b->bytes.len : 1);
    memcpy(copy, b->bytes.data, b->bytes.len);
    weft_gguf *file = weft_gguf_create(f->ctx, &(weft_gguf_desc){.data = copy,
                                                                 .size = b->bytes.len});
    if (!file) {
        free(copy);
        return NULL;
    }
    weft_gguf_release(file);
    free(copy);
    return weft_gguf_create(f->ctx, &(weft_gguf_desc){.data = b->bytes.data, .size = b->bytes.len});
}

/* ---- broken files ---- */

static void bad_magic(Build *b)
{
    build_header(b, 3, 0, 0);
    b->bytes.data[0] = 'F';
}

static void header(Build *b, uint32_t version, uint64_t tensors, uint64_t values)
{
    build_header(b, version, tensors, values);
    build_pad(b, 32);
}

static void version_0(Build *b)       { header(b, 0, 0, 0); }
static void version_1(Build *b)       { header(b, 1, 0, 0); }
static void version_4(Build *b)       { header(b, 4, 0, 0); }
static void big_endian(Build *b)      { header(b, 0x03000000, 0, 0); }
static void many_tensors(Build *b)    { header(b, 3, UINT64_MAX, 0); }
static void many_values(Build *b)     { header(b, 3, 0, UINT64_MAX); }
static void one_value_missing(Build *b) { header(b, 3, 0, 1); }

static void key_size(Build *b)
{
    build_header(b, 3, 0, 1);
    build_u64(b, UINT64_MAX);
    build_bytes(b, "some_key and more than the least", 30);
}

static void key_empty(Build *b)
{
    build_header(b, 3, 0, 1);
    build_text(b, "", "a text that is long enough");
}

static void key_long(Build *b)
{
    build_header(b, 3, 0, 1);
    build_u64(b, 70000);
    for (int i = 0; i < 70000; i++)
        build_bytes(b, "k", 1);
    build_u32(b, WEFT_GGUF_U32);
    build_u32(b, 1);
}

static void key_with_nul(Build *b)
{
    build_header(b, 3, 0, 1);
    build_u64(b, 4);
    build_bytes(b, "a\0bc", 4);
    build_u32(b, WEFT_GGUF_U32);
    build_u32(b, 1);
}

static void key_twice(Build *b)
{
    build_header(b, 3, 0, 3);
    build_number(b, "twice", 1);
    build_number(b, "other", 1);
    build_number(b, "twice", 2);
}

static void value_kind(Build *b, uint32_t kind, uint32_t element, uint64_t count)
{
    build_header(b, 3, 0, 1);
    build_string(b, "the_key");
    build_u32(b, kind);
    if (kind == WEFT_GGUF_ARRAY) {
        build_u32(b, element);
        build_u64(b, count);
    }
    build_u64(b, 0);
}

static void kind_unknown(Build *b)        { value_kind(b, 13, 0, 0); }
static void kind_negative(Build *b)       { value_kind(b, UINT32_MAX, 0, 0); }
static void element_unknown(Build *b)     { value_kind(b, WEFT_GGUF_ARRAY, 13, 1); }
static void array_of_arrays(Build *b)     { value_kind(b, WEFT_GGUF_ARRAY, WEFT_GGUF_ARRAY, 1); }
static void array_too_long(Build *b)      { value_kind(b, WEFT_GGUF_ARRAY, WEFT_GGUF_U8, 9); }
static void array_overflows(Build *b)
{
    value_kind(b, WEFT_GGUF_ARRAY, WEFT_GGUF_F64, UINT64_MAX / 4);
}
static void strings_overflow(Build *b)
{
    value_kind(b, WEFT_GGUF_ARRAY, WEFT_GGUF_STRING, UINT64_MAX / 4);
}

static void string_too_long(Build *b, uint64_t size)
{
    build_header(b, 3, 0, 1);
    build_string(b, "the_key");
    build_u32(b, WEFT_GGUF_STRING);
    build_u64(b, size);
    build_bytes(b, "0123456789", 10);
}

static void string_by_one(Build *b)       { string_too_long(b, 11); }
static void string_by_all(Build *b)       { string_too_long(b, UINT64_MAX); }

static void string_of_array(Build *b)
{
    build_header(b, 3, 0, 1);
    build_string(b, "the_key");
    build_u32(b, WEFT_GGUF_ARRAY);
    build_u32(b, WEFT_GGUF_STRING);
    build_u64(b, 2);
    build_string(b, "fine");
    build_u64(b, UINT64_MAX - 7);
}

static void alignment(Build *b, uint32_t value)
{
    build_header(b, 3, 0, 1);
    build_number(b, "general.alignment", value);
}

static void alignment_0(Build *b)         { alignment(b, 0); }
static void alignment_13(Build *b)        { alignment(b, 13); }

static void alignment_kind(Build *b)
{
    build_header(b, 3, 0, 1);
    build_string(b, "general.alignment");
    build_u32(b, WEFT_GGUF_I32);
    build_u32(b, 32);
}

static void with_data(Build *b, size_t size)
{
    build_pad(b, 32);
    for (size_t i = 0; i < size; i++)
        build_bytes(b, "\x5a", 1);
}

static void tensor_name_long(Build *b)
{
    build_header(b, 3, 1, 0);
    build_tensor(b, "a_tensor_whose_name_is_longer_than_the_sixty_three_bytes_allowed", 8, 0, 0);
    with_data(b, 32);
}

static void tensor_name_empty(Build *b)
{
    build_header(b, 3, 1, 0);
    build_tensor(b, "", 8, 0, 0);
    with_data(b, 32);
}

static void tensor_shape(Build *b, uint32_t rank, const uint64_t *shape, uint32_t type)
{
    build_header(b, 3, 1, 0);
    build_string(b, "the_tensor");
    build_u32(b, rank);
    for (uint32_t i = 0; i < rank; i++)
        build_u64(b, shape[i]);
    build_u32(b, type);
    build_u64(b, 0);
    with_data(b, 64);
}

static void rank_5(Build *b)          { tensor_shape(b, 5, (uint64_t[]){1, 1, 1, 1, 1}, 0); }
static void dimension_negative(Build *b) { tensor_shape(b, 2, (uint64_t[]){4, UINT64_MAX}, 0); }
static void elements_overflow(Build *b)
{
    tensor_shape(b, 3, (uint64_t[]){1u << 31, 1u << 31, 4}, 0);
}
static void bytes_overflow(Build *b)
{
    tensor_shape(b, 2, (uint64_t[]){1u << 31, 1u << 31}, WEFT_GGUF_TYPE_I64);
}
static void type_removed(Build *b)    { tensor_shape(b, 1, (uint64_t[]){4}, 4); }
static void type_unknown(Build *b)    { tensor_shape(b, 1, (uint64_t[]){4}, 1000); }
static void type_negative(Build *b)   { tensor_shape(b, 1, (uint64_t[]){4}, UINT32_MAX); }
static void row_of_half_a_block(Build *b)
{
    tensor_shape(b, 2, (uint64_t[]){16, 2}, WEFT_GGUF_TYPE_Q8_0);
}

static void tensors(Build *b, uint64_t first, uint64_t second, const char *name, size_t data)
{
    build_header(b, 3, 2, 0);
    build_tensor(b, "the_first", 16, 0, first);
    build_tensor(b, name, 16, 0, second);
    with_data(b, data);
}

static void offset_unaligned(Build *b)    { tensors(b, 0, 65, "the_tensor", 192); }
static void offset_beyond(Build *b)       { tensors(b, 0, 128, "the_tensor", 128); }
static void offset_negative(Build *b)     { tensors(b, 0, UINT64_MAX - 31, "the_tensor", 128); }
static void data_short_by_one(Build *b)   { tensors(b, 0, 64, "the_tensor", 127); }
static void data_missing(Build *b)        { tensors(b, 0, 64, "the_tensor", 0); }
static void data_overlaps(Build *b)       { tensors(b, 0, 32, "the_tensor", 128); }
static void tensor_twice(Build *b)        { tensors(b, 0, 64, "the_first", 128); }

static void padding_cut(Build *b)
{
    build_header(b, 3, 1, 0);
    build_tensor(b, "the_tensor", 10, WEFT_GGUF_TYPE_I8, 0);
    with_data(b, 31);
}

static void sizes_overflow(Build *b)
{
    build_header(b, 3, 2, 0);
    build_tensor(b, "the_tensor", 0x7fffffffffffffc0, WEFT_GGUF_TYPE_I8, 0);
    build_tensor(b, "the_second", 0x7fffffffffffffc0, WEFT_GGUF_TYPE_I8, 0x7fffffffffffffc0);
    with_data(b, 32);
}

static void split_without_parts(Build *b)
{
    build_header(b, 3, 0, 2);
    build_number(b, "split.no", 0);
    build_number(b, "split.count", 3);
}

static void split_in_the_middle(Build *b)
{
    build_header(b, 3, 0, 2);
    build_number(b, "split.no", 1);
    build_number(b, "split.count", 3);
}

static void test_broken_files_are_refused_by_name(void **state)
{
    static const struct { void (*make)(Build *b); const char *field; } cases[] = {
        {bad_magic, "magic"}, {version_0, "version"}, {version_1, "version"},
        {version_4, "version"}, {big_endian, "version"}, {many_tensors, "tensor count"},
        {many_values, "metadata count"}, {one_value_missing, "metadata count"},
        {key_size, "metadata key 0"}, {key_empty, "metadata key 0"},
        {key_long, "metadata key 0"}, {key_with_nul, "metadata key 0"}, {key_twice, "twice"},
        {kind_unknown, "the_key"}, {kind_negative, "the_key"}, {element_unknown, "the_key"},
        {array_of_arrays, "the_key"}, {array_too_long, "the_key"}, {array_overflows, "the_key"},
        {strings_overflow, "the_key"}, {string_by_one, "the_key"}, {string_by_all, "the_key"},
        {string_of_array, "the_key"}, {alignment_0, "general.alignment"},
        {alignment_13, "general.alignment"}, {alignment_kind, "general.alignment"},
        {tensor_name_long, "name of tensor 0"}, {tensor_name_empty, "name of tensor 0"},
        {rank_5, "the_tensor"}, {dimension_negative, "the_tensor"},
        {elements_overflow, "the_tensor"}, {bytes_overflow, "the_tensor"},
        {type_removed, "the_tensor"}, {type_unknown, "the_tensor"}, {type_negative, "the_tensor"},
        {row_of_half_a_block, "the_tensor"}, {offset_unaligned, "the_tensor"},
        {offset_beyond, "the_tensor"}, {offset_negative, "the_tensor"},
        {data_short_by_one, "the_tensor"}, {data_missing, "the_first"},
        {data_overlaps, "the_tensor"}, {tensor_twice, "the_first"}, {sizes_overflow, "the_tensor"},
        {padding_cut, "the_tensor"},
        {split_without_parts, "split.count"}, {split_in_the_middle, "split.no"},
    };
    Fixture *f = *state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Build b = {.arena = &f->arena};
        cases[i].make(&b);
        assert_null(open_bytes(f, &b));
        const weft_error *error = weft_context_error(f->ctx);
        assert_int_equal(error->kind, WEFT_ERROR_FORMAT);
        assert_true(error->name_count >= 2);
        assert_string_equal(error->names[1], cases[i].field);
        assert_non_null(strstr(error->message, cases[i].field));
        weft_context_error_clear(f->ctx);
    }
}

/* ---- whole files ---- */

/* All kinds of values, two tensors. */
static void build_sample(Build *b, uint32_t version)
{
    static const uint8_t numbers[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const weft_gguf_kind kinds[] = {
        WEFT_GGUF_U8, WEFT_GGUF_I8, WEFT_GGUF_U16, WEFT_GGUF_I16, WEFT_GGUF_U32, WEFT_GGUF_I32,
        WEFT_GGUF_U64, WEFT_GGUF_I64,
    };
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};
    char key[16];
    build_header(b, version, 2, 14);
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        snprintf(key, sizeof key, "number.%zu", i);
        build_string(b, key);
        build_u32(b, kinds[i]);
        build_bytes(b, numbers, sizes[i]);
    }
    build_text(b, "general.architecture", "sample");
    build_text(b, "general.name", "A Sample");
    build_flag(b, "flag", true);
    build_texts(b, "texts", (const char *const[]){"one", "", "three"}, 3);
    build_floats(b, "floats", (const float[]){0.5f, -2.0f}, 2);
    build_ints(b, "ints", NULL, 0);
    build_tensor(b, "first", 32, WEFT_GGUF_TYPE_Q8_0, 0);
    build_tensor(b, "second", 4, WEFT_GGUF_TYPE_F32, 64);
    build_pad(b, 32);
    uint32_t start = b->bytes.len;
    build_bytes(b, (const uint8_t[]){0x00, 0x38}, 2);           /* 0.5 */
    for (int i = 0; i < 32; i++)
        build_bytes(b, &(int8_t){(int8_t)(i - 16)}, 1);
    while (b->bytes.len - start < 64)
        build_bytes(b, "", 1);
    build_bytes(b, (const float[]){1, 2, 3, -4}, 16);
}

static void test_metadata_is_read_with_its_types(void **state)
{
    Fixture *f = *state;
    for (uint32_t version = 2; version <= 3; version++) {
        Build b = {.arena = &f->arena};
        build_header(&b, version, 0, 5);
        build_text(&b, "general.architecture", "sample");
        build_flag(&b, "flag", true);
        build_texts(&b, "texts", (const char *const[]){"one", "", "three"}, 3);
        build_floats(&b, "floats", (const float[]){0.5f, -2.0f}, 2);
        build_ints(&b, "ints", (const int32_t[]){-7}, 1);
        weft_gguf *file = open_bytes(f, &b);
        assert_non_null(file);
        weft_gguf_info info;
        assert_true(weft_gguf_info_get(&info, file));
        assert_int_equal(info.version, version);
        assert_string_equal(info.architecture, "sample");
        assert_string_equal(info.name, "");
        assert_int_equal(weft_gguf_value_count(file), 5);
        assert_null(weft_gguf_value_get(file, 5));
        assert_null(weft_gguf_value_find(file, "none"));
        assert_int_equal(weft_gguf_value_find(file, "flag")->u, 1);
        weft_gguf_value v;
        const weft_gguf_value *texts = weft_gguf_value_find(file, "texts");
        assert_true(weft_gguf_element(&v, file, texts, 2));
        assert_int_equal(v.size, 5);
        assert_memory_equal(v.text, "three", 5);
        assert_true(weft_gguf_element(&v, file, texts, 1));
        assert_int_equal(v.size, 0);
        assert_false(weft_gguf_element(&v, file, texts, 3));
        assert_true(weft_gguf_element(&v, file, weft_gguf_value_find(file, "floats"), 1));
        assert_true(v.f == -2.0);
        assert_true(weft_gguf_element(&v, file, weft_gguf_value_find(file, "ints"), 0));
        assert_int_equal(v.i, -7);
        weft_gguf_release(file);
    }
}

static void test_integers_keep_their_signs(void **state)
{
    Fixture *f = *state;
    Build    b = {.arena = &f->arena};
    build_sample(&b, 3);
    weft_gguf *file = open_bytes(f, &b);
    static const int64_t want[] = {0xfe, -2, 0xfffe, -2, 0xfffffffe, -2, -2, -2};
    assert_non_null(file);
    for (size_t i = 0; i < COUNTOF(want); i++) {
        char key[16];
        snprintf(key, sizeof key, "number.%zu", i);
        const weft_gguf_value *v = weft_gguf_value_find(file, key);
        assert_non_null(v);
        assert_true(v->i == want[i]);
        assert_true(v->f == (i == 6 ? 0x1p64 : (double)want[i]));
    }
    weft_gguf_release(file);
}

static void test_tensors_are_read_at_any_element(void **state)
{
    Fixture *f = *state;
    Build    b = {.arena = &f->arena};
    build_sample(&b, 3);
    weft_gguf *file = open_bytes(f, &b);
    assert_non_null(file);
    const weft_gguf_tensor *first = weft_gguf_tensor_find(file, "first");
    const weft_gguf_tensor *second = weft_gguf_tensor_find(file, "second");
    assert_null(weft_gguf_tensor_find(file, "third"));
    assert_int_equal(first->elements, 32);
    assert_int_equal(first->size, 34);
    float all[32], some[8];
    assert_true(weft_gguf_read(all, file, first, 0, 32));
    for (int i = 0; i < 32; i++)
        assert_true(all[i] == 0.5f * (float)(i - 16));
    assert_true(weft_gguf_read(some, file, first, 5, 8));
    assert_memory_equal(some, all + 5, sizeof some);
    assert_true(weft_gguf_read(some, file, second, 3, 1));
    assert_true(some[0] == -4.0f);
    assert_false(weft_gguf_read(some, file, second, 3, 2));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_INVALID);
    weft_context_error_clear(f->ctx);
    weft_gguf_release(file);
}

static void test_every_shorter_file_is_refused(void **state)
{
    Fixture *f = *state;
    Build    b = {.arena = &f->arena};
    build_sample(&b, 3);
    for (uint32_t size = b.bytes.len; size-- > 0;) {
        Build shorter = b;
        shorter.bytes.len = size;
        assert_null(open_bytes(f, &shorter));
        weft_error_kind kind = weft_context_error(f->ctx)->kind;
        assert_true(kind == WEFT_ERROR_FORMAT);
        weft_context_error_clear(f->ctx);
    }
}

static void test_a_header_alone_can_be_listed(void **state)
{
    Fixture *f = *state;
    Build    b = {.arena = &f->arena};
    tensors(&b, 0, 64, "the_tensor", 0);
    weft_gguf *file = weft_gguf_create(f->ctx, &(weft_gguf_desc){
        .data = b.bytes.data, .size = b.bytes.len, .header_only = true});
    assert_non_null(file);
    assert_int_equal(weft_gguf_tensor_count(file), 2);
    assert_null(weft_gguf_data(file, weft_gguf_tensor_get(file, 0)));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_INVALID);
    weft_context_error_clear(f->ctx);
    weft_gguf_release(file);
}

static void test_empty_tensors_and_small_alignments_are_allowed(void **state)
{
    Fixture *f = *state;
    Build    b = {.arena = &f->arena};
    build_header(&b, 3, 2, 1);
    build_number(&b, "general.alignment", 1);
    build_tensor(&b, "nothing", 0, 0, 0);
    build_tensor(&b, "byte", 3, WEFT_GGUF_TYPE_I8, 0);
    build_bytes(&b, "\x01\xff\x7f", 3);
    weft_gguf *file = open_bytes(f, &b);
    assert_non_null(file);
    float out[3];
    assert_true(weft_gguf_read(out, file, weft_gguf_tensor_find(file, "byte"), 0, 3));
    assert_true(out[0] == 1 && out[1] == -1 && out[2] == 127);
    assert_true(weft_gguf_read(out, file, weft_gguf_tensor_find(file, "nothing"), 0, 0));
    weft_gguf_release(file);
}

/* ---- files on disk, split models ---- */

static void write_file(const char *path, const Build *b)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(b->bytes.data, 1, b->bytes.len, out), b->bytes.len);
    fclose(out);
}

/* Part `index` of three, with one tensor of four numbers, all equal to the index. */
static void build_part(Build *b, uint16_t index, uint32_t total)
{
    static const char *const names[] = {"a", "b", "c"};
    build_header(b, 3, 1, index == 0 ? 3 : 2);
    build_number(b, "split.no", index);
    build_number(b, "split.count", 3);
    if (index == 0)
        build_number(b, "split.tensors.count", total);
    build_tensor(b, names[index], 4, WEFT_GGUF_TYPE_F32, 0);
    build_pad(b, 32);
    for (int i = 0; i < 4; i++)
        build_bytes(b, &(float){index}, 4);
}

static void check_parts(const weft_gguf *file)
{
    static const char *const names[] = {"a", "b", "c"};
    assert_int_equal(weft_gguf_tensor_count(file), 3);
    for (uint32_t i = 0; i < 3; i++) {
        float out[4];
        const weft_gguf_tensor *t = weft_gguf_tensor_find(file, names[i]);
        assert_non_null(t);
        assert_int_equal(t->part, i);
        assert_true(weft_gguf_read(out, file, t, 0, 4));
        assert_true(out[3] == (float)i);
    }
}

static bool count_calls(void *user, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    ++*(int *)user;
    return true;
}

static bool refuse(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return false;
}

static void test_split_models_are_one(void **state)
{
    Fixture *f = *state;
    char     folder[] = "/tmp/weft-gguf-XXXXXX", path[3][64];
    Build    parts[3];
    assert_non_null(mkdtemp(folder));
    for (uint16_t i = 0; i < 3; i++) {
        parts[i] = (Build){.arena = &f->arena};
        build_part(&parts[i], i, 3);
        snprintf(path[i], sizeof path[i], "%s/m-0000%d-of-00003.gguf", folder, i + 1);
        write_file(path[i], &parts[i]);
    }
    int calls = 0;
    for (int copy = 0; copy < 2; copy++) {
        weft_gguf *file = weft_gguf_create(f->ctx, &(weft_gguf_desc){
            .path = path[0], .copy = copy, .progress = count_calls, .user = &calls});
        assert_non_null(file);
        check_parts(file);
        weft_gguf_release(file);
    }
    assert_true(calls >= 6);
    const void *more[] = {parts[1].bytes.data, parts[2].bytes.data};
    size_t      sizes[] = {parts[1].bytes.len, parts[2].bytes.len};
    weft_gguf  *file = weft_gguf_create(f->ctx, &(weft_gguf_desc){
        .data = parts[0].bytes.data, .size = parts[0].bytes.len, .parts = more,
        .part_sizes = sizes, .part_count = 2});
    assert_non_null(file);
    check_parts(file);
    weft_gguf_release(file);
    /* Another part than the first, a missing part, a cancelled one. */
    assert_null(weft_gguf_create(f->ctx, &(weft_gguf_desc){.path = path[1]}));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_FORMAT);
    weft_context_error_clear(f->ctx);
    assert_null(weft_gguf_create(f->ctx, &(weft_gguf_desc){.path = path[0], .progress = refuse}));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_CANCELLED);
    weft_context_error_clear(f->ctx);
    unlink(path[2]);
    assert_null(weft_gguf_create(f->ctx, &(weft_gguf_desc){.path = path[0]}));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_NOT_FOUND);
    weft_context_error_clear(f->ctx);
    file = weft_gguf_create(f->ctx, &(weft_gguf_desc){.path = path[0], .header_only = true});
    assert_int_equal(weft_gguf_tensor_count(file), 1);
    weft_gguf_release(file);
    unlink(path[0]);
    unlink(path[1]);
    rmdir(folder);
}

static void test_what_cannot_be_opened_is_told(void **state)
{
    Fixture *f = *state;
    assert_null(weft_gguf_create(f->ctx, &(weft_gguf_desc){.path = "/nonexistent/model.gguf"}));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_NOT_FOUND);
    weft_context_error_clear(f->ctx);
    assert_null(weft_gguf_create(f->ctx, &(weft_gguf_desc){.path = "/tmp"}));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_IO);
    weft_context_error_clear(f->ctx);
    assert_null(weft_gguf_create(f->ctx, &(weft_gguf_desc){0}));
    assert_int_equal(weft_context_error(f->ctx)->kind, WEFT_ERROR_INVALID);
    weft_context_error_clear(f->ctx);
    assert_null(weft_gguf_create(NULL, &(weft_gguf_desc){.path = "x"}));
    weft_gguf_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_files_are_refused_by_name),
        cmocka_unit_test(test_metadata_is_read_with_its_types),
        cmocka_unit_test(test_integers_keep_their_signs),
        cmocka_unit_test(test_tensors_are_read_at_any_element),
        cmocka_unit_test(test_every_shorter_file_is_refused),
        cmocka_unit_test(test_a_header_alone_can_be_listed),
        cmocka_unit_test(test_empty_tensors_and_small_alignments_are_allowed),
        cmocka_unit_test(test_split_models_are_one),
        cmocka_unit_test(test_what_cannot_be_opened_is_told),
    };
    return cmocka_run_group_tests_name("gguf", tests, setup, teardown);
}
