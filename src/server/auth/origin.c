// SPDX-License-Identifier: Apache-2.0
/*
 * origin.c - which Host and Origin headers are ours. They stop other web pages, also those
 * whose name was bound to our address (DNS rebinding).
 *
 * in     headers
 * out    yes or no
 * knows  server.hosts, auth.origins
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/auth/auth.h"

/* Splits "name:port" and "[v6]:port"; the port stays 0 where there is none. */
static bool split_host(const char *host, char *name, size_t size, long *port)
{
    const char *end = host + strlen(host), *colon = NULL;
    *port = 0;
    if (*host == '[') {
        const char *close = strchr(host, ']');
        if (!close)
            return false;
        colon = close[1] == ':' ? close + 1 : NULL;
        if (!colon && close[1])
            return false;
        end = close + 1;
    } else if ((colon = strchr(host, ':'))) {
        end = colon;
    }
    if (colon) {
        char *rest;
        *port = strtol(colon + 1, &rest, 10);
        if (*rest || rest == colon + 1 || *port < 1 || *port > 65535)
            return false;
    }
    size_t length = (size_t)(end - host);
    if (length == 0 || length >= size)
        return false;
    memcpy(name, host, length);
    name[length] = '\0';
    return true;
}

/* Rebinding needs a name; probes of a cluster come with the address of the day. */
static bool is_number(const char *name)
{
    struct in_addr  v4;
    struct in6_addr v6;
    char            inner[64];
    size_t          length = strlen(name);
    if (name[0] != '[')
        return inet_pton(AF_INET, name, &v4) == 1;
    if (length < 3 || length >= sizeof inner)
        return false;
    memcpy(inner, name + 1, length - 2);
    inner[length - 2] = '\0';
    return inet_pton(AF_INET6, inner, &v6) == 1;
}

static bool is_own_name(const Config *config, const char *name, const char *address)
{
    char bracketed[80];
    snprintf(bracketed, sizeof bracketed, "[%s]", address);
    if (strcasecmp(name, address) == 0 || strcasecmp(name, bracketed) == 0)
        return true;
    if (address_is_loopback(address)
        && (strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0
            || strcmp(name, "[::1]") == 0))
        return true;
    if (!address_is_loopback(address) && is_number(name))
        return true;
    for (uint32_t i = 0; i < config->hosts.count; i++)
        if (strcasecmp(name, config->hosts.items[i]) == 0)
            return true;
    return false;
}

bool auth_host_ok(const Config *config, const char *host, const char *address, uint16_t port)
{
    char name[256];
    long number;
    if (!host || !split_host(host, name, sizeof name, &number)
        || !is_own_name(config, name, address))
        return false;
    /* A name of the configuration may stand behind a proxy with another port. */
    return number == 0 || number == port || !address_is_loopback(address)
        || config->hosts.count > 0;
}

bool auth_origin_ok(const Config *config, const char *origin, const char *host)
{
    for (uint32_t i = 0; i < config->auth_origins.count; i++)
        if (strcasecmp(origin, config->auth_origins.items[i]) == 0)
            return true;
    /* The server's own pages. */
    const char *rest = strncmp(origin, "http://", 7) == 0 ? origin + 7
                     : strncmp(origin, "https://", 8) == 0 ? origin + 8 : NULL;
    return rest && host && strcasecmp(rest, host) == 0;
}
