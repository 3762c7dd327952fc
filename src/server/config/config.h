// SPDX-License-Identifier: Apache-2.0
/*
 * config.h - the configuration of the server, read from YAML.
 *
 * in     a YAML file, or nothing
 * out    a Config with every key set; or a sentence with the line and the key
 * knows  YAML, units
 * not    what the keys are for (config.def says it in words)
 */
#ifndef WEFT_SERVER_CONFIG_H
#define WEFT_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

typedef struct ConfigList {
    char   **items;                 /* [count], in the arena                       */
    uint32_t count;
} ConfigList;

typedef struct Config {
    Arena arena;                    /* of all texts                                */
#define CONFIG_TYPE_FLAG  bool
#define CONFIG_TYPE_COUNT uint64_t
#define CONFIG_TYPE_RATIO double
#define CONFIG_TYPE_BYTES uint64_t
#define CONFIG_TYPE_TIME  uint64_t  /* nanoseconds                                 */
#define CONFIG_TYPE_TEXT  char *
#define CONFIG_TYPE_LIST  ConfigList
#define CONFIG(type, field, path, value, effect) CONFIG_TYPE_##type field;
#include "server/config/config.def"
#undef CONFIG
} Config;

typedef enum ConfigKind {
    CONFIG_FLAG, CONFIG_COUNT, CONFIG_RATIO, CONFIG_BYTES, CONFIG_TIME, CONFIG_TEXT, CONFIG_LIST,
} ConfigKind;

/* A row of config.def. */
typedef struct ConfigRow {
    ConfigKind  kind;
    size_t      offset;
    const char *path, *value, *effect;
} ConfigRow;

/* NULL when `index` is past the last. */
const ConfigRow *config_row(uint32_t index);

/* The defaults. config_fini() frees either. */
void config_init(Config *c);
/* The defaults changed by YAML text. False: `why` (at most `size` bytes) names the line
 * and the key; *c then has to be freed all the same. */
bool config_read(Config *c, const char *yaml, size_t length, char *why, size_t size);
/* The same from a file. */
bool config_load(Config *c, const char *path, char *why, size_t size);
/* Sets one key, as "server.listen" and its text. */
bool config_set(Config *c, const char *path, const char *text, char *why, size_t size);
void config_fini(Config *c);
/* True: `why` says which key has a value that is not possible, alone or beside another. */
bool config_fault(const Config *c, char *why, size_t size);

/* A Markdown table of all keys, for docs/server.md. */
void config_document(Text *out);

/* Numbers with underscores, bytes and times with units. False if `text` is none. */
bool units_count(const char *text, uint64_t *out);
bool units_bytes(const char *text, uint64_t *out);
bool units_time(const char *text, uint64_t *nanoseconds);
bool units_ratio(const char *text, double *out);

/* "127.0.0.1:8080", "[::1]:0": the address and port. False if it is none. */
bool address_split(const char *text, char *host, size_t host_size, uint16_t *port);
/* Is this a loopback address, or the name localhost? */
bool address_is_loopback(const char *host);

#endif
