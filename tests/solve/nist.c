// SPDX-License-Identifier: Apache-2.0
/*
 * nist.c - reads the files of NIST's StRD: model, data, starts, certified values.
 *
 * in     NAME.dat
 * out    a Nist
 */
#include "solve/nist.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const nist_names[NIST_COUNT] = {
    "Misra1a", "Chwirut2", "Chwirut1", "Lanczos3", "Gauss1", "Gauss2", "DanWood", "Misra1b",
    "Kirby2", "Hahn1", "Nelson", "MGH17", "Lanczos1", "Lanczos2", "Gauss3", "Misra1c", "Misra1d",
    "Roszman1", "ENSO", "MGH09", "Thurber", "BoxBOD", "Rat42", "MGH10", "Eckerle4", "Rat43",
    "Bennett5",
};

/* Lines of the model, brackets made round, without the error "+ e". */
static void add_model(Nist *n, const char *line)
{
    size_t at = strlen(n->formula);
    for (; *line && at + 2 < sizeof n->formula; line++)
        if (!isspace((unsigned char)*line))
            n->formula[at++] = *line == '[' ? '(' : *line == ']' ? ')' : *line;
    n->formula[at] = 0;
    if (at > 2 && strcmp(n->formula + at - 2, "+e") == 0)
        n->formula[at - 2] = 0;
}

static void add_parameter(Nist *n, const char *line)
{
    int number;
    double v[4];
    if (sscanf(line, " b%d = %lf %lf %lf %lf", &number, &v[0], &v[1], &v[2], &v[3]) != 5 ||
        number < 1 || number > NIST_PARAMETERS)
        return;
    uint32_t i = (uint32_t)number - 1;
    snprintf(n->names[i], sizeof n->names[i], "b%u", i + 1);
    n->start[0][i] = v[0];
    n->start[1][i] = v[1];
    n->certified[i] = v[2];
    n->deviation[i] = v[3];
    n->parameters = i + 1 > n->parameters ? i + 1 : n->parameters;
}

static void add_row(Nist *n, const char *line)
{
    char *end;
    double row[3];
    uint32_t count = 0;
    for (; count < n->column_count; count++, line = end) {
        row[count] = strtod(line, &end);
        if (end == line)
            return;
    }
    if (n->rows < NIST_ROWS)
        memcpy(n->data + (size_t)n->rows++ * n->column_count, row, count * sizeof *row);
}

static bool is_model_line(const char *line)
{
    return strchr(line, '=') && !strstr(line, "pi =");
}

bool nist_read(Nist *n, const char *folder, const char *name)
{
    char path[1024], line[512];
    enum { HEAD, MODEL, VALUES, DATA } part = HEAD;
    bool inside = false;
    snprintf(path, sizeof path, "%s/%s.dat", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    *n = (Nist){.columns = {"y", "x", NULL}, .column_count = 2};
    if (strcmp(name, "Nelson") == 0) {
        n->columns[1] = "x1";
        n->columns[2] = "x2";
        n->column_count = 3;
    }
    while (fgets(line, sizeof line, file)) {
        if (part == HEAD && strncmp(line, "Model:", 6) == 0)
            part = MODEL;
        else if (part == MODEL && strstr(line, "Starting")) {
            part = VALUES;
        } else if (part == MODEL) {
            inside |= is_model_line(line);
            if (inside)
                add_model(n, line);
        } else if (part == VALUES && strncmp(line, "Data:", 5) == 0)
            part = DATA;
        else if (part == VALUES) {
            add_parameter(n, line);
            sscanf(line, "Residual Sum of Squares: %lf", &n->residual_sum);
        } else if (part == DATA)
            add_row(n, line);
    }
    fclose(file);
    /* a misprint: this b1 would have a residual sum of squares of 25, not the certified 4.9e-4 */
    if (strcmp(name, "Roszman1") == 0 && n->certified[0] == 1.20196866396)
        n->certified[0] = 0.20196866396;
    return n->parameters > 0 && n->rows > 0;
}

double nist_digits(double have, double want)
{
    double error = want == 0 ? fabs(have) : fabs(have - want) / fabs(want);
    return error <= 1e-11 ? 11 : !(error < 1) ? 0 : -log10(error);
}
