// SPDX-License-Identifier: Apache-2.0
/*
 * fit_test.c - formulas and curve fits: precedence, functions, errors with their place; fits with
 * and without starts, against the certified values of NIST where its files are at hand.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "base/macro.h"
#include "solve/nist.h"

static weft_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = weft_context_create(NULL);
    return weft_context_device(ctx) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weft_context_release(ctx);
    return 0;
}

static void expect_error(weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("'%s' instead of '%s'", e->message, part);
    weft_context_error_clear(ctx);
}

static void expect_near(double got, double want, double bound)
{
    if (!(fabs(got - want) <= bound))
        fail_msg("%.12g instead of %.12g", got, want);
}

/* ---- formulas ---- */

static double value_of(const char *text, double x, double y)
{
    weft_solve_formula *f = weft_solve_formula_create(ctx, text);
    if (!f)
        fail_msg("%s", weft_context_error(ctx)->message);
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node d[2], nodes[8] = {0};
    weft_grad_data(d, g, "d", 2);
    for (uint32_t i = 0; i < weft_solve_formula_name_count(f); i++)
        nodes[i] = strcmp(weft_solve_formula_name(f, i), "x") == 0 ? d[0] : d[1];
    weft_grad_output(g, weft_solve_formula_node(g, f, nodes), "value");
    double data[2] = {x, y}, value = NAN;
    if (!weft_grad_graph_evaluate(&value, NULL, g, NULL, data))
        fail_msg("%s: %s", text, weft_context_error(ctx)->message);
    weft_grad_graph_release(g);
    weft_solve_formula_release(f);
    return value;
}

static void test_values_of_formulas(void **state)
{
    static const struct { const char *text; double value; } cases[] = {
        {"1 + 2*3", 7},          {"(1 + 2)*3", 9},        {"2^3^2", 512},   {"-2^2", -4},
        {"2**-1", 0.5},          {"7 % 4", 3},            {"1 - 2 - 3", -4}, {"8/4/2", 1},
        {"x*y", 15},             {"-x + +y", 2},          {"--x", 3},       {"1.5e2", 150},
        {".5", 0.5},             {"sqrt(y + 4)", 3},      {"max(1, x, y, 2)", 5},
        {"min(x, y)", 3},        {"atan2(x, x)", 0.7853981633974483},
        {"pi", 3.141592653589793}, {"x < y", 1},          {"x >= y", 0},    {"x == 3", 1},
        {"x != 3", 0},           {"x > y ? 1 : x < y ? 2 : 3", 2}, {"if(x > 1, y, x)", 5},
        {"ln(exp(x))", 3},       {"log10(1000)", 3},      {"log2(8)", 3},   {"abs(-x)", 3},
        {"hypot(x, 4)", 5},      {"sum(x, y, 1)", 9},     {"mean(x, y)", 4},
        {" ( ( x ) ) ", 3},      {"f_1 * 0 + x", 3},      {"select(0, x, y)", 5},
        {"arctan(0)", 0},        {"tanh(0)+cos(0)", 1},   {"sqr(x)", 9},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        expect_near(value_of(cases[i].text, 3, 5), cases[i].value, 1e-12);
}

static void test_malformed_formulas_name_the_place(void **state)
{
    static const struct { const char *text, *part; } cases[] = {
        {"", "column 1: the formula ends"},      {"a*", "column 3: the formula ends"},
        {"(a", "column 3: expected ')'"},        {"a)", "column 2: a ')' without"},
        {"a b", "column 3: expected an operator"}, {"2a", "column 2: expected an operator"},
        {"foo(1)", "column 1: unknown function 'foo'"}, {"sin()", "takes 1 argument, not 0"},
        {"sin(1,2)", "takes 1 argument, not 2"}, {"atan2(1)", "takes 2 arguments, not 1"},
        {"max()", "takes 1 argument or more"},            {"a ? b", "expected ':'"},
        {"*a", "column 1: expected a number"},   {"a $ b", "column 3: expected an operator"},
        {"0x10", "expected a decimal number"},  {"sin(1", "expected ',' or ')'"},
        {"a = b", "column 3: expected an operator"}, {"1 +\x01", "column 4"},
    };
    char deep[2001], *many;
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        assert_null(weft_solve_formula_create(ctx, cases[i].text));
        expect_error(WEFT_ERROR_FORMAT, cases[i].part);
    }
    memset(deep, '(', 2000);
    deep[2000] = 0;
    assert_null(weft_solve_formula_create(ctx, deep));
    expect_error(WEFT_ERROR_FORMAT, "nested too deeply");
    many = malloc(200001);
    memset(many, '1', 200000);
    many[200000] = 0;
    assert_null(weft_solve_formula_create(ctx, many));
    expect_error(WEFT_ERROR_INVALID, "100,000");
    memset(many, '-', 90000);
    strcpy(many + 90000, "x");
    expect_near(value_of(many, 3, 0), 3, 0);
    free(many);
    assert_null(weft_solve_formula_create(ctx, NULL));
    expect_error(WEFT_ERROR_INVALID, "NULL");
}

/* ---- tables ---- */

static void expect_table(const char *text, const char *names, uint32_t rows, double last)
{
    weft_solve_table *t = weft_solve_table_read(ctx, text, strlen(text), NULL);
    char have[256] = "";
    if (!t)
        fail_msg("%s", weft_context_error(ctx)->message);
    for (uint32_t i = 0; i < weft_solve_table_columns(t); i++) {
        strcat(have, i ? "," : "");
        strcat(have, weft_solve_table_names(t)[i]);
    }
    assert_string_equal(have, names);
    assert_int_equal(weft_solve_table_rows(t), rows);
    uint32_t cells = rows * weft_solve_table_columns(t);
    assert_true(weft_solve_table_data(t)[cells - 1] == last);
    weft_solve_table_release(t);
}

static void test_tables(void **state)
{
    static const struct { const char *text, *part; } wrong[] = {
        {"", "the table is empty"},           {"x,y\n", "names, but no numbers"},
        {"x,y\n1,2\n3\n", "table:3: 1 cell, but the table has 2"},
        {"1,2\n3,4,5\n", "table:2: more cells"}, {"x,y\n1,a\n", "column 'y': 'a' is not"},
        {"x,y\n1,nan\n", "'nan'"},           {"x,y\n1,\n", "table:2: 1 cell"},
        {"x,y\n1,,2\n", "''"},
    };
    (void)state;
    expect_table("x,y\n1,2\n3,4\n", "x,y", 2, 4);
    expect_table("1 2\n3 4", "x,y", 2, 4);
    expect_table("1;2;3\r\n", "x1,x2,y", 1, 3);
    expect_table("# note\n\n  time (s)\tv \n1\t-2.5e1\n", "time__s_,v", 1, -25);
    expect_table("\xef\xbb\xbf\"a b\" , 2nd\n 1 , 2,\n", "a_b,_2nd", 1, 2);
    expect_table("7\n8\n9\n", "x", 3, 9);
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        if (weft_solve_table_read(ctx, wrong[i].text, strlen(wrong[i].text), NULL))
            fail_msg("'%s' was accepted", wrong[i].text);
        expect_error(WEFT_ERROR_FORMAT, wrong[i].part);
    }
    assert_null(weft_solve_table_open(ctx, "/nonexistent"));
    expect_error(WEFT_ERROR_NOT_FOUND, "/nonexistent");
}

/* ---- fits ---- */

#define ROWS 50u

static void decay_rows(double rows[ROWS][3])
{
    uint64_t seed = 3;
    for (uint32_t i = 0; i < ROWS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        rows[i][0] = 0.2 * i;
        rows[i][1] = 5 * exp(-0.4 * rows[i][0]) + 2 + 0.02 * ((double)(seed >> 40) / (1 << 23) - 1);
        rows[i][2] = 0.01;
    }
}

static const char *const columns[] = {"x", "y", "s"};

static void test_a_fit_without_starts(void **state)
{
    double rows[ROWS][3], model[ROWS];
    weft_solve_fit_info info;
    weft_solve_fit_parameter p[3];
    (void)state;
    decay_rows(rows);
    weft_solve_fit *fit = weft_solve_fit_create(ctx, &(weft_solve_fit_desc){
        .formula = "a*exp(-b*x) + c", .columns = columns, .column_count = 3, .data = rows[0],
        .count = ROWS, .sigma = "s"});
    if (!fit)
        fail_msg("%s", weft_context_error(ctx)->message);
    assert_true(weft_solve_fit_get_info(&info, fit));
    assert_int_equal(info.parameters, 3);
    assert_int_equal(info.freedom, ROWS - 3);
    assert_string_equal(info.observed, "y");
    assert_true(info.trials == 2000 && info.result.converged && info.r2 > 0.999);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(weft_solve_fit_parameter_get(&p[i], fit, i));
    assert_string_equal(p[1].name, "b");
    expect_near(p[0].value, 5, 5 * p[0].error + 0.02);
    expect_near(p[1].value, 0.4, 0.01);
    expect_near(p[2].value, 2, 0.02);
    assert_true(p[0].error > 1e-4 && p[0].error < 0.05);
    expect_near(weft_solve_fit_covariance(fit, 2, 2), p[2].error * p[2].error, 1e-15);
    assert_true(weft_solve_fit_evaluate(model, fit, NULL, 0));
    for (uint32_t i = 0; i < ROWS; i++)
        expect_near(model[i], rows[i][1], 0.1);
    assert_true(weft_solve_fit_evaluate(model, fit, rows[3], 1));
    expect_near(model[0], p[0].value * exp(-p[1].value * 0.6) + p[2].value, 1e-12);
    weft_solve_fit_release(fit);
}

static void test_guesses(void **state)
{
    double rows[ROWS][3];
    weft_solve_fit_parameter p;
    (void)state;
    decay_rows(rows);
    const weft_solve_guess guesses[] = {{.name = "c", .start = 1.9, .fixed = true},
                                        {.name = "b", .start = NAN, .lower = 0.5, .upper = 3},
                                        {.name = "a", .start = 4}};
    weft_solve_fit *fit = weft_solve_fit_create(ctx, &(weft_solve_fit_desc){
        .formula = "y - 1 = a*exp(-b*x) + c - 1", .columns = columns, .column_count = 3,
        .data = rows[0], .count = ROWS, .guesses = guesses, .guess_count = 3});
    if (!fit)
        fail_msg("%s", weft_context_error(ctx)->message);
    assert_true(weft_solve_fit_parameter_get(&p, fit, 2));
    assert_true(strcmp(p.name, "c") == 0 && p.value == 1.9 && p.error == 0);
    assert_true(weft_solve_fit_parameter_get(&p, fit, 1));
    assert_true(p.value == 0.5);
    assert_false(weft_solve_fit_parameter_get(&p, fit, 3));
    weft_solve_fit_release(fit);
}

static void test_parameters_that_are_not_determined(void **state)
{
    double rows[ROWS][3];
    weft_solve_fit_parameter p;
    (void)state;
    decay_rows(rows);
    weft_solve_fit *fit = weft_solve_fit_create(ctx, &(weft_solve_fit_desc){
        .formula = "a + b + c*x", .columns = columns, .column_count = 2, .data = rows[0],
        .count = 1, .trials = 1});
    if (!fit)
        fail_msg("%s", weft_context_error(ctx)->message);
    assert_int_equal(weft_context_error(ctx)->kind, WEFT_ERROR_NONE);
    assert_true(weft_solve_fit_parameter_get(&p, fit, 0));
    assert_true(isnan(p.error) && isfinite(p.value));
    weft_solve_fit_release(fit);
}

static void test_wrong_fits(void **state)
{
    double rows[ROWS][3];
    const char *const twice[] = {"x", "x"};
    const weft_solve_guess unknown = {.name = "q", .start = 1};
    const weft_solve_guess crossed = {.name = "a", .start = 1, .lower = 3, .upper = 2};
    const weft_solve_guess empty = {.name = "a", .start = NAN, .fixed = true};
    (void)state;
    decay_rows(rows);
    const weft_solve_fit_desc good = {.formula = "a*x", .columns = columns, .column_count = 3,
                                      .data = rows[0], .count = ROWS};
    struct { weft_solve_fit_desc d; weft_error_kind kind; const char *part; } cases[11];
    for (size_t i = 0; i < COUNTOF(cases); i++)
        cases[i].d = good;
#define CASE(i, field, value, error, text)                                                   \
    cases[i].d.field = value, cases[i].kind = WEFT_ERROR_##error, cases[i].part = text
    CASE(0, formula, NULL, INVALID, "needs a formula");
    CASE(1, count, 0, INVALID, "empty");
    CASE(2, columns, twice, INVALID, "both called 'x'");
    CASE(3, formula, "x + 1", INVALID, "no parameters");
    CASE(4, observed, "z", NOT_FOUND, "no column 'z'");
    CASE(5, sigma, "z", NOT_FOUND, "no column 'z'");
    CASE(6, guesses, &unknown, NOT_FOUND, "no parameter 'q'");
    CASE(7, guesses, &crossed, INVALID, "between 3 and 2");
    CASE(8, formula, "a*x*y*s", INVALID, "uses every column");
    CASE(9, formula, "a*(x", FORMAT, "expected ')'");
    CASE(10, guesses, &empty, INVALID, "no value");
#undef CASE
    cases[2].d.column_count = 2;
    cases[6].d.guess_count = cases[7].d.guess_count = cases[10].d.guess_count = 1;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        assert_null(weft_solve_fit_create(ctx, &cases[i].d));
        expect_error(cases[i].kind, cases[i].part);
    }
    rows[7][1] = NAN;
    assert_null(weft_solve_fit_create(ctx, &good));
    expect_error(WEFT_ERROR_INVALID, "row 8 of column 'y'");
    rows[7][1] = 1;
    rows[2][2] = 0;
    weft_solve_fit_desc weighted = good;
    weighted.sigma = "s";
    assert_null(weft_solve_fit_create(ctx, &weighted));
    expect_error(WEFT_ERROR_INVALID, "row 3 of column 's'");
}

/* ---- NIST ---- */

/* Digits of the worst parameter; -1 without the file. */
static double nist_fit(const char *name, int start)
{
    Nist n;
    if (!nist_read(&n, NIST_FOLDER, name))
        return -1;
    weft_solve_guess guesses[NIST_PARAMETERS] = {{0}};
    for (uint32_t i = 0; i < n.parameters; i++)
        guesses[i] = (weft_solve_guess){.name = n.names[i], .start = n.start[start][i]};
    weft_solve_fit *fit = weft_solve_fit_create(ctx, &(weft_solve_fit_desc){
        .formula = n.formula, .columns = n.columns, .column_count = n.column_count,
        .data = n.data, .count = n.rows, .guesses = guesses, .guess_count = n.parameters});
    if (!fit)
        fail_msg("%s: %s", name, weft_context_error(ctx)->message);
    double digits = 11, deviation = 11;
    for (uint32_t i = 0; i < n.parameters; i++) {
        weft_solve_fit_parameter p;
        for (uint32_t k = 0; k < n.parameters; k++) {
            weft_solve_fit_parameter_get(&p, fit, k);
            if (strcmp(p.name, n.names[i]) == 0)
                break;
        }
        digits = fmin(digits, nist_digits(p.value, n.certified[i]));
        deviation = fmin(deviation, nist_digits(p.error, n.deviation[i]));
    }
    weft_solve_fit_info info;
    weft_solve_fit_get_info(&info, fit);
    if (digits < 6 || deviation < 3)
        print_message("%-9s %d: %.1f digits, errors %.1f, %u iterations, %s\n", name, start + 1,
                      digits, deviation, info.result.iterations,
                      weft_solve_termination_name(info.result.termination));
    weft_solve_fit_release(fit);
    return digits;
}

static void test_nist_certified_values(void **state)
{
    uint32_t good = 0;
    (void)state;
    if (nist_fit("Misra1a", 0) < 0)
        skip();
    for (int i = 0; i < NIST_COUNT; i++)
        for (int start = 0; start < 2; start++)
            good += nist_fit(nist_names[i], start) >= 6;
    if (good < 54)
        fail_msg("%u of 54 have 6 digits", good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_formulas),
        cmocka_unit_test(test_malformed_formulas_name_the_place),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_a_fit_without_starts),
        cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_parameters_that_are_not_determined),
        cmocka_unit_test(test_wrong_fits),
        cmocka_unit_test(test_nist_certified_values),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
