// SPDX-License-Identifier: Apache-2.0
/*
 * cli.h - the parts of the command `weft`.
 *
 *   main.c      the table of commands, help, version
 *   options.c   the command line: options, operands, suggestions
 *   input.c     files and standard input
 *   entry.c     one entry point of a file      settings.c   values for overrides
 *   show.c      diagnostics for people: the line, the span underlined
 *   json.c      diagnostics for programs       table.c      columns
 *   check.c reflect.c reflect_json.c explain.c compile.c devices.c   one command each
 *   serve.c client.c                          the compute server and its clients
 *   run*.c      `weft run`, on device.c (webgpu.h), job.c (a kernel with its buffers),
 *               value.c (numbers from outside), data.c (numbers into bytes), npy.c,
 *               number.c, picture.c, timing.c
 *   model*.c    `weft model`, on weft/model.h
 *   vectors*.c  `weft vectors`, on weft/vectors.h
 *   solve*.c    `weft solve`, on weft/solve.h
 *
 * knows  weft/wgsl.h, base/, the operating system
 * not    how WGSL is checked and run: what the command can do, any program can do;
 *        but for compile.c, which shows the insides
 */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include <weft/wgsl.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"

/* Exit statuses. */
enum {
    CLI_OK = 0,
    CLI_FOUND = 1,                  /* the WGSL has errors                         */
    CLI_TROUBLE = 2,                /* wrong usage, a file that cannot be read     */
};

/* ---- the command line ---- */

typedef struct Option {
    const char *name;               /* "color", without the dashes; NULL: the end  */
    char        letter;             /* 'q' for -q; 0: none                         */
    const char *value;              /* "WHEN"; "[N]": may be left out; NULL: takes
                                       none                                        */
    const char *help;               /* NULL: not listed                            */
} Option;

/* Another name of an option, as other programs call it; one that starts with a dash is a word
 * after a single dash: "-ctk". */
typedef struct OptionAlias {
    const char *also, *name;            /* NULL: the end                           */
} OptionAlias;

typedef struct Given {
    const Option *option;
    const char   *value;            /* NULL: none                                  */
} Given;

typedef struct Cli Cli;

typedef struct Command {
    const char   *name;
    const char   *operands;         /* "FILE...", for the usage line               */
    const char   *purpose;          /* one line                                    */
    const char   *more;             /* what help adds, or ""                       */
    const Option *options;
    int         (*run)(Cli *cli);
    const OptionAlias *aliases;     /* of options; those it does not have are left out;
                                       NULL: none                                  */
    const struct Command *const *parts;     /* a group: commands "NAME PART", a NULL-
                                       terminated list; run is NULL                */
} Command;

struct Cli {
    Arena          arena;           /* of everything below                         */
    const Command *command;
    VEC(Given)        given;
    VEC(const char *) operands;
    Text           out;             /* for standard output                         */
    bool           color;
};

extern const Command cli_run, cli_check, cli_reflect, cli_inspect, cli_tune, cli_compile,
    cli_devices, cli_explain, cli_model, cli_vectors, cli_solve, cli_serve, cli_submit, cli_jobs,
    cli_key, cli_audit, cli_worker, cli_version, cli_help;
/* Parts of `weft model`. */
extern const Command cli_model_info, cli_model_tokenize, cli_model_detokenize, cli_model_run,
    cli_model_chat, cli_model_embed, cli_model_bench, cli_model_perplexity, cli_model_logits,
    cli_model_template, cli_model_convert;

/* Sorts arguments into cli->given and cli->operands. False after a message. */
bool options_parse(Cli *cli, int argc, char **argv);
/* Was the option given? Sets *value to its last value (may be NULL). */
bool options_find(const Cli *cli, const char *name, const char **value);
bool options_given(const Cli *cli, const char *name);
/* Numbers and words of options; *out stays as it is without the option. False after a
 * message. */
bool options_real(Cli *cli, const char *name, double *out);
bool options_uint(Cli *cli, const char *name, uint32_t *out);
bool options_choice(Cli *cli, const char *name, const char *const *words, uint32_t *out);
/* Resolves --color. False after a message. */
bool options_color(Cli *cli);
/* The features that --enable and --language list, for weft_wgsl_desc. NULL in
 * *list: not given. False after a message. */
bool options_features(Cli *cli, const char *option, const char *(*name)(uint32_t),
                      const char *const **list);

/* The one of the names (NULL ends them) that `word` may have meant, or NULL. */
const char *options_nearest(const char *word, const char *(*name)(uint32_t));

/* ---- output ---- */

/* A message on standard error: "weft check: ...". */
void cli_complain(const Cli *cli, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Writes cli->out to standard output and empties it. */
void cli_flush(Cli *cli);
/* The same to standard error: what is no result. */
void cli_flush_aside(Cli *cli);
/* Milliseconds of a clock that only goes forward. */
double cli_now_ms(void);

#define TABLE_MAX_COLUMNS 8

/* Rows of cells; each column is as wide as its widest cell. */
typedef struct Table {
    Arena      *arena;
    const char *indent;
    uint32_t    columns;
    VEC(const char *) cells;
} Table;

void table_row(Table *t, const char *const *cells);
void table_print(Text *out, const Table *t);

/* ---- input ---- */

typedef struct Source {
    const char *name;               /* as given; "<stdin>" for "-"                 */
    char       *text;
    size_t      size;
    const char *why;                /* NULL: it was read; why not, in the arena    */
} Source;

/* Reads a file, or standard input for "-". The caller releases it. */
Source input_read(Arena *arena, const char *name);
/* The same for data: at most `limit` bytes. */
Source input_read_limited(Arena *arena, const char *name, uint64_t limit);
void   input_release(Source *source);

/* The module of a source that was read; NULL without memory. The caller releases. */
weft_wgsl *input_check(const Source *source, const char *const *enables,
                       const char *const *language);

/* Reads and checks a file; shows its diagnostics, but not with --json. CLI_OK, or
 * why there is nothing to go on with. The caller releases both, in any case. */
int entry_load(Cli *cli, const char *name, Source *source, weft_wgsl **out);
/* The compute entry point that --entry names, or the only one. NULL, or what is
 * wrong, in the arena. */
const char *entry_choose(Cli *cli, const weft_wgsl *m, const weft_entry_point **out);

/* ---- values for overrides ---- */

typedef VEC(weft_override_value) Settings;

/* All that --set gives. False after a message. */
bool settings_parse(Cli *cli, Settings *settings);
/* Adds one, "NAME=VALUE". False after a message. */
bool settings_add(Cli *cli, Settings *settings, const char *text);
/* The API knows an override with an id by that alone; people may say its name. */
void settings_settle(Cli *cli, const weft_wgsl *m, Settings *settings);

/* ---- diagnostics ---- */

/* For people. `brief`: the first line only. */
void show_diagnostic(Cli *cli, const char *file, const weft_wgsl *m,
                     const weft_diagnostic *d, bool brief);
/* A text from outside, made safe for a terminal: control characters and what is
 * not UTF-8 become U+FFFD. */
void show_text(Text *out, Str text);
/* Columns that the text takes on a terminal. */
uint32_t show_width(Str text);

/* ,"diagnostics":[...] of a module, or of a file that could not be read. */
void json_diagnostics(Text *out, const weft_wgsl *m);
void json_unreadable(Text *out, const char *why);
void json_text(Text *out, const char *text);

#endif
