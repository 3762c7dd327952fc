// SPDX-License-Identifier: Apache-2.0
/*
 * stream.c - a job with large outputs as JSON, written piece by piece while it is sent: as a
 * whole it would need many times its memory, and everybody else would wait for it.
 *
 * in     a record whose outputs live as long as the request
 * out    the same JSON as show_job()
 * knows  one piece is at most PIECE_BYTES of an output
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http_priv.h"

#define PIECE_BYTES 3072u               /* a multiple of 3, for base64, and of every scalar */
#define BLOCK_BYTES 65536u

typedef struct Stream {
    JobRecord record;
    JobOutput outputs[WIRE_MAX_INPUTS];
    uint32_t  count, output;            /* output: the next one                           */
    uint64_t  at;                       /* bytes of it that were written                  */
    bool      inside, begun, ended;     /* inside: its list or text has begun             */
    Arena     arena;                    /* of the piece                                   */
    Text      piece;
    size_t    sent;                     /* of the piece                                   */
} Stream;

/* A record without outputs ends with the brace that closes the job. */
static void put_head(Stream *s)
{
    show_job(&s->piece, &s->record, 0, false);
    s->piece.len--;
    text_add(&s->piece, STR(",\"outputs\":{"));
    s->begun = true;
}

static void put_output_head(Stream *s, const JobOutput *o)
{
    text_add(&s->piece, s->output ? STR(",") : STR(""));
    show_output_head(&s->piece, o);
    text_add(&s->piece, o->scalar == WIRE_ANY ? STR("\"") : STR("["));
    s->inside = true;
    s->at = 0;
}

static void put_values(Stream *s, const JobOutput *o)
{
    uint64_t step = MIN_OF(o->size - s->at, PIECE_BYTES);
    if (o->scalar == WIRE_ANY) {
        char text[PIECE_BYTES / 3 * 4 + 8];
        sodium_bin2base64(text, sizeof text, o->bytes + s->at, step,
                          sodium_base64_VARIANT_ORIGINAL);
        text_printf(&s->piece, "%s", text);
    } else {
        text_add(&s->piece, s->at ? STR(",") : STR(""));
        show_numbers(&s->piece, o->scalar, o->bytes + s->at, step);
    }
    s->at += step;
}

static void next_piece(Stream *s)
{
    const JobOutput *o = &s->outputs[s->output];
    if (!s->begun) {
        put_head(s);
    } else if (s->output == s->count) {
        text_add(&s->piece, STR("}}\n"));
        s->ended = true;
    } else if (!s->inside) {
        put_output_head(s, o);
    } else if (s->at < o->size) {
        put_values(s, o);
    } else {
        text_add(&s->piece, o->scalar == WIRE_ANY ? STR("\"}") : STR("]}"));
        s->inside = false;
        s->output++;
    }
}

static ssize_t read_stream(void *user, uint64_t position, char *to, size_t room)
{
    Stream *s = user;
    size_t  put = 0;
    (void)position;
    while (put < room) {
        if (s->sent < s->piece.len) {
            size_t n = MIN_OF(s->piece.len - s->sent, room - put);
            memcpy(to + put, s->piece.data + s->sent, n);
            s->sent += n;
            put += n;
            continue;
        }
        if (s->ended)
            break;
        arena_fini(&s->arena);
        arena_init(&s->arena, 0);
        s->piece = (Text){.arena = &s->arena};
        s->sent = 0;
        next_piece(s);
    }
    return put ? (ssize_t)put : (ssize_t)MHD_CONTENT_READER_END_OF_STREAM;
}

static void close_stream(void *user)
{
    Stream *s = user;
    arena_fini(&s->arena);
    free(s);
}

void answer_pieces(Request *r, int status, const JobRecord *j)
{
    Stream *s = calloc(1, sizeof *s);   /* it may outlive the request */
    if (!s) {
        answer_error(r, 0, WEFT_ERROR_MEMORY, "out of memory");
        return;
    }
    s->record = *j;
    s->count = result_unpack(j->outputs, s->outputs, WIRE_MAX_INPUTS);
    arena_init(&s->arena, 0);
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, s, close_stream);
    if (response)
        MHD_add_response_header(response, "Content-Type", "application/json");
    else
        close_stream(s);
    answer_response(r, status, response);
}
