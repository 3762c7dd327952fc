// SPDX-License-Identifier: Apache-2.0
/*
 * model_job.c - memory of the jobs of models.
 *
 * in     arguments of calls
 * out    copies that live until the job ends
 * knows  job.c
 * not    models
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct ModelBlock {
    ModelBlock *next;
    max_align_t data[];
};

void *model_job_new(Call *c, size_t size)
{
    if (!call_ok(c))
        return NULL;
    ModelJob *j = calloc(1, size);
    if (!j)
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for a call");
    else
        j->job.home = c->home;
    return j;
}

void *model_keep(Call *c, void *job, const void *data, size_t size)
{
    ModelJob   *j = job;
    ModelBlock *b = calloc(1, sizeof *b + size);
    if (!b) {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for an argument");
        return NULL;
    }
    if (data && size)
        memcpy(b->data, data, size);
    b->next = j->blocks;
    j->blocks = b;
    return b->data;
}

const char *model_keep_text(Call *c, void *job, const char *text)
{
    return text ? model_keep(c, job, text, strlen(text) + 1) : NULL;
}

void model_job_fini(Job *job)
{
    ModelJob *j = (ModelJob *)job;
    while (j->blocks) {
        ModelBlock *next = j->blocks->next;
        free(j->blocks);
        j->blocks = next;
    }
}

napi_value model_job_drop(void *job)
{
    if (job) {
        model_job_fini(job);
        free(job);
    }
    return NULL;
}
