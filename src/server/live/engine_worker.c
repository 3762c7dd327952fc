// SPDX-License-Identifier: Apache-2.0
/*
 * engine_worker.c - the process that indexes, maps and projects the vectors of all tenants.
 *
 * in     calls on one socket
 * out    answers on the same socket, in the order of the calls
 * knows  weft/vectors.h (worker_space.c), the sandbox
 * not    files, the network, clients
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/live/worker_priv.h"
#include "server/worker/sandbox.h"

#define MAX_CALL (256u << 20)

static bool write_all(int fd, const void *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = send(fd, (const char *)from + at, size - at, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool read_all(int fd, void *to, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, (char *)to + at, size - at);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool reply(VectorsWorker *w, uint64_t id, WireKind kind, const Pack *body)
{
    WireHead head = {WIRE_MAGIC, kind, id, body->size};
    return write_all(w->fd, &head, sizeof head) && write_all(w->fd, body->data, body->size);
}

bool worker_fail(VectorsWorker *w, weft_error_kind kind, const char *message)
{
    w->kind = kind;
    w->message = message;
    return false;
}

static bool setup(VectorsWorker *w, Unpack *u)
{
    const void *s = unpack_raw(u, sizeof w->setup);
    if (s)
        memcpy(&w->setup, s, sizeof w->setup);
    return s != NULL;
}

/* ---- calls ---- */

static bool (*const calls[])(VectorsWorker *, WorkSpace *, Unpack *, Pack *) = {
    [ENGINE_ADD] = work_add, [ENGINE_SEARCH] = work_search, [ENGINE_PLACES] = work_places,
    [ENGINE_SHOW] = work_show, [ENGINE_PLANE] = work_plane, [ENGINE_STATE] = work_state,
    [ENGINE_RESTORE] = work_restore, [ENGINE_DROP] = work_drop,
};

static bool carry_out(VectorsWorker *w, const uint8_t *data, size_t size, uint64_t id)
{
    Unpack      u = {.data = data, .size = size};
    Pack        body = {0};
    uint32_t    op = unpack_u32(&u);
    const char *tenant = unpack_text(&u, LIVE_TENANT);
    unpack_raw(&u, (8 - u.at % 8) % 8);
    w->kind = WEFT_ERROR_NONE;
    w->message = NULL;
    if (op == ENGINE_SETUP)
        return setup(w, &u);
    WorkSpace *s = op < COUNTOF(calls) && calls[op] ? work_space(w, tenant) : NULL;
    bool       ok = s && calls[op](w, s, &u, &body) && !u.failed && !body.failed;
    if (!ok) {
        const weft_error *e = weft_context_error(w->ctx);
        pack_fini(&body);
        body = (Pack){0};
        pack_u32(&body, w->message ? w->kind : e->kind ? e->kind : WEFT_ERROR_INTERNAL);
        pack_text(&body, w->message ? w->message : e->kind ? e->message : "damaged call");
        weft_context_error_clear(w->ctx);
    }
    ok = reply(w, id, ok ? WIRE_DONE : WIRE_FAILED, &body);
    pack_fini(&body);
    return ok;
}

static bool receive(VectorsWorker *w)
{
    WireHead head;
    if (!read_all(w->fd, &head, sizeof head) || head.magic != WIRE_MAGIC || head.size > MAX_CALL)
        return false;
    uint8_t *data = malloc(head.size + 1);
    bool     ok = data && read_all(w->fd, data, head.size)
            && carry_out(w, data, head.size, head.job);
    free(data);
    return ok;
}

int live_worker_main(const LiveWorkerDesc *desc)
{
    pid_t         server = getppid();
    VectorsWorker worker = {.fd = desc->fd}, *w = &worker;
    close_range((unsigned)desc->fd + 1, ~0u, 0);
    if (desc->sandboxed)
        sandbox_begin(0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != server)
        return 1;
    w->ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu", .no_cache = true,
                                                      .threads = desc->threads});
    if (!w->ctx)
        return 1;
    if (desc->sandboxed)
        sandbox_close();
    Pack hello = {0};
    bool ok = reply(w, 0, WIRE_HELLO, &hello);
    while (ok && receive(w))
        ;
    _exit(0);                           /* nothing here needs an orderly end */
}
