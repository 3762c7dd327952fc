// SPDX-License-Identifier: Apache-2.0
/*
 * config_test.c - YAML, units and addresses of the configuration.
 */
#include "support/test.h"

#include <string.h>

#include "server/config/config.h"

static void test_units(void **state)
{
    (void)state;
    static const struct { const char *text; uint64_t want; } sizes[] = {
        {"1GB", 1000000000}, {"64MiB", 67108864}, {"512", 512}, {"1.5kB", 1500}, {"0", 0},
    };
    static const struct { const char *text; uint64_t want; } times[] = {
        {"30s", 30000000000}, {"5ms", 5000000}, {"2h", 7200000000000}, {"10m", 600000000000},
        {"250us", 250000},
    };
    uint64_t n;
    for (size_t i = 0; i < COUNTOF(sizes); i++) {
        assert_true(units_bytes(sizes[i].text, &n));
        assert_int_equal(n, sizes[i].want);
    }
    for (size_t i = 0; i < COUNTOF(times); i++) {
        assert_true(units_time(times[i].text, &n));
        assert_int_equal(n, times[i].want);
    }
    assert_true(units_count("10_000_000_000", &n));
    assert_int_equal(n, 10000000000);
    static const char *const wrong[] = {"", "x", "-1", "1 GBs", "1e3", "_1", "1_", "1..2", ".5",
                                        "99999999999999999999GB"};
    for (size_t i = 0; i < COUNTOF(wrong); i++)
        assert_false(units_bytes(wrong[i], &n));
    assert_false(units_time("30", &n));
}

static void test_addresses(void **state)
{
    (void)state;
    char     host[64];
    uint16_t port;
    assert_true(address_split("127.0.0.1:8080", host, sizeof host, &port));
    assert_string_equal(host, "127.0.0.1");
    assert_int_equal(port, 8080);
    assert_true(address_split("[::1]:0", host, sizeof host, &port));
    assert_string_equal(host, "::1");
    static const char *const wrong[] = {"", "127.0.0.1", ":80", "a:b", "::1:80", "a:70000",
                                        "[::1:80"};
    for (size_t i = 0; i < COUNTOF(wrong); i++)
        assert_false(address_split(wrong[i], host, sizeof host, &port));
    assert_true(address_is_loopback("127.8.9.1"));
    assert_true(address_is_loopback("::1"));
    assert_false(address_is_loopback("10.0.0.1"));
    assert_false(address_is_loopback("128.0.0.1"));
}

static const char whole[] =
    "server:\n  listen: 127.0.0.1:0\n  hosts: [a.example, b.example]\n"
    "webgpu_integration:\n  performance:\n    target_performance_ratio: 0.5\n"
    "  security:\n    resource_limits:\n      default_memory_limit: 2GB\n"
    "      default_compute_limit: 10_000\n      default_execution_time: 7s\n";

static void test_yaml(void **state)
{
    (void)state;
    Config c;
    char   why[512];
    assert_true(config_read(&c, whole, sizeof whole - 1, why, sizeof why));
    assert_string_equal(c.listen, "127.0.0.1:0");
    assert_int_equal(c.hosts.count, 2);
    assert_string_equal(c.hosts.items[1], "b.example");
    assert_int_equal(c.limit_memory, 2000000000);
    assert_int_equal(c.limit_ops, 10000);
    assert_int_equal(c.limit_time, 7000000000);
    assert_true(c.perf_ratio == 0.5);
    assert_true(c.auth_required);
    config_fini(&c);
    assert_true(config_read(&c, "", 0, why, sizeof why));
    config_fini(&c);
}

static void test_wrong_yaml(void **state)
{
    (void)state;
    static const struct { const char *text, *want; } cases[] = {
        {"server:\n  lisen: x\n", "line 2: unknown key 'server.lisen'"},
        {"surprise: 1\n", "unknown key 'surprise'"},
        {"server: 5\n", "'server' is a group of keys"},
        {"server:\n  listen:\n    a: 1\n", "has no keys below it"},
        {"auth:\n  required: maybe\n", "'maybe' is not true or false"},
        {"auth:\n  required: true\n  required: false\n", "is set twice"},
        {"server:\n  max_body: many\n", "is not a size"},
        {"server: [1, 2\n", "line"},
        {"- a\n", "not a mapping"},
        {"server:\n  hosts: [{a: b}]\n", "plain texts"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Config c;
        char   why[512] = "";
        assert_false(config_read(&c, cases[i].text, strlen(cases[i].text), why, sizeof why));
        if (!strstr(why, cases[i].want))
            fail_msg("'%s' does not say '%s'", why, cases[i].want);
        config_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units), cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_yaml), cmocka_unit_test(test_wrong_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
