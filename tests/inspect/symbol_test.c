/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_test.c - sums and products of named values.
 */
#include "support/test.h"

#include "inspect/symbol.h"

typedef struct Fixture {
    Arena       arena;
    SymbolTable table;
    Symbol      n, m, two;
} Fixture;

static void begin(Fixture *f)
{
    *f = (Fixture){0};
    arena_init(&f->arena, 0);
    f->table.arena = &f->arena;
    f->n = symbol_name(&f->table, "n");
    f->m = symbol_name(&f->table, "m");
    f->two = symbol_number(2);
}

static void check(Fixture *f, Symbol s, const char *text)
{
    assert_string_equal(symbol_text(&f->table, &s), text);
}

static void test_text(void **state)
{
    Fixture f;
    (void)state;
    begin(&f);
    check(&f, symbol_number(0), "0");
    check(&f, symbol_number(-3), "-3");
    check(&f, symbol_add(&f.n, &f.two), "n + 2");
    Symbol nm = symbol_multiply(&f.table, &f.m, &f.n);
    check(&f, nm, "n * m");
    check(&f, symbol_multiply(&f.table, &nm, &f.n), "n^2 * m");
    check(&f, symbol_divide(&f.table, &f.n, &f.m), "n / m");
    check(&f, symbol_divide(&f.table, &f.two, &f.m), "2 / m");
    check(&f, symbol_divide(&f.table, &nm, &f.n), "m");
    Symbol minus = symbol_scale(&f.n, -1);
    check(&f, symbol_add(&f.n, &minus), "0");
    check(&f, symbol_add(&f.two, &minus), "2 - n");
    Symbol sum = symbol_add(&f.n, &f.m);
    check(&f, symbol_divide(&f.table, &f.two, &sum), "((2) / (n + m))");
    arena_fini(&f.arena);
}

static void test_values(void **state)
{
    Fixture f;
    (void)state;
    begin(&f);
    Symbol s = symbol_divide(&f.table, &f.n, &f.m);
    s = symbol_add(&s, &f.two);
    assert_true(symbol_value(&s, (double[]){12, 3}, 2, 1) == 6);
    assert_true(symbol_value(&s, NULL, 0, 1) == 3);
    assert_false(symbol_is_number(&s));
    assert_true(symbol_is_number(&f.two));
    arena_fini(&f.arena);
}

/* More names than a product has room for become one name. */
static void test_limits(void **state)
{
    Fixture f;
    (void)state;
    begin(&f);
    Symbol s = symbol_number(1);
    for (char name[] = "a"; name[0] <= 'z'; name[0]++) {
        Symbol x = symbol_name(&f.table, name);
        s = symbol_multiply(&f.table, &s, &x);
    }
    assert_true(symbol_value(&s, NULL, 0, 1) == 1);
    Symbol sum = symbol_number(0);
    for (char name[] = "a"; name[0] <= 'z'; name[0]++) {
        Symbol x = symbol_name(&f.table, name);
        sum = symbol_add(&sum, &x);
    }
    assert_true(symbol_value(&sum, NULL, 0, 1) == 26);
    arena_fini(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
