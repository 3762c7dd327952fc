// SPDX-License-Identifier: Apache-2.0
/*
 * client.c - clients of the compute server: `weft submit` and `weft jobs`.
 *
 * in     a kernel, values, the address of a server
 * out    results, lists of jobs
 * knows  the HTTP API, libcurl, jansson
 * not    how the server works
 */
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_ANSWER ((size_t)1 << 31)

#define SERVER_OPTIONS                                                               \
    {"url", 0, "URL", "the server; default: $WEFT_SERVER, else http://127.0.0.1:8080"}, \
    {"key", 0, "KEY", "API key or token; default: $WEFT_KEY"},                       \
    {"json", 0, NULL, "print the server's answer as it is"}

/* ---- HTTP ---- */

typedef struct Answer {
    char  *text;                        /* malloc'ed                                      */
    size_t size;
    long   status;
} Answer;

static size_t on_data(char *data, size_t one, size_t count, void *user)
{
    Answer *a = user;
    (void)one;
    char *more = a->size + count < MAX_ANSWER ? realloc(a->text, a->size + count + 1) : NULL;
    if (!more)
        return 0;
    a->text = more;
    memcpy(a->text + a->size, data, count);
    a->size += count;
    a->text[a->size] = '\0';
    return count;
}

static const char *option_or(Cli *cli, const char *name, const char *variable, const char *other)
{
    const char *value = NULL;
    if (options_find(cli, name, &value))
        return value;
    value = getenv(variable);
    return value && *value ? value : other;
}

/* One request. False after a message. */
static bool request(Cli *cli, const char *method, const char *path, const char *body, Answer *out)
{
    const char *url = option_or(cli, "url", "WEFT_SERVER", "http://127.0.0.1:8080");
    const char *key = option_or(cli, "key", "WEFT_KEY", NULL);
    CURL       *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    size_t      length = strlen(url);
    while (length && url[length - 1] == '/')
        length--;
    if (key)
        headers = curl_slist_append(headers, arena_printf(&cli->arena,
                                                          "Authorization: Bearer %s", key));
    curl_easy_setopt(curl, CURLOPT_URL,
                     arena_printf(&cli->arena, "%.*s%s", (int)length, url, path));
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    }
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &out->status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    if (code != CURLE_OK)
        cli_complain(cli, "%.*s: %s; is 'weft serve' running?", (int)length, url,
                     curl_easy_strerror(code));
    return code == CURLE_OK;
}

/* The JSON of an answer; NULL after a message. */
static json_t *read_answer(Cli *cli, const Answer *a)
{
    json_t     *root = json_loadb(a->text ? a->text : "", a->size, 0, NULL);
    json_t     *error = json_object_get(root, "error");
    const char *message = json_string_value(json_object_get(error, "message"));
    const char *kind = json_string_value(json_object_get(error, "kind"));
    if (!root)
        cli_complain(cli, "the server answered %ld, and no JSON", a->status);
    else if (message)
        cli_complain(cli, "%s: %s", kind ? kind : "error", message);
    if (message) {
        json_decref(root);
        root = NULL;
    }
    return root;
}

/* ---- submit ---- */

static const Option submit_options[] = {
    SERVER_OPTIONS,
    {"entry", 0, "NAME", "the entry point, if there are several"},
    {"in", 'i', "NAME=VALUES", "an input: numbers with commas, or @FILE with bytes"},
    {"out", 'o', "NAME=TYPE:SHAPE", "an output, as y=f32:3 or m=u32:4x4"},
    {"workgroups", 0, "X,Y,Z", "how many; default: enough for the largest output"},
    {"set", 0, "NAME=VALUE", "the value of an override"},
    {"profile", 0, "NAME", "kernel, on the CPU, or gpu"},
    {"no-wait", 0, NULL, "print the job's id and do not wait for its end"},
    {0},
};

/* Splits "NAME=REST". NULL after a message. */
static char *split(Cli *cli, const char *text, const char **rest)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        cli_complain(cli, "'%s' is not NAME=VALUE", text);
        return NULL;
    }
    *rest = equals + 1;
    return arena_printf(&cli->arena, "%.*s", (int)(equals - text), text);
}

static char *encode(Arena *arena, const uint8_t *bytes, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = arena_alloc(arena, size / 3 * 4 + 8), *at = out;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= i + 2 < size ? bytes[i + 2] : 0;
        *at++ = digits[word >> 18];
        *at++ = digits[word >> 12 & 63];
        *at++ = i + 1 < size ? digits[word >> 6 & 63] : '=';
        *at++ = i + 2 < size ? digits[word & 63] : '=';
    }
    return out;
}

/* "1,2,3" as a JSON list; false after a message. */
static json_t *number_list(Cli *cli, const char *text)
{
    json_t *list = json_array();
    while (*text) {
        char  *end;
        double number = strtod(text, &end);
        if (end == text || (*end && *end != ',')) {
            cli_complain(cli, "'%s' is not a list of numbers", text);
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, json_real(number));
        text = end + (*end == ',');
    }
    return list;
}

static bool add_input(Cli *cli, json_t *inputs, const char *text)
{
    const char *rest;
    char       *name = split(cli, text, &rest);
    json_t     *value = NULL;
    if (!name)
        return false;
    if (*rest == '@') {
        Source source = input_read_limited(&cli->arena, rest + 1, MAX_ANSWER / 4);
        if (source.why)
            cli_complain(cli, "%s", source.why);
        else
            value = json_pack("{s:s}", "base64",
                              encode(&cli->arena, (const uint8_t *)source.text, source.size));
        input_release(&source);
    } else {
        value = number_list(cli, rest);
    }
    return value && json_object_set_new(inputs, name, value) == 0;
}

static bool add_output(Cli *cli, json_t *outputs, const char *text)
{
    const char *rest;
    char       *name = split(cli, text, &rest);
    if (!name)
        return false;
    size_t  type = strcspn(rest, ":");
    json_t *shape = json_array();
    for (const char *at = rest + type; *at == ':' || *at == 'x';) {
        char *end;
        json_array_append_new(shape, json_integer(strtoll(at + 1, &end, 10)));
        at = end;
    }
    json_t *value = json_pack("{s:s%, s:o}", "dtype", rest, type, "shape", shape);
    return value && json_object_set_new(outputs, name, value) == 0;
}

static bool add_groups(Cli *cli, json_t *job)
{
    const char *text = NULL;
    if (!options_find(cli, "workgroups", &text) || strcmp(text, "auto") == 0)
        return true;
    json_t *list = json_array();
    for (const char *at = text; *at;) {
        char *end;
        json_array_append_new(list, json_integer(strtoll(at, &end, 10)));
        if (end == at || (*end && *end != ',')) {
            cli_complain(cli, "--workgroups: '%s' is not X,Y,Z", text);
            json_decref(list);
            return false;
        }
        at = end + (*end == ',');
    }
    return json_object_set_new(job, "workgroups", list) == 0;
}

/* The request, from the options. NULL after a message. */
static json_t *make_job(Cli *cli, const Source *source)
{
    json_t     *job = json_pack("{s:s%, s:{}, s:{}, s:{}, s:b}", "wgsl", source->text,
                                source->size, "inputs", "outputs", "constants", "wait",
                                !options_find(cli, "no-wait", NULL));
    const char *entry = NULL, *profile = NULL;
    bool        ok = job != NULL;
    if (!ok)
        cli_complain(cli, "%s is not UTF-8 text", source->name);
    if (ok && options_find(cli, "profile", &profile))
        json_object_set_new(job, "profile", json_string(profile));
    if (ok && options_find(cli, "entry", &entry))
        json_object_set_new(job, "entry", json_string(entry));
    for (uint32_t i = 0; ok && i < cli->given.len; i++) {
        const char *option = cli->given.data[i].option->name, *value = cli->given.data[i].value;
        const char *rest;
        if (strcmp(option, "in") == 0)
            ok = add_input(cli, json_object_get(job, "inputs"), value);
        else if (strcmp(option, "out") == 0)
            ok = add_output(cli, json_object_get(job, "outputs"), value);
        else if (strcmp(option, "set") == 0) {
            char *name = split(cli, value, &rest);
            ok = name && json_object_set_new(json_object_get(job, "constants"), name,
                                             json_real(strtod(rest, NULL))) == 0;
        }
    }
    if (ok && add_groups(cli, job))
        return job;
    json_decref(job);
    return NULL;
}

static void show_values(Cli *cli, const char *name, json_t *output)
{
    json_t *data = json_object_get(output, "data");
    size_t  count = json_array_size(data);
    text_printf(&cli->out, "%s : %s, %zu elements\n ", name,
                json_string_value(json_object_get(output, "dtype")), count);
    for (size_t i = 0; i < count && i < 64; i++)
        text_printf(&cli->out, " %.9g", json_number_value(json_array_get(data, i)));
    text_printf(&cli->out, "%s\n", count > 64 ? " ..." : "");
}

static void show_job(Cli *cli, json_t *job)
{
    const char *name;
    json_t     *output, *timing = json_object_get(job, "timing");
    json_object_foreach(json_object_get(job, "outputs"), name, output)
        show_values(cli, name, output);
    if (timing)
        text_printf(&cli->out, "job %s: compiled in %.3f ms, ran in %.3f ms\n",
                    json_string_value(json_object_get(job, "id")),
                    json_number_value(json_object_get(timing, "compile_ms")),
                    json_number_value(json_object_get(timing, "run_ms")));
    else
        text_printf(&cli->out, "job %s: %s\n", json_string_value(json_object_get(job, "id")),
                    json_string_value(json_object_get(job, "state")));
}

static int submit_run(Cli *cli)
{
    Answer answer = {0};
    int    status = CLI_TROUBLE;
    if (cli->operands.len != 1) {
        cli_complain(cli, "one file with WGSL, or - for standard input");
        return CLI_TROUBLE;
    }
    Source  source = input_read(&cli->arena, cli->operands.data[0]);
    json_t *job = NULL, *root = NULL;
    if (source.why)
        cli_complain(cli, "%s", source.why);
    else
        job = make_job(cli, &source);
    char *body = job ? json_dumps(job, JSON_COMPACT) : NULL;
    if (body && request(cli, "POST", "/v1/jobs", body, &answer)) {
        if (options_find(cli, "json", NULL))
            text_add(&cli->out, (Str){answer.text, (uint32_t)answer.size});
        root = read_answer(cli, &answer);
        if (root && !options_find(cli, "json", NULL))
            show_job(cli, root);
        status = root ? CLI_OK : answer.status == 422 ? CLI_FOUND : CLI_TROUBLE;
    }
    json_decref(root);
    json_decref(job);
    free(body);
    free(answer.text);
    input_release(&source);
    return status;
}

const Command cli_submit = {
    .name = "submit", .operands = "FILE",
    .purpose = "Run a kernel on a compute server.",
    .more = "  weft submit double.wgsl --in x=1,2,3 --out y=f32:3\n",
    .options = submit_options, .run = submit_run,
};

/* ---- jobs ---- */

static const Option jobs_options[] = {
    SERVER_OPTIONS,
    {"state", 0, "STATE", "only those: queued, running, done, failed, cancelled"},
    {"limit", 0, "N", "at most so many; default: 50"},
    {0},
};

static void show_list(Cli *cli, json_t *root)
{
    size_t  i;
    json_t *job;
    json_array_foreach(json_object_get(root, "jobs"), i, job) {
        json_t *error = json_object_get(json_object_get(job, "error"), "message");
        text_printf(&cli->out, "%s  %-9s  attempt %lld  %s\n",
                    json_string_value(json_object_get(job, "id")),
                    json_string_value(json_object_get(job, "state")),
                    (long long)json_integer_value(json_object_get(job, "attempt")),
                    error ? json_string_value(error) : "");
    }
}

static int jobs_run(Cli *cli)
{
    const char *word = cli->operands.len ? cli->operands.data[0] : "list", *state = "";
    const char *limit = "50", *path = NULL, *method = "GET";
    Answer      answer = {0};
    options_find(cli, "limit", &limit);
    if (strcmp(word, "list") == 0 && cli->operands.len <= 1)
        path = arena_printf(&cli->arena, "/v1/jobs?limit=%s%s%s", limit,
                            options_find(cli, "state", &state) ? "&state=" : "", state);
    else if (cli->operands.len == 2 && strcmp(word, "show") == 0)
        path = arena_printf(&cli->arena, "/v1/jobs/%s", cli->operands.data[1]);
    else if (cli->operands.len == 2 && strcmp(word, "cancel") == 0) {
        path = arena_printf(&cli->arena, "/v1/jobs/%s", cli->operands.data[1]);
        method = "DELETE";
    }
    if (!path) {
        cli_complain(cli, "'list', 'show ID' or 'cancel ID'");
        return CLI_TROUBLE;
    }
    json_t *root = NULL;
    bool    ok = request(cli, method, path, NULL, &answer);
    if (ok && options_find(cli, "json", NULL))
        text_add(&cli->out, (Str){answer.text, (uint32_t)answer.size});
    else if (ok && strcmp(word, "list") == 0 && (root = read_answer(cli, &answer)))
        show_list(cli, root);
    else if (ok) {
        root = json_loadb(answer.text ? answer.text : "", answer.size, 0, NULL);
        ok = json_object_get(root, "id") != NULL;
        if (ok)
            show_job(cli, root);
        else
            json_decref(read_answer(cli, &answer));
    }
    json_decref(root);
    free(answer.text);
    return ok ? CLI_OK : CLI_TROUBLE;
}

const Command cli_jobs = {
    .name = "jobs", .operands = "[list|show|cancel] [ID]",
    .purpose = "Show or cancel jobs of a compute server.",
    .more = "", .options = jobs_options, .run = jobs_run,
};
