// SPDX-License-Identifier: Apache-2.0
/*
 * vectors_search.c - `weft vectors search`: the nearest vectors of a file.
 *
 * in     a file of vectors, or an index that was saved; queries
 * out    neighbours with their scores; the index as a file
 * knows  weft/vectors.h
 */
#include <stdlib.h>
#include <string.h>

#include "cli/vectors.h"

static const char *const metrics[] = {"cosine", "dot", "euclidean", NULL};

static const Option options[] = {
    {"query", 'q', "ROW", "a row of the file, or with --labels its text; may be repeated"},
    {"queries", 0, "FILE", "a file of vectors to search for"},
    {"count", 'n', "N", "neighbours of each query (default: 10)"},
    {"metric", 0, "HOW", "cosine (default), dot, euclidean"},
    {"lists", 0, "[N]", "search through an inverted file, of N lists; tells its recall"},
    {"recall", 0, "R", "share of the true neighbours to find through it (default: 0.95)"},
    {"probes", 0, "N", "lists to read for each query (default: as many as that needs)"},
    {"save", 0, "FILE.safetensors", "write the index; it can be given as FILE later"},
    VECTORS_OPTIONS,
    {0},
};

typedef struct Query {
    const char *name;
    uint64_t    row;                    /* of the file, or of --queries                   */
} Query;

typedef struct Finder {
    VectorsFile          file;
    weft_vectors_index  *index;
    weft_vectors_search  search;
    VEC(Query)           queries;
    float               *vectors;       /* [queries][dimension]                           */
    weft_vectors_match  *found;         /* [queries][count]                               */
} Finder;

/* ---- the index ---- */

/* Is this a file that weft_vectors_index_save() wrote? */
static bool is_index(const VectorsFile *f)
{
    return weft_store_metadata(f->store, "weft.vectors") != NULL;
}

static bool build(Finder *s)
{
    VectorsFile *f = &s->file;
    Cli         *cli = f->cli;
    uint32_t     metric = 0, lists = 0;
    const char  *text = NULL;
    weft_vectors_index_desc d = {.dimension = f->dimension, .list_threshold = WEFT_OFF};
    if (!options_choice(cli, "metric", metrics, &metric) || !options_real(cli, "recall", &d.recall)
        || (options_find(cli, "lists", &text) && text && !options_uint(cli, "lists", &lists)))
        return false;
    d.metric = (weft_vectors_metric)metric;
    d.lists = lists;
    if (is_index(f)) {
        s->index = weft_vectors_index_load(f->ctx, f->path, &d);
    } else {
        s->index = weft_vectors_index_create(f->ctx, &d);
        if (s->index && !weft_vectors_index_insert(s->index, &f->rows, NULL)) {
            weft_vectors_index_release(s->index);
            s->index = NULL;
        }
    }
    bool ok = s->index
           && (!options_given(cli, "lists") || weft_vectors_index_train(s->index, NULL, NULL))
           && (!options_find(cli, "save", &text) || weft_vectors_index_save(s->index, text));
    if (!ok)
        vectors_complain(f);
    return ok;
}

/* ---- queries ---- */

/* The row that a text names: its label, else its number. */
static bool find_row(const VectorsFile *f, const char *text, uint64_t *row)
{
    char *end;
    for (uint64_t i = 0; i < f->label_count; i++)
        if (strcmp(f->labels[i], text) == 0) {
            *row = i;
            return true;
        }
    unsigned long long number = strtoull(text, &end, 10);
    *row = number;
    if (*text && !*end && number < f->count)
        return true;
    cli_complain(f->cli, "--query: there is no row '%s'; there are %llu%s", text,
                 (unsigned long long)f->count, f->labels ? ", and no such label" : "");
    return false;
}

/* Rows of the file: as the index has them. */
static bool query_rows(Finder *s)
{
    Cli *cli = s->file.cli;
    for (uint32_t i = 0; i < cli->given.len; i++) {
        Query q = {.name = cli->given.data[i].value};
        if (strcmp(cli->given.data[i].option->name, "query") != 0)
            continue;
        if (!find_row(&s->file, q.name, &q.row))
            return false;
        VEC_PUSH(&cli->arena, &s->queries, q);
    }
    uint32_t n = s->queries.len;
    s->vectors = calloc((size_t)n * s->file.dimension + 1, sizeof *s->vectors);
    uint64_t *ids = calloc((size_t)n + 1, sizeof *ids);
    for (uint32_t i = 0; ids && i < n; i++)
        ids[i] = s->queries.data[i].row;
    bool ok = s->vectors && ids && weft_vectors_index_get(s->vectors, s->index, ids, n);
    free(ids);
    if (!ok)
        vectors_complain(&s->file);
    return ok;
}

static bool query_file(Finder *s, const char *path)
{
    VectorsFile more;
    bool        ok = vectors_open_more(&more, &s->file, path);
    if (ok && more.dimension != s->file.dimension) {
        cli_complain(s->file.cli, "%s: vectors of %u numbers, those of %s have %u", path,
                     more.dimension, s->file.path, s->file.dimension);
        ok = false;
    }
    for (uint64_t i = 0; ok && i < more.count; i++) {
        Query q = {arena_printf(&s->file.cli->arena, "%llu", (unsigned long long)i), i};
        VEC_PUSH(&s->file.cli->arena, &s->queries, q);
    }
    weft_tensor *numbers = ok ? weft_tensor_cast(more.tensor, WEFT_F32) : NULL;
    uint64_t     bytes = numbers ? weft_tensor_bytes(numbers) : 0;
    s->vectors = malloc(bytes + 1);
    if (ok && !(s->vectors && weft_tensor_read(s->vectors, bytes, numbers)))
        ok = vectors_complain(&s->file) == CLI_OK;
    weft_tensor_release(numbers);
    vectors_close(&more);
    return ok;
}

static bool read_queries(Finder *s)
{
    const char *path = NULL;
    if (options_find(s->file.cli, "queries", &path))
        return query_file(s, path);
    if (!options_given(s->file.cli, "query") && !options_given(s->file.cli, "save")) {
        cli_complain(s->file.cli, "no queries: --query=ROW or --queries=FILE");
        return false;
    }
    return query_rows(s);
}

/* ---- results ---- */

static void print_match(Finder *s, const weft_vectors_match *m, bool first, bool json)
{
    Text *out = &s->file.cli->out;
    const char *label = vectors_label(&s->file, m->id);
    if (json) {
        text_printf(out, "%s{\"id\":%llu,\"score\":%.7g", first ? "" : ",",
                    (unsigned long long)m->id, (double)m->score);
        if (s->file.labels) {
            text_printf(out, ",\"label\":");
            text_json(out, str_of(label));
        }
        text_printf(out, "}");
    } else {
        text_printf(out, "%10.6f  ", (double)m->score);
        show_text(out, str_of(label));
        text_char(out, '\n');
    }
}

static void print_found(Finder *s, bool json)
{
    Text *out = &s->file.cli->out;
    for (uint32_t i = 0; i < s->queries.len; i++) {
        if (json) {
            text_printf(out, "%s{\"query\":", i ? "," : "");
            text_json(out, str_of(s->queries.data[i].name));
            text_printf(out, ",\"matches\":[");
        } else if (s->queries.len > 1) {
            text_printf(out, "%s", i ? "\n" : "");
            show_text(out, str_of(s->queries.data[i].name));
            text_char(out, '\n');
        }
        const weft_vectors_match *m = s->found + (size_t)i * s->search.count;
        for (uint32_t k = 0; k < s->search.count && m[k].id != WEFT_VECTORS_NONE; k++)
            print_match(s, &m[k], k == 0, json);
        if (json)
            text_printf(out, "]}");
    }
}

static void print_all(Finder *s)
{
    Cli *cli = s->file.cli;
    bool json = options_given(cli, "json");
    weft_vectors_index_info info = {0};
    weft_vectors_index_get_info(&info, s->index);
    if (json)
        text_printf(&cli->out, "{\"vectors\":%llu,\"lists\":%u,\"probes\":%u,\"recall\":%.4f,"
                    "\"queries\":[", (unsigned long long)info.count, info.lists, info.probes,
                    info.recall);
    else if (info.lists)
        text_printf(&cli->out, "%u of %u lists, recall %.3f\n", info.probes, info.lists,
                    info.recall);
    print_found(s, json);
    if (json)
        text_printf(&cli->out, "]}\n");
}

static int search(Finder *s)
{
    s->search.count = 10;
    if (!options_uint(s->file.cli, "count", &s->search.count)
        || !options_uint(s->file.cli, "probes", &s->search.probes) || !build(s)
        || !read_queries(s))
        return CLI_TROUBLE;
    s->search.count = MAX_OF(s->search.count, 1);
    s->found = calloc((size_t)s->queries.len * s->search.count + 1, sizeof *s->found);
    weft_vectors_rows rows = {.data = s->vectors, .count = s->queries.len};
    if (!s->found || !weft_vectors_index_search(s->found, s->index, &rows, &s->search))
        return vectors_complain(&s->file);
    print_all(s);
    return CLI_OK;
}

static int run(Cli *cli)
{
    Finder s = {0};
    int    status = vectors_open(&s.file, cli) ? search(&s) : CLI_TROUBLE;
    weft_vectors_index_release(s.index);
    free(s.vectors);
    free(s.found);
    vectors_close(&s.file);
    return status;
}

const Command cli_vectors_search = {
    .name = "vectors search", .operands = "FILE",
    .purpose = "Find the nearest vectors.",
    .more = "A FILE is .npy, .npz or .safetensors with a row of numbers for each vector, or an\n"
            "index that --save wrote.\n\n",
    .options = options, .run = run,
};
