/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integer.c - kernels on integers.
 */
#include "native/native.h"

#include <omp.h>
#include <string.h>

void native_histogram(uint32_t *bins, const uint32_t *value, size_t n)
{
    memset(bins, 0, 256 * sizeof *bins);
#pragma omp parallel
    {
        uint32_t own[256] = {0};
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < n; i++)
            own[value[i] & 255]++;
#pragma omp critical
        for (int b = 0; b < 256; b++)
            bins[b] += own[b];
    }
}

/* ---- hashes ---- */

#define PRIME1 2654435761u
#define PRIME2 2246822519u
#define PRIME3 3266489917u
#define PRIME5 374761393u

static inline uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static inline uint32_t lane(uint32_t seed, uint32_t word)
{
    return rotate(seed + word * PRIME2, 13) * PRIME1;
}

void native_hash(uint32_t *restrict hash, const uint32_t *restrict key, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++) {
        const uint32_t *k = key + 4 * i;
        uint32_t h = rotate(lane(PRIME1 + PRIME2, k[0]), 1) + rotate(lane(PRIME2, k[1]), 7)
                   + rotate(lane(0, k[2]), 12) + rotate(lane(0 - PRIME1, k[3]), 18);
        h += 16;
        for (int round = 0; round < 4; round++) {
            h = rotate(h + (h ^ k[0]) * PRIME3, 17) * PRIME5;
            h ^= h >> 15;
        }
        h ^= h >> 15;
        h *= PRIME2;
        h ^= h >> 13;
        h *= PRIME3;
        h ^= h >> 16;
        hash[i] = h;
    }
}

/* ---- sorting ---- */

#define BLOCK 4096                  /* keys whose steps stay in the cache         */

static inline void exchange(uint32_t *restrict a, uint32_t *restrict b, size_t n, bool up)
{
    if (up)
        for (size_t i = 0; i < n; i++) {
            uint32_t x = a[i], y = b[i];
            a[i] = x < y ? x : y;
            b[i] = x < y ? y : x;
        }
    else
        for (size_t i = 0; i < n; i++) {
            uint32_t x = a[i], y = b[i];
            a[i] = x < y ? y : x;
            b[i] = x < y ? x : y;
        }
}

/* All steps of partners `apart` and nearer, within n keys from `first` on. */
static void merge_near(uint32_t *key, size_t first, size_t n, size_t run, size_t apart)
{
    for (; apart > 0; apart /= 2)
        for (size_t i = 0; i < n; i += 2 * apart)
            exchange(key + first + i, key + first + i + apart, apart, !((first + i) & run));
}

void native_sort(uint32_t *key, size_t n)
{
    size_t block = n < BLOCK ? n : BLOCK;
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < n; first += block)
        for (size_t run = 2; run <= block; run *= 2)
            merge_near(key, first, block, run, run / 2);
    for (size_t run = 2 * block; run <= n; run *= 2) {
        for (size_t apart = run / 2; apart >= block; apart /= 2)
#pragma omp parallel for schedule(static)
            for (size_t i = 0; i < n / 2; i += block) {
                size_t p = i / apart * 2 * apart + i % apart;
                exchange(key + p, key + p + apart, block, !(p & run));
            }
#pragma omp parallel for schedule(static)
        for (size_t first = 0; first < n; first += block)
            merge_near(key, first, block, run, block / 2);
    }
}
