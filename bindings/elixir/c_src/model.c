// SPDX-License-Identifier: Apache-2.0
/*
 * model.c - language models for Elixir.
 *
 * in     a path or the bytes of a file; prompts
 * out    answers
 * knows  weft/model.h
 */
#include "nif.h"

#include <stdlib.h>
#include <string.h>

static ERL_NIF_TERM closed(ErlNifEnv *env)
{
    return fail(env, WEFT_ERROR_INVALID, "the model was closed, or is another kind of object");
}

/* model_load(context, {:path, path} | {:bytes, binary}) */
NIF(model_load)
{
    (void)argc;
    Arena               a = { 0 };
    int                 arity = 0;
    const ERL_NIF_TERM *t;
    ErlNifBinary        given, bytes = { 0 };
    weft_model_desc     d = { 0 };
    Context            *c = object_get(env, argv[0], KIND_CONTEXT);
    if (!c)
        return closed(env);
    if (!enif_get_tuple(env, argv[1], &arity, &t) || arity != 2) {
        context_drop(c);
        return fail(env, WEFT_ERROR_INVALID, "a model is {:path, path} or {:bytes, binary}");
    }
    if (enif_is_identical(t[0], atom(env, "path"))) {
        d.path = get_text(env, t[1], &a);
    } else if (enif_inspect_binary(env, t[1], &given) && enif_alloc_binary(given.size, &bytes)) {
        memcpy(bytes.data, given.data, given.size);     /* the model borrows it */
        d.data = bytes.data;
        d.size = bytes.size;
    }
    context_enter(c);
    weft_model  *m = weft_model_create(context_raw(c), &d);
    ERL_NIF_TERM term = m ? object_new(env, KIND_MODEL, m, c) : fail_context(env, context_raw(c));
    context_leave(c);
    const ERL_NIF_TERM *made;
    Object             *o = m && enif_get_tuple(env, term, &arity, &made)
                          ? object_find(env, made[1], KIND_MODEL) : NULL;
    if (o)
        o->bytes = bytes;
    else if (bytes.data)
        enif_release_binary(&bytes);
    arena_fini(&a);
    context_drop(c);
    return term;
}

/* model_info(model): {architecture, name, parameters, embedding, layers} */
NIF(model_info)
{
    (void)argc;
    weft_model_info i;
    Object         *o = object_find(env, argv[0], KIND_MODEL);
    if (!o)
        return closed(env);
    context_enter(o->context);
    weft_model  *m = object_get(env, argv[0], KIND_MODEL);
    ERL_NIF_TERM term;
    if (m && weft_model_info_get(&i, m))
        term = ok(env, enif_make_tuple5(env, text(env, i.architecture), text(env, i.name),
            enif_make_uint64(env, i.parameters), enif_make_uint(env, i.embedding),
            enif_make_uint(env, i.layers)));
    else
        term = closed(env);
    weft_model_release(m);
    context_leave(o->context);
    return term;
}

static ERL_NIF_TERM generate(ErlNifEnv *env, weft_model *m, weft_context *ctx,
                             const char *prompt, ERL_NIF_TERM options)
{
    static const char *const stops[] = { "", "length", "end", "text", "caller", "cancelled",
                                         "context" };
    const double t = map_double(env, options, "temperature", 0.8);
    weft_model_generate_desc d = { .max_tokens = (uint32_t)map_u64(env, options, "max_tokens") };
    d.sampling.temperature = t > 0 ? (float)t : (float)WEFT_MODEL_OFF;
    d.sampling.seed = map_u64(env, options, "seed");
    d.sampling.seeded = map_bool(env, options, "seeded");
    weft_model_answer   answer = { 0 };
    weft_model_session *s = weft_model_session_create(m, NULL);
    ERL_NIF_TERM        term;
    if (s && weft_model_session_generate(&answer, s, prompt, &d))
        term = ok(env, enif_make_tuple3(env, text(env, answer.text),
            atom(env, (size_t)answer.stop < COUNTOF(stops) ? stops[answer.stop] : ""),
            enif_make_uint(env, answer.tokens)));
    else
        term = fail_context(env, ctx);
    weft_model_answer_fini(&answer);
    weft_model_session_release(s);
    return term;
}

/* model_generate(model, prompt, options): {text, why it ended, tokens} */
NIF(model_generate)
{
    (void)argc;
    Arena       a = { 0 };
    Object     *o = object_find(env, argv[0], KIND_MODEL);
    const char *prompt = get_text(env, argv[1], &a);
    if (!o || !prompt) {
        arena_fini(&a);
        return o ? fail(env, WEFT_ERROR_INVALID, "the prompt is not a text without NUL")
                 : closed(env);
    }
    context_enter(o->context);
    weft_model  *m = object_get(env, argv[0], KIND_MODEL);
    ERL_NIF_TERM term = m ? generate(env, m, context_raw(o->context), prompt, argv[2])
                          : closed(env);
    weft_model_release(m);
    context_leave(o->context);
    arena_fini(&a);
    return term;
}
