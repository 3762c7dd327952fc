// SPDX-License-Identifier: Apache-2.0
/*
 * template_priv.h - between templates and the table of built-in ones.
 */
#ifndef WEFT_MODEL_TEMPLATE_PRIV_H
#define WEFT_MODEL_TEMPLATE_PRIV_H

/* The Jinja text of a built-in template; NULL if there is none of that name. */
const char *template_builtin_find(const char *name);
/* The name that a misspelt one may have meant, or NULL. */
const char *template_builtin_near(const char *name);

#endif
