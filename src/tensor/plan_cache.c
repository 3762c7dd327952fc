// SPDX-License-Identifier: Apache-2.0
/*
 * plan_cache.c - keeps plans by the key of their graph; the least recently used leave.
 *
 * in     graphs
 * out    plans, made once
 * not    how they are made (plan.c), kernels (the context caches those)
 */
#include <stdlib.h>
#include <string.h>

#include "tensor/plan_priv.h"

#define BUCKETS    1024u
#define PLAN_LIMIT 1024u

struct PlanCache {
    Plan    *buckets[BUCKETS];
    Plan     lru;                   /* list head                                            */
    uint32_t count;
};

void plan_release(Plan *plan)
{
    if (!plan || --plan->refs > 0)
        return;
    for (uint32_t i = 0; i < plan->step_count; i++)
        weft_pipeline_release(plan->steps[i].pipeline);
    arena_fini(&plan->arena);
    free(plan);
}

static void unlink_plan(PlanCache *c, Plan *plan)
{
    Plan **at = &c->buckets[plan->hash % BUCKETS];
    while (*at != plan)
        at = &(*at)->next;
    *at = plan->next;
    plan->newer->older = plan->older;
    plan->older->newer = plan->newer;
    c->count--;
}

void plan_cache_free(PlanCache *c)
{
    while (c && c->count) {
        Plan *plan = c->lru.newer;
        unlink_plan(c, plan);
        plan_release(plan);
    }
    free(c);
}

static void make_newest(PlanCache *c, Plan *plan)
{
    plan->older = c->lru.older;     /* lru.older is the newest, lru.newer the oldest */
    plan->newer = &c->lru;
    plan->older->newer = plan;
    c->lru.older = plan;
}

static Plan *find(PlanCache *c, const Graph *g)
{
    for (Plan *p = c->buckets[g->hash % BUCKETS]; p; p = p->next)
        if (p->hash == g->hash && p->key_len == g->key_len
            && memcmp(p->key, g->key, g->key_len * sizeof *g->key) == 0)
            return p;
    return NULL;
}

static Plan *make(Graph *g)
{
    Plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        context_fail(g->s->ctx, WEFT_ERROR_MEMORY, "no memory to plan an evaluation");
        return NULL;
    }
    plan->refs = 1;
    arena_init(&plan->arena, 0);
    if (plan_fill(plan, g))
        return plan;
    plan->step_count = 0;
    plan_release(plan);
    return NULL;
}

static PlanCache *cache_of(TensorState *s)
{
    if (!s->plans && (s->plans = calloc(1, sizeof *s->plans)) != NULL)
        s->plans->lru.newer = s->plans->lru.older = &s->plans->lru;
    if (!s->plans)
        context_fail(s->ctx, WEFT_ERROR_MEMORY, "no memory to plan an evaluation");
    return s->plans;
}

Plan *plan_for(Graph *g)
{
    PlanCache *c = cache_of(g->s);
    Plan      *plan = c ? find(c, g) : NULL;
    if (!c)
        return NULL;
    if (plan) {
        plan->newer->older = plan->older;
        plan->older->newer = plan->newer;
        make_newest(c, plan);
        return plan;
    }
    context_count(g->s->ctx, "tensor.plans", "count", 1);
    plan = make(g);
    if (!plan)
        return NULL;
    if (c->count >= PLAN_LIMIT) {
        Plan *old = c->lru.newer;
        unlink_plan(c, old);
        plan_release(old);
    }
    plan->next = c->buckets[plan->hash % BUCKETS];
    c->buckets[plan->hash % BUCKETS] = plan;
    make_newest(c, plan);
    c->count++;
    return plan;
}
