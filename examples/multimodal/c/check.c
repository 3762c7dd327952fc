// SPDX-License-Identifier: Apache-2.0
/*
 * check.c - the encoders of the example compute what their references say.
 *
 *   multimodal_check VISION [MINILM REFERENCE]
 *
 * in     SqueezeNet with its inputs and outputs; MiniLM, and what PyTorch computed with the same
 *        weights (reference.json, by reference.py)
 * out    the largest differences; status 1 if one is too large
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "encoders.h"

static weft_tensor *read_npy(weft_context *ctx, const char *folder, int set, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/test_data_set/%d/%s.npy", folder, set, name);
    weft_store  *store = weft_store_open(ctx, &(weft_store_desc){ .path = path });
    weft_tensor *t = weft_store_get(store, "array");
    weft_store_release(store);
    return t;
}

/* The largest difference; infinite after an error. */
static double difference(weft_tensor *got, weft_tensor *want)
{
    double most = INFINITY;
    weft_tensor_item(&most, weft_tensor_max(weft_tensor_abs(weft_tensor_sub(got, want)), NULL));
    return most;
}

static bool check_vision(weft_context *ctx, const char *folder)
{
    SqueezeNet *net = squeezenet_create(ctx, folder);
    bool        ok = net != NULL;
    for (int set = 0; ok && set < 2; set++) {
        weft_tensor_scope_begin(ctx);
        weft_tensor *x = read_npy(ctx, folder, set, "input_0");
        const double most = difference(squeezenet_scores(net, x),
                                       read_npy(ctx, folder, set, "output_0"));
        weft_tensor_scope_end(ctx, NULL, 0);
        printf("squeezenet %d: %.2g\n", set, most);
        ok = most < 2e-3;                       /* of scores up to 296 */
    }
    squeezenet_release(net);
    return ok;
}

/* The numbers of a JSON array as a tensor of rank 1. */
static weft_tensor *numbers(weft_context *ctx, const json_t *list)
{
    const size_t count = json_array_size(list);
    float       *data = malloc((count ? count : 1) * sizeof *data);
    for (size_t i = 0; data && i < count; i++)
        data[i] = (float)json_number_value(json_array_get(list, i));
    weft_tensor *t = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = { count }, .data = data });
    free(data);
    return t;
}

static double check_states(weft_context *ctx, const MiniLM *m, const int32_t *tokens,
                           uint32_t count, const json_t *want)
{
    weft_tensor *states[TEXT_LAYERS + 1];
    double       most = 0, mean = INFINITY;
    if (!minilm_states(states, m, tokens, count))
        return INFINITY;
    for (int i = 0; i <= TEXT_LAYERS; i++) {
        const json_t *row = json_array_get(want, (size_t)i);
        weft_tensor  *flat = weft_tensor_reshape(states[i], 1, (uint64_t[]){ WEFT_INFER });
        most = fmax(most, difference(weft_tensor_narrow(flat, 0, 0, 4),
                                     numbers(ctx, json_object_get(row, "first"))));
        weft_tensor_item(&mean, weft_tensor_mean(weft_tensor_abs(flat), NULL));
        most = fmax(most, fabs(mean - json_number_value(json_object_get(row, "mean"))));
        weft_tensor_release(states[i]);
    }
    return most;
}

static bool check_text(weft_context *ctx, const MiniLM *m, const json_t *row)
{
    int32_t       tokens[128];
    const char   *text = json_string_value(json_object_get(row, "text"));
    const json_t *want = json_object_get(row, "tokens");
    const uint32_t count = minilm_tokens(tokens, 128, m, text);
    bool           same = count == json_array_size(want);
    for (uint32_t i = 0; same && i < count; i++)
        same = tokens[i] == json_integer_value(json_array_get(want, i));
    weft_tensor_scope_begin(ctx);
    const double states = check_states(ctx, m, tokens, count, json_object_get(row, "states"));
    const double vector = difference(weft_tensor_reshape(minilm_encode(m, &text, 1), 1,
                                                         (uint64_t[]){ WEFT_INFER }),
                                     numbers(ctx, json_object_get(row, "vector")));
    weft_tensor_scope_end(ctx, NULL, 0);
    printf("minilm '%s': %s tokens, states %.2g, vector %.2g\n", text, same ? "same" : "OTHER",
           states, vector);
    return same && states < 2e-4 && vector < 2e-5;
}

static bool check_texts(weft_context *ctx, const char *folder, const char *reference)
{
    json_t *rows = json_load_file(reference, 0, NULL);
    MiniLM *m = rows ? minilm_create(ctx, folder) : NULL;
    bool    ok = m && json_array_size(rows) > 0;
    for (size_t i = 0; ok && i < json_array_size(rows); i++)
        ok = check_text(ctx, m, json_array_get(rows, i));
    minilm_release(m);
    json_decref(rows);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4) {
        fputs("usage: multimodal_check VISION [MINILM REFERENCE]\n", stderr);
        return 2;
    }
    weft_context *ctx = weft_context_create(NULL);
    const bool ok = check_vision(ctx, argv[1]) && (argc < 4 || check_texts(ctx, argv[2], argv[3]));
    if (weft_context_error(ctx)->kind)
        fprintf(stderr, "multimodal_check: %s\n", weft_context_error(ctx)->message);
    weft_context_release(ctx);
    return ok ? 0 : 1;
}
