// SPDX-License-Identifier: Apache-2.0
/*
 * id.c - ids of jobs: 48 bits of milliseconds, 20 of nanoseconds within the millisecond,
 *        60 random ones, in Crockford's base 32.
 *
 * in     the clock, random bytes
 * out    26 characters that sort by time, also within a millisecond, and cannot be guessed
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

/* Writes the `n` lowest digits of `value`. */
static void put_digits(char *out, int n, uint64_t value)
{
    for (int i = n - 1; i >= 0; i--, value >>= 5)
        out[i] = digits[value & 31];
}

void jobs_new_id(char out[STORE_ID_SIZE])
{
    struct timespec now;
    uint64_t        random;
    clock_gettime(CLOCK_REALTIME, &now);
    randombytes_buf(&random, sizeof random);
    put_digits(out, 10, (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
    put_digits(out + 10, 4, (uint64_t)now.tv_nsec % 1000000);
    put_digits(out + 14, 12, random);
    out[26] = '\0';
}
