/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_test.c - frames as bytes, compression, and the offers of permessage-deflate.
 */
#include "support/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "server/websocket/websocket_priv.h"

static void test_heads_have_the_three_lengths(void **state)
{
    static const struct { size_t size; uint8_t head[10]; size_t head_size; } cases[] = {
        {0, {0x82, 0}, 2},
        {125, {0x82, 125}, 2},
        {126, {0x82, 126, 0, 126}, 4},
        {65535, {0x82, 126, 0xff, 0xff}, 4},
        {65536, {0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0}, 10},
    };
    char *data = calloc(1, 65536);
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Frame *f = frame_binary(data, cases[i].size / 2, data, cases[i].size - cases[i].size / 2);
        assert_int_equal(frame_size(f), cases[i].head_size + cases[i].size);
        assert_memory_equal(f->bytes, cases[i].head, cases[i].head_size);
        frame_release(frame_retain(f));
        frame_release(f);
    }
    free(data);
}

static void test_texts_survive_compression(void **state)
{
    char   text[5000];
    size_t size;
    bool   large;
    (void)state;
    for (size_t n = 0; n < sizeof text; n += n < 20 ? 1 : 997) {
        for (size_t i = 0; i < n; i++)
            text[i] = (char)(i % 7 ? "0123456789.,-"[i * i % 13] : '[');
        Frame *f = frame_deflated(text, n);
        assert_non_null(f);
        assert_int_equal(f->bytes[0], 0xc1);
        size_t   head = f->bytes[1] < 126 ? 2 : 4;
        uint8_t *back = frame_inflate(f->bytes + head, frame_size(f) - head, 5000, &size, &large);
        assert_non_null(back);
        assert_int_equal(size, n);
        assert_memory_equal(back, text, n);
        free(back);
        frame_release(f);
    }
}

/* A megabyte of zeros in a thousand bytes: refused at the limit, not unpacked. */
static void test_bombs_are_too_large(void **state)
{
    char  *zeros = calloc(1, 1u << 20);
    size_t size;
    bool   large;
    Frame *f = frame_deflated(zeros, 1u << 20);
    (void)state;
    assert_true(frame_size(f) < 10000);
    assert_null(frame_inflate(f->bytes + 4, frame_size(f) - 4, 1000, &size, &large));
    assert_true(large);
    uint8_t *all = frame_inflate(f->bytes + 4, frame_size(f) - 4, 1u << 20, &size, &large);
    assert_non_null(all);
    assert_int_equal(size, 1u << 20);
    free(all);
    assert_null(frame_inflate("\xff\xff\xff\xff", 4, 1000, &size, &large));
    assert_false(large);
    frame_release(f);
    free(zeros);
}

static void test_offers(void **state)
{
    static const struct { const char *offer; bool suits; } cases[] = {
        {NULL, false}, {"", false}, {"x-webkit-deflate-frame", false},
        {"permessage-deflate", true}, {"Permessage-Deflate", true},
        {"permessage-deflate; client_max_window_bits", true},
        {"permessage-deflate; client_max_window_bits=10; server_no_context_takeover", true},
        {"permessage-deflate; server_max_window_bits=10", false},
        {"permessage-deflate; server_max_window_bits=15", true},
        {"permessage-deflate; server_max_window_bits=10, permessage-deflate", true},
        {"permessage-deflate; unknown=1", false}, {"permessage-deflate;;", false},
        {"foo, bar; a=\"x,y\", permessage-deflate ; client_no_context_takeover ", true},
        {"foo; a=\"permessage-deflate, \"", false}, {",,,;;;===", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        if ((websocket_extension(cases[i].offer) != NULL) != cases[i].suits)
            fail_msg("%s", cases[i].offer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_have_the_three_lengths),
        cmocka_unit_test(test_texts_survive_compression),
        cmocka_unit_test(test_bombs_are_too_large),
        cmocka_unit_test(test_offers),
    };
    return cmocka_run_group_tests_name("server_frame", tests, NULL, NULL);
}
