// SPDX-License-Identifier: Apache-2.0
/*
 * parts_test.cpp - tensors, solvers, models, lifetimes and leaks of weft.hpp.
 *
 *   parts_test [MODEL.gguf]
 */
#include <weft.hpp>

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include <sys/wait.h>

static int failures;

#define EXPECT(condition)                                                                      \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            std::cerr << __FILE__ << ":" << __LINE__ << ": " #condition "\n";                  \
            failures++;                                                                        \
        }                                                                                      \
    } while (0)

/* The kind of the error that f() fails with. */
template <class F> static weft_error_kind kind_of(F f)
{
#ifdef WEFT_NO_EXCEPTIONS
    weft::clear_error();
    f();
    return weft::last_error().kind();
#else
    try {
        f();
    } catch (const weft::error &e) {
        return e.kind();
    }
    return WEFT_ERROR_NONE;
#endif
}

static const char scale[] =
    "struct Params { factor : f32, n : u32 }\n"
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"
    "@group(0) @binding(2) var<uniform> params : Params;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "    if id.x < params.n { y[id.x] = x[id.x] * params.factor; }\n"
    "}\n";

static weft::pool cpu_pool()
{
    weft::pool_options o;
    o.adapters = {"cpu"};
    o.measure = false;
    o.probe_in_process = true;
    return weft::pool(o);
}

static std::vector<float> run_scale(const weft::pool_context &ctx, float factor)
{
    std::vector<float> x = {1, 2, 3}, y(3);
    ctx.execute(scale, {{"x", x}, {"params.factor", factor}, {"params.n", 3u}}, {{"y", y}});
    return y;
}

static void test_execute()
{
    weft::pool         pool = cpu_pool();
    weft::pool_context ctx(pool);
    EXPECT((run_scale(ctx, 2) == std::vector<float>{2, 4, 6}));
    std::vector<double> wide = {0.5, 1, 2}, out(3);
    ctx.execute(scale, {{"x", wide}, {"params.factor", 2.0}, {"params.n", 3u}}, {{"y", out}});
    EXPECT((out == std::vector<double>{1, 2, 4}));
    weft::data   d = ctx.store(std::vector<float>{5, 6, 7});
    float        place[3] = {};
    ctx.execute(scale, {{"x", d}, {"params.factor", 1.0f}, {"params.n", 3u}},
                {{"y", weft::span<float>(place, 3)}});
    EXPECT(place[2] == 7);
    ctx.read(weft::span<float>(place, 3), d);
    EXPECT(place[0] == 5);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++)
        threads.emplace_back([&ctx, k] {
            for (int i = 0; i < 20; i++)
                EXPECT(run_scale(ctx, float(k))[1] == 2 * float(k));
        });
    for (std::thread &t : threads)
        t.join();
}

static void test_tensors(const weft::context &ctx)
{
    weft::tensor x(ctx, {2, 2}, std::vector<float>{1, 2, 3, 4});
    weft::tensor y = weft::relu(weft::matmul(x, x) - 8.0) + x;
    EXPECT((y.read<float>() == std::vector<float>{1, 4, 10, 18}));
    EXPECT(weft::sum(y).item() == 33);
    EXPECT((weft::max(y, {0}).sizes() == weft::shape{2}));
    EXPECT(((2.0 * x.transpose()).read<float>() == std::vector<float>{2, 6, 4, 8}));
    EXPECT(((x > 2.0).read<std::uint8_t>() == std::vector<std::uint8_t>{0, 0, 1, 1}));
    x.select(0, 0).assign(weft::tensor::full(ctx, {}, 9));
    EXPECT((weft::concat({x, x}, 1).read<float>() == std::vector<float>{9, 9, 9, 9, 3, 4, 3, 4}));
    EXPECT(kind_of([&] { weft::add(x, weft::tensor::full(ctx, {3}, 1)); }) == WEFT_ERROR_SHAPE);
    EXPECT(kind_of([&] { x.read<double>(); }) == WEFT_ERROR_TYPE);
    EXPECT(kind_of([&] { x.reshape({3}); }) == WEFT_ERROR_SHAPE);
}

static void test_solvers(const weft::context &ctx)
{
    std::vector<double> x, y;
    for (int i = 0; i < 30; i++) {
        x.push_back(i * 0.1);
        y.push_back(2 * std::exp(-1.5 * x.back()) + 0.3);
    }
    weft::curve f = weft::fit(ctx, "a*exp(-b*x) + c", {{"x", x}, {"y", y}},
                              {{"a", 1}, {"b", 1}, {"c", 0}});
    EXPECT(f.converged() && std::fabs(f.value("b") - 1.5) < 1e-6);
    EXPECT(kind_of([&] { f.value("z"); }) == WEFT_ERROR_NOT_FOUND);
    EXPECT(kind_of([&] { weft::fit(ctx, "a*", {{"x", x}, {"y", y}}); }) == WEFT_ERROR_FORMAT);

    weft::graph g(ctx);
    auto        c = g.input("circle", 3);
    auto        p = g.data("point", 2);
    g.output(weft::hypot(p[0] - c[0], p[1] - c[1]) - c[2]);
    std::vector<double> points;
    for (int i = 0; i < 8; i++) {
        points.push_back(3 + 2 * std::cos(i));
        points.push_back(-1 + 2 * std::sin(i));
    }
    weft::problem circle(ctx, 3);
    circle.add(weft::batch(g, 3, 8, points));
    weft::solution s = circle.solve({0, 0, 1});
    EXPECT(s.converged() && std::fabs(s.x[2] - 2) < 1e-6);

    weft::problem line(ctx, 1);
    line.add_function([](double *r, double *j, const double *v) {
        r[0] = v[0] - 7;
        if (j)
            j[0] = 1;
        return true;
    }, 1);
    EXPECT(std::fabs(line.solve({0}).x[0] - 7) < 1e-9);
}

static void test_model(const weft::context &ctx, const char *path)
{
    weft::model m(ctx, path);
    EXPECT(m.detokenize(m.tokenize("Once upon a time")) == "Once upon a time");
    weft::session            s(m);
    weft_model_generate_desc d{};
    d.max_tokens = 8;
    d.sampling.temperature = WEFT_MODEL_OFF;
    std::string  heard;
    weft::answer a = s.generate("Once upon a time", d, [&](std::string_view piece) {
        heard += piece;
        return true;
    });
    EXPECT(a.tokens == 8 && a.text == heard && !heard.empty());
    EXPECT(kind_of([&] { weft::model none(ctx, "/no/such.gguf"); }) == WEFT_ERROR_NOT_FOUND);
}

static void test_lifetimes()
{
    weft::pool         pool = cpu_pool();
    weft::pool_context ctx(pool);
    weft::context      c("cpu");
    weft::tensor       t(c, {1}, std::vector<float>{1}), copy = t;
    pool.release();
    EXPECT(run_scale(ctx, 2)[0] == 2);
    EXPECT(kind_of([&] { pool.devices(); }) == WEFT_ERROR_INVALID);
    t.release();
    t.release();
    EXPECT(kind_of([&] { t.item(); }) == WEFT_ERROR_INVALID);
    EXPECT(copy.item() == 1);

    pid_t child = fork();
    if (child == 0) {
        bool refused = kind_of([&] { copy.item(); }) == WEFT_ERROR_INVALID
                    && kind_of([&] { run_scale(ctx, 2); }) == WEFT_ERROR_INVALID;
        copy.release();
        ctx.release();
        weft::context fresh("cpu");
        bool again = weft::tensor(fresh, {1}, std::vector<float>{3}).item() == 3;
        _exit(refused && again ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static long resident()
{
    std::ifstream in("/proc/self/statm");
    long          all = 0, pages = 0;
    in >> all >> pages;
    return pages * sysconf(_SC_PAGESIZE);
}

static void test_nothing_leaks(const weft::context &c)
{
    weft::pool         pool = cpu_pool();
    weft::pool_context ctx(pool);
    std::vector<float> x(1 << 18, 1.0f), y(x.size());
    auto once = [&] {
        ctx.execute(scale, {{"x", x}, {"params.factor", 2.0f}, {"params.n", 100u}}, {{"y", y}});
        weft::sum(weft::sqrt(weft::tensor(c, {x.size()}, x))).item();
        kind_of([&] { ctx.execute("wrong", {}, {}); });
    };
    for (int i = 0; i < 10; i++)
        once();
    long grown = LONG_MAX;
    for (int round = 0; round < 4 && grown >= 16l << 20; round++) {
        long before = resident();       /* a leak grows each time, what is compiled aside once */
        for (int i = 0; i < 50; i++)
            once();
        grown = resident() - before;
    }
    EXPECT(grown < 16l << 20);          /* a leak of one array: 50 MB */
}

int main(int argc, char **argv)
{
    weft::context ctx("cpu");
    test_lifetimes();
    test_execute();
    test_tensors(ctx);
    test_solvers(ctx);
    if (argc > 1)
        test_model(ctx, argv[1]);
    test_nothing_leaks(ctx);
    std::printf("%d failures%s\n", failures, argc > 1 ? "" : "; no model was given");
    return failures != 0;
}
