// SPDX-License-Identifier: Apache-2.0
/*
 * routes.c - every address of the API, with the scope that it needs.
 *
 * in     -
 * out    one table; openapi.json describes the same addresses, and a test compares them
 */
#include "server/http/http_priv.h"

const Route http_routes[] = {
    /* method  path                              scope          public metrics handler   */
    {"GET",    "/",                              0,             true,  true,  api_root},
    {"GET",    "/health",                        0,             true,  true,  api_health},
    {"GET",    "/ready",                         0,             true,  true,  api_ready},
    {"GET",    "/metrics",                       0,             true,  true,  api_metrics},
    {"GET",    "/openapi.json",                  0,             true,  false, api_openapi},
    {"POST",   "/v1/jobs",                       SCOPE_JOBS,    false, false, api_submit},
    {"GET",    "/v1/jobs",                       SCOPE_JOBS,    false, false, api_list},
    {"GET",    "/v1/jobs/{id}",                  SCOPE_JOBS,    false, false, api_job},
    {"DELETE", "/v1/jobs/{id}",                  SCOPE_JOBS,    false, false, api_cancel},
    {"GET",    "/v1/jobs/{id}/events",           SCOPE_JOBS,    false, false, api_events},
    {"GET",    "/v1/jobs/{id}/outputs/{name}",   SCOPE_JOBS,    false, false, api_result},
    {"POST",   "/v1/check",                      SCOPE_JOBS,    false, false, api_check},
    {"GET",    "/v1/buffers",                    SCOPE_BUFFERS, false, false, api_buffers},
    {"GET",    "/v1/buffers/{name}",             SCOPE_BUFFERS, false, false, api_buffer_get},
    {"PUT",    "/v1/buffers/{name}",             SCOPE_BUFFERS, false, false, api_buffer_put},
    {"DELETE", "/v1/buffers/{name}",             SCOPE_BUFFERS, false, false, api_buffer_delete},
    {"POST",   "/v1/workers",                    SCOPE_WORKER,  false, false, api_register},
    {"POST",   "/v1/workers/{id}/lease",         SCOPE_WORKER,  false, false, api_lease},
    {"POST",   "/v1/leases/{lease}/heartbeat",   SCOPE_WORKER,  false, false, api_heartbeat},
    {"POST",   "/v1/leases/{lease}/result",      SCOPE_WORKER,  false, false, api_lease_result},
    {"POST",   "/v1/leases/{lease}/fail",        SCOPE_WORKER,  false, false, api_lease_fail},
    {"GET",    "/v1/devices",                    0,             false, false, api_devices},
    {"GET",    "/v1/alerts",                     0,             false, false, api_alerts},
    {"GET",    "/v1/state",                      0,             false, false, api_state},
    {"GET",    "/v1/tenants",                    SCOPE_ADMIN,   false, false, api_tenants},
    {"POST",   "/v1/tokens",                     0,             false, false, api_token},
    {"POST",   "/v1/chat/completions",           SCOPE_JOBS,    false, false, api_chat},
    {"POST",   "/v1/completions",                SCOPE_JOBS,    false, false, api_completions},
    {"POST",   "/v1/embeddings",                 SCOPE_JOBS,    false, false, api_embeddings},
    {"GET",    "/v1/models",                     0,             false, false, api_models},
    {"GET",    "/v1/models/{model}",             0,             false, false, api_model},
    {"POST",   "/tokenize",                      SCOPE_JOBS,    false, false, api_tokenize},
    {"POST",   "/v1/vectors",                    SCOPE_LIVE,    false, false, api_vectors_add},
    {"GET",    "/v1/vectors",                    SCOPE_LIVE,    false, false, api_vectors_list},
    {"DELETE", "/v1/vectors",                    SCOPE_LIVE,    false, false, api_vectors_clear},
    {"GET",    "/v1/vectors/search",             SCOPE_LIVE,    false, false, api_vectors_search},
    {"POST",   "/v1/vectors/search",             SCOPE_LIVE,    false, false, api_vectors_find},
    {"POST",   "/v1/vectors/places",             SCOPE_LIVE,    false, false, api_vectors_places},
    {"GET",    "/v1/vectors/map",                SCOPE_LIVE,    false, false, api_vectors_map},
    {"PUT",    "/v1/vectors/view",               SCOPE_LIVE,    false, false, api_vectors_view},
    {"GET",    "/v1/live",                       SCOPE_LIVE,    false, false, api_live},
    {"GET",    "/ws",                            SCOPE_LIVE,    false, false, api_live},
};

const uint32_t http_route_count = COUNTOF(http_routes);
