// SPDX-License-Identifier: Apache-2.0
/*
 * id.c - ids of jobs: 48 bits of time, 80 random ones, in Crockford's base 32.
 *
 * in     the clock, random bytes
 * out    26 characters that sort by time and cannot be guessed
 */
#include <sodium.h>
#include <string.h>
#include <time.h>

#include "server/jobs/jobs.h"

int64_t jobs_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

bool jobs_id_ok(const char *text)
{
    return strlen(text) == STORE_ID_SIZE - 1 && strspn(text, digits) == STORE_ID_SIZE - 1;
}

void jobs_new_id(char out[STORE_ID_SIZE])
{
    uint8_t  random[16];
    uint64_t ms = (uint64_t)jobs_now_ms();
    randombytes_buf(random, sizeof random);
    for (int i = 9; i >= 0; i--, ms >>= 5)
        out[i] = digits[ms & 31];
    for (int i = 0; i < 16; i++)
        out[10 + i] = digits[random[i] & 31];
    out[26] = '\0';
}
