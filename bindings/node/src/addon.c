// SPDX-License-Identifier: Apache-2.0
/*
 * addon.c - the module: its functions become properties of the exports.
 *
 * in     the load of weft.node, once for each environment
 * out    start(dispatch, fail), which gives an object with all functions
 * knows  the tables of functions
 * not    what they do
 */
#include <stdlib.h>

#include "layer.h"

/* What a function of ours is called with: itself, and the environment. */
typedef struct Binding {
    Env            *env;
    const Function *function;
} Binding;

static napi_value enter(napi_env napi, napi_callback_info info)
{
    void *data = NULL;
    Call c;
    c.napi = napi;
    c.home = NULL;
    c.entered = false;
    c.argc = CALL_ARGS;
    c.blocks = NULL;
    c.bad = false;
    c.small_used = 0;
    if (napi_get_cb_info(napi, info, &c.argc, c.argv, NULL, &data) != napi_ok)
        return NULL;
    const Binding *b = data;
    c.env = b->env;
    napi_value result = b->function->run(&c);
    if (c.entered)
        home_leave(c.home);
    call_end(&c);
    return result;
}

static bool add(napi_env napi, napi_value object, Binding *b)
{
    napi_value f;
    return napi_create_function(napi, b->function->name, NAPI_AUTO_LENGTH, enter, b, &f)
               == napi_ok
           && napi_set_named_property(napi, object, b->function->name, f) == napi_ok;
}

static const Function *const tables[] = {
    instance_functions, buffer_functions, binding_functions, command_functions,
    texture_functions, layer_functions, answer_functions, context_functions,
    context_tune_functions, tensor_functions, tensor_data_functions, tensor_op_functions,
    tensor_dense_functions, tensor_gpu_functions, tensor_index_functions,
    tensor_kernel_functions, tensor_math_functions, store_functions,
    vectors_functions, model_functions,
    model_session_functions, pool_functions, pool_execute_functions, grad_functions,
    grad_evaluate_functions,
};

static size_t count_all(void)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNTOF(tables); i++)
        for (const Function *f = tables[i]; f->name; f++)
            n++;
    return n;
}

static napi_value fail(napi_env napi, const char *why)
{
    napi_throw_error(napi, NULL, why);
    return NULL;
}

/* start(dispatch, fail): the functions, bound to a queue of events of their own. */
static napi_value start(napi_env napi, napi_callback_info info)
{
    size_t argc = 2;
    napi_value argv[2], object;
    if (napi_get_cb_info(napi, info, &argc, argv, NULL, NULL) != napi_ok || argc < 2)
        return fail(napi, "weft.node: start(dispatch, fail)");
    Binding *bindings = calloc(count_all(), sizeof *bindings);
    Env *env = bindings ? env_create(napi, argv[0], argv[1], bindings) : NULL;
    if (!env || napi_create_object(napi, &object) != napi_ok)
        return fail(napi, "weft.node: cannot start");
    Binding *b = bindings;
    for (size_t i = 0; i < COUNTOF(tables); i++) {
        for (const Function *f = tables[i]; f->name; f++, b++) {
            *b = (Binding){ env, f };
            if (!add(napi, object, b))
                return fail(napi, "weft.node: cannot start");
        }
    }
    return object;
}

/* The macro below defines it without a prototype. */
#ifdef NODE_API_MODULE_GET_API_VERSION
NAPI_MODULE_EXPORT int32_t NODE_API_MODULE_GET_API_VERSION(void);
#endif

NAPI_MODULE_INIT()
{
    napi_value f;
    if (napi_create_function(env, "start", NAPI_AUTO_LENGTH, start, NULL, &f) != napi_ok
        || napi_set_named_property(env, exports, "start", f) != napi_ok)
        return NULL;
    return exports;
}
