// SPDX-License-Identifier: Apache-2.0
/*
 * weft/grad.h - scalar graphs, their derivatives, and batches of thousands of instances.
 *
 * A graph is one topology: the residuals of one observation, the energy of one vertex. A
 * batch evaluates a graph for many instances in one dispatch: values, Jacobians, gradients,
 * normal equations. Derivatives are exact (no finite differences): the graph and its
 * derivative become one WGSL kernel, compiled once for each topology.
 *
 *     weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
 *     weft_grad_node c[3];
 *     weft_grad_input(c, g, "circle", 3);                      centre x, y and radius
 *     weft_grad_node p[2];
 *     weft_grad_data(p, g, "point", 2);                        one point per instance
 *     weft_grad_node d = weft_grad_hypot(g, weft_grad_sub(g, p[0], c[0]),
 *                                        weft_grad_sub(g, p[1], c[1]));
 *     weft_grad_output(g, weft_grad_sub(g, d, c[2]), "distance");
 *
 *     weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
 *         .graph = g, .count = points, .data = xy, .parameter_count = 3,
 *     });
 *     weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
 *         .x = circle, .values = r, .jacobian = j,
 *     });
 *
 * Ownership  creators give the caller one reference; _release() gives it back and accepts
 *            NULL. A batch keeps what it needs of its graph: the graph may be released.
 * Threads    graphs and batches belong to the thread of their context.
 * Errors     as in weft/context.h. A node that cannot be made is 0, and the reason is the
 *            error of the context; 0 passed on gives 0, so a graph is checked once, at the
 *            end. A graph with a failed node stays failed.
 * Numbers    graphs are evaluated in IEEE arithmetic: 1/0 is infinite, log(-1) is NaN, and
 *            non-finite inputs give the values that follow from that. Nothing is clamped.
 *            min, max, clamp and relu are NaN if an argument is, in kernels as well; WGSL
 *            permits GPUs to ignore NaN, the CPU device does not.
 * Not here   solvers (weft/solve.h), tensors (weft/tensor.h).
 */
#ifndef WEFT_GRAD_H
#define WEFT_GRAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/api.h>
#include <weft/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_grad_graph weft_grad_graph;
typedef struct weft_grad_batch weft_grad_batch;

/* A scalar of a graph. 0: none, because of an error. Below 2^53. */
typedef uint64_t weft_grad_node;

/* ---- graphs ---- */

typedef struct weft_grad_graph_desc {
    const char *label;              /* for messages and kernels       NULL: "graph"         */
    uint32_t    node_limit;         /* most nodes                     0: 4,000,000          */
} weft_grad_graph_desc;

/* NULL for desc means all defaults. The context needs no device until a batch is made. */
WEFT_API weft_grad_graph *weft_grad_graph_create(weft_context *ctx,
                                                 const weft_grad_graph_desc *desc);
WEFT_API weft_grad_graph *weft_grad_graph_retain(weft_grad_graph *graph);
WEFT_API void             weft_grad_graph_release(weft_grad_graph *graph);

/* A block of `size` parameters that are consecutive in the parameter vector and are
 * differentiated: a camera, a vertex, a single number. Each instance names the place of each
 * block (weft_grad_batch_desc.index). Writes the nodes of the block to out[size]. `name` may
 * be NULL; members are called name_x, name_y, ... up to size 4, else name_0, name_1, ... */
WEFT_API bool weft_grad_input(weft_grad_node *out, weft_grad_graph *graph, const char *name,
                              uint32_t size);
/* A block of parameters that are shared in the same way but not differentiated. */
WEFT_API bool weft_grad_fixed(weft_grad_node *out, weft_grad_graph *graph, const char *name,
                              uint32_t size);
/* `size` numbers that each instance has for itself and that are not differentiated:
 * measurements, rest lengths, weights (weft_grad_batch_desc.data). */
WEFT_API bool weft_grad_data(weft_grad_node *out, weft_grad_graph *graph, const char *name,
                             uint32_t size);
/* A number that is part of the graph. Equal constants are one node. */
WEFT_API weft_grad_node weft_grad_constant(weft_grad_graph *graph, double value);
/* Declares a result. The order of the calls is the order of the outputs. `name` may be NULL. */
WEFT_API bool weft_grad_output(weft_grad_graph *graph, weft_grad_node node, const char *name);
/* Gives a node a name for the kernel. */
WEFT_API bool weft_grad_name(weft_grad_graph *graph, weft_grad_node node, const char *name);

/* What a graph consists of so far. */
typedef struct weft_grad_graph_info {
    uint32_t nodes;                 /* as recorded, leaves included                         */
    uint32_t blocks;                /* input and fixed blocks                               */
    uint32_t inputs;                /* differentiated parameters of one instance            */
    uint32_t data;                  /* numbers per instance                                 */
    uint32_t outputs;
} weft_grad_graph_info;

WEFT_API bool weft_grad_graph_get_info(weft_grad_graph_info *out, const weft_grad_graph *graph);

/* Operators of one argument. Derivatives at kinks: abs'(0) = 1, relu'(0) = 0; floor, ceil,
 * round and sign have derivative 0 everywhere.
 *    function    operator    value                                                         */
#define WEFT_GRAD_UNARY(OP)                                                                  \
    OP(neg,        NEG,        "-a")                                                         \
    OP(abs,        ABS,        "|a|")                                                        \
    OP(sign,       SIGN,       "-1, 0 or 1")                                                 \
    OP(floor,      FLOOR,      "largest integer not above a")                                \
    OP(ceil,       CEIL,       "smallest integer not below a")                               \
    OP(round,      ROUND,      "floor(a + 0.5)")                                             \
    OP(square,     SQUARE,     "a * a")                                                      \
    OP(cube,       CUBE,       "a * a * a")                                                  \
    OP(reciprocal, RECIPROCAL, "1 / a")                                                      \
    OP(exp,        EXP,        "e to the a")                                                 \
    OP(log,        LOG,        "natural logarithm")                                          \
    OP(sqrt,       SQRT,       "square root")                                                \
    OP(rsqrt,      RSQRT,      "1 / sqrt(a)")                                                \
    OP(sin,        SIN,        "sine")                                                       \
    OP(cos,        COS,        "cosine")                                                     \
    OP(tan,        TAN,        "tangent")                                                    \
    OP(asin,       ASIN,       "inverse sine")                                               \
    OP(acos,       ACOS,       "inverse cosine")                                             \
    OP(atan,       ATAN,       "inverse tangent")                                            \
    OP(sinh,       SINH,       "hyperbolic sine")                                            \
    OP(cosh,       COSH,       "hyperbolic cosine")                                          \
    OP(tanh,       TANH,       "hyperbolic tangent")                                         \
    OP(asinh,      ASINH,      "inverse hyperbolic sine")                                    \
    OP(acosh,      ACOSH,      "inverse hyperbolic cosine")                                  \
    OP(atanh,      ATANH,      "inverse hyperbolic tangent")                                 \
    OP(relu,       RELU,       "max(a, 0)")                                                  \
    OP(softplus,   SOFTPLUS,   "log(1 + exp(a)), without overflow")                          \
    OP(sigmoid,    SIGMOID,    "1 / (1 + exp(-a))")                                          \
    OP(gelu,       GELU,       "a/2 (1 + tanh(sqrt(2/pi) (a + 0.044715 a^3)))")

/* Operators of two arguments. Comparisons give 1 or 0 and have derivative 0. Where min or max
 * have equal arguments, both derivatives are 0. mod(a, b) is a - b trunc(a/b): derivative 1
 * for a and 0 for b. pow(a, b) with a constant b works for every a where the power is defined,
 * and becomes multiplications where b is a small integer; with a variable b it needs a >= 0,
 * and the derivative for b is pow(a, b) log(max(a, 1e-12)).
 *    function    operator    value                                                         */
#define WEFT_GRAD_BINARY(OP)                                                                 \
    OP(add,        ADD,        "a + b")                                                      \
    OP(sub,        SUB,        "a - b")                                                      \
    OP(mul,        MUL,        "a * b")                                                      \
    OP(div,        DIV,        "a / b")                                                      \
    OP(pow,        POW,        "a to the b")                                                 \
    OP(mod,        MOD,        "a - b trunc(a / b)")                                         \
    OP(min,        MIN,        "the smaller")                                                \
    OP(max,        MAX,        "the larger")                                                 \
    OP(atan2,      ATAN2,      "angle of the point (b, a)")                                  \
    OP(hypot,      HYPOT,      "sqrt(a*a + b*b)")                                            \
    OP(eq,         EQ,         "a == b")                                                     \
    OP(ne,         NE,         "a != b")                                                     \
    OP(lt,         LT,         "a < b")                                                      \
    OP(le,         LE,         "a <= b")                                                     \
    OP(gt,         GT,         "a > b")                                                      \
    OP(ge,         GE,         "a >= b")                                                     \
    OP(leaky_relu, LEAKY_RELU, "a > 0 ? a : b a")

/* Operators of three arguments. select(c, a, b) is a where c is not 0: both branches are part
 * of the graph, and the one not taken contributes neither values nor NaN to derivatives.
 * clamp has derivative 1 for a strictly between the bounds, else 0.                        */
#define WEFT_GRAD_TERNARY(OP)                                                                \
    OP(select,     SELECT,     "a != 0 ? b : c")                                             \
    OP(clamp,      CLAMP,      "min(max(a, b), c)")                                          \
    OP(mix,        MIX,        "a + (b - a) c")

/* Operators of one argument or more. */
#define WEFT_GRAD_NARY(OP)                                                                   \
    OP(sum,        SUM,        "sum")                                                        \
    OP(mean,       MEAN,       "sum / count")                                                \
    OP(min_of,     MIN_OF,     "the smallest")                                               \
    OP(max_of,     MAX_OF,     "the largest")

typedef enum weft_grad_op {
    WEFT_GRAD_NONE = 0,
#define OP(function, name, value) WEFT_GRAD_##name,
    WEFT_GRAD_UNARY(OP) WEFT_GRAD_BINARY(OP) WEFT_GRAD_TERNARY(OP) WEFT_GRAD_NARY(OP)
#undef OP
    WEFT_GRAD_OP_COUNT
} weft_grad_op;

/* weft_grad_neg(graph, a), weft_grad_add(graph, a, b), weft_grad_select(graph, c, a, b),
 * weft_grad_sum(graph, terms, count), ... */
#define OP(function, name, value)                                                            \
    WEFT_API weft_grad_node weft_grad_##function(weft_grad_graph *graph, weft_grad_node a);
WEFT_GRAD_UNARY(OP)
#undef OP
#define OP(function, name, value)                                                            \
    WEFT_API weft_grad_node weft_grad_##function(weft_grad_graph *graph, weft_grad_node a,   \
                                                 weft_grad_node b);
WEFT_GRAD_BINARY(OP)
#undef OP
#define OP(function, name, value)                                                            \
    WEFT_API weft_grad_node weft_grad_##function(weft_grad_graph *graph, weft_grad_node a,   \
                                                 weft_grad_node b, weft_grad_node c);
WEFT_GRAD_TERNARY(OP)
#undef OP
#define OP(function, name, value)                                                            \
    WEFT_API weft_grad_node weft_grad_##function(weft_grad_graph *graph,                     \
                                                 const weft_grad_node *terms, uint32_t count);
WEFT_GRAD_NARY(OP)
#undef OP

/* Any of them by its number, for bindings and readers of files. */
WEFT_API weft_grad_node weft_grad_apply(weft_grad_graph *graph, weft_grad_op op,
                                        const weft_grad_node *args, uint32_t count);
/* "add" and its number of arguments (0: one or more). NULL for other values. */
WEFT_API const char *weft_grad_op_name(weft_grad_op op, uint32_t *arity);
/* WEFT_GRAD_NONE if there is no operator of that name. */
WEFT_API weft_grad_op weft_grad_op_find(const char *name);

/* The value of `value`, with the derivative declared to be the sum of partials[i] times the
 * derivative of args[i], however `value` was computed. At most 16 arguments. */
WEFT_API weft_grad_node weft_grad_with_gradient(weft_grad_graph *graph, weft_grad_node value,
                                                const weft_grad_node *args,
                                                const weft_grad_node *partials, uint32_t count);

/* An operator of the user's. WGSL texts are bodies of functions with parameters a, b, c, ... of
 * type `real` (f64 or f32) that return a `real`: "return a * a;". The kernel needs both texts,
 * immediate evaluation both functions; what is missing makes the other path the only one. */
typedef struct weft_grad_custom_desc {
    const char *name;               /* a WGSL identifier, one per operator                  */
    uint32_t    arity;              /* 1 to 8                                               */
    const char *value;              /* WGSL                           NULL: no kernel       */
    const char *const *partials;    /* WGSL, one for each argument    NULL: no kernel       */
    double    (*evaluate)(void *user, const double *args);
    void      (*differentiate)(void *user, double *partials, const double *args);
    void       *user;               /* must live as long as graphs and batches that use it  */
} weft_grad_custom_desc;

/* The descriptor is copied. Two operators with one name must be equal. */
WEFT_API weft_grad_node weft_grad_custom(weft_grad_graph *graph,
                                         const weft_grad_custom_desc *desc,
                                         const weft_grad_node *args);

/* ---- vectors, quaternions, matrices: groups of nodes ---- */

typedef struct weft_grad_vec2 { weft_grad_node x, y; }       weft_grad_vec2;
typedef struct weft_grad_vec3 { weft_grad_node x, y, z; }    weft_grad_vec3;
typedef struct weft_grad_vec4 { weft_grad_node x, y, z, w; } weft_grad_vec4;

/* weft_grad_vec3_add(graph, a, b), _sub, _scale(graph, a, s), _dot, _length, _distance,
 * _normalise, _lerp(graph, a, b, t); for vec2, vec3 and vec4. Where the squared length is below
 * 1e-200 (f32 kernels: 1e-24), length and normalise are 0 and have derivative 0: no NaN. */
#define WEFT_GRAD_VECTOR(V)                                                                  \
    WEFT_API V V##_add(weft_grad_graph *graph, V a, V b);                                    \
    WEFT_API V V##_sub(weft_grad_graph *graph, V a, V b);                                    \
    WEFT_API V V##_scale(weft_grad_graph *graph, V a, weft_grad_node s);                     \
    WEFT_API V V##_normalise(weft_grad_graph *graph, V a);                                   \
    WEFT_API V V##_lerp(weft_grad_graph *graph, V a, V b, weft_grad_node t);                 \
    WEFT_API weft_grad_node V##_dot(weft_grad_graph *graph, V a, V b);                       \
    WEFT_API weft_grad_node V##_length(weft_grad_graph *graph, V a);                         \
    WEFT_API weft_grad_node V##_distance(weft_grad_graph *graph, V a, V b);
WEFT_GRAD_VECTOR(weft_grad_vec2)
WEFT_GRAD_VECTOR(weft_grad_vec3)
WEFT_GRAD_VECTOR(weft_grad_vec4)

WEFT_API weft_grad_node weft_grad_vec2_cross(weft_grad_graph *graph, weft_grad_vec2 a,
                                             weft_grad_vec2 b);
WEFT_API weft_grad_vec3 weft_grad_vec3_cross(weft_grad_graph *graph, weft_grad_vec3 a,
                                             weft_grad_vec3 b);
/* Angle between two vectors, from 0 to pi: atan2 of cross and dot, accurate everywhere. */
WEFT_API weft_grad_node weft_grad_vec3_angle(weft_grad_graph *graph, weft_grad_vec3 a,
                                             weft_grad_vec3 b);
/* Rotates v about the axis w by the angle |w| (Rodrigues); exact at w = 0, derivatives too. */
WEFT_API weft_grad_vec3 weft_grad_rotate_axis(weft_grad_graph *graph, weft_grad_vec3 w,
                                              weft_grad_vec3 v);

/* Quaternions are x, y, z, w with w the real part. rotate() needs a unit quaternion. */
WEFT_API weft_grad_vec4 weft_grad_quat_mul(weft_grad_graph *graph, weft_grad_vec4 a,
                                           weft_grad_vec4 b);
WEFT_API weft_grad_vec4 weft_grad_quat_conjugate(weft_grad_graph *graph, weft_grad_vec4 q);
WEFT_API weft_grad_vec3 weft_grad_quat_rotate(weft_grad_graph *graph, weft_grad_vec4 q,
                                              weft_grad_vec3 v);

/* Eigenvalues of the symmetric matrix [m0 m1 m2; m1 m3 m4; m2 m4 m5], smallest first. The
 * derivative is the outer product of the eigenvector; where eigenvalues are equal it is that
 * of one eigenvector of the subspace. */
WEFT_API bool weft_grad_eigenvalues(weft_grad_node out[3], weft_grad_graph *graph,
                                    const weft_grad_node m[6]);

/* ---- immediate evaluation: one instance, f64, on the calling thread ---- */

/* values[outputs] and, unless NULL, jacobian[outputs][inputs] row by row, by reverse mode on the
 * graph as recorded. inputs: all blocks one after the other, fixed ones included; the Jacobian
 * has columns for the differentiated ones alone. This is the reference for every kernel. */
WEFT_API bool weft_grad_graph_evaluate(double *values, double *jacobian, weft_grad_graph *graph,
                                       const double *inputs, const double *data);

/* The largest difference between the derivatives of weft_grad_graph_evaluate() and central
 * differences with the relative step `h` (0: 1e-6), divided by max(1, |derivative|). `output`
 * and `input` (may be NULL) tell where. The only finite differences in Weft. */
WEFT_API bool weft_grad_graph_check(double *error, uint32_t *output, uint32_t *input,
                                    weft_grad_graph *graph, const double *inputs,
                                    const double *data, double h);

/* ---- topologies ---- */

/* Equal for graphs that have the same kernel: operators, outputs and constants are equal,
 * whatever the order in which blocks were declared and nodes were made, and whatever they are
 * called. `order` (NULL or room for all blocks) gets the canonical place of each block. */
WEFT_API bool weft_grad_graph_signature(uint8_t out[32], uint32_t *order,
                                        weft_grad_graph *graph);

/* One graph that computes the outputs of all: blocks and data of the same name and size are
 * identified, common subexpressions are computed once. */
WEFT_API weft_grad_graph *weft_grad_graph_fuse(weft_context *ctx, weft_grad_graph *const *graphs,
                                               uint32_t count);

/* ---- products, precisions, kernels ---- */

/* What an evaluation computes; combined with |. With r the outputs of all instances:        */
typedef enum weft_grad_product {
    WEFT_GRAD_VALUES   = 1,         /* r                                                    */
    WEFT_GRAD_JACOBIAN = 2,         /* dr/dx, sparse                                        */
    WEFT_GRAD_GRADIENT = 4,         /* transpose(J) w, w chosen by weft_grad_weights        */
    WEFT_GRAD_NORMAL   = 8,         /* transpose(J) J, upper triangle, sparse; and gradient */
    WEFT_GRAD_TANGENT  = 16,        /* J v, v given                                         */
} weft_grad_product;

/* The weights w of WEFT_GRAD_GRADIENT, and what the cost is. */
typedef enum weft_grad_weights {
    WEFT_GRAD_RESIDUALS = 0,        /* w = r: gradient of sum(r r)/2; cost sum(r r)/2       */
    WEFT_GRAD_ONES,                 /* w = 1: gradient of sum(r); cost sum(r)               */
    WEFT_GRAD_GIVEN,                /* w from weft_grad_evaluation.weights; cost sum(w r)   */
} weft_grad_weights;

typedef enum weft_grad_precision {
    WEFT_GRAD_F64 = 0,              /* where the device has none: immediate evaluation      */
    WEFT_GRAD_F32,
    WEFT_GRAD_MIXED,                /* f32 kernels, sums over instances in f64              */
} weft_grad_precision;

typedef enum weft_grad_layout {
    WEFT_GRAD_AUTO = 0,             /* parameters in rows of 4, results in blocks of 16     */
    WEFT_GRAD_SOA,                  /* inputs[k * count + i], results likewise              */
    WEFT_GRAD_AOS,                  /* inputs[i * inputs + k], results likewise             */
} weft_grad_layout;

typedef enum weft_grad_dialect {
    WEFT_GRAD_WGSL_F64 = 0,         /* Weft: enable weft_f64                                */
    WEFT_GRAD_NAGA_F64,             /* naga: f64 without an enable                          */
    WEFT_GRAD_WGSL_F32,             /* standard WGSL                                        */
} weft_grad_dialect;

typedef struct weft_grad_kernel_desc {
    weft_grad_dialect dialect;
    uint32_t          products;     /* weft_grad_product bits         0: VALUES             */
    weft_grad_weights weights;
    weft_grad_layout  layout;       /* AUTO shows the form without sharing                  */
} weft_grad_kernel_desc;

/* The kernel as text, to read or to run elsewhere. It lives until the next call for this
 * graph. NULL on errors. */
WEFT_API const char *weft_grad_graph_wgsl(weft_grad_graph *graph,
                                          const weft_grad_kernel_desc *desc);

/* ---- batches ---- */

#define WEFT_GRAD_DEVICES 16        /* most contexts of one batch */

/* How to make a batch. Fields may be left zero where a default is given. */
typedef struct weft_grad_batch_desc {
    weft_grad_graph *graph;
    uint32_t         count;         /* instances; may be 0                                  */
    uint32_t         parameter_count;   /* length of the parameter vector x                 */
    const uint32_t  *index;         /* [count][blocks]: where in x the block begins; blocks of
                                       one instance may overlap. Copied
                                       NULL: all instances use the same blocks, one after the
                                       other from 0                                         */
    const double    *data;          /* [count][data], copied          NULL: zeros           */
    weft_grad_precision precision;
    weft_grad_layout layout;
    uint64_t         fallback_threshold;    /* fewer instances than this are evaluated
                                       immediately         0: where a kernel does not pay,
                                       by estimates and measurements;
                                       WEFT_OFF: none                                       */
    weft_context *const *contexts;  /* more contexts that share the work, in addition to the
                                       first                          NULL: none            */
    uint32_t         context_count;
    const char      *label;         /* NULL: the graph's                                    */
} weft_grad_batch_desc;

/* Fails if an index leaves the parameter vector. Kernels are compiled when they are first
 * needed, or by weft_grad_batch_prepare(). */
WEFT_API weft_grad_batch *weft_grad_batch_create(weft_context *ctx,
                                                 const weft_grad_batch_desc *desc);
WEFT_API weft_grad_batch *weft_grad_batch_retain(weft_grad_batch *batch);
WEFT_API void             weft_grad_batch_release(weft_grad_batch *batch);

/* Replaces the data of all instances, [count][data]. */
WEFT_API bool weft_grad_batch_set_data(weft_grad_batch *batch, const double *data);

/* Begins to compile the kernels for these products, several batches at a time; nothing if the
 * batch is to be evaluated immediately. A kernel that cannot be compiled is no error where
 * immediate evaluation is possible: see weft_grad_batch_info.reason. */
WEFT_API bool weft_grad_batch_prepare(weft_grad_batch *batch, uint32_t products,
                                      weft_grad_weights weights);

/* One evaluation. A result is computed if its pointer is set or its bit is in `products`; what
 * has a bit and no pointer stays on the device (weft_grad_batch_view): GRADIENT and NORMAL then
 * are the contributions of each instance or run of instances, not summed further. */
typedef struct weft_grad_evaluation {
    const double     *x;            /* [parameter_count]                                    */
    uint32_t          products;     /* in addition to the pointers below                    */
    weft_grad_weights weighting;
    const double     *weights;      /* [count][outputs], for WEFT_GRAD_GIVEN                */
    const double     *tangent;      /* [parameter_count], for WEFT_GRAD_TANGENT             */

    double           *values;       /* [count][outputs]                                     */
    double           *jacobian;     /* [count][outputs][inputs], dense for each instance    */
    double           *gradient;     /* [parameter_count]; written, not added to             */
    double           *normal;       /* [entries of weft_grad_batch_normal()]                */
    double           *directional;  /* [count][outputs]: J v                                */
    double           *cost;         /* one number                                           */
} weft_grad_evaluation;

/* Evaluates and waits. The same batch gives bitwise the same results each time on the same
 * devices: sums are taken in a fixed order. */
WEFT_API bool weft_grad_batch_evaluate(weft_grad_batch *batch, const weft_grad_evaluation *e);

/* Starts an evaluation. `x`, `weights` and `tangent` are copied; results are written before
 * `callback` runs, from weft_context_wait_future() or weft_context_poll(). The id 0 means that
 * the call failed and the callback has run. One evaluation of a batch at a time; others of
 * other batches, and the CPU, go on meanwhile. */
WEFT_API WGPUFuture weft_grad_batch_evaluate_async(weft_grad_batch *batch,
                                                   const weft_grad_evaluation *e,
                                                   weft_done_callback callback, void *user);

/* ---- structure, for solvers ---- */

typedef struct weft_grad_batch_info {
    uint32_t count, outputs, inputs, blocks, parameter_count;
    uint32_t entries;               /* of the Jacobian, stored for each instance            */
    uint32_t groups;                /* different combinations of blocks among the instances */
    bool     immediate;             /* evaluated on the calling thread                      */
    const char *reason;             /* one sentence: why immediate, or by which layout      */
} weft_grad_batch_info;

WEFT_API bool weft_grad_batch_get_info(weft_grad_batch_info *out, const weft_grad_batch *batch);

/* Block `block` of the graph: its first input, its size, whether it is differentiated. `input`
 * counts differentiated parameters alone. */
typedef struct weft_grad_block {
    const char *name;
    uint32_t    input, size;
    bool        fixed;
} weft_grad_block;

WEFT_API bool weft_grad_batch_block(weft_grad_block *out, const weft_grad_batch *batch,
                                    uint32_t block);
/* [count][blocks], as given; lives as long as the batch. */
WEFT_API const uint32_t *weft_grad_batch_index(const weft_grad_batch *batch);

/* One entry of the Jacobian of every instance: either stored, at entry `stored`, or the same
 * constant everywhere (0 for structural zeros). */
typedef struct weft_grad_entry {
    int32_t stored;                 /* -1: constant                                         */
    double  constant;
} weft_grad_entry;

/* [outputs][inputs]; lives as long as the batch. NULL on errors. */
WEFT_API const weft_grad_entry *weft_grad_batch_pattern(weft_grad_batch *batch);

/* The upper triangle of transpose(J) J by rows of parameters: columns row_start[p] to
 * row_start[p+1]-1 of row p, ascending, the diagonal first wherever the parameter is used. */
typedef struct weft_grad_normal {
    uint64_t        entries;
    const uint64_t *row_start;      /* [parameter_count + 1]                                */
    const uint32_t *columns;        /* [entries]                                            */
} weft_grad_normal;

/* Computed at the first call; lives as long as the batch. */
WEFT_API bool weft_grad_batch_normal(weft_grad_normal *out, weft_grad_batch *batch);

/* A result where the last evaluation left it, without a copy. Entry e of instance i is
 *     element (p / 16 * entries + e) * 16 + p % 16,  p = position[i]  (NULL: p = i)
 * for WEFT_GRAD_AUTO. Where runs of instances with equal blocks are summed, i counts runs for
 * GRADIENT and NORMAL. */
typedef struct weft_grad_view {
    weft_buffer    *buffer;         /* borrowed; NULL after immediate evaluation            */
    bool            f64;            /* else f32                                             */
    weft_grad_layout layout;
    uint32_t        entries;        /* per instance                                         */
    uint32_t        first;          /* of this product among them                           */
    uint32_t        slots;          /* positions, padding included                          */
    const uint32_t *position;       /* [count]                                              */
} weft_grad_view;

/* `product` is one bit. Fails if the last evaluation did not compute it, or for batches over
 * several contexts. */
WEFT_API bool weft_grad_batch_view(weft_grad_view *out, weft_grad_batch *batch,
                                   weft_grad_product product);

/* ---- graphs of one instance each, grouped by topology ---- */

typedef struct weft_grad_set weft_grad_set;

/* Collects graphs, one for each residual, and makes one batch for each topology. */
WEFT_API weft_grad_set *weft_grad_set_create(weft_context *ctx);
WEFT_API void           weft_grad_set_release(weft_grad_set *set);
/* An instance of `graph`: index[blocks], data[data] of this one. Both are copied. */
WEFT_API bool           weft_grad_set_add(weft_grad_set *set, weft_grad_graph *graph,
                                          const uint32_t *index, const double *data);
WEFT_API uint32_t       weft_grad_set_topologies(const weft_grad_set *set);
/* The batch of topology `which`; a new reference. `desc` gives precision, layout, threshold,
 * contexts and parameter_count; its other fields are ignored. members[count of the batch]
 * (may be NULL) gets the number of the weft_grad_set_add() call of each instance. */
WEFT_API weft_grad_batch *weft_grad_set_batch(uint32_t *members, weft_grad_set *set,
                                              uint32_t which, const weft_grad_batch_desc *desc);

/* Counters of this layer on a context (weft_context_counter):
 *     grad.evaluations  grad.immediate   evaluations, and those made immediately
 *     grad.dispatches   one per topology and evaluation, sums over instances not counted
 *     grad.sums         dispatches that add up contributions to parameters
 *     grad.kernels      grad.cache_hits  kernels generated; found generated already
 *     grad.instances    grad.nodes       instances evaluated; statements generated
 *     grad.upload_bytes grad.download_bytes
 *     grad.transform_ns grad.compile_ns  grad.upload_ns  grad.run_ns  grad.download_ns
 *     grad.fallbacks    batches that are immediate though large enough; the reason is in
 *                       weft_grad_batch_info                                               */

#ifdef __cplusplus
}
#endif

#endif
