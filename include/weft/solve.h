// SPDX-License-Identifier: Apache-2.0
/*
 * weft/solve.h - nonlinear least squares and minimisation over batches of weft/grad.h.
 *
 * A problem is a vector of parameters and terms that depend on them. A term is a batch: the
 * reprojection errors of all observations, the energy of all vertices. Solving changes the
 * parameters until the cost
 *
 *     1/2 sum of loss(|r_i|^2)  +  sum of objectives
 *
 * has a minimum, where r_i are the outputs of instance i of a term.
 *
 *     weft_solve_problem *p = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
 *         .parameter_count = 3,
 *     });
 *     weft_solve_add(p, distances, NULL);                  a batch with residuals
 *     double circle[3] = {0, 0, 1};
 *     weft_solve_result result;
 *     weft_solve(&result, circle, p, NULL);                Levenberg-Marquardt
 *     puts(weft_solve_summary(p));
 *
 * Ownership  creators give the caller one reference; _release() gives it back and accepts
 *            NULL. A problem keeps references to its batches; arrays are copied.
 * Threads    problems belong to the thread of their context. weft_solve() uses several threads
 *            for its linear algebra and joins them before it returns.
 * Errors     as in weft/context.h: false means that the call could not be carried out, and the
 *            context has the reason. A solve that ran has a termination reason instead, also
 *            where it did not converge.
 * Numbers    steps are computed in f64; derivatives have the precision of the batches. A
 *            solve gives bitwise the same result each time on the same devices with the same
 *            number of threads.
 * Not here   graphs and derivatives (weft/grad.h).
 *
 * Further down: many small problems at once, curve fits by formula, problems from files.
 */
#ifndef WEFT_SOLVE_H
#define WEFT_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/api.h>
#include <weft/context.h>
#include <weft/grad.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_solve_problem weft_solve_problem;

/* Switches a tolerance or limit off where 0 means "the default". */
#define WEFT_SOLVE_NEVER (-1.0)

/* ---- problems ---- */

typedef struct weft_solve_problem_desc {
    uint32_t    parameter_count;    /* length of x; at least 1                              */
    const char *label;              /* for messages                   NULL: "problem"       */
} weft_solve_problem_desc;

WEFT_API weft_solve_problem *weft_solve_problem_create(weft_context *ctx,
                                                       const weft_solve_problem_desc *desc);
WEFT_API weft_solve_problem *weft_solve_problem_retain(weft_solve_problem *problem);
WEFT_API void                weft_solve_problem_release(weft_solve_problem *problem);

/* ---- losses ---- */

/* A loss is a function rho of the squared norm s of one instance's residuals, with
 * rho(0) = 0 and rho'(0) = 1 (SCALED: a), that grows more slowly than s: outliers count less.
 *   kind        rho(s)                                                                      */
#define WEFT_SOLVE_LOSSES(X)                                                                 \
    X(SQUARES,   "squares",   "s: least squares")                                            \
    X(HUBER,     "huber",     "s below a^2, else 2 a sqrt(s) - a^2")                         \
    X(SOFT_L1,   "soft-l1",   "2 a^2 (sqrt(1 + s/a^2) - 1)")                                 \
    X(CAUCHY,    "cauchy",    "a^2 log(1 + s/a^2)")                                          \
    X(ARCTAN,    "arctan",    "a atan(s/a)")                                                 \
    X(TUKEY,     "tukey",     "a^2/3 (1 - (1 - s/a^2)^3) below a^2, else a^2/3")             \
    X(TOLERANT,  "tolerant",  "b log(1 + e^((s-a)/b)) - b log(1 + e^(-a/b))")                \
    X(SCALED,    "scaled",    "a f(s)")                                                      \
    X(COMPOSED,  "composed",  "f(g(s))")

typedef enum weft_solve_loss_kind {
#define X(kind, name, value) WEFT_SOLVE_##kind,
    WEFT_SOLVE_LOSSES(X)
#undef X
    WEFT_SOLVE_LOSS_COUNT
} weft_solve_loss_kind;

#define WEFT_SOLVE_LOSS_DEPTH 8     /* deepest nesting of SCALED and COMPOSED               */

typedef struct weft_solve_loss weft_solve_loss;
struct weft_solve_loss {
    weft_solve_loss_kind   kind;
    double                 a;       /* scale, above 0; SCALED: factor, above 0              */
    double                 b;       /* TOLERANT alone: width, above 0                       */
    const weft_solve_loss *f, *g;   /* SCALED: f; COMPOSED: f and g   NULL: SQUARES         */
};

/* out[3]: rho(s), rho'(s), rho''(s). NULL for loss: SQUARES. */
WEFT_API bool weft_solve_loss_evaluate(double out[3], const weft_solve_loss *loss, double s);
/* "huber"; NULL for other values. */
WEFT_API const char *weft_solve_loss_name(weft_solve_loss_kind kind);

/* ---- terms ---- */

/* Adds 1/2 sum of loss(|r_i|^2) over the instances of a batch. The batch must be of the
 * problem's context, and its parameter_count that of the problem. The loss is copied;
 * NULL: least squares. */
WEFT_API bool weft_solve_add(weft_solve_problem *problem, weft_grad_batch *batch,
                             const weft_solve_loss *loss);

/* Adds `weight` times the sum of all outputs: for functions that are no sums of squares. The
 * methods LBFGS, ADAM, ADAMW and SGD take such problems; others fail. */
WEFT_API bool weft_solve_add_objective(weft_solve_problem *problem, weft_grad_batch *batch,
                                       double weight);

/* Residuals that a program computes itself, on the calling thread. `residuals` gets
 * [residual_count]; unless NULL, `jacobian` gets [residual_count][parameter_count] row by row.
 * `parameters` has the values of the parameters in the order of `index`. False: the function
 * is not defined there, and the step that led there is rejected. */
typedef struct weft_solve_function {
    bool          (*evaluate)(void *user, double *residuals, double *jacobian,
                              const double *parameters);
    void           *user;           /* must live as long as the problem                     */
    uint32_t        residual_count; /* at least 1; together they are one instance of a loss */
    const uint32_t *index;          /* parameters it depends on, none twice; copied
                                       NULL: the first parameter_count                      */
    uint32_t        parameter_count;    /* at least 1                                       */
    const char     *label;          /* for messages                   NULL: "function"      */
} weft_solve_function;

WEFT_API bool weft_solve_add_function(weft_solve_problem *problem,
                                      const weft_solve_function *function,
                                      const weft_solve_loss *loss);

/* ---- parameters: fixed, bounded, on manifolds ---- */

/* Fixed parameters keep their values. Replaces what was said before of this range. */
WEFT_API bool weft_solve_set_fixed(weft_solve_problem *problem, uint32_t first, uint32_t count,
                                   bool fixed);

/* lower <= x <= upper for `count` parameters from `first`; NULL: no bound on that side, and
 * infinite entries mean the same. Fails if a lower bound is above the upper one or is NaN, or
 * where a parameter is on a manifold. A start outside is moved to the nearest bound. */
WEFT_API bool weft_solve_set_bounds(weft_solve_problem *problem, uint32_t first, uint32_t count,
                                    const double *lower, const double *upper);

/* Numbers that move on a surface. A step is a vector of `tangent` numbers.
 *   kind        numbers  tangent  meaning                                                   */
#define WEFT_SOLVE_MANIFOLDS(X)                                                              \
    X(EUCLIDEAN,  "euclidean")   /* n  n    `size` plain numbers                          */ \
    X(SO3,        "so3")         /* 3  3    rotation: axis times angle; R exp(step)       */ \
    X(QUATERNION, "quaternion")  /* 4  3    rotation: unit quaternion x y z w; q exp(step)*/ \
    X(SE3,        "se3")         /* 7  6    pose: translation x y z, quaternion x y z w;  */ \
                                 /*         T exp(step), the step's translation first     */ \
    X(SPHERE,     "sphere")      /* n  n-1  vector of `size` 2 to 1,024 of constant length */ \
    X(SUBSET,     "subset")      /* n  n-k  `size` numbers, k of them `constant`          */ \
    X(PRODUCT,    "product")     /* sum     `parts`, one after the other                  */

typedef enum weft_solve_manifold_kind {
#define X(kind, name) WEFT_SOLVE_##kind,
    WEFT_SOLVE_MANIFOLDS(X)
#undef X
    WEFT_SOLVE_MANIFOLD_COUNT
} weft_solve_manifold_kind;

typedef struct weft_solve_manifold weft_solve_manifold;
struct weft_solve_manifold {
    weft_solve_manifold_kind   kind;
    uint32_t                   size;        /* EUCLIDEAN, SPHERE, SUBSET                    */
    const bool                *constant;    /* SUBSET: [size]                               */
    const weft_solve_manifold *parts;       /* PRODUCT                                      */
    uint32_t                   part_count;
};

/* Puts the parameters from `first` on a manifold; it is copied. Starts are normalised.
 * Fails where parameters are bounded or on another manifold that this one does not replace. */
WEFT_API bool weft_solve_set_manifold(weft_solve_problem *problem, uint32_t first,
                                      const weft_solve_manifold *manifold);
/* How many numbers a manifold has, and how many its steps have. False if it is malformed. */
WEFT_API bool weft_solve_manifold_size(uint32_t *size, uint32_t *tangent,
                                       const weft_solve_manifold *manifold);
/* out = x plus step; difference = the step from x to y; jacobian [size][tangent]: the derivative
 * of plus at step 0. Each may be used alone, for programs that check their own steps. */
WEFT_API bool weft_solve_manifold_plus(double *out, const weft_solve_manifold *manifold,
                                       const double *x, const double *step);
WEFT_API bool weft_solve_manifold_minus(double *step, const weft_solve_manifold *manifold,
                                        const double *y, const double *x);
WEFT_API bool weft_solve_manifold_jacobian(double *jacobian, const weft_solve_manifold *manifold,
                                           const double *x);

/* ---- solving ---- */

/* kind, name, whether it needs residuals (else it takes objectives as well)                */
#define WEFT_SOLVE_METHODS(X)                                                                \
    X(LEVENBERG_MARQUARDT, "levenberg-marquardt", true)                                      \
    X(DOGLEG,              "dogleg",              true)                                      \
    X(GAUSS_NEWTON,        "gauss-newton",        true)                                      \
    X(LBFGS,               "lbfgs",               false)                                     \
    X(ADAM,                "adam",                false)                                     \
    X(ADAMW,               "adamw",               false)                                     \
    X(SGD,                 "sgd",                 false)

typedef enum weft_solve_method {
#define X(kind, name, residuals) WEFT_SOLVE_##kind,
    WEFT_SOLVE_METHODS(X)
#undef X
    WEFT_SOLVE_METHOD_COUNT
} weft_solve_method;

/* How the linear system of a step is solved. AUTO: dense up to some hundred parameters,
 * else SCHUR where blocks of parameters can be eliminated, else SPARSE_CHOLESKY.             */
#define WEFT_SOLVE_LINEARS(X)                                                                \
    X(AUTO,            "auto")                                                               \
    X(DENSE_CHOLESKY,  "dense-cholesky")    /* of transpose(J) J; of J transpose(J) where
                                               there are fewer residuals than parameters  */ \
    X(DENSE_QR,        "dense-qr")          /* of J: most accurate                        */ \
    X(SPARSE_CHOLESKY, "sparse-cholesky")   /* LDL^T, AMD ordering                        */ \
    X(SCHUR,           "schur")             /* bundle adjustment: points eliminated first */ \
    X(CONJUGATE_GRADIENT, "conjugate-gradient") /* on the device, preconditioned          */ \
    X(CHOLMOD,         "cholmod")           /* the user's own SuiteSparse, loaded at run
                                               time; fails where there is none            */

typedef enum weft_solve_linear {
#define X(kind, name) WEFT_SOLVE_##kind,
    WEFT_SOLVE_LINEARS(X)
#undef X
    WEFT_SOLVE_LINEAR_COUNT
} weft_solve_linear;

typedef enum weft_solve_damping {
    WEFT_SOLVE_DIAGONAL = 0,        /* lambda diag(transpose(J) J): independent of units    */
    WEFT_SOLVE_IDENTITY,            /* lambda I                                             */
} weft_solve_damping;

/* Why a solve ended: reason, name, whether it converged, sentence. */
#define WEFT_SOLVE_TERMINATIONS(X)                                                           \
    X(COST_TOLERANCE,      "cost-tolerance",        true,                                    \
      "the relative decrease of the cost is below its tolerance")                            \
    X(GRADIENT_TOLERANCE,  "gradient-tolerance",    true,                                    \
      "the gradient is below its tolerance")                                                 \
    X(PARAMETER_TOLERANCE, "parameter-tolerance",   true,                                    \
      "the relative step is below its tolerance")                                            \
    X(COST_LIMIT,          "cost-limit",            true,                                    \
      "the cost is at the limit that was asked for")                                         \
    X(NO_FREE_PARAMETERS,  "no-free-parameters",    true,                                    \
      "no parameter is free: there is nothing to change")                                    \
    X(MAX_ITERATIONS,      "max-iterations",        false,                                   \
      "the maximum number of iterations is reached")                                         \
    X(TIME_LIMIT,          "time-limit",            false,                                   \
      "the time limit is reached")                                                           \
    X(STOPPED,             "stopped",               false,                                   \
      "the callback stopped the solve")                                                      \
    X(NO_DECREASE,         "no-decrease",           false,                                   \
      "no step decreases the cost, however short")                                           \
    X(LINEAR_SOLVER,       "linear-solver",         false,                                   \
      "the linear system of a step has no solution")                                         \
    X(NOT_FINITE,          "not-finite",            false,                                   \
      "cost or derivatives are not finite at the start")                                     \
    X(DIVERGED,            "diverged",              false,                                   \
      "the cost or the parameters became infinite or NaN")                                   \
    X(FAILED,              "failed",                false,                                   \
      "an error ended the solve: see the context")

typedef enum weft_solve_termination {
#define X(reason, name, converged, sentence) WEFT_SOLVE_##reason,
    WEFT_SOLVE_TERMINATIONS(X)
#undef X
    WEFT_SOLVE_TERMINATION_COUNT
} weft_solve_termination;

/* "cost-tolerance", its sentence, whether it means convergence. NULL or false otherwise. */
WEFT_API const char *weft_solve_termination_name(weft_solve_termination reason);
WEFT_API const char *weft_solve_termination_sentence(weft_solve_termination reason);
WEFT_API bool        weft_solve_termination_converged(weft_solve_termination reason);
/* "dogleg", "schur"; and back: false if there is no such name. */
WEFT_API const char *weft_solve_method_name(weft_solve_method method);
WEFT_API const char *weft_solve_linear_name(weft_solve_linear linear);
WEFT_API bool        weft_solve_method_find(weft_solve_method *out, const char *name);
WEFT_API bool        weft_solve_linear_find(weft_solve_linear *out, const char *name);

/* One iteration, as a callback sees it. */
typedef struct weft_solve_iteration {
    uint32_t      iteration;        /* 0: the start                                         */
    bool          accepted;         /* the step decreased the cost enough                   */
    double        cost;             /* now                                                  */
    double        change;           /* decrease of the cost by this step; negative: rejected*/
    double        gradient;         /* largest component                                    */
    double        step;             /* norm of the step                                     */
    double        radius;           /* trust region; LBFGS: step length; ADAM: rate         */
    uint32_t      linear_iterations;
    double        seconds;          /* since the solve began                                */
    const double *x;                /* [parameter_count]                                    */
} weft_solve_iteration;

/* False stops the solve; x then has the best parameters so far. The problem must not be
 * changed or solved in it. */
typedef bool (*weft_solve_callback)(void *user, const weft_solve_iteration *iteration);

/* How to solve. Every field may be left zero; WEFT_SOLVE_NEVER switches a tolerance off. */
typedef struct weft_solve_options {
    weft_solve_method  method;
    weft_solve_linear  linear;
    weft_solve_damping damping;
    uint32_t max_iterations;        /* 0: 50; LBFGS 200; ADAM, ADAMW, SGD 1,000             */
    double   cost_tolerance;        /* relative                       0: 1e-6               */
    double   gradient_tolerance;    /* largest component, absolute    0: 1e-10              */
    double   parameter_tolerance;   /* relative                       0: 1e-8               */
    double   cost_limit;            /* ends when the cost is not above this
                                       0: never                                             */
    double   time_limit;            /* seconds                        0: none               */

    double   initial_radius;        /* of the trust region; LM: 1/lambda
                                       0: 1e4                                               */
    double   max_radius;            /* 0: 1e16                                              */
    uint32_t nonmonotonic;          /* accept steps that decrease the cost below the worst of
                                       so many before                 0: always decrease    */
    bool     no_scaling;            /* columns of J are scaled to norm 1 unless set         */

    const uint32_t *eliminate;      /* SCHUR: parameters to eliminate first; no instance may
                                       have two blocks of them        NULL: chosen          */
    uint32_t eliminate_count;
    uint32_t linear_iterations;     /* CONJUGATE_GRADIENT: most       0: 500                */
    double   linear_tolerance;      /* relative residual              0: 0.01, less when the
                                       solve converges                                      */
    bool     mixed;                 /* factorise in f32 and refine in f64                   */

    uint32_t history;               /* LBFGS: pairs kept              0: 10                 */
    double   learning_rate;         /* ADAM, ADAMW 0: 1e-3; SGD 0: 1e-2                     */
    double   beta1, beta2;          /* ADAM, ADAMW                    0: 0.9, 0.999         */
    double   epsilon;               /* ADAM, ADAMW                    0: 1e-8               */
    double   momentum;              /* SGD                            0: none               */
    double   weight_decay;          /* ADAMW 0: 0.01 (decoupled); ADAM, SGD 0: none (added to
                                       the gradient)                                        */
    double   gradient_clip;         /* ADAM, ADAMW, SGD: largest norm of a gradient
                                       0: none                                              */

    uint32_t threads;               /* of the linear algebra          0: as the context     */
    weft_solve_callback callback;
    void    *user;
} weft_solve_options;

typedef struct weft_solve_result {
    weft_solve_termination termination;
    bool              converged;
    weft_solve_method method;
    weft_solve_linear linear;       /* as chosen                                            */
    double   initial_cost, final_cost;
    double   gradient;              /* largest component at the end; of bounded parameters
                                       what the bounds let through                          */
    uint32_t iterations;            /* steps tried                                          */
    uint32_t accepted;              /* of them                                              */
    uint32_t cost_evaluations, jacobian_evaluations, linear_solves, linear_iterations;
    uint32_t parameters, free_parameters;   /* free: dimensions of a step                   */
    uint32_t eliminated;            /* of them, by SCHUR                                    */
    uint64_t residuals;
    uint64_t jacobian_entries;      /* stored                                               */
    uint64_t factor_entries;        /* of the factorised matrix                             */
    uint32_t threads;
    double   seconds;               /* all, and parts of it:                                */
    double   setup_seconds, cost_seconds, jacobian_seconds, linear_seconds;
} weft_solve_result;

/* Solves from the start x[parameter_count], which becomes the solution: the parameters of least
 * cost that were found, whatever ended the solve. options NULL: all defaults. `result` may be
 * NULL. False on errors: arguments, memory, device; x is then the best so far, too. */
WEFT_API bool weft_solve(weft_solve_result *result, double *x, weft_solve_problem *problem,
                         const weft_solve_options *options);

/* The last solve for people: sizes, methods, costs, times, the reason of its end. Lives until
 * the next solve of the problem; "" before the first. */
WEFT_API const char *weft_solve_summary(weft_solve_problem *problem);

/* The cost at x; unless NULL, gradient[parameter_count] (0 for fixed parameters). */
WEFT_API bool weft_solve_evaluate(double *cost, double *gradient, weft_solve_problem *problem,
                                  const double *x);

/* Whether SuiteSparse's CHOLMOD was found at run time: its version, or NULL. */
WEFT_API const char *weft_solve_cholmod_version(void);

/* ---- covariance ---- */

typedef struct weft_solve_covariance weft_solve_covariance;

typedef struct weft_solve_covariance_desc {
    bool   unscaled;                /* inverse(transpose(J) J) as it is. Unless set it is
                                       multiplied by 2 cost / (residuals - free parameters),
                                       the variance of a residual                           */
    double rank_tolerance;          /* a column of J that depends on the others up to this,
                                       relatively, is an error        0: 1e-12              */
} weft_solve_covariance_desc;

/* The covariance of the parameters at x, usually a solution. Fails with WEFT_ERROR_INVALID,
 * naming a parameter, where the residuals do not determine all free ones. desc may be NULL. */
WEFT_API weft_solve_covariance *weft_solve_covariance_create(
    weft_solve_problem *problem, const double *x, const weft_solve_covariance_desc *desc);
WEFT_API void weft_solve_covariance_release(weft_solve_covariance *covariance);
/* out[rows][columns]: of parameters first_row... with first_column...; 0 for fixed ones. */
WEFT_API bool weft_solve_covariance_block(double *out, weft_solve_covariance *covariance,
                                          uint32_t first_row, uint32_t rows,
                                          uint32_t first_column, uint32_t columns);

/* ---- a million small problems ---- */

/* The end of one problem. */
typedef struct weft_solve_status {
    double   initial_cost, final_cost;
    uint32_t iterations;
    weft_solve_termination termination;
} weft_solve_status;

/* Problems of one graph, each with its own parameters and its own instances. */
typedef struct weft_solve_many_desc {
    weft_grad_graph *graph;         /* its blocks belong to the problem, none is shared      */
    uint32_t         problems;      /* may be 0                                             */
    uint32_t         instances;     /* of each problem                                      */
    const uint32_t  *starts;        /* [problems + 1]: first instance of each problem, for
                                       problems of different sizes    NULL: `instances` each */
    const double    *data;          /* [instances of all][data of the graph - common]       */
    const double    *common;        /* [instances][common_count]: data that is equal in all
                                       problems, such as abscissae; needs `instances`       */
    uint32_t         common_count;  /* the first so many data numbers of the graph          */
    const weft_solve_loss *loss;    /* NULL: least squares                                  */
    const double    *lower, *upper; /* [parameters of one problem], for all; NULL: none     */
    weft_grad_precision precision;  /* of everything; MIXED: sums and steps in f64          */
    weft_solve_damping damping;
    uint32_t         max_iterations;/* 0: 50                                                */
    double           cost_tolerance, gradient_tolerance, parameter_tolerance, initial_radius;
                                    /* as in weft_solve_options; F32: 1e-5, 1e-5, 1e-5      */
    weft_progress    progress;      /* problems done                                        */
    void            *user;
} weft_solve_many_desc;

#define WEFT_SOLVE_MANY_PARAMETERS 24   /* most parameters of a problem                      */

/* Levenberg-Marquardt for all problems at once: every iteration of all of them runs on the
 * device. x is [problems][parameters], the blocks of the graph one after the other, fixed ones
 * included: starts, then solutions. each[problems] may be NULL. */
WEFT_API bool weft_solve_many(double *x, weft_solve_status *each, weft_context *ctx,
                              const weft_solve_many_desc *desc);

/* ---- formulas ---- */

typedef struct weft_solve_formula weft_solve_formula;

/* Parses a formula such as "a*exp(-b*x) + c". Operators, weakest first: ?: (choice), comparisons,
 * + -, * / %, the sign, ^ or ** (power, from the right). Functions are the operators of
 * weft/grad.h by name (sin, exp, atan2, min, max, select, ...), and ln, log2, log10, if; pi is
 * a number. Every other name is a variable. On errors NULL, with the place in the text. */
WEFT_API weft_solve_formula *weft_solve_formula_create(weft_context *ctx, const char *text);
WEFT_API void                weft_solve_formula_release(weft_solve_formula *formula);
/* Its variables, in the order of their first use. NULL if out of range. */
WEFT_API uint32_t            weft_solve_formula_name_count(const weft_solve_formula *formula);
WEFT_API const char         *weft_solve_formula_name(const weft_solve_formula *formula,
                                                     uint32_t index);
/* The formula as a node of a graph; nodes[name count] are the values of its variables. 0 on
 * errors. */
WEFT_API weft_grad_node      weft_solve_formula_node(weft_grad_graph *graph,
                                                     const weft_solve_formula *formula,
                                                     const weft_grad_node *nodes);

/* ---- tables ---- */

typedef struct weft_solve_table weft_solve_table;

/* Columns of numbers from text: separated by commas, semicolons, tabs or spaces; lines that begin
 * with # and empty ones are skipped; the first line may have the names of the columns, else they
 * are x and y, or x1, x2, ... and y. On malformed text NULL, with WEFT_ERROR_FORMAT and the
 * line. name NULL: "table". */
WEFT_API weft_solve_table *weft_solve_table_read(weft_context *ctx, const char *text, size_t size,
                                                 const char *name);
WEFT_API weft_solve_table *weft_solve_table_open(weft_context *ctx, const char *path);
WEFT_API void              weft_solve_table_release(weft_solve_table *table);
WEFT_API uint32_t          weft_solve_table_rows(const weft_solve_table *table);
WEFT_API uint32_t          weft_solve_table_columns(const weft_solve_table *table);
/* Names of the columns, for weft_solve_fit_desc. */
WEFT_API const char *const *weft_solve_table_names(const weft_solve_table *table);
/* [rows][columns] */
WEFT_API const double     *weft_solve_table_data(const weft_solve_table *table);

/* ---- curve fits ---- */

typedef struct weft_solve_fit weft_solve_fit;

/* What is known of a parameter of a formula. */
typedef struct weft_solve_guess {
    const char *name;
    double      start;              /* NAN: unknown                                         */
    double      lower, upper;       /* both 0: no bounds                                    */
    bool        fixed;              /* keeps `start`                                        */
} weft_solve_guess;

typedef struct weft_solve_fit_desc {
    const char        *formula;     /* of the model; or "y = model", where the left side is a
                                       formula of columns alone                             */
    const char *const *columns;     /* names of the columns of the data                     */
    uint32_t           column_count;
    const double      *data;        /* [count][column_count]; copied                        */
    uint32_t           count;
    const char        *observed;    /* column that the model should equal
                                       NULL: the left side of the formula, else "y", else the
                                       last column that the formula does not use            */
    const char        *sigma;       /* column with standard deviations of the observed values
                                       NULL: all equal, and unknown                         */
    const weft_solve_guess *guesses;
    uint32_t           guess_count;
    uint32_t           trials;      /* starts that are tried for parameters without one, all at
                                       once on the device             0: 2,000; 1: start at 1 */
    const weft_solve_loss *loss;    /* NULL: least squares                                  */
    const weft_solve_options *options;  /* NULL: Levenberg-Marquardt by QR, up to 1,000
                                       iterations, tolerances near the limits of f64        */
} weft_solve_fit_desc;

/* Names in the formula that are not columns are the parameters. Fits them; a fit that does not
 * converge is a result, too. NULL on errors: of the formula, of the data. */
WEFT_API weft_solve_fit *weft_solve_fit_create(weft_context *ctx,
                                               const weft_solve_fit_desc *desc);
WEFT_API void            weft_solve_fit_release(weft_solve_fit *fit);

typedef struct weft_solve_fit_parameter {
    const char *name;
    double      value;
    double      error;              /* standard deviation; 0 if fixed, NAN if undetermined  */
    double      start;              /* from which it was found                              */
} weft_solve_fit_parameter;

typedef struct weft_solve_fit_info {
    uint32_t          parameters;
    uint32_t          points;
    uint32_t          freedom;      /* points - free parameters                             */
    double            chi2;         /* sum of squared residuals, divided by sigma^2 if given */
    double            rms;          /* root of the mean square of observed - model          */
    double            r2;           /* 1 - sum of squares / that about the mean             */
    const char       *observed;     /* as text                                              */
    const char       *model;        /* as text, without the left side                       */
    uint32_t          trials;       /* starts that were tried                               */
    weft_solve_result result;
    const char       *summary;      /* of the solve                                         */
} weft_solve_fit_info;

/* Strings live as long as the fit. */
WEFT_API bool weft_solve_fit_get_info(weft_solve_fit_info *out, const weft_solve_fit *fit);
WEFT_API bool weft_solve_fit_parameter_get(weft_solve_fit_parameter *out,
                                           const weft_solve_fit *fit, uint32_t index);
/* out[count]: the model for rows of data of the same columns; NULL for data: those of the fit. */
WEFT_API bool weft_solve_fit_evaluate(double *out, weft_solve_fit *fit, const double *data,
                                      uint32_t count);
/* The covariance of two parameters; NAN if undetermined. */
WEFT_API double weft_solve_fit_covariance(const weft_solve_fit *fit, uint32_t a, uint32_t b);

/* ---- problems from files ---- */

typedef struct weft_solve_file weft_solve_file;

typedef enum weft_solve_format {
    WEFT_SOLVE_FORMAT_AUTO = 0,     /* by the contents                                      */
    WEFT_SOLVE_FORMAT_BAL,          /* Bundle Adjustment in the Large                       */
    WEFT_SOLVE_FORMAT_G2O,          /* pose graphs: SE2, SE3:QUAT, XY                       */
} weft_solve_format;

typedef struct weft_solve_file_desc {
    weft_solve_format   format;
    weft_grad_precision precision;
    const weft_solve_loss *loss;    /* of all terms                   NULL: least squares   */
    const char         *name;       /* for messages                   NULL: the path        */
} weft_solve_file_desc;

/* The problem of a file, ready to be solved. A pose graph without a fixed vertex keeps its first
 * one. On malformed files NULL, with WEFT_ERROR_FORMAT and the line. desc may be NULL. */
WEFT_API weft_solve_file *weft_solve_file_open(weft_context *ctx, const char *path,
                                               const weft_solve_file_desc *desc);
/* The same from memory. */
WEFT_API weft_solve_file *weft_solve_file_read(weft_context *ctx, const char *text, size_t size,
                                               const weft_solve_file_desc *desc);
WEFT_API void             weft_solve_file_release(weft_solve_file *file);

typedef struct weft_solve_file_info {
    weft_solve_format format;
    uint32_t parameter_count;
    uint32_t cameras, points, observations;     /* BAL                                      */
    uint32_t poses, landmarks, edges, fixed;    /* g2o                                      */
    uint32_t dimensions;            /* of space: 2 or 3                                     */
} weft_solve_file_info;

WEFT_API bool                weft_solve_file_get_info(weft_solve_file_info *out,
                                                      const weft_solve_file *file);
/* Borrowed. */
WEFT_API weft_solve_problem *weft_solve_file_problem(weft_solve_file *file);
/* [parameter_count]: the estimate of the file; weft_solve() may change it in place. BAL: nine
 * numbers for each camera, then three for each point. g2o: vertices in the order of the file, SE2
 * as x, y, angle; SE3 as translation and quaternion x y z w. */
WEFT_API double             *weft_solve_file_x(weft_solve_file *file);
/* Where point or pose `index` is; of BAL cameras the centre. */
WEFT_API bool weft_solve_file_position(double out[3], const weft_solve_file *file, bool camera,
                                       uint32_t index);
/* The two vertices that edge `index` of a pose graph connects. */
WEFT_API bool weft_solve_file_edge(uint32_t out[2], const weft_solve_file *file, uint32_t index);
/* Writes the problem with its current estimate, in its own format. */
WEFT_API bool weft_solve_file_save(weft_solve_file *file, const char *path);

/* Counters of this layer on a context (weft_context_counter):
 *     solve.solves  solve.iterations  solve.jacobians  solve.linear_solves
 *     solve.linear_ns  solve.many_problems  solve.many_dispatches                            */

#ifdef __cplusplus
}
#endif

#endif
