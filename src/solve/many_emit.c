// SPDX-License-Identifier: Apache-2.0
/*
 * many_emit.c - writes the kernel of weft_solve_many(): Levenberg-Marquardt for one problem in
 * each invocation, all iterations inside.
 *
 * in     the normal equations of a graph as statements (grad/loop.h), sizes, a loss
 * out    WGSL
 * knows  context/writer.h
 * not    buffers, devices
 *
 * The candidate's normal equations are evaluated at one place of the loop, so that the kernel
 * has the graph's code once. Variables of the solver begin with lm_.
 */
#include "solve/many_priv.h"

typedef struct Many {
    Writer          w;
    Arena          *arena;
    GradLoop       *l;
    const ManySpec *spec;
    const char     *real, *sum;     /* types of instances; of sums and steps                */
    uint32_t        n;              /* columns                                              */
} Many;

#define LINE(...) writer_line(&m->w, __VA_ARGS__)
#define OPEN(...) writer_open(&m->w, __VA_ARGS__)
#define CLOSE()   writer_close(&m->w)

/* A number in the type of sums. */
static const char *number(Many *m, double value)
{
    return writer_literal(m->arena, m->spec->wide ? WRITER_F64 : WRITER_F32, value);
}

static double largest(const Many *m)
{
    return m->spec->wide ? 1e300 : 1e37;
}

/* ---- losses ---- */

/* rho and rho' as functions lm_loss_value_K and lm_loss_slope_K; returns K. */
static uint32_t emit_loss(Many *m, const weft_solve_loss *loss, uint32_t *next)
{
    uint32_t f = 0, g = 0, own;
    const char *t = m->sum, *value = "s", *slope = NULL, *one = number(m, 1);
    weft_solve_loss_kind kind = loss ? loss->kind : WEFT_SOLVE_SQUARES;
    if (kind == WEFT_SOLVE_SCALED || kind == WEFT_SOLVE_COMPOSED)
        f = emit_loss(m, loss->f, next);
    if (kind == WEFT_SOLVE_COMPOSED)
        g = emit_loss(m, loss->g, next);
    own = (*next)++;
    const char *a = number(m, loss ? loss->a : 1), *b = number(m, loss ? loss->b : 1);
    const char *aa = number(m, loss ? loss->a * loss->a : 1), *two = number(m, 2);
#define TEXT(...) arena_printf(m->arena, __VA_ARGS__)
    slope = one;
    switch (kind) {
    case WEFT_SOLVE_HUBER:
        value = TEXT("select(s, %s * %s * sqrt(s) - %s, s > %s)", two, a, aa, aa);
        slope = TEXT("select(%s, %s * inverseSqrt(max(s, %s)), s > %s)", one, a, aa, aa);
        break;
    case WEFT_SOLVE_SOFT_L1:
        value = TEXT("%s * s / (%s + sqrt(%s + s / %s))", two, one, one, aa);
        slope = TEXT("inverseSqrt(%s + s / %s)", one, aa);
        break;
    case WEFT_SOLVE_CAUCHY:
        value = TEXT("%s * log(%s + s / %s)", aa, one, aa);
        slope = TEXT("%s / (%s + s / %s)", one, one, aa);
        break;
    case WEFT_SOLVE_ARCTAN:
        value = TEXT("%s * atan(s / %s)", a, a);
        slope = TEXT("%s / (%s + s * s / %s)", one, one, aa);
        break;
    case WEFT_SOLVE_TUKEY:
        value = TEXT("%s * (%s - lm_pow3(max(%s - s / %s, %s)))", number(m, loss->a * loss->a / 3),
                     one, one, aa, number(m, 0));
        slope = TEXT("lm_pow2(max(%s - s / %s, %s))", one, aa, number(m, 0));
        break;
    case WEFT_SOLVE_TOLERANT:
        value = TEXT("%s * (lm_soft((s - %s) / %s) - lm_soft(-%s / %s))", b, a, b, a, b);
        slope = TEXT("%s / (%s + exp((%s - s) / %s))", one, one, a, b);
        break;
    case WEFT_SOLVE_SCALED:
        value = TEXT("%s * lm_loss_value_%u(s)", a, f);
        slope = TEXT("%s * lm_loss_slope_%u(s)", a, f);
        break;
    case WEFT_SOLVE_COMPOSED:
        value = TEXT("lm_loss_value_%u(lm_loss_value_%u(s))", f, g);
        slope = TEXT("lm_loss_slope_%u(lm_loss_value_%u(s)) * lm_loss_slope_%u(s)", f, g, g);
        break;
    default:
        break;
    }
#undef TEXT
    OPEN("fn lm_loss_value_%u(s : %s) -> %s", own, t, t);
    LINE("return %s;", value);
    CLOSE();
    OPEN("fn lm_loss_slope_%u(s : %s) -> %s", own, t, t);
    LINE("return %s;", slope);
    CLOSE();
    return own;
}

static void emit_loss_helpers(Many *m)
{
    OPEN("fn lm_pow2(x : %s) -> %s", m->sum, m->sum);
    LINE("return x * x;");
    CLOSE();
    OPEN("fn lm_pow3(x : %s) -> %s", m->sum, m->sum);
    LINE("return x * x * x;");
    CLOSE();
    OPEN("fn lm_soft(x : %s) -> %s", m->sum, m->sum);
    LINE("return max(x, %s) + log(%s + exp(-abs(x)));", number(m, 0), number(m, 1));
    CLOSE();
}

/* ---- declarations ---- */

static void bind(Many *m, ManyKernel *out, ManyBinding which, const char *name, const char *type,
                 bool writable)
{
    uint32_t at = 0;
    for (int i = 0; i < MANY_BINDING_COUNT; i++)
        at += out->bound[i];
    out->bound[which] = true;
    writer_binding(&m->w, 0, at, writable ? WRITER_READ_WRITE : WRITER_READ, name, type);
}

static bool uses_common(const Many *m, bool common)
{
    for (uint32_t d = 0; d < m->l->data; d++)
        if ((m->l->data_from[d] < m->spec->common) == common)
            return true;
    return false;
}

static void emit_bindings(Many *m, ManyKernel *out)
{
    const char *reals = arena_printf(m->arena, "array<%s>", m->real);
    const char *sums = arena_printf(m->arena, "array<%s>", m->sum);
    bind(m, out, MANY_SIZES, "lm_sizes", "array<u32>", false);
    bind(m, out, MANY_SETTINGS, "lm_settings", sums, false);
    if (m->spec->uneven)
        bind(m, out, MANY_STARTS, "lm_starts", "array<u32>", false);
    if (uses_common(m, false))
        bind(m, out, MANY_NUMBERS, "lm_numbers", reals, false);
    if (uses_common(m, true))
        bind(m, out, MANY_COMMON, "lm_common", reals, false);
    bind(m, out, MANY_PARAMETERS, "lm_parameters", sums, true);
    bind(m, out, MANY_COSTS, "lm_costs", sums, true);
    bind(m, out, MANY_ENDS, "lm_ends", "array<u32>", true);
}

/* ---- variables ---- */

static void emit_start(Many *m)
{
    const ManySpec *s = m->spec;
    LINE("let lm_problem = global_id.y * %uu + global_id.x;", MANY_STRIDE);
    OPEN("if lm_problem >= lm_sizes[0]");
    LINE("return;");
    CLOSE();
    for (uint32_t i = 0; i < m->l->slots; i++)
        LINE("var lm_p%u = lm_parameters[lm_problem * %uu + %uu];", i, s->inputs,
             m->l->slot_input[i]);
    if (s->uneven) {
        LINE("let lm_first = lm_starts[lm_problem];");
        LINE("let lm_count = lm_starts[lm_problem + 1u] - lm_first;");
    } else {
        LINE("let lm_count = lm_sizes[2];");
        if (s->tiled)
            LINE("let lm_first = (lm_group.y * %uu + lm_group.x) * lm_count;",
                 MANY_STRIDE / MANY_GROUP);
        else
            LINE("let lm_first = lm_problem * lm_count;");
    }
    for (uint32_t c = 0; c < m->n; c++) {
        const char *p = arena_printf(m->arena, "lm_p%u", m->l->column_slot[c]);
        if (s->bounded)
            LINE("%s = min(max(%s, lm_settings[%u]), lm_settings[%u]);", p, p,
                 SETTING_COUNT + c, SETTING_COUNT + m->n + c);
        LINE("var lm_x%u = %s;  // accepted", c, p);
        LINE("var lm_g%u = %s;", c, number(m, 0));
        LINE("var lm_d%u = %s;  // damping", c, number(m, 0));
        LINE("var lm_s%u = %s;  // scale", c, number(m, 1));
        for (uint32_t k = c; k < m->n; k++)
            LINE("var lm_h%u_%u = %s;", c, k, number(m, 0));
    }
    LINE("var lm_cost = %s;", number(m, 0));
    LINE("var lm_initial = %s;", number(m, 0));
    LINE("var lm_model = %s;", number(m, 0));
    LINE("var lm_norm = %s;", number(m, 0));
    LINE("var lm_radius = lm_settings[%u];", SETTING_RADIUS);
    LINE("var lm_shrink = %s;", number(m, 2));
    LINE("var lm_iteration = 0u;");
    LINE("var lm_end = %uu;", WEFT_SOLVE_MAX_ITERATIONS);
}

/* ---- the normal equations at the candidate ---- */

static const char *data_of(Many *m, uint32_t d)
{
    uint32_t from = m->l->data_from[d], common = m->spec->common;
    uint32_t width = m->spec->data - common;
    if (from < common)
        return arena_printf(m->arena, "lm_common[lm_step * %uu + %uu]", common, from);
    if (m->spec->tiled)
        return arena_printf(m->arena,
                            "lm_numbers[((lm_first + lm_step) * %uu + %uu) * %uu + lm_lane]",
                            width, from - common, MANY_GROUP);
    return arena_printf(m->arena, "lm_numbers[(lm_first + lm_step) * %uu + %uu]", width,
                        from - common);
}

static const char *widened(Many *m, const char *value)
{
    return m->spec->wide && !m->spec->f64 ? arena_printf(m->arena, "f64(%s)", value) : value;
}

/* sum += weight * term, by fused multiply-add where the CPU device gains by it: where sums are
 * in f64. Factors of f32 are widened before: there are fewer of them than products, and the
 * sum gets the exact product. */
static void emit_term(Many *m, const char *sum, const GradTerm *term)
{
    bool weighted = m->spec->loss != NULL;
    if (!term->value)
        return;
    if (m->spec->wide && weighted)
        LINE("%s = fma(lm_weight, %s, %s);", sum, widened(m, term->value), sum);
    else if (m->spec->wide && term->factors[0])
        LINE("%s = fma(%s, %s, %s);", sum, widened(m, term->factors[0]),
             widened(m, term->factors[1]), sum);
    else
        LINE("%s += %s%s;", sum, weighted ? "lm_weight * " : "", widened(m, term->value));
}

static void emit_sums(Many *m)
{
    GradLoop *l = m->l;
    if (m->spec->loss) {
        LINE("let lm_square = %s * %s;", number(m, 2), widened(m, l->cost.value));
        LINE("let lm_weight = lm_loss_slope(lm_square);");
        LINE("lm_sum += %s * lm_loss_value(lm_square);", number(m, 0.5));
    } else
        emit_term(m, "lm_sum", &l->cost);
    for (uint32_t c = 0; c < m->n; c++) {
        emit_term(m, arena_printf(m->arena, "lm_sg%u", c), &l->gradient[c]);
        for (uint32_t k = c; k < m->n; k++)
            emit_term(m, arena_printf(m->arena, "lm_sh%u_%u", c, k), &l->normal[c * m->n + k]);
    }
}

static void emit_evaluation(Many *m)
{
    GradLoop *l = m->l;
    const char **names = ARENA_ARRAY(m->arena, const char *, l->slots + 1);
    const char **numbers = ARENA_ARRAY(m->arena, const char *, l->data + 1);
    bool narrow = m->spec->wide && !m->spec->f64;
    for (uint32_t i = 0; i < l->slots; i++)
        names[i] = arena_printf(m->arena, narrow ? "f32(lm_p%u)" : "lm_p%u", i);
    for (uint32_t d = 0; d < l->data; d++)
        numbers[d] = data_of(m, d);
    writer_comment(&m->w, "the normal equations at the candidate");
    grad_loop_outside(l, &m->w, names);
    LINE("var lm_sum = %s;", number(m, 0));
    for (uint32_t c = 0; c < m->n; c++) {
        LINE("var lm_sg%u = %s;", c, number(m, 0));
        for (uint32_t k = c; k < m->n; k++)
            LINE("var lm_sh%u_%u = %s;", c, k, number(m, 0));
    }
    OPEN("for (var lm_step = 0u; lm_step < lm_count; lm_step++)");
    grad_loop_inside(l, &m->w, numbers);
    emit_sums(m);
    CLOSE();
}

/* ---- accepting it ---- */

/* All of it is finite; comparisons with NaN are false. */
static void emit_finite(Many *m)
{
    Text t = {.arena = m->arena};
    text_printf(&t, "abs(lm_sum)");
    for (uint32_t c = 0; c < m->n; c++)
        text_printf(&t, " + abs(lm_sg%u) + lm_sh%u_%u", c, c, c);
    LINE("let lm_finite = %s < %s;", t.data, number(m, largest(m)));
}

static void emit_accept(Many *m)
{
    LINE("lm_cost = lm_sum;");
    for (uint32_t c = 0; c < m->n; c++) {
        LINE("lm_x%u = lm_p%u;", c, m->l->column_slot[c]);
        LINE("lm_g%u = lm_sg%u;", c, c);
        for (uint32_t k = c; k < m->n; k++)
            LINE("lm_h%u_%u = lm_sh%u_%u;", c, k, c, k);
    }
}

/* The largest component of the gradient, of bounded parameters what the bounds let through. */
static void emit_flat(Many *m)
{
    LINE("var lm_slope = %s;", number(m, 0));
    for (uint32_t c = 0; c < m->n; c++)
        if (m->spec->bounded)
            LINE("lm_slope = max(lm_slope, abs(lm_x%u - min(max(lm_x%u - lm_g%u, lm_settings[%u]), "
                 "lm_settings[%u])));", c, c, c, SETTING_COUNT + c, SETTING_COUNT + m->n + c);
        else
            LINE("lm_slope = max(lm_slope, abs(lm_g%u));", c);
    OPEN("if lm_slope <= lm_settings[%u]", SETTING_GRADIENT);
    LINE("lm_end = %uu;", WEFT_SOLVE_GRADIENT_TOLERANCE);
    LINE("break;");
    CLOSE();
}

static void emit_first(Many *m)
{
    OPEN("if lm_iteration == 0u");
    LINE("lm_initial = lm_sum;");
    LINE("lm_cost = lm_sum;");
    OPEN("if !lm_finite");
    LINE("lm_end = %uu;", WEFT_SOLVE_NOT_FINITE);
    LINE("break;");
    CLOSE();
    emit_accept(m);
    for (uint32_t c = 0; c < m->n; c++)
        LINE("lm_s%u = %s / (%s + sqrt(lm_h%u_%u));", c, number(m, 1), number(m, 1), c, c);
    emit_flat(m);
    writer_else(&m->w);
}

static void emit_judgement(Many *m)
{
    const char *one = number(m, 1), *two = number(m, 2);
    LINE("let lm_change = lm_cost - lm_sum;");
    writer_comment(&m->w, "a step across the minimum may leave the cost as it was by chance");
    LINE("let lm_tiny = lm_finite && max(abs(lm_change), %s * lm_model) <= lm_settings[%u] * "
         "lm_cost;", number(m, 0.1), SETTING_COST);
    LINE("let lm_ratio = lm_change / lm_model;");
    OPEN("if lm_finite && lm_change > %s && lm_ratio > %s", number(m, 0), number(m, 1e-3));
    LINE("let lm_bent = %s * lm_ratio - %s;", two, one);
    LINE("lm_radius = min(lm_radius / max(%s, %s - lm_bent * lm_bent * lm_bent), %s);",
         number(m, 1.0 / 3), one, number(m, m->spec->wide ? 1e16 : 1e9));
    LINE("lm_shrink = %s;", two);
    emit_accept(m);
    emit_flat(m);
    writer_else(&m->w);
    LINE("lm_radius /= lm_shrink;");
    LINE("lm_shrink *= %s;", two);
    CLOSE();
    Text t = {.arena = m->arena};
    for (uint32_t c = 0; c < m->n; c++)
        text_printf(&t, "%slm_x%u * lm_x%u", c ? " + " : "", c, c);
    OPEN("if lm_norm <= lm_settings[%u] * (sqrt(%s) + lm_settings[%u])", SETTING_PARAMETER,
         t.data, SETTING_PARAMETER);
    LINE("lm_end = %uu;", WEFT_SOLVE_PARAMETER_TOLERANCE);
    LINE("break;");
    CLOSE();
    OPEN("if lm_tiny");
    LINE("lm_end = %uu;", WEFT_SOLVE_COST_TOLERANCE);
    LINE("break;");
    CLOSE();
    OPEN("if lm_radius < %s", number(m, m->spec->wide ? 1e-32 : 1e-20));
    LINE("lm_end = %uu;", WEFT_SOLVE_NO_DECREASE);
    LINE("break;");
    CLOSE();
    CLOSE();
    OPEN("if lm_iteration >= lm_sizes[1]");
    LINE("break;");
    CLOSE();
    LINE("lm_iteration++;");
}

/* ---- the next step ---- */

static void emit_damping(Many *m)
{
    for (uint32_t c = 0; c < m->n; c++) {
        if (m->spec->identity)
            LINE("lm_d%u = %s / lm_radius;", c, number(m, 1));
        else
            LINE("lm_d%u = max(lm_h%u_%u * lm_s%u * lm_s%u, %s) / (lm_s%u * lm_s%u * lm_radius);",
                 c, c, c, c, c, number(m, 1e-6), c, c);
        LINE("var lm_r%u = -lm_g%u;", c, c);
        if (!m->spec->bounded)
            continue;
        OPEN("if (lm_x%u <= lm_settings[%u] && lm_g%u > %s) || (lm_x%u >= lm_settings[%u] && "
             "lm_g%u < %s)", c, SETTING_COUNT + c, c, number(m, 0), c, SETTING_COUNT + m->n + c,
             c, number(m, 0));
        writer_comment(&m->w, "held at its bound");
        LINE("lm_d%u = %s * (%s + lm_h%u_%u);", c, number(m, m->spec->wide ? 1e20 : 1e10),
             number(m, 1), c, c);
        LINE("lm_r%u = %s;", c, number(m, 0));
        CLOSE();
    }
}

/* Cholesky factor of h + d, forward and backward substitution, one statement for each entry. */
static void emit_solution(Many *m)
{
    for (uint32_t c = 0; c < m->n; c++) {
        Text t = {.arena = m->arena};
        text_printf(&t, "lm_h%u_%u + lm_d%u", c, c, c);
        for (uint32_t k = 0; k < c; k++)
            text_printf(&t, " - lm_l%u_%u * lm_l%u_%u", c, k, c, k);
        LINE("let lm_i%u = inverseSqrt(%s);", c, t.data);
        for (uint32_t r = c + 1; r < m->n; r++) {
            Text u = {.arena = m->arena};
            text_printf(&u, "lm_h%u_%u", c, r);
            for (uint32_t k = 0; k < c; k++)
                text_printf(&u, " - lm_l%u_%u * lm_l%u_%u", r, k, c, k);
            LINE("let lm_l%u_%u = (%s) * lm_i%u;", r, c, u.data, c);
        }
    }
    for (uint32_t c = 0; c < m->n; c++) {
        Text t = {.arena = m->arena};
        text_printf(&t, "lm_r%u", c);
        for (uint32_t k = 0; k < c; k++)
            text_printf(&t, " - lm_l%u_%u * lm_y%u", c, k, k);
        LINE("let lm_y%u = (%s) * lm_i%u;", c, t.data, c);
    }
    for (uint32_t c = m->n; c-- > 0;) {
        Text t = {.arena = m->arena};
        text_printf(&t, "lm_y%u", c);
        for (uint32_t k = c + 1; k < m->n; k++)
            text_printf(&t, " - lm_l%u_%u * lm_t%u", k, c, k);
        LINE("%s lm_t%u = (%s) * lm_i%u;", m->spec->bounded ? "var" : "let", c, t.data, c);
    }
}

static void emit_step(Many *m)
{
    Text norm = {.arena = m->arena}, model = {.arena = m->arena};
    emit_damping(m);
    emit_solution(m);
    for (uint32_t c = 0; c < m->n; c++) {
        const char *p = arena_printf(m->arena, "lm_p%u", m->l->column_slot[c]);
        if (m->spec->bounded) {
            LINE("%s = min(max(lm_x%u + lm_t%u, lm_settings[%u]), lm_settings[%u]);", p, c, c,
                 SETTING_COUNT + c, SETTING_COUNT + m->n + c);
            LINE("lm_t%u = %s - lm_x%u;", c, p, c);
        } else
            LINE("%s = lm_x%u + lm_t%u;", p, c, c);
        text_printf(&norm, "%slm_t%u * lm_t%u", c ? " + " : "", c, c);
        if (m->spec->bounded) {
            /* what is left of the step does not solve the system any more */
            Text row = {.arena = m->arena};
            for (uint32_t k = 0; k < m->n; k++)
                text_printf(&row, " + lm_h%u_%u * lm_t%u", MIN_OF(c, k), MAX_OF(c, k), k);
            text_printf(&model, "%slm_t%u * (-lm_g%u - lm_g%u - (%s))", c ? " + " : "", c, c, c,
                        row.data + 3);
        } else
            text_printf(&model, "%slm_t%u * (lm_r%u + lm_d%u * lm_t%u)", c ? " + " : "", c, c, c,
                        c);
    }
    LINE("lm_norm = sqrt(%s);", norm.data);
    LINE("lm_model = %s * (%s);", number(m, 0.5), model.data);
}

static void emit_results(Many *m)
{
    for (uint32_t c = 0; c < m->n; c++)
        LINE("lm_parameters[lm_problem * %uu + %uu] = lm_x%u;", m->spec->inputs,
             m->l->slot_input[m->l->column_slot[c]], c);
    LINE("lm_costs[lm_problem * 2u] = lm_initial;");
    LINE("lm_costs[lm_problem * 2u + 1u] = lm_cost;");
    LINE("lm_ends[lm_problem * 2u] = lm_iteration;");
    LINE("lm_ends[lm_problem * 2u + 1u] = lm_end;");
}

static void emit_main(Many *m)
{
    LINE("@compute @workgroup_size(%u)", MANY_GROUP);
    OPEN("fn main(@builtin(global_invocation_id) global_id: vec3<u32>%s)",
         m->spec->tiled ? ", @builtin(workgroup_id) lm_group: vec3<u32>, "
                          "@builtin(local_invocation_index) lm_lane: u32" : "");
    emit_start(m);
    OPEN("loop");
    emit_evaluation(m);
    emit_finite(m);
    emit_first(m);
    emit_judgement(m);
    emit_step(m);
    CLOSE();
    emit_results(m);
    CLOSE();
}

void many_emit(ManyKernel *out, Arena *arena, GradLoop *loop, const ManySpec *spec)
{
    Many many = {.arena = arena, .l = loop, .spec = spec, .real = spec->f64 ? "f64" : "f32",
                 .sum = spec->wide ? "f64" : "f32", .n = loop->columns}, *m = &many;
    uint32_t next = 0;
    *out = (ManyKernel){0};
    writer_init(&m->w, arena);
    writer_comment(&m->w, "Levenberg-Marquardt: one problem with %u parameters in each invocation",
                   m->n);
    if (spec->wide)
        writer_enable(&m->w, "weft_f64");
    emit_bindings(m, out);
    grad_loop_declare(loop, &m->w);
    if (spec->loss) {
        emit_loss_helpers(m);
        uint32_t last = emit_loss(m, spec->loss, &next);
        OPEN("fn lm_loss_value(s : %s) -> %s", m->sum, m->sum);
        LINE("return lm_loss_value_%u(s);", last);
        CLOSE();
        OPEN("fn lm_loss_slope(s : %s) -> %s", m->sum, m->sum);
        LINE("return lm_loss_slope_%u(s);", last);
        CLOSE();
    }
    writer_blank(&m->w);
    emit_main(m);
    out->text = writer_text(&m->w);
}
