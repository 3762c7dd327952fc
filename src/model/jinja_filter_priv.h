// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_filter_priv.h - between the two files of filters.
 */
#ifndef WEFT_MODEL_JINJA_FILTER_PRIV_H
#define WEFT_MODEL_JINJA_FILTER_PRIV_H

#include "model/jinja_priv.h"

/* A filter of lists and dictionaries; NULL if there is none of that name. */
Native jinja_list_filter_find(Str name);

#endif
