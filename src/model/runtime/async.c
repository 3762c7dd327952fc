// SPDX-License-Identifier: Apache-2.0
/*
 * async.c - the calls that do not wait: a task is a call on a thread of its own.
 *
 * in     the arguments of a call
 * out    weft_model_task: done or not, its results
 * knows  threads; that the context belongs to the task's thread until the task is done
 * not    what the calls compute
 */
#include "model/runtime/runtime_priv.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct weft_model_task {
    bool       (*run)(weft_model_task *t);
    weft_model_callback callback;
    void        *user;
    pthread_t    thread;
    bool         joined;
    int          done;                  /* atomic: 1 once results are there        */
    int          cancelled;             /* atomic                                  */
    bool         ok;

    weft_context *ctx;
    weft_model_session *session;        /* NULL: loads a model                     */
    weft_model_desc load;
    weft_model  *model;                 /* what was loaded                         */
    char        *prompt;
    const weft_model_message *messages;
    size_t       count;                 /* of messages, texts                      */
    weft_model_generate_desc generate;
    weft_model_answer answer;
    weft_model_batch batch;
    float       *out;
    size_t      *rows;
    const char *const *texts;
    weft_model_embed_desc embed;
};

/* ---- the life of a task ---- */

static void *task_main(void *argument)
{
    weft_model_task *t = argument;
    t->ok = t->run(t);
    if (t->callback)
        t->callback(t->user, t, t->ok);
    __atomic_store_n(&t->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static bool is_cancelled(const weft_model_task *t)
{
    return __atomic_load_n(&t->cancelled, __ATOMIC_ACQUIRE) != 0;
}

/* NULL after an error. */
static weft_model_task *task_new(weft_context *ctx, weft_model_session *s,
                                 bool (*run)(weft_model_task *t), weft_model_callback callback,
                                 void *user)
{
    if (!ctx || (s && s->busy) || weft_context_error(ctx)->kind)
        return NULL;
    weft_model_task *t = calloc(1, sizeof *t);
    if (!t) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a task");
        return NULL;
    }
    t->run = run;
    t->callback = callback;
    t->user = user;
    t->ctx = weft_context_retain(ctx);
    t->session = weft_model_session_retain(s);
    return t;
}

static void task_free(weft_model_task *t)
{
    weft_model_answer_fini(&t->answer);
    weft_model_release(t->model);
    weft_model_session_release(t->session);
    weft_context_release(t->ctx);
    free(t->prompt);
    free(t);
}

static weft_model_task *task_start(weft_model_task *t)
{
    if (!t)
        return NULL;
    if (t->session)
        t->session->busy = true;
    if (pthread_create(&t->thread, NULL, task_main, t) == 0)
        return t;
    if (t->session)
        t->session->busy = false;
    context_fail(t->ctx, WEFT_ERROR_MEMORY, "there is no thread for the call");
    task_free(t);
    return NULL;
}

bool weft_model_task_is_done(const weft_model_task *t)
{
    return !t || __atomic_load_n(&t->done, __ATOMIC_ACQUIRE);
}

bool weft_model_task_wait(weft_model_task *t)
{
    if (!t)
        return false;
    if (!t->joined) {
        pthread_join(t->thread, NULL);
        t->joined = true;
        if (t->session)
            t->session->busy = false;
    }
    return t->ok;
}

void weft_model_task_cancel(weft_model_task *t)
{
    if (!t)
        return;
    __atomic_store_n(&t->cancelled, 1, __ATOMIC_RELEASE);
    weft_model_session_cancel(t->session);
}

void weft_model_task_release(weft_model_task *t)
{
    if (!t)
        return;
    weft_model_task_wait(t);
    task_free(t);
}

weft_model *weft_model_task_model(weft_model_task *t)
{
    return t && weft_model_task_is_done(t) ? t->model : NULL;
}

const weft_model_answer *weft_model_task_answer(const weft_model_task *t)
{
    return weft_model_task_is_done(t) && t && t->ok && t->answer.text ? &t->answer : NULL;
}

/* ---- loading ---- */

static bool load_progress(void *user, uint64_t done, uint64_t total)
{
    weft_model_task *t = user;
    return !is_cancelled(t) && (!t->load.progress || t->load.progress(t->load.user, done, total));
}

static bool run_load(weft_model_task *t)
{
    weft_model_desc d = t->load;
    d.progress = load_progress;
    d.user = t;
    t->model = weft_model_create(t->ctx, &d);
    return t->model != NULL;
}

weft_model_task *weft_model_create_async(weft_context *ctx, const weft_model_desc *desc,
                                         weft_model_callback callback, void *user)
{
    weft_model_task *t = task_new(ctx, NULL, run_load, callback, user);
    if (t && desc)
        t->load = *desc;
    return task_start(t);
}

/* ---- sessions ---- */

static weft_model_task *session_task(weft_model_session *s, bool (*run)(weft_model_task *t),
                                     weft_model_callback callback, void *user)
{
    return s ? task_new(s->model->ctx, s, run, callback, user) : NULL;
}

/* A task that was cancelled before its call began: the call forgets earlier cancellations. */
static bool goes_on(weft_model_task *t)
{
    return !is_cancelled(t) ||
           context_fail(t->ctx, WEFT_ERROR_CANCELLED, "the call was cancelled");
}

static bool on_text(void *user, const weft_model_piece *piece)
{
    weft_model_task *t = user;
    return !is_cancelled(t) &&
           (!t->generate.on_text || t->generate.on_text(t->generate.user, piece));
}

static bool on_prompt(void *user, uint64_t done, uint64_t total)
{
    weft_model_task *t = user;
    return !is_cancelled(t) &&
           (!t->generate.on_prompt || t->generate.on_prompt(t->generate.user, done, total));
}

static bool run_generate(weft_model_task *t)
{
    weft_model_generate_desc d = t->generate;
    d.on_text = on_text;
    d.on_prompt = on_prompt;
    d.user = t;
    if (!goes_on(t))
        return false;
    bool ok = t->prompt ? weft_model_session_generate(&t->answer, t->session, t->prompt, &d)
                        : weft_model_session_chat(&t->answer, t->session, t->messages, t->count,
                                                  &d);
    if (ok && is_cancelled(t))
        t->answer.stop = WEFT_MODEL_STOP_CANCELLED;
    return ok;
}

weft_model_task *weft_model_session_generate_async(weft_model_session *s, const char *prompt,
                                                   const weft_model_generate_desc *desc,
                                                   weft_model_callback callback, void *user)
{
    weft_model_task *t = session_task(s, run_generate, callback, user);
    if (!t)
        return NULL;
    t->prompt = prompt ? strdup(prompt) : NULL;
    if (desc)
        t->generate = *desc;
    if (t->prompt)
        return task_start(t);
    context_fail(t->ctx, prompt ? WEFT_ERROR_MEMORY : WEFT_ERROR_INVALID,
                 prompt ? "no memory for a prompt" : "no prompt was given");
    task_free(t);
    return NULL;
}

weft_model_task *weft_model_session_chat_async(weft_model_session *s,
                                               const weft_model_message *messages, size_t count,
                                               const weft_model_generate_desc *desc,
                                               weft_model_callback callback, void *user)
{
    weft_model_task *t = session_task(s, run_generate, callback, user);
    if (!t)
        return NULL;
    t->messages = messages;
    t->count = count;
    if (desc)
        t->generate = *desc;
    return task_start(t);
}

static bool run_decode(weft_model_task *t)
{
    if (!goes_on(t))
        return false;
    return weft_model_session_decode(t->out, t->rows, t->session, &t->batch);
}

weft_model_task *weft_model_session_decode_async(float *logits, size_t *rows,
                                                 weft_model_session *s,
                                                 const weft_model_batch *batch,
                                                 weft_model_callback callback, void *user)
{
    weft_model_task *t = session_task(s, run_decode, callback, user);
    if (!t)
        return NULL;
    t->out = logits;
    t->rows = rows;
    if (batch)
        t->batch = *batch;
    return task_start(t);
}

static bool run_embed(weft_model_task *t)
{
    if (!goes_on(t))
        return false;
    return weft_model_session_embed(t->out, t->session, t->texts, t->count, &t->embed);
}

weft_model_task *weft_model_session_embed_async(float *out, weft_model_session *s,
                                                const char *const *texts, size_t count,
                                                const weft_model_embed_desc *desc,
                                                weft_model_callback callback, void *user)
{
    weft_model_task *t = session_task(s, run_embed, callback, user);
    if (!t)
        return NULL;
    t->out = out;
    t->texts = texts;
    t->count = count;
    if (desc)
        t->embed = *desc;
    return task_start(t);
}
