// SPDX-License-Identifier: Apache-2.0
/*
 * npy_test.c - .npy files, right ones and hostile ones.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/npy_at.h"

typedef struct Fixture {
    Arena arena;
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    arena_init(&f->arena, 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    arena_fini(&f->arena);
    free(f);
    return 0;
}

/* A file of version 1 with this head and these bytes after it, in a block of just
 * that size, so that the sanitizers see a step too far. */
static uint8_t *make_file(const char *head, const void *data, size_t data_size, size_t *size)
{
    size_t   length = strlen(head);
    uint8_t *bytes = malloc(10 + length + data_size);
    assert_non_null(bytes);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (uint8_t)(length & 255);
    bytes[9] = (uint8_t)(length >> 8);
    memcpy(bytes + 10, head, length);
    if (data_size)
        memcpy(bytes + 10 + length, data, data_size);
    *size = 10 + length + data_size;
    return bytes;
}

/* Why a file with this head and 64 bytes of zeros is refused; NULL: it is not. */
static const char *refusal(Fixture *f, const char *head)
{
    static const uint8_t zeros[64];
    size_t      size;
    uint8_t    *bytes = make_file(head, zeros, sizeof zeros, &size);
    Npy         npy = {0};
    const char *why = NULL;
    if (npy_open(&npy, &f->arena, bytes, size, &why)) {
        for (uint64_t i = 0; i < npy.count; i++)
            assert_true(npy_at(&npy, i) == 0);
        assert_null(why);
    } else
        assert_non_null(why);
    free(bytes);
    return why;
}

static void test_numbers_of_every_type_are_read(void **state)
{
    Fixture *f = *state;
    static const struct { const char *type, *bytes; size_t size; double want; } rows[] = {
        {"|b1", "\x01", 1, 1},
        {"|i1", "\xff", 1, -1},
        {"|u1", "\xff", 1, 255},
        {"<i2", "\xfe\xff", 2, -2},
        {">i2", "\xff\xfe", 2, -2},
        {"<u2", "\xfe\xff", 2, 65534},
        {"<i4", "\x00\x00\x00\x80", 4, -2147483648.0},
        {"<u4", "\x00\x00\x00\x80", 4, 2147483648.0},
        {">u4", "\x00\x00\x01\x02", 4, 258},
        {"<i8", "\xff\xff\xff\xff\xff\xff\xff\xff", 8, -1},
        {"<u8", "\x00\x00\x00\x00\x01\x00\x00\x00", 8, 4294967296.0},
        {"<f2", "\x00\x3e", 2, 1.5},
        {">f2", "\x3e\x00", 2, 1.5},
        {"<f4", "\x00\x00\xc0\xbf", 4, -1.5},
        {"<f8", "\x00\x00\x00\x00\x00\x00\xf8\x3f", 8, 1.5},
        {">f8", "\x3f\xf8\x00\x00\x00\x00\x00\x00", 8, 1.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char        head[100];
        size_t      size;
        Npy         npy;
        const char *why = NULL;
        snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }\n",
                 rows[i].type);
        uint8_t *bytes = make_file(head, rows[i].bytes, rows[i].size, &size);
        assert_true(npy_open(&npy, &f->arena, bytes, size, &why));
        assert_int_equal(npy.count, 1);
        assert_true(npy_at(&npy, 0) == rows[i].want);
        free(bytes);
    }
}

static void test_shapes_and_ways_to_write_a_head(void **state)
{
    Fixture *f = *state;
    static const struct { const char *head; uint64_t count; uint32_t ndims; } rows[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 1, 0},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 6, 2},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,3,)}", 6, 2},
        {"{\"shape\":(4,),\"descr\":\"=f4\",\"fortran_order\":False}", 4, 1},
        {"  { 'shape' : ( 4 , 1 ) , 'descr' : '<f4' , 'fortran_order' : True }", 4, 2},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 99999999999), }\n", 0, 2},
    };
    static const uint8_t zeros[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t      size;
        Npy         npy;
        const char *why = NULL;
        uint8_t    *bytes = make_file(rows[i].head, zeros, sizeof zeros, &size);
        assert_true(npy_open(&npy, &f->arena, bytes, size, &why));
        assert_int_equal(npy.count, rows[i].count);
        assert_int_equal(npy.ndims, rows[i].ndims);
        free(bytes);
    }
}

#define HEAD(type, order, shape) \
    "{'descr': " type ", 'fortran_order': " order ", 'shape': " shape ", }\n"

static void test_hostile_heads_are_refused(void **state)
{
    Fixture *f = *state;
    static const struct { const char *head, *why; } rows[] = {
        {HEAD("'<f4'", "False", "(17,)"), "cut short"},
        {HEAD("'<f8'", "False", "(3, 3)"), "cut short"},
        {HEAD("'<f4'", "False", "(4294967296, 4294967296)"), "cut short"},
        {HEAD("'<f4'", "False", "(18446744073709551615,)"), "cut short"},
        {HEAD("'<f4'", "False", "(18446744073709551616,)"), "too large"},
        {HEAD("'<f4'", "False", "(-1,)"), "whole numbers"},
        {HEAD("'<f4'", "False", "(1.5,)"), "whole numbers"},
        {HEAD("'<f4'", "False", "(2 3)"), "whole numbers"},
        {HEAD("'<f4'", "False", "[2, 3]"), "not a tuple"},
        {HEAD("'<f4'", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                                "1,1,1)"), "32 dimensions"},
        {HEAD("'<f1'", "False", "(1,)"), "'<f1'"},
        {HEAD("'<f3'", "False", "(1,)"), "'<f3'"},
        {HEAD("'<c8'", "False", "(1,)"), "'<c8'"},
        {HEAD("'<b2'", "False", "(1,)"), "'<b2'"},
        {HEAD("'|O'", "False", "(1,)"), "'|O'"},
        {HEAD("'|S16'", "False", "(1,)"), "'|S16'"},
        {HEAD("''", "False", "(1,)"), "''"},
        {HEAD("[('a', '<f4')]", "False", "(1,)"), "structure"},
        {HEAD("'<f4'", "Maybe", "(1,)"), "order is unclear"},
        {HEAD("'<f4", "False", "(1,)"), "'<f4, '"},
        {"{'descr': '<f4", "does not end"},
        {"", "not a dictionary"},
        {"{", "not a dictionary"},
        {"{}", "lacks"},
        {"{'descr': '<f4', 'fortran_order': False}", "lacks"},
        {"{'descr': '<f4' 'fortran_order': False}", "not a dictionary"},
        {"{'descr' '<f4'}", "not a dictionary"},
        {"{'what': 3}", "unknown"},
        {"{'descr': '<f4', 'descr': '<f4'}", "twice"},
        {"{'shape': (", "whole numbers"},
        {"{'shape': (1", "whole numbers"},
        {"{'shape': (1,", "whole numbers"},
        {"{'shape': ", "not a tuple"},
        {"{'descr': ", "structure"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *why = refusal(f, rows[i].head);
        if (!why || !strstr(why, rows[i].why))
            fail_msg("%s: %s", rows[i].head, why ? why : "accepted");
    }
}

static void test_files_cut_anywhere_are_refused(void **state)
{
    Fixture *f = *state;
    static const float numbers[] = {1, 2, 3, 4, 5, 6};
    Text file = {.arena = &f->arena};
    npy_write_head(&file, "<f4", (const uint64_t[]){2, 3}, 2);
    text_add(&file, (Str){(const char *)numbers, sizeof numbers});
    for (size_t size = 0; size <= file.len; size++) {
        Npy         npy;
        const char *why = NULL;
        uint8_t    *bytes = malloc(size + 1);
        assert_non_null(bytes);
        memcpy(bytes, file.data, size);
        bool ok = npy_open(&npy, &f->arena, bytes, size, &why);
        assert_int_equal(ok, size == file.len);
        assert_int_equal(ok, why == NULL);
        free(bytes);
    }
}

static void test_other_files_are_refused(void **state)
{
    Fixture    *f = *state;
    Npy         npy;
    const char *why = NULL;
    uint8_t     png[16] = "\x89PNG\r\n\x1a\n";
    assert_false(npy_open(&npy, &f->arena, png, sizeof png, &why));
    assert_string_equal(why, "it is no .npy file");
    uint8_t future[16] = "\x93NUMPY\x04\x00\x00\x00";
    assert_false(npy_open(&npy, &f->arena, future, sizeof future, &why));
    assert_string_equal(why, "it has an unknown version of the format");
    uint8_t vast[16] = "\x93NUMPY\x02\x00\xff\xff\xff\xff";
    assert_false(npy_open(&npy, &f->arena, vast, sizeof vast, &why));
    assert_string_equal(why, "it is cut short in its head");
}

static void test_version_2_has_a_longer_length(void **state)
{
    Fixture *f = *state;
    static const char head[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }\n";
    uint8_t     bytes[12 + sizeof head] = "\x93NUMPY\x02\x00";
    Npy         npy;
    const char *why = NULL;
    bytes[8] = sizeof head - 1;
    memcpy(bytes + 12, head, sizeof head - 1);
    bytes[12 + sizeof head - 1] = 42;
    assert_true(npy_open(&npy, &f->arena, bytes, sizeof bytes, &why));
    assert_true(npy_at(&npy, 0) == 42);
}

static void test_what_is_written_is_read(void **state)
{
    Fixture *f = *state;
    static const uint64_t dims[] = {2, 1, 3};
    for (uint32_t ndims = 0; ndims <= 3; ndims++) {
        static const int32_t numbers[] = {-1, 2, -3, 4, -5, 6};
        Text        file = {.arena = &f->arena};
        Npy         npy;
        const char *why = NULL;
        npy_write_head(&file, "<i4", dims, ndims);
        assert_int_equal(file.len % 64, 0);
        text_add(&file, (Str){(const char *)numbers, sizeof numbers});
        assert_true(npy_open(&npy, &f->arena, (const uint8_t *)file.data, file.len, &why));
        assert_int_equal(npy.ndims, ndims);
        assert_memory_equal(npy.dims, dims, ndims * sizeof dims[0]);
        for (uint64_t i = 0; i < npy.count; i++)
            assert_true(npy_at(&npy, i) == numbers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers_of_every_type_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shapes_and_ways_to_write_a_head, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hostile_heads_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_cut_anywhere_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_files_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_version_2_has_a_longer_length, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_written_is_read, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
