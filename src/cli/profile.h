// SPDX-License-Identifier: Apache-2.0
/*
 * profile.h - `weft devices --profile`, see profile.c.
 */
#ifndef WEFT_CLI_PROFILE_H
#define WEFT_CLI_PROFILE_H

#include "cli/cli.h"

/* `again`: devices are measured even if a profile is kept. An exit status. */
int profile_show(Cli *cli, bool json, bool again);

#endif
