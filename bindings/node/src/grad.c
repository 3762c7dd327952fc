// SPDX-License-Identifier: Apache-2.0
/*
 * grad.c - weft/grad.h for JavaScript: graphs, their kernels as text, batches.
 *
 * in     calls of lib/grad/: a graph as words, instances as arrays
 * out    graphs and batches
 * knows  the words: an operator, how many arguments, the numbers of their nodes
 * not    evaluation: grad_evaluate.c; the values of JavaScript that the nodes stand for
 */
#include <string.h>

#include "layer.h"

/* Words that are no operators of weft_grad_op. */
enum {
    WORD_CONSTANT = 0,              /* number of the constant */
    WORD_GRADIENT = 0xfffe,         /* value, arguments, as many partial derivatives */
    WORD_OUTPUT   = 0xffff,         /* node */
};

/* gradOperators(): names by number; the first has none */
static napi_value grad_operators(Call *c)
{
    napi_value list = js_array(c->napi, WEFT_GRAD_OP_COUNT);
    for (uint32_t i = 0; i < WEFT_GRAD_OP_COUNT; i++)
        js_push(c->napi, list, i, js_text(c->napi, weft_grad_op_name((weft_grad_op)i, NULL)));
    return list;
}

/* ---- graphs ---- */

typedef struct Words {
    weft_grad_graph *graph;
    const uint32_t  *word;
    size_t           count;
    const double    *constant;
    size_t           constant_count;
    weft_grad_node  *node;          /* inputs, data, then one for each instruction */
    size_t           node_count, room;
    const char      *output;        /* its name, or NULL */
} Words;

/* A block of one of the leaves. Sizes are checked by the library. */
static bool add_block(Words *w, bool fixed, bool data, uint32_t size, const char *name)
{
    weft_grad_node *out = w->node + w->node_count;
    if (size > w->room - w->node_count)
        return false;
    w->node_count += size;
    return data    ? weft_grad_data(out, w->graph, name, size)
           : fixed ? weft_grad_fixed(out, w->graph, name, size)
                   : weft_grad_input(out, w->graph, name, size);
}

/* One instruction of `count` arguments; false if the words are malformed. */
static bool add_word(Call *c, Words *w, uint32_t op, const uint32_t *args, uint32_t count)
{
    weft_grad_node *node = call_alloc(c, count + 1, sizeof *node), made = 0;
    if (op == WORD_CONSTANT) {
        if (count != 1 || args[0] >= w->constant_count)
            return false;
        made = weft_grad_constant(w->graph, w->constant[args[0]]);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            if (args[i] >= w->node_count)
                return false;
            node[i] = w->node[args[i]];
        }
        if (op == WORD_OUTPUT)
            return count == 1 && weft_grad_output(w->graph, node[0], w->output);
        made = op == WORD_GRADIENT
                   ? weft_grad_with_gradient(w->graph, node[0], node + 1,
                                             node + 1 + (count - 1) / 2, (count - 1) / 2)
                   : weft_grad_apply(w->graph, (weft_grad_op)op, node, count);
    }
    if (w->node_count >= w->room)
        return false;
    w->node[w->node_count++] = made;
    return true;
}

static bool add_words(Call *c, Words *w)
{
    for (size_t i = 0; i + 2 <= w->count;) {
        const uint32_t op = w->word[i], count = w->word[i + 1];
        if (count == 0 || count > w->count - i - 2)
            return false;
        if (!add_word(c, w, op, &w->word[i + 2], count))
            return false;
        i += 2 + (size_t)count;
    }
    return true;
}

/* Texts of an array, or NULL where there is none. */
static const char **arg_names(Call *c, size_t i, size_t count)
{
    if (i >= c->argc || value_is_undefined(c, c->argv[i]))
        return NULL;
    const char **names = call_alloc(c, count + 1, sizeof *names);
    if (arg_length(c, i) != count)
        c->bad = true;
    for (uint32_t k = 0; k < count && !c->bad; k++)
        names[k] = value_string(c, arg_element(c, i, k)).data;
    return names;
}

/* gradGraph(context, blocks, dataCount, words, constants, label, blockNames, outputName): blocks
 * are twice the size, and one more where they are fixed; the names may be undefined */
static napi_value grad_graph(Call *c)
{
    weft_context   *ctx = arg_context(c, 0);
    size_t          block_count = 0;
    const uint32_t *block = arg_array(c, 1, napi_uint32_array, &block_count);
    const uint32_t  data = arg_u32(c, 2);
    Words           w = { 0 };
    w.word = arg_array(c, 3, napi_uint32_array, &w.count);
    w.constant = arg_array(c, 4, napi_float64_array, &w.constant_count);
    const char     *label = arg_text(c, 5);
    const char    **names = arg_names(c, 6, block_count);
    w.output = c->argc > 7 ? arg_text(c, 7) : NULL;
    w.room = w.count + data;
    for (size_t i = 0; !c->bad && i < block_count; i++)
        w.room += block[i] / 2;
    w.node = c->bad ? NULL : call_alloc(c, w.room + 1, sizeof *w.node);
    if (!call_enter(c))
        return NULL;
    w.graph = weft_grad_graph_create(ctx, &(weft_grad_graph_desc){ .label = label });
    bool ok = w.graph != NULL;
    for (size_t i = 0; ok && i < block_count; i++)
        ok = add_block(&w, block[i] & 1, false, block[i] / 2, names ? names[i] : NULL);
    if (ok && data)
        ok = add_block(&w, false, true, data, NULL);
    if (ok && !add_words(c, &w)) {
        if (!weft_context_error(ctx)->kind)
            call_fail(c, WEFT_ERROR_INVALID, "gradGraph: malformed words");
        ok = false;
    }
    if (ok && !weft_context_error(ctx)->kind)
        return call_give(c, KIND_GRAD_GRAPH, w.graph);
    weft_grad_graph_release(w.graph);
    return c->bad ? NULL : call_throw(c);
}

static const char *const dialects[] = { "f64", "naga-f64", "f32", NULL };
static const char *const layouts[] = { "auto", "soa", "aos", NULL };

/* gradWgsl(graph, options): the kernel as text. products: bits of weft_grad_product */
static napi_value grad_wgsl(Call *c)
{
    static const char *const names[] = { "dialect", "layout", "products", "ones", NULL };
    weft_grad_graph *g = arg_owned(c, 0, KIND_GRAD_GRAPH);
    napi_value       options = c->argc > 1 ? c->argv[1] : js_undefined(c->napi);
    options_check(c, options, "gradWgsl", names);
    weft_grad_kernel_desc d = {
        .dialect = (weft_grad_dialect)option_word(c, options, "dialect", dialects),
        .layout = (weft_grad_layout)option_word(c, options, "layout", layouts),
        .products = (uint32_t)option_u64(c, options, "products", WEFT_GRAD_VALUES),
        .weights = option_bool(c, options, "ones") ? WEFT_GRAD_ONES : WEFT_GRAD_RESIDUALS,
    };
    if (!call_enter(c))
        return NULL;
    const char *text = weft_grad_graph_wgsl(g, &d);
    return text ? js_text(c->napi, text) : call_throw(c);
}

/* ---- batches ---- */

static const char *const precisions[] = { "f64", "f32", "mixed", NULL };

/* An array of `count` numbers, or NULL where it is undefined. */
static const void *numbers(Call *c, size_t i, napi_typedarray_type type, uint64_t count,
                           const char *what)
{
    size_t      found = 0;
    const void *data = arg_array(c, i, type, &found);
    if (!c->bad && data && found != count)
        call_fail(c, WEFT_ERROR_INVALID, "%s: %llu numbers, not %llu", what,
                  (unsigned long long)found, (unsigned long long)count);
    return data;
}

/* gradBatch(context, graph, count, parameterCount, index, data, options) */
static napi_value grad_batch(Call *c)
{
    static const char *const names[] = { "precision", "threshold", "label", NULL };
    weft_context        *ctx = arg_context(c, 0);
    weft_grad_batch_desc d = { .graph = arg_owned(c, 1, KIND_GRAD_GRAPH), .count = arg_u32(c, 2),
                               .parameter_count = arg_u32(c, 3) };
    weft_grad_graph_info info = { 0 };
    if (!c->bad && d.graph)
        weft_grad_graph_get_info(&info, d.graph);
    d.index = numbers(c, 4, napi_uint32_array, (uint64_t)d.count * info.blocks,
                      "gradBatch: index");
    d.data = numbers(c, 5, napi_float64_array, (uint64_t)d.count * info.data, "gradBatch: data");
    napi_value options = c->argc > 6 ? c->argv[6] : js_undefined(c->napi);
    options_check(c, options, "gradBatch", names);
    d.precision = (weft_grad_precision)option_word(c, options, "precision", precisions);
    d.fallback_threshold = option_u64(c, options, "threshold", 0);
    d.label = option_text(c, options, "label");
    return call_enter(c) ? call_give(c, KIND_GRAD_BATCH, weft_grad_batch_create(ctx, &d)) : NULL;
}

/* gradSetData(batch, data) */
static napi_value grad_set_data(Call *c)
{
    weft_grad_batch *b = arg_owned(c, 0, KIND_GRAD_BATCH);
    size_t           count = 0;
    const double    *data = arg_array(c, 1, napi_float64_array, &count);
    return call_enter(c) ? call_done(c, weft_grad_batch_set_data(b, data)) : NULL;
}

/* gradBatchInfo(batch): { count, inputs, immediate, reason } */
static napi_value grad_batch_info(Call *c)
{
    weft_grad_batch     *b = arg_owned(c, 0, KIND_GRAD_BATCH);
    weft_grad_batch_info info = { 0 };
    if (!call_enter(c))
        return NULL;
    if (!weft_grad_batch_get_info(&info, b))
        return call_throw(c);
    napi_value v = js_object(c->napi);
    js_set(c->napi, v, "count", js_number(c->napi, info.count));
    js_set(c->napi, v, "inputs", js_number(c->napi, info.inputs));
    js_set(c->napi, v, "immediate", js_bool(c->napi, info.immediate));
    js_set(c->napi, v, "reason", js_text(c->napi, info.reason));
    return v;
}

const Function grad_functions[] = {
    { "gradOperators", grad_operators },
    { "gradGraph",     grad_graph },
    { "gradWgsl",      grad_wgsl },
    { "gradBatch",     grad_batch },
    { "gradSetData",   grad_set_data },
    { "gradBatchInfo", grad_batch_info },
    { 0 },
};
