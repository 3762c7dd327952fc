// SPDX-License-Identifier: Apache-2.0
/*
 * page.c - answers with files of the web pages.
 *
 * in     a request without a route
 * out    a file with the headers that pages need: content security policy, entity tag
 * knows  pages/, RFC 9110 (conditional requests, content coding)
 */
#include <string.h>

#include "server/http/http_priv.h"

/* Pages load nothing from elsewhere, run no inline scripts and may not be framed. Live
 * messages may come from another port of this host (live.listen). */
#define POLICY                                                                               \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "  \
    "connect-src 'self' ws: wss:; "                                                          \
    "worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static bool takes_gzip(const Request *r)
{
    const char *accepted = request_header(r, "Accept-Encoding");
    return accepted && strstr(accepted, "gzip") && !strstr(accepted, "gzip;q=0");
}

static void answer_file(Request *r, const PageFile *f)
{
    bool        packed = f->packed && takes_gzip(r);
    const char *known = request_header(r, "If-None-Match");
    bool        same = known && strstr(known, f->etag);
    struct MHD_Response *response = same
        ? MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)
        : MHD_create_response_from_buffer(packed ? f->packed_size : f->size,
              (void *)(uintptr_t)(packed ? f->packed : f->data), MHD_RESPMEM_PERSISTENT);
    if (response) {
        MHD_add_response_header(response, "Content-Type", f->type);
        MHD_add_response_header(response, "ETag", f->etag);
        MHD_add_response_header(response, "Content-Security-Policy", POLICY);
        MHD_add_response_header(response, "Cache-Control", "no-cache");
        MHD_add_response_header(response, "Vary", "Accept-Encoding");
        if (packed && !same)
            MHD_add_response_header(response, "Content-Encoding", "gzip");
    }
    answer_response(r, same ? 304 : 200, response);
}

bool answer_page(Request *r)
{
    const PageFile *f = NULL;
    if (!r->metrics_port && (strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0))
        f = pages_find(r->http->desc.pages, r->path);
    if (f)
        answer_file(r, f);
    return f != NULL;
}
