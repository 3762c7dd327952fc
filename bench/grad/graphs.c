/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphs.c - the problems of bench/grad as graphs of one instance.
 */
#include "graphs.h"

typedef weft_grad_graph *G;
typedef weft_grad_node N;

static N num(G g, double v)
{
    return weft_grad_constant(g, v);
}

static void bundle(G g)
{
    N c[9], point[3], seen[2];
    weft_grad_input(c, g, "camera", 9);
    weft_grad_input(point, g, "point", 3);
    weft_grad_data(seen, g, "seen", 2);
    weft_grad_vec3 p = weft_grad_rotate_axis(g, (weft_grad_vec3){c[0], c[1], c[2]},
                                             (weft_grad_vec3){point[0], point[1], point[2]});
    p = weft_grad_vec3_add(g, p, (weft_grad_vec3){c[3], c[4], c[5]});
    N inverse = weft_grad_neg(g, weft_grad_reciprocal(g, p.z));
    N x = weft_grad_mul(g, p.x, inverse), y = weft_grad_mul(g, p.y, inverse);
    N r2 = weft_grad_add(g, weft_grad_mul(g, x, x), weft_grad_mul(g, y, y));
    N d = weft_grad_add(g, num(g, 1), weft_grad_mul(g, r2, weft_grad_add(g, c[7],
                        weft_grad_mul(g, c[8], r2))));
    N f = weft_grad_mul(g, c[6], d);
    weft_grad_output(g, weft_grad_sub(g, weft_grad_mul(g, f, x), seen[0]), "x");
    weft_grad_output(g, weft_grad_sub(g, weft_grad_mul(g, f, y), seen[1]), "y");
}

static void arap(G g)
{
    N a[3], b[3], w[3], e[3];
    weft_grad_input(a, g, "a", 3);
    weft_grad_input(b, g, "b", 3);
    weft_grad_input(w, g, "rotation", 3);
    weft_grad_data(e, g, "edge", 3);
    weft_grad_vec3 r = weft_grad_rotate_axis(g, (weft_grad_vec3){w[0], w[1], w[2]},
                                             (weft_grad_vec3){e[0], e[1], e[2]});
    N turned[3] = {r.x, r.y, r.z};
    for (int i = 0; i < 3; i++)
        weft_grad_output(g, weft_grad_sub(g, weft_grad_sub(g, a[i], b[i]), turned[i]), NULL);
}

static void gauss(G g)
{
    N p[4], d[2];
    weft_grad_input(p, g, "gauss", 4);
    weft_grad_data(d, g, "sample", 2);
    N z = weft_grad_div(g, weft_grad_sub(g, d[0], p[1]), p[2]);
    N e = weft_grad_exp(g, weft_grad_mul(g, num(g, -0.5), weft_grad_square(g, z)));
    N value = weft_grad_add(g, weft_grad_mul(g, p[0], e), p[3]);
    weft_grad_output(g, weft_grad_sub(g, value, d[1]), "difference");
}

weft_grad_graph *graph_of(weft_context *ctx, ProblemKind kind)
{
    static const char *const names[] = {"bundle", "arap", "gauss"};
    G g = weft_grad_graph_create(ctx, &(weft_grad_graph_desc){.label = names[kind]});
    if (kind == PROBLEM_BUNDLE)
        bundle(g);
    else if (kind == PROBLEM_ARAP)
        arap(g);
    else
        gauss(g);
    return g;
}

weft_grad_graph *graph_large(weft_context *ctx, uint32_t nodes, bool functions)
{
    G g = weft_grad_graph_create(ctx, &(weft_grad_graph_desc){.label = "large"});
    N x[16], y;
    weft_grad_input(x, g, "x", 16);
    y = x[0];
    for (uint32_t i = 0; i < nodes / 2; i++) {
        if (functions && i % 5 == 0)
            y = i % 2 ? weft_grad_sin(g, y)
                      : weft_grad_sqrt(g, weft_grad_add(g, weft_grad_square(g, y), num(g, 1)));
        y = weft_grad_add(g, weft_grad_mul(g, y, num(g, 0.25 + 0.001 * (i % 7))), x[i % 16]);
    }
    weft_grad_output(g, y, NULL);
    return g;
}
