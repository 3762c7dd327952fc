/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the part of command lines that the programs have in common.
 */
#include "harness/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_common(Choice *c, const char *text)
{
    double   seconds;
    uint32_t turns;
    if (strcmp(text, "--small") == 0) {
        c->small = true;
        c->match.seconds = 0;
        c->match.turns = 1;
    } else if (strcmp(text, "--cpu-time") == 0) {
        c->match.cpu_time = true;
    } else if (strcmp(text, "--json") == 0) {
        c->json = true;
    } else if (sscanf(text, "--seconds=%lf", &seconds) == 1 && seconds >= 0) {
        c->match.seconds = seconds;
    } else if (sscanf(text, "--turns=%u", &turns) == 1 && turns > 0) {
        c->match.turns = turns;
    } else {
        return false;
    }
    return true;
}

void choice_init(Choice *c, const ChoiceDesc *desc, int argc, char **argv)
{
    *c = (Choice){.match = desc->match, .names = calloc((size_t)argc, sizeof *c->names)};
    if (!c->names)
        stop("no memory");
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (read_common(c, text) || (desc->read && desc->read(desc->user, text)))
            continue;
        if (text[0] == '-' || !desc->is_name(text)) {
            fprintf(stderr, "%s: '%s' is neither an option nor a name\n%s", desc->program, text,
                    desc->usage);
            exit(2);
        }
        c->names[c->nnames++] = text;
    }
}

void choice_fini(Choice *c)
{
    free(c->names);
}

bool chosen(const Choice *c, const char *name)
{
    for (uint32_t i = 0; i < c->nnames; i++)
        if (strcmp(c->names[i], name) == 0)
            return true;
    return c->nnames == 0;
}
