/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hand.h - the work of a benchmark in Vulkan, as one writes it by hand for one kernel.
 */
#ifndef WEFT_BENCH_VULKAN_HAND_H
#define WEFT_BENCH_VULKAN_HAND_H

#include "harness/bench.h"

typedef struct Hand Hand;

/* They stop the program with a message if Vulkan is at fault. `spv`: a file; the
 * constants 0, 1, ... of the shader are the sizes of `w`. Work with one STEP_RUN, and
 * STEP_CLEARs before it. */
Hand       *hand_new(const char *spv, const Work *w);
void        hand_free(Hand *h);
void        hand_launch(Hand *h);               /* from recording to completion   */
const void *hand_result(Hand *h);               /* the array w->out               */
void        hand_write(Hand *h, uint32_t i);    /* the data of the array `i`      */
/* The array w->out into `to`, by way of a buffer of the host's, as on a GPU. */
void        hand_read(Hand *h, void *to);
const char *hand_device(const Hand *h);         /* its name                       */

#endif
