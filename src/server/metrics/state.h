// SPDX-License-Identifier: Apache-2.0
/*
 * state.h - the state machines of the server and of its devices, from one table.
 *
 * in     a state and an event
 * out    the next state
 * knows  states.def
 * not    what happens in a state
 */
#ifndef WEFT_SERVER_STATE_H
#define WEFT_SERVER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* All states of all machines: SERVER_IDLE, DEVICE_BUSY. */
typedef enum State {
#define STATE(machine, state, name) machine##_##state,
#define TRANSITION(machine, from, event, to)
#include "server/metrics/states.def"
#undef STATE
#undef TRANSITION
    STATE_COUNT
} State;

typedef enum StateEvent {
    EVENT_OPENED, EVENT_WORK, EVENT_NO_WORK, EVENT_STORE_FAILED, EVENT_STORE_WORKS,
    EVENT_DRAIN, EVENT_STOP, EVENT_SPAWN, EVENT_DIE, EVENT_RETIRE, EVENT_COUNT
} StateEvent;

/* "idle", "busy"; "opened". */
const char *state_name(State s);
const char *state_event_name(StateEvent e);
/* Has the event a row for this state? */
bool        state_accepts(State s, StateEvent e);
/* The next state; an event without a row is a BUG. */
State       state_next(State s, StateEvent e);
/* The machine of one state as a Mermaid diagram. */
void        state_diagram(State of, Text *out);

#endif
