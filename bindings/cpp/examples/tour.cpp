// SPDX-License-Identifier: Apache-2.0
// A kernel, an error, tensors and a fit.
#include <weft.hpp>

#include <cmath>
#include <cstdio>

static const char scale[] = R"(
struct Params { factor : f32, n : u32 }
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> params : Params;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < params.n { y[id.x] = x[id.x] * params.factor; }
})";

int main()
{
    weft::pool         pool;
    weft::pool_context ctx(pool);
    std::vector<float> x = {1, 2, 3}, y(3);
    ctx.execute(scale, {{"x", x}, {"params.factor", 10.0f}, {"params.n", 3u}}, {{"y", y}});
    std::printf("%g %g %g\n", y[0], y[1], y[2]);

    try {
        std::vector<int> wrong = {1, 2, 3};
        ctx.execute(scale, {{"x", wrong}, {"params.factor", 1.0f}, {"params.n", 3u}}, {{"y", y}});
    } catch (const weft::error &e) {
        std::printf("%s: %s\n", e.kind_name(), e.what());
    }

    weft::context device;
    weft::tensor  a(device, {2, 2}, std::vector<float>{1, 2, 3, 4});
    weft::tensor  b = weft::relu(weft::matmul(a, a) - 8.0) + a;
    for (float v : b.read<float>())
        std::printf("%g ", v);
    std::printf("sum %g\n", weft::sum(b).item());

    std::vector<double> t, v;
    for (int i = 0; i < 40; i++) {
        t.push_back(i * 0.1);
        v.push_back(2 * std::exp(-1.5 * t.back()) + 0.3);
    }
    weft::curve fit = weft::fit(device, "a*exp(-b*t) + c", {{"t", t}, {"y", v}});
    std::printf("a %.4f b %.4f c %.4f\n", fit.value("a"), fit.value("b"), fit.value("c"));
}
