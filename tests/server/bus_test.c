// SPDX-License-Identifier: Apache-2.0
/*
 * bus_test.c - the bus within one process: channels, numbers, replays.
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "server/bus/bus.h"
#include "server/store/redis_link.h"

typedef struct Heard {
    uint32_t count;
    uint64_t number;
    char     text[64];
} Heard;

static void on_message(void *user, const BusMessage *m)
{
    Heard *h = user;
    h->count++;
    h->number = m->number;
    snprintf(h->text, sizeof h->text, "%.*s", (int)m->size, (const char *)m->data);
}

static void test_listeners_hear_their_channel(void **state)
{
    (void)state;
    char  why[256];
    Heard one = {0}, two = {0};
    Bus  *b = bus_open(&(BusDesc){0}, why, sizeof why);
    assert_true(bus_subscribe(b, "a", on_message, &one));
    assert_true(bus_subscribe(b, "b", on_message, &two));
    assert_true(bus_publish(b, "a", "hello", 5));
    assert_int_equal(one.count, 1);
    assert_int_equal(one.number, 0);
    assert_string_equal(one.text, "hello");
    assert_int_equal(two.count, 0);
    assert_true(bus_is_up(b));
    bus_close(b);
}

static void test_kept_messages_are_numbered_and_replayed(void **state)
{
    (void)state;
    char       why[256], text[32];
    Heard      heard = {0};
    uint64_t   number = 0, newest = 0;
    uint32_t   count = 0;
    Arena      arena;
    BusMessage out[BUS_KEPT];
    Bus       *b = bus_open(&(BusDesc){0}, why, sizeof why);
    arena_init(&arena, 0);
    bus_subscribe(b, "k", on_message, &heard);
    for (uint32_t i = 1; i <= BUS_KEPT + 10; i++) {
        int n = snprintf(text, sizeof text, "m%u", i);
        assert_true(bus_publish_kept(b, "k", text, (size_t)n, &number));
        assert_int_equal(number, i);
        assert_int_equal(heard.number, i);
    }
    assert_true(bus_replay(b, &arena, "k", BUS_KEPT + 7, out, BUS_KEPT, &count, &newest));
    assert_int_equal(count, 3);
    assert_int_equal(newest, BUS_KEPT + 10);
    assert_int_equal(out[0].number, BUS_KEPT + 8);
    assert_memory_equal(out[2].data, text, out[2].size);
    /* What is no longer kept is left out: the numbers tell. */
    assert_true(bus_replay(b, &arena, "k", 0, out, BUS_KEPT, &count, &newest));
    assert_int_equal(count, BUS_KEPT);
    assert_int_equal(out[0].number, 11);
    assert_true(bus_replay(b, &arena, "k", UINT64_MAX, out, BUS_KEPT, &count, &newest));
    assert_int_equal(count, 0);
    assert_int_equal(newest, BUS_KEPT + 10);
    assert_true(bus_replay(b, &arena, "none", 0, out, BUS_KEPT, &count, &newest));
    assert_int_equal(count, 0);
    assert_int_equal(newest, 0);
    arena_fini(&arena);
    bus_close(b);
}

static void test_addresses_of_redis(void **state)
{
    (void)state;
    static const struct { const char *url, *host, *user, *password; int port, database; } good[] = {
        {"redis://localhost", "localhost", "", "", 6379, 0},
        {"redis://10.0.0.1:7000/3", "10.0.0.1", "", "", 7000, 3},
        {"redis://:secret@r:1/", "r", "", "secret", 1, 0},
        {"redis://me:p@ss@r", "r", "me", "p@ss", 6379, 0},
    };
    static const char *const bad[] = {
        "", "http://x", "redis://", "redis://:1", "redis://h:0", "redis://h:99999", "redis://h:1x",
        "redis://h/x", "redis://name@h", "redis://h:1/2/3",
    };
    char why[256];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        RedisLink l;
        assert_true(redis_link_init(&l, good[i].url, why, sizeof why));
        assert_string_equal(l.host, good[i].host);
        assert_string_equal(l.user, good[i].user);
        assert_string_equal(l.password, good[i].password);
        assert_int_equal(l.port, good[i].port);
        assert_int_equal(l.database, good[i].database);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        RedisLink l;
        assert_false(redis_link_init(&l, bad[i], why, sizeof why));
    }
}

static void test_a_refused_connection_keeps_its_reason(void **state)
{
    (void)state;
    char         why[256];
    RedisLink    l;
    RedisCommand c = {0};
    assert_true(redis_link_init(&l, "redis://127.0.0.1:1", why, sizeof why));
    assert_false(redis_link_open(&l));
    uint64_t retry = l.retry_ns;
    assert_string_equal(l.error, "Connection refused");
    redis_text(&c, "PING");
    assert_null(redis_call(&l, &c));
    assert_false(redis_link_open(&l));
    assert_string_equal(l.error, "Connection refused");
    assert_true(l.retry_ns == retry);
    redis_link_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listeners_hear_their_channel),
        cmocka_unit_test(test_kept_messages_are_numbered_and_replayed),
        cmocka_unit_test(test_addresses_of_redis),
        cmocka_unit_test(test_a_refused_connection_keeps_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
