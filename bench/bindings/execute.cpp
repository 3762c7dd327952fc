// SPDX-License-Identifier: Apache-2.0
/*
 * execute.cpp - weft_execute() of a small known kernel from C and through weft.hpp: microseconds a
 * call, medians of turns that the two take.
 */
#include <weft.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

static const char text[] =
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "    if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }\n"
    "}\n";

template <class F> static double turn(F call)
{
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; i++)
        call();
    std::chrono::duration<double, std::micro> t = std::chrono::steady_clock::now() - start;
    return t.count() / 200;
}

static double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

int main()
{
    weft::pool_options o;
    o.adapters = {"cpu"};
    o.measure = false;
    weft::pool          pool(o);
    weft::pool_context  ctx(pool);
    std::vector<float>  x(64, 1.0f), y(64);
    std::vector<double> c, cpp;
    auto in_c = [&] {
        weft_execute_input in{};
        in.name = "x";
        in.type = WEFT_SCALAR_F32;
        in.shape[0] = 64;
        in.data = x.data();
        weft_execute_output out{};
        out.name = "y";
        out.type = WEFT_SCALAR_F32;
        out.shape[0] = 64;
        out.data = y.data();
        weft_execute_desc d{};
        d.wgsl = text;
        d.inputs = &in;
        d.outputs = &out;
        d.input_count = d.output_count = 1;
        weft_execute(ctx.get(), &d, nullptr);
    };
    auto in_cpp = [&] { ctx.execute(text, {{"x", x}}, {{"y", y}}); };
    for (int i = 0; i < 60; i++) {
        c.push_back(turn(in_c));
        cpp.push_back(turn(in_cpp));
    }
    if (y[63] != 2.0f)
        return 1;
    std::printf("c %.2f\ncpp %.2f\n", median(c), median(cpp));
}
