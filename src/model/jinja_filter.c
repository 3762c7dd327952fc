// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_filter.c - filters of strings and numbers, tests, and the tables of both.
 *
 * in     a call with its input
 * out    a value
 * knows  Jinja's filters and tests; JSON as transformers writes it
 * not    filters of lists (jinja_filter_list.c), methods (jinja_method.c)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/jinja_filter_priv.h"

static Str made(const Text *t)
{
    return (Str){t->data ? t->data : "", (uint32_t)t->len};
}

/* The input as a string; undefined is "". */
static Str input(Interp *in, const Call *c)
{
    return jinja_string(in, c->self);
}

/* ---- strings ---- */

static Value filter_upper(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, input(in, c), 'u'));
}

static Value filter_lower(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, input(in, c), 'l'));
}

static Value filter_title(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, input(in, c), 't'));
}

static Value filter_capitalize(Interp *in, const Call *c)
{
    return value_str(jinja_case(in, input(in, c), 'c'));
}

static Value filter_string(Interp *in, const Call *c)
{
    return c->self.kind == VALUE_NONE ? value_text("None") : value_str(input(in, c));
}

static Value filter_trim(Interp *in, const Call *c)
{
    Str chars = jinja_arg_str(in, c, 0, "chars", (Str){0});
    return value_str(jinja_strip(input(in, c), chars, true, true));
}

static Value filter_replace(Interp *in, const Call *c)
{
    Str     s = input(in, c), from = jinja_arg_str(in, c, 0, "old", STR(""));
    Str     to = jinja_arg_str(in, c, 1, "new", STR(""));
    int64_t count = jinja_arg_int(in, c, 2, "count", -1);
    return jinja_failed(in) ? value_none() : value_str(jinja_replace(in, s, from, to, count));
}

static Value filter_indent(Interp *in, const Call *c)
{
    Value width = jinja_arg(c, 0, "width", value_int(4));
    bool  first = jinja_truth(jinja_arg(c, 1, "first", value_bool(false)));
    bool  blank = jinja_truth(jinja_arg(c, 2, "blank", value_bool(false)));
    Str   s = input(in, c), pad = STR("");
    Text  t = {.arena = in->arena}, spaces = {.arena = in->arena};
    if (width.kind == VALUE_STRING)
        pad = width.s;
    else
        for (int64_t i = jinja_arg_int(in, c, 0, "width", 4); i > 0 && jinja_spend(in, 1); i--)
            text_char(&spaces, ' ');
    if (width.kind != VALUE_STRING)
        pad = made(&spaces);
    for (uint32_t i = 0, start = 0; i <= s.len && jinja_spend(in, 1); start = ++i) {
        while (i < s.len && s.data[i] != '\n')
            i++;
        if (start == 0 ? first : i > start || blank)
            text_add(&t, pad);
        text_add(&t, (Str){s.data + start, i - start});
        if (i < s.len)
            text_char(&t, '\n');
    }
    return value_str(made(&t));
}

static Value filter_wordcount(Interp *in, const Call *c)
{
    Str     s = input(in, c);
    int64_t words = 0;
    bool    inside = false;
    for (uint32_t i = 0; i < s.len; i++) {
        bool blank = s.data[i] == ' ' || (s.data[i] >= '\t' && s.data[i] <= '\r');
        words += !blank && !inside;
        inside = !blank;
    }
    jinja_spend(in, s.len / 64);
    return value_int(words);
}

static Value filter_truncate(Interp *in, const Call *c)
{
    Str     s = input(in, c), end = jinja_arg_str(in, c, 2, "end", STR("..."));
    int64_t length = jinja_arg_int(in, c, 0, "length", 255),
            leeway = jinja_arg_int(in, c, 3, "leeway", 5);
    bool    words = jinja_truth(jinja_arg(c, 1, "killwords", value_bool(false)));
    if (jinja_length(s) <= length + leeway || jinja_failed(in))
        return value_str(s);
    int64_t  keep = MAX_OF(length - (int64_t)jinja_length(end), (int64_t)0);
    uint32_t at = 0;
    for (; keep > 0 && at < s.len; keep--)
        for (at++; at < s.len && (s.data[at] & 0xc0) == 0x80;)
            at++;
    for (uint32_t space = at; !words && space > 0; space--) {
        if (s.data[space - 1] == ' ') {
            at = space - 1;
            break;
        }
    }
    return jinja_binary(in, STR("~"), value_str((Str){s.data, at}), value_str(end));
}

static Value filter_escape(Interp *in, const Call *c)
{
    static const char        special[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&#34;", "&#39;"};
    Str  s = input(in, c);
    Text t = {.arena = in->arena};
    for (uint32_t i = 0; i < s.len; i++) {
        const char *at = s.data[i] ? strchr(special, s.data[i]) : NULL;
        if (at)
            text_add(&t, str_of(names[at - special]));
        else
            text_char(&t, s.data[i]);
    }
    jinja_spend(in, s.len / 16);
    return value_str(made(&t));
}

/* The part of a format between % and its letter. */
typedef struct Spec {
    bool zeros, left;
    int  width, digits;
} Spec;

static Spec read_spec(const char *at, const char *end)
{
    Spec s = {.digits = 6};
    for (; at < end && strchr("0-+ ", *at); at++) {
        s.zeros = s.zeros || *at == '0';
        s.left = s.left || *at == '-';
    }
    for (; at < end && *at != '.'; at++)
        s.width = MIN_OF(s.width * 10 + (*at - '0'), 100);
    if (at < end)
        for (s.digits = 0, at++; at < end && *at != '.'; at++)
            s.digits = MIN_OF(s.digits * 10 + (*at - '0'), 50);
    return s;
}

static void format_one(Interp *in, Text *t, const Call *c, Spec s, char kind, uint32_t *next)
{
    Value v = jinja_arg(c, (*next)++, NULL, value_undefined(STR("")));
    int   width = s.left ? -s.width : s.width;
    if (kind == 's' || kind == 'r') {
        Text text = {.arena = in->arena};
        jinja_write(in, &text, v, kind == 'r');
        text_printf(t, "%*s", width, text.data ? text.data : "");
        return;
    }
    Value n = jinja_filter(in, kind == 'd' ? STR("int") : STR("float"), &(Call){.self = v});
    if (kind == 'd' && s.zeros && !s.left)
        text_printf(t, "%0*lld", width, (long long)n.i);
    else if (kind == 'd')
        text_printf(t, "%*lld", width, (long long)n.i);
    else if (s.zeros && !s.left)
        text_printf(t, "%0*.*f", width, s.digits, n.f);
    else
        text_printf(t, "%*.*f", width, s.digits, n.f);
}

/* %s, %r, %d and %f with a width and digits, as the % operator of Python. */
static Value filter_format(Interp *in, const Call *c)
{
    Str      s = input(in, c);
    Text     t = {.arena = in->arena};
    uint32_t next = 0;
    for (uint32_t i = 0; i < s.len && jinja_spend(in, 1); i++) {
        if (s.data[i] != '%') {
            text_char(&t, s.data[i]);
            continue;
        }
        const char *start = s.data + ++i;
        while (i < s.len && s.data[i] && strchr("0123456789.-+ ", s.data[i]))
            i++;
        char kind = i < s.len ? s.data[i] : '\0';
        if (kind == '%')
            text_char(&t, '%');
        else if (kind && strchr("srdf", kind))
            format_one(in, &t, c, read_spec(start, s.data + i), kind, &next);
        else
            jinja_fault(in, "format: only %%s, %%r, %%d and %%f are supported");
    }
    return value_str(made(&t));
}

/* ---- numbers ---- */

static Value filter_int(Interp *in, const Call *c)
{
    Value none = jinja_arg(c, 0, "default", value_int(0)), v = c->self;
    int   base = (int)jinja_arg_int(in, c, 1, "base", 10);
    if (v.kind == VALUE_INT)
        return v;
    if (v.kind == VALUE_BOOL)
        return value_int(v.b);
    if (v.kind == VALUE_FLOAT)
        return fabs(v.f) < 9e18 ? value_int((int64_t)v.f) : none;
    if (v.kind != VALUE_STRING || base < 2 || base > 36)
        return none;
    char       *end;
    const char *text =
        arena_printf(in->arena, "%.*s", STR_ARG(jinja_strip(v.s, (Str){0}, true, true)));
    long long   i = strtoll(text, &end, base);
    if (*text && !*end)
        return value_int(i);
    double f = strtod(text, &end);
    return *text && !*end && fabs(f) < 9e18 ? value_int((int64_t)f) : none;
}

static Value filter_float(Interp *in, const Call *c)
{
    Value none = jinja_arg(c, 0, "default", value_float(0)), v = c->self;
    if (v.kind == VALUE_FLOAT)
        return v;
    if (v.kind == VALUE_INT || v.kind == VALUE_BOOL)
        return value_float(v.kind == VALUE_INT ? (double)v.i : v.b);
    if (v.kind != VALUE_STRING)
        return none;
    char       *end;
    const char *text =
        arena_printf(in->arena, "%.*s", STR_ARG(jinja_strip(v.s, (Str){0}, true, true)));
    double      f = strtod(text, &end);
    return *text && !*end ? value_float(f) : none;
}

static Value filter_abs(Interp *in, const Call *c)
{
    Value v = c->self;
    if (v.kind == VALUE_FLOAT)
        return value_float(fabs(v.f));
    if (v.kind == VALUE_INT)
        return value_int(v.i < 0 ? (int64_t)(0 - (uint64_t)v.i) : v.i);
    return v.kind == VALUE_BOOL ? value_int(v.b)
                                : jinja_fault(in, "abs needs a number, not %s", value_kind_name(v));
}

static Value filter_round(Interp *in, const Call *c)
{
    Value   v = filter_float(in, &(Call){.self = c->self});
    int64_t digits = jinja_arg_int(in, c, 0, "precision", 0);
    Str     how = jinja_arg_str(in, c, 1, "method", STR("common"));
    double scale = pow(10, (double)MAX_OF(MIN_OF(digits, (int64_t)300), (int64_t)-300)),
           x = v.f * scale;
    double  f = str_eq(how, STR("ceil")) ? ceil(x) : str_eq(how, STR("floor")) ? floor(x) : rint(x);
    return value_float(f / scale);
}

/* ---- any value ---- */

static Value filter_default(Interp *in, const Call *c)
{
    (void)in;
    bool falsy = jinja_truth(jinja_arg(c, 1, "boolean", value_bool(false)));
    if (c->self.kind == VALUE_UNDEFINED || (falsy && !jinja_truth(c->self)))
        return jinja_arg(c, 0, "default_value", value_text(""));
    return c->self;
}

static Value filter_same(Interp *in, const Call *c)
{
    return c->self.kind == VALUE_STRING ? c->self : value_str(input(in, c));
}

static Value filter_attr(Interp *in, const Call *c)
{
    return jinja_member(in, c->self, jinja_arg_str(in, c, 0, "name", STR("")));
}

static Value filter_tojson(Interp *in, const Call *c)
{
    JsonStyle style = JSON_STYLE_PYTHON;
    Text      t = {.arena = in->arena};
    Value     separators = jinja_arg(c, UINT32_MAX, "separators", value_none());
    style.ascii = jinja_truth(jinja_arg(c, UINT32_MAX, "ensure_ascii", value_bool(false)));
    style.sort_keys = jinja_truth(jinja_arg(c, UINT32_MAX, "sort_keys", value_bool(false)));
    int64_t indent = jinja_arg_int(in, c, 0, "indent", -1);
    style.indent = (int32_t)MAX_OF(MIN_OF(indent, (int64_t)100), (int64_t)-1);
    if (style.indent >= 0)
        style.item = STR(",");
    if (separators.kind == VALUE_LIST && separators.list->len == 2
        && separators.list->data[0].kind == VALUE_STRING
        && separators.list->data[1].kind == VALUE_STRING) {
        style.item = separators.list->data[0].s;
        style.key = separators.list->data[1].s;
    }
    if (!value_write_json(&t, c->self, style))
        return jinja_fault(in, "tojson: the value is nested too deeply");
    jinja_spend(in, t.len / 64);
    return value_str(made(&t));
}

static Value filter_from_json(Interp *in, const Call *c)
{
    Value v = value_none();
    Fault why = {0};
    if (c->self.kind != VALUE_STRING)
        return c->self;
    if (!value_read_json(&v, in->arena, c->self.s, &why))
        return jinja_fault(in, "from_json: %s", why.text);
    jinja_spend(in, c->self.s.len / 16);
    return v;
}

/* ---- tests ---- */

static Value arg(const Call *c)
{
    return jinja_arg(c, 0, NULL, value_none());
}

static bool number(Value v)
{
    return v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
}

static bool is_kind(const Call *c, ValueKind kind)
{
    return c->self.kind == kind;
}

static int64_t remainder_of(Interp *in, const Call *c, int64_t by)
{
    if (c->self.kind != VALUE_INT || by == 0) {
        jinja_fault(in, "the test needs an integer, and one that is not 0 to divide by");
        return 1;
    }
    return by == -1 ? 0 : c->self.i % by;
}

static bool all_case(Interp *in, const Call *c, char how)
{
    Str s = c->self.kind == VALUE_STRING ? c->self.s : STR("");
    return !str_eq(jinja_case(in, s, 'l'), jinja_case(in, s, 'u'))
           && str_eq(jinja_case(in, s, how), s);
}

static bool same(Interp *in, Value a, Value b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == VALUE_LIST)
        return a.list == b.list;
    return a.kind == VALUE_DICT ? a.dict == b.dict : jinja_equal(in, a, b);
}

typedef enum TestKind {
#define TEST(name, id) TEST_##id,
#define ALIAS(name, id)
#include "model/jinja_tests.def"
#undef TEST
#undef ALIAS
} TestKind;

static const struct {
    const char *name;
    TestKind    kind;
} tests[] = {
#define TEST(name, id)  {name, TEST_##id},
#define ALIAS(name, id) {name, TEST_##id},
#include "model/jinja_tests.def"
#undef TEST
#undef ALIAS
};

static bool run_test(Interp *in, TestKind kind, const Call *c)
{
    Value v = c->self;
    switch (kind) {
    case TEST_DEFINED:   return v.kind != VALUE_UNDEFINED;
    case TEST_UNDEFINED: return v.kind == VALUE_UNDEFINED;
    case TEST_NONE:      return is_kind(c, VALUE_NONE);
    case TEST_BOOLEAN:   return is_kind(c, VALUE_BOOL);
    case TEST_TRUE:      return is_kind(c, VALUE_BOOL) && v.b;
    case TEST_FALSE:     return is_kind(c, VALUE_BOOL) && !v.b;
    case TEST_INTEGER:   return is_kind(c, VALUE_INT);
    case TEST_FLOAT:     return is_kind(c, VALUE_FLOAT);
    case TEST_NUMBER:    return number(v) || v.kind == VALUE_BOOL;
    case TEST_STRING:    return is_kind(c, VALUE_STRING);
    case TEST_MAPPING:   return is_kind(c, VALUE_DICT);
    case TEST_SEQUENCE:
    case TEST_ITERABLE:
        return v.kind == VALUE_STRING || v.kind == VALUE_LIST || v.kind == VALUE_DICT ||
               v.kind == VALUE_UNDEFINED;
    case TEST_CALLABLE:  return is_kind(c, VALUE_CALLABLE);
    case TEST_ODD:       return remainder_of(in, c, 2) != 0;
    case TEST_EVEN:      return remainder_of(in, c, 2) == 0;
    case TEST_DIVISIBLEBY: return remainder_of(in, c, jinja_arg_int(in, c, 0, "num", 0)) == 0;
    case TEST_LOWER:     return all_case(in, c, 'l');
    case TEST_UPPER:     return all_case(in, c, 'u');
    case TEST_EQ:        return jinja_equal(in, v, arg(c));
    case TEST_NE:        return !jinja_equal(in, v, arg(c));
    case TEST_LT:        return jinja_order(in, v, arg(c)) < 0;
    case TEST_LE:        return jinja_order(in, v, arg(c)) <= 0;
    case TEST_GT:        return jinja_order(in, v, arg(c)) > 0;
    case TEST_GE:        return jinja_order(in, v, arg(c)) >= 0;
    case TEST_IN:        return jinja_contains(in, arg(c), v);
    case TEST_SAMEAS:    return same(in, v, arg(c));
    case TEST_FILTER:    return v.kind == VALUE_STRING && jinja_has_filter(v.s);
    case TEST_TEST:      return v.kind == VALUE_STRING && jinja_has_test(v.s);
    case TEST_ESCAPED:   return false;
    }
    return false;
}

/* ---- tables ---- */

static const NativeRow filters[] = {
    {"upper", filter_upper},
    {"lower", filter_lower},
    {"title", filter_title},
    {"capitalize", filter_capitalize},
    {"string", filter_string},
    {"trim", filter_trim},
    {"strip", filter_trim},
    {"replace", filter_replace},
    {"indent", filter_indent},
    {"wordcount", filter_wordcount},
    {"truncate", filter_truncate},
    {"escape", filter_escape},
    {"e", filter_escape},
    {"format", filter_format},
    {"int", filter_int},
    {"float", filter_float},
    {"abs", filter_abs},
    {"round", filter_round},
    {"default", filter_default},
    {"d", filter_default},
    {"safe", filter_same},
    {"attr", filter_attr},
    {"tojson", filter_tojson},
    {"from_json", filter_from_json},
    {"fromjson", filter_from_json},
};

static Native filter_find(Str name)
{
    for (size_t i = 0; i < COUNTOF(filters); i++)
        if (str_eq(str_of(filters[i].name), name))
            return filters[i].function;
    return jinja_list_filter_find(name);
}

static const TestKind *test_find(Str name)
{
    for (size_t i = 0; i < COUNTOF(tests); i++)
        if (str_eq(str_of(tests[i].name), name))
            return &tests[i].kind;
    return NULL;
}

bool jinja_has_filter(Str name)
{
    return filter_find(name) != NULL;
}

bool jinja_has_test(Str name)
{
    return test_find(name) != NULL;
}

Value jinja_filter(Interp *in, Str name, const Call *call)
{
    Native filter = filter_find(name);
    if (!filter)
        return jinja_fault(in, "unknown filter '%.*s'", STR_ARG(name));
    Call named = *call;
    named.what = arena_printf(in->arena, "%.*s", STR_ARG(name));
    return filter(in, &named);
}

bool jinja_test(Interp *in, Str name, const Call *call)
{
    const TestKind *kind = test_find(name);
    if (!kind) {
        jinja_fault(in, "unknown test '%.*s'", STR_ARG(name));
        return false;
    }
    Call named = *call;
    named.what = arena_printf(in->arena, "%.*s", STR_ARG(name));
    return run_test(in, *kind, &named);
}
