// SPDX-License-Identifier: Apache-2.0
/*
 * worker_labels.c - texts of vectors, by id.
 *
 * in     ids and texts
 * out    the text of an id; an id with a text
 * knows  open addressing
 */
#include <stdlib.h>
#include <string.h>

#include "server/live/worker_priv.h"

static uint64_t place_of(const WorkSpace *s, uint64_t id)
{
    uint64_t at = (id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (s->label_room - 1);
    while (s->labels[at].text && s->labels[at].id != id)
        at = (at + 1) & (s->label_room - 1);
    return at;
}

const char *label_find(const WorkSpace *s, uint64_t id)
{
    const char *text = s->label_room ? s->labels[place_of(s, id)].text : NULL;
    return text ? text : "";
}

bool label_search(const WorkSpace *s, const char *text, uint64_t *id)
{
    for (uint64_t i = 0; i < s->label_room; i++)
        if (s->labels[i].text && strcmp(s->labels[i].text, text) == 0) {
            *id = s->labels[i].id;
            return true;
        }
    return false;
}

static bool grow(WorkSpace *s)
{
    Label   *old = s->labels;
    uint64_t old_room = s->label_room, room = old_room ? old_room * 2 : 1024;
    Label   *grown = calloc(room, sizeof *grown);
    if (!grown)
        return false;
    s->labels = grown;
    s->label_room = room;
    for (uint64_t i = 0; i < old_room; i++)
        if (old[i].text)
            s->labels[place_of(s, old[i].id)] = old[i];
    free(old);
    return true;
}

void label_set(WorkSpace *s, uint64_t id, const char *text)
{
    char *copy = strdup(text);
    if (!copy || (s->label_count * 2 >= s->label_room && !grow(s))) {
        free(copy);
        return;
    }
    Label *l = &s->labels[place_of(s, id)];
    s->label_count += !l->text;
    free(l->text);
    *l = (Label){id, copy};
}

void labels_free(WorkSpace *s)
{
    for (uint64_t i = 0; i < s->label_room; i++)
        free(s->labels[i].text);
    free(s->labels);
    s->labels = NULL;
    s->label_count = s->label_room = 0;
}
