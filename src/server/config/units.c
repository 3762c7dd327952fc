// SPDX-License-Identifier: Apache-2.0
/*
 * units.c - numbers with units, and addresses with ports.
 *
 * in     "1GB", "30s", "10_000_000_000", "0.9", "127.0.0.1:8080"
 * out    bytes, nanoseconds, counts, ratios, host and port
 * not    where the texts come from
 */
#include "server/config/config.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Unit {
    const char *name;
    double      factor;
} Unit;

static const Unit byte_units[] = {
    {"", 1}, {"B", 1},
    {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
    {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
};

static const Unit time_units[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"min", 60e9},
    {"h", 3600e9}, {"d", 86400e9},
};

/* The number at the start of `text`, underscores between digits left out; NULL if
 * there is none, otherwise what follows it. */
static const char *read_number(const char *text, double *out)
{
    char   digits[64];
    size_t n = 0;
    bool   dot = false, digit = false;
    for (; *text; text++) {
        if (*text == '_' && digit && text[1] >= '0' && text[1] <= '9')
            continue;
        if (*text == '.' && !dot && digit)
            dot = true;
        else if (*text >= '0' && *text <= '9')
            digit = true;
        else
            break;
        if (n + 1 >= sizeof digits)
            return NULL;
        digits[n++] = *text;
    }
    digits[n] = '\0';
    if (!digit || digits[n - 1] == '.')
        return NULL;
    *out = strtod(digits, NULL);
    return text;
}

static bool read_with_unit(const char *text, const Unit *units, size_t count, uint64_t *out)
{
    double      value;
    const char *rest = read_number(text, &value);
    if (!rest)
        return false;
    while (*rest == ' ')
        rest++;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(units[i].name, rest) != 0)
            continue;
        double scaled = value * units[i].factor;
        if (scaled > 9e18)
            return false;
        *out = (uint64_t)llround(scaled);
        return true;
    }
    return false;
}

bool units_count(const char *text, uint64_t *out)
{
    double      value;
    const char *rest = read_number(text, &value);
    if (!rest || *rest || value > 9e15 || value != floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

bool units_bytes(const char *text, uint64_t *out)
{
    return read_with_unit(text, byte_units, COUNTOF(byte_units), out);
}

bool units_time(const char *text, uint64_t *nanoseconds)
{
    return read_with_unit(text, time_units, COUNTOF(time_units), nanoseconds);
}

bool units_ratio(const char *text, double *out)
{
    const char *rest = read_number(text, out);
    return rest && !*rest;
}

bool address_split(const char *text, char *host, size_t host_size, uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text)
        return false;
    size_t      length = (size_t)(colon - text);
    const char *start = text;
    if (*text == '[') {
        if (text[length - 1] != ']')
            return false;
        start++;
        length -= 2;
    } else if (memchr(text, ':', length)) {
        return false;
    }
    uint64_t number;
    if (length == 0 || length >= host_size || !units_count(colon + 1, &number)
        || number > UINT16_MAX)
        return false;
    memcpy(host, start, length);
    host[length] = '\0';
    *port = (uint16_t)number;
    return true;
}

bool address_is_loopback(const char *host)
{
    struct in_addr  v4;
    struct in6_addr v6;
    if (strcmp(host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}
