/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - text in and out: the source of a kernel, bars, messages.
 *
 * in     files of bench/kernels
 * out    WGSL with the sizes of this run in it; text for tables
 * not    measuring
 */
#include "harness/bench.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCE (64u << 10)

void stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

/* ---- WGSL ---- */

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, MAX_SOURCE);
    if (!f || !text)
        stop("%s cannot be read", path);
    size_t n = fread(text, 1, MAX_SOURCE - 1, f);
    if (n == MAX_SOURCE - 1 || ferror(f))
        stop("%s cannot be read, or is too long", path);
    fclose(f);
    return text;
}

/* Puts `value` in the place of the digits of "const NAME = digits". */
static void set_constant(char *text, const char *name, uint32_t value)
{
    char head[64], digits[16];
    snprintf(head, sizeof head, "const %s = ", name);
    char *at = strstr(text, head);
    if (!at)
        stop("the kernel has no line '%s...'", head);
    at += strlen(head);
    size_t old = 0, new = (size_t)snprintf(digits, sizeof digits, "%u", value);
    while (isdigit((unsigned char)at[old]))
        old++;
    if (strlen(text) + new - old >= MAX_SOURCE)
        stop("the kernel is too long");
    memmove(at + new, at + old, strlen(at + old) + 1);
    memcpy(at, digits, new);
}

char *kernel_source(const Bench *b, const Work *w)
{
    char path[512];
    snprintf(path, sizeof path, "%s/kernels/%s%s", BENCH_DIR, b->wgsl ? b->wgsl : b->name,
             b->wgsl ? "" : ".wgsl");
    char *text = read_file(path);
    for (uint32_t i = 0; i < MAX_SIZES && b->sizes[i].name; i++)
        set_constant(text, b->sizes[i].name, w->size[i]);
    return text;
}

/* ---- bars ---- */

#define BAR_ONE   10            /* characters to the ratio 1                      */
#define BAR_WIDTH 30

const char *ratio_bar(double ratio)
{
    static char text[BAR_WIDTH + 2];
    double length = ratio * BAR_ONE;
    int n = length > BAR_WIDTH ? BAR_WIDTH : (int)lround(length);
    int end = n > BAR_ONE ? n : BAR_ONE;
    for (int i = 0; i < end; i++)
        text[i] = i < n ? '=' : ' ';
    text[BAR_ONE - 1] = '|';
    if (length > BAR_WIDTH)
        text[end++] = '>';
    text[end] = '\0';
    return text;
}
