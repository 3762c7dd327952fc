// SPDX-License-Identifier: Apache-2.0
/*
 * file_test.c - problems from BAL and g2o files: small ones with known solutions, saving and
 * reading again, malformed ones; the large bundle adjustment where its file is at hand.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/solve.h>

#include "base/macro.h"

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

static weft_solve_file *read_text(const char *text)
{
    weft_solve_file *f = weft_solve_file_read(ctx, text, strlen(text), NULL);
    if (!f)
        fail_msg("%s", weft_context_error(ctx)->message);
    return f;
}

/* A square of poses, each 1 ahead and a quarter turn of the one before; the estimate is wrong. */
static const char square[] =
    "# a comment\n"
    "VERTEX_SE2 10 0 0 0\nVERTEX_SE2 11 0.9 0.2 1.4\nVERTEX_SE2 12 1.2 1.1 3.0\n"
    "VERTEX_SE2 13 -0.1 1.2 -1.7\nVERTEX_XY 20 0.6 0.3\n\n"
    "EDGE_SE2 10 11 1 0 1.5707963267948966 10 0 0 10 0 10\n"
    "EDGE_SE2 11 12 1 0 1.5707963267948966 10 0 0 10 0 10\n"
    "EDGE_SE2 12 13 1 0 1.5707963267948966 10 1 0 10 0 10\n"
    "EDGE_SE2 13 10 1 0 1.5707963267948966 10 0 0 10 0 10\r\n"
    "EDGE_SE2_XY 10 20 0.5 0.5 4 0 4\nEDGE_SE2_XY 12 20 0.5 0.5 4 0 4\n";

static void expect_square(weft_solve_file *f)
{
    static const double want[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}};
    for (uint32_t i = 0; i < 5; i++) {
        double at[3];
        assert_true(weft_solve_file_position(at, f, false, i));
        for (int k = 0; k < 2; k++)
            assert_true(fabs(at[k] - want[i][k]) < 1e-6);
    }
}

static void test_a_pose_graph_in_the_plane(void **state)
{
    weft_solve_file *f = read_text(square);
    weft_solve_file_info info;
    weft_solve_result r;
    uint32_t edge[2];
    (void)state;
    assert_true(weft_solve_file_get_info(&info, f));
    assert_int_equal(info.format, WEFT_SOLVE_FORMAT_G2O);
    assert_true(info.poses == 4 && info.landmarks == 1 && info.edges == 6 && info.fixed == 1 &&
                info.dimensions == 2 && info.parameter_count == 14);
    assert_true(weft_solve_file_edge(edge, f, 3));
    assert_true(edge[0] == 3 && edge[1] == 0);
    assert_false(weft_solve_file_edge(edge, f, 6));
    expect_error(WEFT_ERROR_INVALID, "no edge 6");
    assert_true(weft_solve(&r, weft_solve_file_x(f), weft_solve_file_problem(f),
                           &(weft_solve_options){.cost_tolerance = 1e-15}));
    assert_true(r.converged && r.final_cost < 1e-15 && r.free_parameters == 11);
    expect_square(f);
    char path[] = "/tmp/weft-solve-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(weft_solve_file_save(f, path));
    weft_solve_file_release(f);
    f = weft_solve_file_open(ctx, path, NULL);
    assert_non_null(f);
    expect_square(f);
    double cost;
    assert_true(weft_solve_evaluate(&cost, NULL, weft_solve_file_problem(f),
                                    weft_solve_file_x(f)));
    assert_true(cost < 1e-15);
    weft_solve_file_release(f);
    unlink(path);
}

static void test_a_pose_graph_in_space(void **state)
{
    /* two poses a half turn about z apart; the quaternions have other signs and lengths */
    static const char text[] =
        "VERTEX_SE3:QUAT 0 1 2 3 0 0 0 2\nVERTEX_SE3:QUAT 1 2 2 2 0.1 0 -0.9 0.1\nFIX 0\n"
        "EDGE_SE3:QUAT 0 1 1 0 0 0 0 1 0 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 4 0 0 4 0 4 7\n";
    weft_solve_result r;
    double at[3];
    (void)state;
    assert_null(weft_solve_file_read(ctx, text, strlen(text), NULL));
    expect_error(WEFT_ERROR_FORMAT, "problem:4: more numbers");
    char *fixed = strdup(text);
    fixed[strlen(fixed) - 2] = ' ';
    weft_solve_file *f = read_text(fixed);
    free(fixed);
    assert_true(weft_solve(&r, weft_solve_file_x(f), weft_solve_file_problem(f),
                           &(weft_solve_options){.cost_tolerance = 1e-15}));
    assert_true(r.final_cost < 1e-15 && r.free_parameters == 6);
    assert_true(weft_solve_file_position(at, f, false, 1));
    assert_true(fabs(at[0] - 2) < 1e-6 && fabs(at[1] - 2) < 1e-6 && fabs(at[2] - 3) < 1e-6);
    assert_true(fabs(fabs(weft_solve_file_x(f)[7 + 5]) - 1) < 1e-6);
    weft_solve_file_release(f);
}

/* Two cameras, four points, what they see: computed by hand from identity poses. */
static const char bundle[] =
    "2 4 8\n"
    "0 0 10 20\n0 1 -10 20\n0 2 30 -5\n0 3 0 0\n1 0 20 20\n1 1 0 20\n1 2 40 -5\n1 3 10 0\n"
    "0 0 0\n0 0 0\n100 0 0\n0 0.1 0\n1 0 0\n100 0 0\n"
    "1 2 -10\n-1 2 -10\n3 -0.5 -10\n0 0 -10\n";

static void test_a_small_bundle(void **state)
{
    weft_solve_file *f = read_text(bundle);
    weft_solve_file_info info;
    weft_solve_result r;
    double at[3];
    (void)state;
    assert_true(weft_solve_file_get_info(&info, f));
    assert_true(info.format == WEFT_SOLVE_FORMAT_BAL && info.cameras == 2 && info.points == 4 &&
                info.observations == 8 && info.parameter_count == 30);
    assert_true(weft_solve_file_position(at, f, true, 0));
    assert_true(at[0] == 0 && at[1] == 0 && at[2] == 0);
    assert_true(weft_solve_file_position(at, f, true, 1));
    /* -transpose(R) t with R a turn of 0.1 about y */
    assert_true(fabs(at[0] + cos(0.1)) < 1e-12 && fabs(at[2] + sin(0.1)) < 1e-12);
    assert_true(weft_solve(&r, weft_solve_file_x(f), weft_solve_file_problem(f), NULL));
    assert_true(r.initial_cost > 1 && r.final_cost < 1e-3 * r.initial_cost);
    assert_false(weft_solve_file_position(at, f, false, 4));
    expect_error(WEFT_ERROR_INVALID, "no position 4");
    assert_false(weft_solve_file_save(f, "/nonexistent/folder/file"));
    expect_error(WEFT_ERROR_IO, "/nonexistent");
    weft_solve_file_release(f);
}

static void test_malformed_files(void **state)
{
    static const struct { const char *text, *part; } cases[] = {
        {"", "problem:1: the file ends where the number of cameras"},
        {"1 1", "the number of observations"},
        {"0 1 1\n", "none may be 0"},
        {"4000000000 4000000000 4000000000", "do not fit"},
        {"99999999999 1 1", "is too large"},
        {"1 1 1\n0 5 1 2\n1 2 3 4 5 6 7 8 9 1 2 3", "problem:2: there is no point 5"},
        {"1 1 1\n3 0 1 2\n1 2 3 4 5 6 7 8 9 1 2 3", "problem:2: there is no camera 3"},
        {"1 1 1\n0 0 1 x\n1 2 3 4 5 6 7 8 9 1 2 3", "expected y of an observation, not 'x'"},
        {"1 1 1\n0 0 1 nan\n1 2 3 4 5 6 7 8 9 1 2 3", "not 'nan'"},
        {"1 1 1\n0 0 1 2\n1 2 3 4 5 6 7 8 9 1 2", "a number of a point"},
        {"1 1 1\n0 0 1 2\n1 2 3 4 5 6 7 8 9 1 2 3 4", "should end here"},
        {"1 1 1\n0 0 1 1e999\n1 2 3 4 5 6 7 8 9 1 2 3", "1e999"},
        {"1.5 1 1", "not '1.5'"},
        {"BZh91AY", "is compressed"},
        {"VERTEX_SE2 0 0 0 0\n", "nothing to solve"},
        {"VERTEX_SE2 0 0 0\n", "problem:1: the line ends where a number of a vertex"},
        {"VERTEX_FOO 0\n", "unknown record 'VERTEX_FOO'"},
        {"VERTEX_SE2 0 0 0 0\nVERTEX_SE2 0 0 0 0\nEDGE_SE2 0 0 1 0 0 1 0 0 1 0 1\n",
         "two vertices have the number 0"},
        {"VERTEX_SE2 0 0 0 0\nEDGE_SE2 0 7 1 0 0 1 0 0 1 0 1\n", "names vertex 7"},
        {"VERTEX_SE2 0 0 0 0\nEDGE_SE2 0 0 1 0 0 1 0 0 1 0 1\n", "cannot connect"},
        {"VERTEX_SE2 0 0 0 0\nVERTEX_XY 1 0 0\nEDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\n",
         "cannot connect"},
        {"VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 0 0 0\nEDGE_SE2 0 1 1 0 0 1 0 0 -1 0 1\n",
         "not positive definite"},
        {"VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 0 0 0\nFIX 5\nEDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\n",
         "FIX names vertex 5"},
        {"VERTEX_SE3:QUAT 0 0 0 0 0 0 0 0\n", "is not a rotation"},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        if (weft_solve_file_read(ctx, cases[i].text, strlen(cases[i].text), NULL))
            fail_msg("'%s' was accepted", cases[i].text);
        expect_error(WEFT_ERROR_FORMAT, cases[i].part);
    }
    assert_null(weft_solve_file_open(ctx, "/nonexistent", NULL));
    expect_error(WEFT_ERROR_NOT_FOUND, "/nonexistent");
    assert_null(weft_solve_file_open(ctx, NULL, NULL));
    expect_error(WEFT_ERROR_INVALID, "no path");
    assert_null(weft_solve_file_open(ctx, "/", NULL));
    expect_error(WEFT_ERROR_IO, "/");
}

static void test_a_large_bundle(void **state)
{
    weft_solve_result r;
    (void)state;
    if (access(BAL_FILE, R_OK) != 0)
        skip();
    weft_solve_file *f = weft_solve_file_open(ctx, BAL_FILE, NULL);
    if (!f)
        fail_msg("%s", weft_context_error(ctx)->message);
    assert_true(weft_solve(&r, weft_solve_file_x(f), weft_solve_file_problem(f),
                           &(weft_solve_options){.max_iterations = 5}));
    assert_int_equal(r.linear, WEFT_SOLVE_SCHUR);
    assert_int_equal(r.eliminated, 3 * 7776);
    assert_true(fabs(r.initial_cost / 8.509124607e+05 - 1) < 1e-9);
    /* Ceres has 1.338876306e+04 after five iterations */
    assert_true(r.final_cost < 1.339e4);
    weft_solve_file_release(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pose_graph_in_the_plane),
        cmocka_unit_test(test_a_pose_graph_in_space),
        cmocka_unit_test(test_a_small_bundle),
        cmocka_unit_test(test_malformed_files),
        cmocka_unit_test(test_a_large_bundle),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
