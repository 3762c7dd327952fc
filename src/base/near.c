// SPDX-License-Identifier: Apache-2.0
/*
 * near.c - distances between words.
 *
 * in     a word, candidates
 * out    the nearest candidate
 */
#include "base/near.h"

#include "base/macro.h"

#define MAX_WORD     64u            /* bytes of a word that is compared */
#define MAX_DISTANCE 2u

/*
 * Damerau-Levenshtein distance (insert, delete, change, swap neighbours), or
 * more than `limit` if it is more than that.
 */
static uint32_t edit_distance(Str a, Str b, uint32_t limit)
{
    uint8_t rows[3][MAX_WORD + 1];
    uint8_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (uint32_t k = 0; k <= b.len; k++)
        last[k] = (uint8_t)k;
    for (uint32_t i = 1; i <= a.len; i++) {
        uint32_t least = row[0] = (uint8_t)i;
        for (uint32_t k = 1; k <= b.len; k++) {
            bool same = a.data[i - 1] == b.data[k - 1];
            uint32_t d = MIN_OF(MIN_OF(last[k] + 1u, row[k - 1] + 1u),
                                last[k - 1] + (same ? 0u : 1u));
            if (i > 1 && k > 1 && a.data[i - 1] == b.data[k - 2]
                && a.data[i - 2] == b.data[k - 1])
                d = MIN_OF(d, before[k - 2] + 1u);
            row[k] = (uint8_t)d;
            least = MIN_OF(least, d);
        }
        if (least > limit)
            return limit + 1;
        uint8_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[b.len];
}

Near near_begin(Str word)
{
    Near near = {.word = word};
    if (word.len >= 2 && word.len <= MAX_WORD)
        near.limit = MAX_OF(MIN_OF(word.len / 3, MAX_DISTANCE), 1u);
    return near;
}

bool near_consider(Near *near, Str candidate)
{
    uint32_t longer = MAX_OF(candidate.len, near->word.len);
    uint32_t shorter = MIN_OF(candidate.len, near->word.len);
    if (near->limit == 0 || longer > MAX_WORD || longer - shorter > near->limit)
        return false;
    uint32_t d = edit_distance(near->word, candidate, near->limit);
    if (d > near->limit || d == 0)
        return false;
    near->found = candidate;
    near->limit = d - 1;            /* the next one must be better */
    return true;
}
