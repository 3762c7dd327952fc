// SPDX-License-Identifier: Apache-2.0
/*
 * serve.c - the compute server from the command line: serve, worker, key, audit.
 *
 * in     options
 * out    a running server; keys; the state of the audit log
 * knows  server/
 * not    how any of it works
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "server/auth/auth.h"
#include "server/live/live.h"
#include "server/metrics/metrics.h"
#include "server/metrics/state.h"
#include "server/models/models.h"
#include "server/server.h"
#include "server/worker/worker.h"

static const char default_folder[] = "weft-data";

static const char *folder_of(Cli *cli)
{
    const char *folder = NULL;
    return options_find(cli, "data", &folder) ? folder : default_folder;
}

static const char *config_of(Cli *cli)
{
    const char *path = NULL;
    if (options_find(cli, "config", &path))
        return path;
    path = getenv("WEBGPU_CONFIG_PATH");
    return path && *path ? path : NULL;
}

/* ---- serve ---- */

static const Option serve_options[] = {
    {"config", 0, "FILE", "YAML file; default: $WEBGPU_CONFIG_PATH, else none"},
    {"data", 0, "DIR", "folder of jobs, keys and logs; default: weft-data"},
    {"model", 0, "FILE", "serve a language model; the same as models.files"},
    {"set", 0, "KEY=VALUE", "set one key of the configuration, as server.listen=127.0.0.1:0"},
    {"check", 0, NULL, "check configuration and machine, and end"},
    {"list-config", 0, NULL, "list every key with its default"},
    {"list-metrics", 0, NULL, "list every metric"},
    {"states", 0, NULL, "show the state machines as diagrams"},
    {0},
};

static void print(void *user, const char *text)
{
    Cli *cli = user;
    text_printf(&cli->out, "weft serve: %s\n", text);
    cli_flush(cli);
    fflush(stdout);
}

static const char *const *settings_of(Cli *cli)
{
    const char **list = ARENA_ARRAY(&cli->arena, const char *, cli->given.len + 2);
    uint32_t     n = 0;
    const char  *models = "";
    for (uint32_t i = 0; i < cli->given.len; i++)
        if (strcmp(cli->given.data[i].option->name, "set") == 0)
            list[n++] = cli->given.data[i].value;
        else if (strcmp(cli->given.data[i].option->name, "model") == 0)
            models = arena_printf(&cli->arena, "%s%s%s", models, *models ? ", " : "",
                                  cli->given.data[i].value);
    if (*models)
        list[n++] = arena_printf(&cli->arena, "models.files=%s", models);
    return list;
}

static int serve_run(Cli *cli)
{
    if (cli->operands.len) {
        cli_complain(cli, "takes no operand");
        return CLI_TROUBLE;
    }
    if (options_find(cli, "list-config", NULL)) {
        config_document(&cli->out);
        return CLI_OK;
    }
    if (options_find(cli, "list-metrics", NULL)) {
        metrics_document(&cli->out);
        return CLI_OK;
    }
    if (options_find(cli, "states", NULL)) {
        state_diagram(SERVER_STARTING, &cli->out);
        text_char(&cli->out, '\n');
        state_diagram(DEVICE_ABSENT, &cli->out);
        return CLI_OK;
    }
    return server_run(&(ServerDesc){
        .config_path = config_of(cli), .folder = folder_of(cli), .settings = settings_of(cli),
        .check = options_find(cli, "check", NULL), .print = print, .user = cli});
}

const Command cli_serve = {
    .name = "serve", .operands = "",
    .purpose = "Run the compute server: jobs over HTTP, in sandboxed processes.",
    .more = "Without a configuration it serves this machine alone, on 127.0.0.1:8080, without\n"
            "authentication. SIGHUP reads keys and configuration again; SIGTERM lets running\n"
            "jobs finish. docs/server.md has the rest.\n",
    .options = serve_options, .run = serve_run,
};

/* ---- worker ---- */

static const Option worker_options[] = {
    {"fd", 0, "N", "the socket to the server"},
    {"threads", 0, "N", "threads of the device"},
    {"address-space", 0, "BYTES", "limit of the process"},
    {"sandbox", 0, NULL, "close the process off"},
    {"no-sandbox", 0, NULL, "do not"},
    {"profile", 0, NULL, "measure the device first"},
    {"kernel", 0, NULL, "on the CPU device: the default"},
    {"gpu", 0, NULL, "on a device of Vulkan, in a weaker sandbox"},
    {"model", 0, "FILE", "run a language model instead of kernels"},
    {"vectors", 0, NULL, "index vectors instead"},
    {"parallel", 0, "N", "answers at a time"},
    {"context", 0, "N", "positions of each"},
    {0},
};

static uint64_t number_of(Cli *cli, const char *name)
{
    const char *text = NULL;
    return options_find(cli, name, &text) && text ? strtoull(text, NULL, 10) : 0;
}

static int worker_run(Cli *cli)
{
    if (number_of(cli, "fd") < 3) {
        cli_complain(cli, "is started by 'weft serve'");
        return CLI_TROUBLE;
    }
    const char *model = NULL;
    if (options_find(cli, "model", &model))
        return model_worker_main(&(ModelWorkerDesc){
            .fd = (int)number_of(cli, "fd"), .path = model,
            .threads = (uint32_t)number_of(cli, "threads"),
            .parallel = (uint32_t)number_of(cli, "parallel"),
            .context = (uint32_t)number_of(cli, "context"),
            .sandboxed = !options_find(cli, "no-sandbox", NULL)});
    if (options_find(cli, "vectors", NULL))
        return live_worker_main(&(LiveWorkerDesc){
            .fd = (int)number_of(cli, "fd"), .threads = (uint32_t)number_of(cli, "threads"),
            .sandboxed = !options_find(cli, "no-sandbox", NULL)});
    return worker_main(&(WorkerDesc){
        .fd = (int)number_of(cli, "fd"), .threads = (uint32_t)number_of(cli, "threads"),
        .address_space = number_of(cli, "address-space"),
        .sandboxed = !options_find(cli, "no-sandbox", NULL),
        .profile = options_find(cli, "profile", NULL),
        .gpu = options_find(cli, "gpu", NULL)});
}

const Command cli_worker = {
    .name = "worker", .operands = "",
    .purpose = "A worker process of 'weft serve', which starts it.",
    .more = "", .options = worker_options, .run = worker_run,
};

/* ---- key ---- */

static const Option key_options[] = {
    {"config", 0, "FILE", "the server's configuration"},
    {"data", 0, "DIR", "the server's data folder; default: weft-data"},
    {"tenant", 0, "NAME", "whom a new key belongs to"},
    {"scopes", 0, "LIST", "jobs,buffers,live,worker,admin or all; default: jobs,buffers,live"},
    {0},
};

static int key_create(Cli *cli, const char *file)
{
    const char *tenant = NULL, *scopes = NULL;
    char        key[128], why[512];
    if (!options_find(cli, "tenant", &tenant)) {
        cli_complain(cli, "create needs --tenant=NAME");
        return CLI_TROUBLE;
    }
    uint32_t bits = options_find(cli, "scopes", &scopes) ? scopes_read(scopes) : SCOPE_USER;
    if (!bits) {
        cli_complain(cli, "scopes are jobs, buffers, live, worker, admin and all");
        return CLI_TROUBLE;
    }
    if (!auth_key_create(file, tenant, bits, key, sizeof key, why, sizeof why)) {
        cli_complain(cli, "%s", why);
        return CLI_TROUBLE;
    }
    text_printf(&cli->out, "%s\n", key);
    return CLI_OK;
}

static int key_run(Cli *cli)
{
    Config      config;
    char        file[4096], why[512];
    const char *path = config_of(cli);
    const char *word = cli->operands.len ? cli->operands.data[0] : "";
    int         status = CLI_TROUBLE;
    if (path ? !config_load(&config, path, why, sizeof why) : (config_init(&config), false)) {
        cli_complain(cli, "%s", why);
        config_fini(&config);
        return CLI_TROUBLE;
    }
    auth_keys_path(&config, folder_of(cli), file, sizeof file);
    if (strcmp(word, "create") == 0 && cli->operands.len == 1)
        status = key_create(cli, file);
    else if (strcmp(word, "revoke") == 0 && cli->operands.len == 2)
        status = auth_key_revoke(file, cli->operands.data[1], why, sizeof why)
               ? CLI_OK : (cli_complain(cli, "%s", why), CLI_TROUBLE);
    else
        cli_complain(cli, "'create --tenant=NAME', or 'revoke ID'");
    config_fini(&config);
    return status;
}

const Command cli_key = {
    .name = "key", .operands = "create|revoke [ID]",
    .purpose = "Make and revoke API keys of the compute server.",
    .more = "A key is shown once; the file keeps its hash. A running server takes changes over\n"
            "after SIGHUP. The ID is the part of a key between the underscores.\n",
    .options = key_options, .run = key_run,
};

/* ---- audit ---- */

static const Option audit_options[] = {
    {"data", 0, "DIR", "the server's data folder; default: weft-data"},
    {0},
};

static int audit_run(Cli *cli)
{
    AuditReport report;
    const char *folder = arena_printf(&cli->arena, "%s/audit", folder_of(cli));
    if (!audit_verify(folder, &report)) {
        cli_complain(cli, "%s", report.fault);
        return CLI_FOUND;
    }
    text_printf(&cli->out, "the audit log is whole: %llu events in %llu %s, %llu validations, "
                "%llu executions\n", (unsigned long long)report.events,
                (unsigned long long)report.files, report.files == 1 ? "file" : "files",
                (unsigned long long)report.validations, (unsigned long long)report.executions);
    return CLI_OK;
}

const Command cli_audit = {
    .name = "audit", .operands = "",
    .purpose = "Check the hash chain of a server's audit log.",
    .more = "", .options = audit_options, .run = audit_run,
};
