// SPDX-License-Identifier: Apache-2.0
/*
 * worker.c - the body of a worker process.
 *
 * in     messages on one socket
 * out    answers on the same socket
 * knows  the sandbox, the executor
 * not    tenants, HTTP, files
 */
#define _GNU_SOURCE
#include "server/worker/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/macro.h"
#include "server/worker/executor.h"
#include "server/worker/sandbox.h"

#define MAX_MESSAGE ((uint64_t)1 << 34)

static const char warm_kernel[] =
    "@group(0) @binding(0) var<storage, read_write> y : array<f32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at : vec3u) {\n"
    "  if at.x < arrayLength(&y) { y[at.x] = sqrt(f32(at.x)); }\n}\n";

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

/* The head goes in front of the payload, so that a small answer is one write. */
static bool answer(int fd, WireKind kind, uint64_t job, const Pack *payload)
{
    WireHead head = {WIRE_MAGIC, kind, job, payload->size};
    Pack     whole = {0};
    if (payload->size > 65536)
        return write_all(fd, &head, sizeof head) && write_all(fd, payload->data, payload->size);
    pack_raw(&whole, &head, sizeof head);
    pack_raw(&whole, payload->data, payload->size);
    bool ok = !whole.failed && write_all(fd, whole.data, whole.size);
    pack_fini(&whole);
    return ok;
}

static bool answer_error(int fd, uint64_t job, const ExecError *e)
{
    Pack out = {0};
    pack_u32(&out, e->kind);
    pack_text(&out, e->message);
    bool ok = answer(fd, WIRE_FAILED, job, &out);
    pack_fini(&out);
    return ok;
}

/* ---- messages ---- */

/* Named buffers follow the spec, in the order of the inputs that ask for them. */
static bool resolve_buffers(Unpack *u, JobSpec *spec)
{
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].kind == WIRE_BUFFER) {
            spec->inputs[i].data = unpack_bytes(u, &spec->inputs[i].size);
            spec->inputs[i].kind = WIRE_BYTES;
        }
    return !u->failed;
}

static bool serve_run(int fd, Executor *x, const WireHead *head, Unpack *u, JobSpec *spec)
{
    ExecError e = {.kind = WEFT_ERROR_FORMAT, .message = "the message is damaged"};
    Pack      out = {0}, outputs = {0};
    WireDone  done = {0};
    bool      ok = job_spec_unpack(u, spec) && resolve_buffers(u, spec)
               && executor_run(x, spec, &outputs, &done, &e);
    if (!ok) {
        ok = answer_error(fd, head->job, &e);
    } else {
        pack_raw(&out, &done, sizeof done);
        pack_raw(&out, outputs.data, outputs.size);
        ok = !out.failed && answer(fd, WIRE_DONE, head->job, &out);
    }
    pack_fini(&outputs);
    pack_fini(&out);
    return ok;
}

static bool serve_check(int fd, Executor *x, const WireHead *head, Unpack *u, JobSpec *spec)
{
    ExecError e = {.kind = WEFT_ERROR_FORMAT, .message = "the message is damaged"};
    Pack      out = {0};
    if (!job_spec_unpack(u, spec))
        return answer_error(fd, head->job, &e);
    executor_check(x, spec, &out);
    bool ok = !out.failed && answer(fd, WIRE_CHECKED, head->job, &out);
    pack_fini(&out);
    return ok;
}

/* Tries what the sandbox forbids, on the process whose id the payload is. With a payload
 * "execve" it tries that, too: that one ends the process where the sandbox holds. */
static bool serve_probe(int fd, const WireHead *head, const char *payload)
{
    char text[1024];
    Pack out = {0};
    if (head->size >= 6 && memcmp(payload, "execve", 6) == 0) {
        char name[] = "true", *argv[] = {name, NULL}, *env[] = {NULL};
        execve("/bin/true", argv, env);
    }
    sandbox_attempt((pid_t)strtol(payload, NULL, 10), text, sizeof text);
    pack_text(&out, text);
    bool ok = answer(fd, WIRE_PROBED, head->job, &out);
    pack_fini(&out);
    return ok;
}

static bool serve_one(int fd, Executor *x, JobSpec *spec)
{
    WireHead head;
    if (!read_all(fd, &head, sizeof head) || head.magic != WIRE_MAGIC
        || head.size > MAX_MESSAGE)
        return false;
    uint8_t *payload = malloc(head.size + 1);
    if (!payload || !read_all(fd, payload, head.size)) {
        free(payload);
        return false;
    }
    payload[head.size] = '\0';
    Unpack u = {.data = payload, .size = head.size};
    bool   ok = false;
    if (head.kind == WIRE_RUN)
        ok = serve_run(fd, x, &head, &u, spec);
    else if (head.kind == WIRE_CHECK)
        ok = serve_check(fd, x, &head, &u, spec);
    else if (head.kind == WIRE_PROBE)
        ok = serve_probe(fd, &head, (const char *)payload);
    free(payload);
    return ok;
}

/* ---- start ---- */

/* Compiles and runs a kernel, so that everything the device loads lazily is loaded before
 * the sandbox closes, and the first job is fast. */
static void warm_up(Executor *x, JobSpec *spec)
{
    ExecError e;
    Pack      out = {0};
    WireDone  done;
    *spec = (JobSpec){.wgsl = warm_kernel, .entry = "", .runner = "", .output_count = 1};
    spec->outputs[0] = (WireOutput){.name = "y", .size = 65536, .buffer = ""};
    executor_run(x, spec, &out, &done, &e);
    pack_fini(&out);
}

static bool say_hello(int fd, Executor *x, uint32_t protections, bool profile)
{
    ExecError e;
    Pack      out = {0};
    double    figures[2] = {0};
    if (profile && !executor_profile(x, &figures[0], &figures[1], &e))
        figures[0] = figures[1] = 0;
    pack_u32(&out, protections);
    pack_text(&out, executor_device(x));
    pack_raw(&out, figures, sizeof figures);
    bool ok = answer(fd, WIRE_HELLO, 0, &out);
    pack_fini(&out);
    return ok;
}

int worker_main(const WorkerDesc *desc)
{
    pid_t     server = getppid();
    ExecError e = {0};
    uint32_t  protections = 0;
    close_range((unsigned)desc->fd + 1, ~0u, 0);
    if (desc->sandboxed)
        protections = desc->gpu ? sandbox_begin_gpu() : sandbox_begin(desc->address_space);
    /* A change of user namespace clears this, so it comes after. */
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != server)
        return 1;
    JobSpec  *spec = calloc(1, sizeof *spec);
    Executor *x = !spec ? NULL : desc->gpu ? executor_open_gpu(&e)
                                           : executor_open(desc->threads, &e);
    if (!x) {
        answer_error(desc->fd, 0, &e);
        return 1;
    }
    warm_up(x, spec);
    if (desc->sandboxed)
        protections |= desc->gpu ? sandbox_close_gpu() : sandbox_close();
    if (say_hello(desc->fd, x, protections, desc->profile))
        while (serve_one(desc->fd, x, spec))
            ;
    _exit(0);                           /* nothing here needs an orderly end */
}
