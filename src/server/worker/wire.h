// SPDX-License-Identifier: Apache-2.0
/*
 * wire.h - the messages between the server and its worker processes.
 *
 * in     fields to pack; bytes from the other side, which may be hostile
 * out    bytes; fields, each checked against the end of the message
 * knows  both ends run on one machine, from one binary; but a JobSpec is also what the store
 *        keeps, where a newer binary may find it
 * not    sockets (pool.c, worker.c), what a job means (jobs/)
 *
 * A message is a WireHead and `size` bytes. Ownership: a Pack owns its bytes.
 */
#ifndef WEFT_SERVER_WIRE_H
#define WEFT_SERVER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAGIC 0x54464557u          /* "WEFT" */
#define WIRE_MAX_NAME   128u            /* bytes of a binding's, entry's or buffer's name */
#define WIRE_MAX_INPUTS 64u             /* inputs, outputs, constants of a job, each      */
#define WIRE_MAX_DIMS   8u
#define WIRE_MAX_ERROR  (64u << 10)
#define WIRE_SPEC_FORMAT 3u             /* of job_spec_pack(); 2 is read, too             */

typedef enum WireKind {
    WIRE_HELLO = 1,                     /* worker: its device is open                     */
    WIRE_RUN,                           /* server: a JobSpec, then the named buffers      */
    WIRE_CHECK,                         /* server: a JobSpec, of which only WGSL counts   */
    WIRE_DONE,                          /* worker: WireDone, then the outputs             */
    WIRE_FAILED,                        /* worker: an error                               */
    WIRE_CHECKED,                       /* worker: a JSON report                          */
    WIRE_PROBE,                         /* server: try what the sandbox forbids           */
    WIRE_PROBED,                        /* worker: what happened, as text                 */
    WIRE_CANCEL,                        /* server: a model's answer is not wanted         */
    WIRE_PIECE,                         /* model: a part of an answer, as JSON            */
    WIRE_PIECE_LAST,                    /* model: its end, or an error                    */
} WireKind;

typedef struct WireHead {
    uint32_t magic, kind;
    uint64_t job;                       /* number that the answer repeats                 */
    uint64_t size;                      /* bytes that follow                              */
} WireHead;

/* Kinds of input data. */
typedef enum WireData {
    WIRE_NUMBERS = 1,                   /* f64 each; the worker converts to the binding   */
    WIRE_BYTES,                         /* as the buffer holds them                       */
    WIRE_BUFFER,                        /* a named buffer: data is its name               */
} WireData;

typedef enum WireScalar {
    WIRE_ANY = 0, WIRE_F32, WIRE_I32, WIRE_U32, WIRE_F16, WIRE_U8,
} WireScalar;

/* Bytes of a scalar; 0: WIRE_ANY. Its name in JSON; the scalar of a name. */
uint32_t    wire_scalar_size(WireScalar scalar);
const char *wire_scalar_name(WireScalar scalar);
WireScalar  wire_scalar_find(const char *name);

typedef struct WireInput {
    const char    *name;                /* the binding's; "params.scale" for a member     */
    WireData       kind;
    const uint8_t *data;
    uint64_t       size;                /* bytes at data                                  */
} WireInput;

typedef struct WireOutput {
    const char *name;
    WireScalar  scalar;
    uint64_t    size;                   /* bytes                                          */
    uint32_t    dims;
    uint64_t    shape[WIRE_MAX_DIMS];
    const char *buffer;                 /* keeps the result under this name     "": no    */
} WireOutput;

typedef struct WireConstant {
    const char *name;
    double      value;
} WireConstant;

/* What a job asks for. Pointers go into the packed bytes, or to the caller's. */
typedef struct JobSpec {
    const char  *wgsl;
    const char  *entry;                 /* "": the only one                               */
    const char  *runner;                /* kind of foreign worker       "": ours          */
    const char  *profile;               /* of our workers               "": kernel        */
    const char  *publish;               /* output whose rows are vectors to announce  "": none */
    uint32_t     groups[3];             /* 0,0,0: automatic                               */
    bool         portable;              /* default limits, no extensions                  */
    uint64_t     memory_limit;          /* bytes                                          */
    uint64_t     ops_limit;
    uint64_t     time_limit;            /* nanoseconds in the worker                      */
    uint32_t     input_count, output_count, constant_count;
    WireInput    inputs[WIRE_MAX_INPUTS];
    WireOutput   outputs[WIRE_MAX_INPUTS];
    WireConstant constants[WIRE_MAX_INPUTS];
} JobSpec;

/* How a run went. */
typedef struct WireDone {
    uint64_t compile_ns, run_ns, total_ns, cpu_ns;
    uint64_t ops;                       /* estimated before                               */
    uint64_t bytes_moved;               /* of all bindings                                */
    uint32_t cached;                    /* the kernel was compiled before                 */
    uint32_t groups[3];
    uint32_t output_count;
    uint32_t reserved;
} WireDone;

/* ---- packing ---- */

typedef struct Pack {
    uint8_t *data;                      /* malloc'ed                                      */
    size_t   size, room;
    bool     failed;                    /* no memory: nothing more is added               */
} Pack;

void pack_raw(Pack *p, const void *bytes, size_t size);
void pack_u32(Pack *p, uint32_t value);
void pack_u64(Pack *p, uint64_t value);
void pack_text(Pack *p, const char *text);
/* The length, padding to a multiple of 8, and the bytes. */
void pack_bytes(Pack *p, const void *bytes, uint64_t size);
void pack_fini(Pack *p);

typedef struct Unpack {
    const uint8_t *data;
    size_t         size, at;
    bool           failed;              /* read past the end, or a value out of range     */
} Unpack;

const void    *unpack_raw(Unpack *u, size_t size);
uint32_t       unpack_u32(Unpack *u);
uint64_t       unpack_u64(Unpack *u);
/* NUL-terminated inside the message; "" after a failure. At most `limit` bytes. */
const char    *unpack_text(Unpack *u, size_t limit);
const uint8_t *unpack_bytes(Unpack *u, uint64_t *size);

void job_spec_pack(Pack *p, const JobSpec *spec);
/* False: the bytes are not a spec, or one of a format that is not known. */
bool job_spec_unpack(Unpack *u, JobSpec *spec);
/* The format that stored bytes are in; above WIRE_SPEC_FORMAT: a newer Weft wrote them. */
uint32_t job_spec_format(const void *bytes, size_t size);

#endif
