// SPDX-License-Identifier: Apache-2.0
/*
 * show.c - jobs and their outputs as JSON.
 *
 * in     records
 * out    JSON text
 * knows  JSON has no NaN and no infinity: they are written as texts
 */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http_priv.h"

static double half_value(uint16_t h)
{
    int    exponent = h >> 10 & 31;
    double value = exponent == 31 ? (h & 1023 ? NAN : INFINITY)
                 : exponent ? ldexp(1024 + (h & 1023), exponent - 25)
                            : ldexp(h & 1023, -24);
    return h & 0x8000 ? -value : value;
}

static void show_float(Text *out, double v, int digits)
{
    if (isnan(v))
        text_add(out, STR("\"NaN\""));
    else if (isinf(v))
        text_add(out, v > 0 ? STR("\"Infinity\"") : STR("\"-Infinity\""));
    else
        text_printf(out, "%.*g", digits, v);
}

static void show_scalar(Text *out, WireScalar scalar, const uint8_t *at)
{
    float    f32;
    int32_t  i32;
    uint32_t u32;
    uint16_t f16;
    switch (scalar) {
    case WIRE_F32:
        memcpy(&f32, at, 4);
        show_float(out, (double)f32, 9);
        return;
    case WIRE_I32:
        memcpy(&i32, at, 4);
        text_printf(out, "%d", i32);
        return;
    case WIRE_F16:
        memcpy(&f16, at, 2);
        show_float(out, half_value(f16), 5);
        return;
    case WIRE_U8:
        text_printf(out, "%u", *at);
        return;
    default:
        memcpy(&u32, at, 4);
        text_printf(out, "%u", u32);
    }
}

void show_numbers(Text *out, WireScalar scalar, const uint8_t *bytes, uint64_t size)
{
    uint32_t step = wire_scalar_size(scalar);
    for (uint64_t at = 0; at + step <= size; at += step) {
        if (at)
            text_char(out, ',');
        show_scalar(out, scalar, bytes + at);
    }
}

void show_number_list(Text *out, WireScalar scalar, const uint8_t *bytes, uint64_t size)
{
    text_char(out, '[');
    show_numbers(out, scalar, bytes, size);
    text_char(out, ']');
}

static void show_base64(Text *out, const uint8_t *bytes, uint64_t size)
{
    size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char  *text = arena_alloc(out->arena, room);
    sodium_bin2base64(text, room, bytes, size, sodium_base64_VARIANT_ORIGINAL);
    text_printf(out, "\"%s\"", text);
}

/* Up to the value itself. */
void show_output_head(Text *out, const JobOutput *o)
{
    text_json(out, str_of(o->name));
    text_printf(out, ":{\"dtype\":\"%s\",\"size\":%llu", wire_scalar_name(o->scalar),
                (unsigned long long)o->size);
    if (o->dims) {
        text_add(out, STR(",\"shape\":["));
        for (uint32_t d = 0; d < o->dims; d++)
            text_printf(out, "%s%llu", d ? "," : "", (unsigned long long)o->shape[d]);
        text_char(out, ']');
    }
    text_add(out, o->scalar == WIRE_ANY ? STR(",\"base64\":") : STR(",\"data\":"));
}

void show_outputs(Text *out, StoreBlob blob)
{
    JobOutput outputs[WIRE_MAX_INPUTS];
    uint32_t  count = result_unpack(blob, outputs, WIRE_MAX_INPUTS);
    text_char(out, '{');
    for (uint32_t i = 0; i < count; i++) {
        const JobOutput *o = &outputs[i];
        text_add(out, i ? STR(",") : STR(""));
        show_output_head(out, o);
        if (o->scalar == WIRE_ANY)
            show_base64(out, o->bytes, o->size);
        else
            show_number_list(out, o->scalar, o->bytes, o->size);
        text_char(out, '}');
    }
    text_char(out, '}');
}

static void show_error(Text *out, const JobRecord *j)
{
    text_printf(out, ",\"error\":{\"kind\":\"%s\",\"message\":",
                error_kind_name((weft_error_kind)j->error));
    text_json(out, str_of(j->message));
    text_char(out, '}');
}

static void show_figures(Text *out, const JobFigures *f)
{
    text_printf(out, ",\"timing\":{\"compile_ms\":%.3f,\"run_ms\":%.3f,\"total_ms\":%.3f,"
                "\"cpu_ms\":%.3f,\"cached\":%s},\"operations\":%llu,\"workgroups\":[%u,%u,%u]",
                (double)f->compile_ns * 1e-6, (double)f->run_ns * 1e-6,
                (double)f->total_ns * 1e-6, (double)f->cpu_ns * 1e-6,
                f->cached ? "true" : "false", (unsigned long long)f->ops, f->groups[0],
                f->groups[1], f->groups[2]);
}

void show_job(Text *out, const JobRecord *j, double progress, bool with_outputs)
{
    text_printf(out, "{\"id\":\"%s\",\"state\":\"%s\",\"priority\":%d,\"attempt\":%u,"
                "\"created\":%lld", j->id, job_state_name(j->state), j->priority, j->attempt,
                (long long)j->created);
    if (j->started)
        text_printf(out, ",\"started\":%lld", (long long)j->started);
    if (j->finished)
        text_printf(out, ",\"finished\":%lld", (long long)j->finished);
    if (progress > 0)
        text_printf(out, ",\"progress\":%.6g", progress);
    if (j->state == JOB_FAILED || j->state == JOB_CANCELLED)
        show_error(out, j);
    if (j->state == JOB_DONE)
        show_figures(out, &j->figures);
    if (with_outputs && j->state == JOB_DONE) {
        text_add(out, STR(",\"outputs\":"));
        show_outputs(out, j->outputs);
    }
    text_char(out, '}');
}
