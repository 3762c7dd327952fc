/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - players take turns, and the middle of what they did counts.
 *
 * On a machine that others use too, one long run of each player says more about
 * the others than about the players. So each gets many short turns, one after the
 * other, and what is reported is a median over the turns.
 *
 * in     functions to call
 * out    seconds, medians, ratios
 * not    what the functions do
 */
#include "harness/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN_TIME  0.004        /* seconds of launches in a turn, at least one    */
#define TURN_MOST  101u         /* launches in a turn                             */
#define TURN_LONG  0.25         /* a launch that takes so long is a turn by itself */
/* Between two turns: OpenMP's threads look for work that long before they sleep,
 * and would take the cores from the next player. */
#define REST_TIME  0.008

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double cpu_now(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void rest(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, uint32_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double geometric_mean(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += log(values[i]);
    return exp(sum / (n ? n : 1));
}

/* One launch that is not timed wakes the threads and fills the caches, as the launch
 * before would have done in a loop of them. A long one does not depend on that. */
static double take_turn(const Player *p, clockid_t clock)
{
    double times[TURN_MOST], begin = read_clock(clock);
    uint32_t n = 0;
    p->run(p->user);
    double first = read_clock(clock);
    if (first - begin > TURN_LONG)
        return first - begin;
    begin = first;
    do {
        p->run(p->user);
        double end = read_clock(clock);
        times[n++] = end - begin;
        begin = end;
    } while (n < TURN_MOST && begin - first < TURN_TIME);
    return median(times, n);
}

void match_play(Match *m, const MatchDesc *desc, const Player *players, uint32_t nplayers)
{
    clockid_t clock = desc->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    double begin = now();
    m->nplayers = nplayers;
    m->nturns = 0;
    while (m->nturns < MAX_TURNS &&
           (m->nturns < desc->turns || now() - begin < desc->seconds)) {
        for (uint32_t i = 0; i < nplayers; i++) {
            m->time[i][m->nturns] = take_turn(&players[i], clock);
            if (nplayers > 1 && desc->seconds > 0)
                rest(REST_TIME);
        }
        m->nturns++;
    }
}

double match_median(const Match *m, uint32_t player)
{
    double values[MAX_TURNS];
    memcpy(values, m->time[player], m->nturns * sizeof *values);
    return median(values, m->nturns);
}

double match_best(const Match *m, uint32_t player)
{
    double best = m->time[player][0];
    for (uint32_t i = 1; i < m->nturns; i++)
        best = fmin(best, m->time[player][i]);
    return best;
}

double match_ratio(const Match *m, uint32_t a, uint32_t b)
{
    double values[MAX_TURNS];
    for (uint32_t i = 0; i < m->nturns; i++)
        values[i] = m->time[a][i] / m->time[b][i];
    return median(values, m->nturns);
}
