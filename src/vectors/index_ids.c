// SPDX-License-Identifier: Apache-2.0
/*
 * index_ids.c - a hash table from ids to slots.
 *
 * in     ids below 2^63
 * out    slots
 * not    vectors
 */
#include <stdlib.h>
#include <string.h>

#include "vectors/index_priv.h"

#define FREE    UINT64_MAX              /* never used                                     */
#define REMOVED (UINT64_MAX - 1)

static uint64_t place_of(const IdMap *m, uint64_t id)
{
    uint64_t z = (id ^ id >> 30) * 0xbf58476d1ce4e5b9u;
    return (z ^ z >> 31) & (m->room - 1);
}

void id_map_fini(IdMap *m)
{
    free(m->ids);
    free(m->slots);
    *m = (IdMap){0};
}

static void put_new(IdMap *m, uint64_t id, uint32_t slot)
{
    uint64_t at = place_of(m, id);
    while (m->ids[at] != FREE && m->ids[at] != REMOVED)
        at = (at + 1) & (m->room - 1);
    m->used += m->ids[at] == FREE;
    m->count++;
    m->ids[at] = id;
    m->slots[at] = slot;
}

bool id_map_reserve(IdMap *m, weft_context *ctx, uint64_t more)
{
    uint64_t need = m->count + more, room = 64;
    if (m->room && (m->used + more) * 4 <= m->room * 3)
        return true;
    while (room * 3 < need * 4)
        room *= 2;
    room *= 2;                          /* half full at most after it has grown */
    IdMap grown = {.room = room};
    grown.ids = host_array(ctx, room, sizeof *grown.ids);
    grown.slots = host_array(ctx, room, sizeof *grown.slots);
    if (!grown.ids || !grown.slots) {
        id_map_fini(&grown);
        return false;
    }
    memset(grown.ids, 0xff, room * sizeof *grown.ids);
    for (uint64_t i = 0; i < m->room; i++)
        if (m->ids[i] < REMOVED)
            put_new(&grown, m->ids[i], m->slots[i]);
    id_map_fini(m);
    *m = grown;
    return true;
}

static uint64_t find(const IdMap *m, uint64_t id)
{
    if (m->room == 0)
        return FREE;
    for (uint64_t at = place_of(m, id); m->ids[at] != FREE; at = (at + 1) & (m->room - 1))
        if (m->ids[at] == id)
            return at;
    return FREE;
}

uint32_t id_map_find(const IdMap *m, uint64_t id)
{
    uint64_t at = find(m, id);
    return at == FREE ? NO_SLOT : m->slots[at];
}

void id_map_put(IdMap *m, uint64_t id, uint32_t slot)
{
    uint64_t at = find(m, id);
    if (at != FREE)
        m->slots[at] = slot;
    else
        put_new(m, id, slot);
}

void id_map_remove(IdMap *m, uint64_t id)
{
    uint64_t at = find(m, id);
    if (at == FREE)
        return;
    m->ids[at] = REMOVED;
    m->count--;
}
