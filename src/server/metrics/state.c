// SPDX-License-Identifier: Apache-2.0
/*
 * state.c - looks transitions up.
 *
 * in     a state and an event
 * out    the next state
 * knows  states.def
 * not    what happens in a state
 */
#include "server/metrics/state.h"

#include "base/macro.h"

static const char *const state_names[] = {
#define STATE(machine, state, name) name,
#define TRANSITION(machine, from, event, to)
#include "server/metrics/states.def"
#undef STATE
#undef TRANSITION
};

static const char *const event_names[] = {
    [EVENT_OPENED] = "opened", [EVENT_WORK] = "work", [EVENT_NO_WORK] = "no_work",
    [EVENT_STORE_FAILED] = "store_failed", [EVENT_STORE_WORKS] = "store_works",
    [EVENT_DRAIN] = "drain", [EVENT_STOP] = "stop", [EVENT_SPAWN] = "spawn",
    [EVENT_DIE] = "die", [EVENT_RETIRE] = "retire",
};
_Static_assert(COUNTOF(event_names) == EVENT_COUNT, "an event has no name");

static const struct Row {
    State      from;
    StateEvent event;
    State      to;
} rows[] = {
#define STATE(machine, state, name)
#define TRANSITION(machine, from, event, to) {machine##_##from, EVENT_##event, machine##_##to},
#include "server/metrics/states.def"
#undef STATE
#undef TRANSITION
};

const char *state_name(State s)
{
    return s < STATE_COUNT ? state_names[s] : "unknown";
}

const char *state_event_name(StateEvent e)
{
    return e < EVENT_COUNT ? event_names[e] : "unknown";
}

static const struct Row *find(State s, StateEvent e)
{
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (rows[i].from == s && rows[i].event == e)
            return &rows[i];
    return NULL;
}

bool state_accepts(State s, StateEvent e)
{
    return find(s, e) != NULL;
}

State state_next(State s, StateEvent e)
{
    const struct Row *row = find(s, e);
    BUG_IF(!row, "event %s in state %s", state_event_name(e), state_name(s));
    return row->to;
}

void state_diagram(State of, Text *out)
{
    bool device = of >= DEVICE_ABSENT;
    text_printf(out, "stateDiagram-v2\n    [*] --> %s\n",
                state_name(device ? DEVICE_ABSENT : SERVER_STARTING));
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if ((rows[i].from >= DEVICE_ABSENT) == device)
            text_printf(out, "    %s --> %s : %s\n", state_name(rows[i].from),
                        state_name(rows[i].to), state_event_name(rows[i].event));
    if (!device)
        text_add(out, STR("    stopped --> [*]\n"));
}
