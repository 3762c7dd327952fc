/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - what the files for weft/model.h share: jobs with memory of their own.
 *
 * in     arguments that end with a call
 * out    copies that live as long as a job
 * knows  job.c
 * not    what the jobs compute
 */
#ifndef WEFT_NODE_MODEL_H_
#define WEFT_NODE_MODEL_H_

#include "layer.h"


typedef struct ModelBlock ModelBlock;

/* The first member of each job of a model. */
typedef struct ModelJob {
    Job         job;
    ModelBlock *blocks;                 /* what model_keep() gave */
} ModelJob;

/* A zeroed job of `size` bytes for the context of the call. NULL: an argument was bad. */
void *model_job_new(Call *c, size_t size);
/* Memory that is freed with the job. NULL: no memory, and thrown. */
void *model_keep(Call *c, void *job, const void *data, size_t size);
/* A copy of a text; NULL stays NULL. */
const char *model_keep_text(Call *c, void *job, const char *text);
/* Frees that memory: the end of each fini(). */
void  model_job_fini(Job *job);
/* Gives up a job that was not started. NULL. */
napi_value model_job_drop(void *job);

/* The model's facts as an object. */
napi_value model_info_value(napi_env napi, const weft_model *model);

#endif
