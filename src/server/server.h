// SPDX-License-Identifier: Apache-2.0
/*
 * server.h - the compute server as a whole, for the command.
 *
 * in     a configuration, a data folder
 * out    a running server until a signal ends it
 * knows  all parts of the server
 * not    command lines (cli/serve.c)
 */
#ifndef WEFT_SERVER_SERVER_H
#define WEFT_SERVER_SERVER_H

#include "server/config/config.h"

typedef struct ServerDesc {
    const char *config_path;            /* NULL: the defaults                             */
    const char *folder;                 /* of the data; made if it is not there           */
    const char *const *settings;        /* "key=value", NULL at the end; may be NULL      */
    bool        check;                  /* only says what would hold, and ends            */
    void      (*print)(void *user, const char *text);  /* what a person should see        */
    void       *user;
} ServerDesc;

/* Runs until SIGINT or SIGTERM; SIGHUP reloads keys and configuration. The exit status. */
int server_run(const ServerDesc *desc);

#endif
