// SPDX-License-Identifier: Apache-2.0
/*
 * cases_test.cpp - the table of cases that all bindings run, through weft.hpp.
 *
 *   cases_test FOLDER      FOLDER: bindings/cases
 *
 * On the CPU device; WEFT_TEST_BACKEND names another, WEFT_WEBGPU another library.
 */
#include <weft.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

const int cancel_tries = 1000;

struct array {
    std::string                name;
    weft_scalar                type = static_cast<weft_scalar>(0);
    weft::shape                sizes;
    std::vector<unsigned char> bytes;       /* data, or what is expected */
    bool                       foreign = false;
};

struct test_case {
    std::string                name, wgsl, kind, about;
    std::vector<array>         inputs, outputs;
    weft::execute_options      options;
    weft::pool_context_options context;
    weft::pool_options         pool;
    double                     tolerance = 0;
    bool                       cancel = false, own_pool = false, f16 = false, f64 = false;
};

int failures;

void expect(bool ok, const std::string &what)
{
    if (!ok) {
        std::cerr << "failed: " << what << "\n";
        failures++;
    }
}

std::vector<unsigned char> bytes_of(const std::string &hex)
{
    std::vector<unsigned char> out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        out.push_back(static_cast<unsigned char>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    return out;
}

array array_of(const std::string &name, const std::string &type, const std::string &sizes)
{
    static const char *const names[] = {"bytes", "", "i32", "u32", "f32", "f16", "f64"};
    array a;
    a.name = name;
    for (int i = 0; i < 7; i++)
        if (type == names[i])
            a.type = static_cast<weft_scalar>(i);
    std::istringstream in(sizes);
    for (std::string part; sizes != "-" && std::getline(in, part, 'x');)
        a.sizes.push_back(std::stoull(part));
    return a;
}

std::string file(const std::string &path)
{
    std::ifstream      in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/* One line of cases.txt; the words after the first. */
void read_line(test_case &c, const std::string &word, const std::vector<std::string> &w,
               const std::string &folder)
{
    auto three = [&](std::array<std::uint32_t, 3> &out) {
        for (std::size_t i = 0; i < 3; i++)
            out[i] = static_cast<std::uint32_t>(std::stoul(w[i]));
    };
    if (word == "case") c = test_case{}, c.name = w[0];
    else if (word == "wgsl") c.wgsl = file(folder + "/" + w[0]);
    else if (word == "entry") c.options.entry = w[0];
    else if (word == "constant") c.options.constants.push_back({w[0], std::stod(w[1])});
    else if (word == "groups") three(c.options.groups);
    else if (word == "invocations") three(c.options.invocations);
    else if (word == "memory_limit") c.options.memory_limit = std::stoull(w[0]);
    else if (word == "deadline") c.options.deadline = std::stoull(w[0]);
    else if (word == "no_retry") c.options.no_retry = true;
    else if (word == "cancel") c.cancel = true;
    else if (word == "tolerance") c.tolerance = std::stod(w[0]);
    else if (word == "context") c.context.memory_quota = std::stoull(w[1]);
    else if (word == "pool") c.own_pool = true, c.pool.dispatch_deadline = std::stoull(w[1]);
    else if (word == "requires") (w[0] == "f16" ? c.f16 : c.f64) = true;
    else if (word == "error") c.kind = w[0], c.about = w[1] == "-" ? "" : w[1];
    else if (word == "input") {
        c.inputs.push_back(array_of(w[0], w[1], w[2]));
        c.inputs.back().bytes = bytes_of(w[3]);
    } else if (word == "output") c.outputs.push_back(array_of(w[0], w[1], w[2]));
    else if (word == "expect" || word == "foreign") {
        for (array &a : word == "expect" ? c.outputs : c.inputs)
            if (a.name == w[0])
                word == "expect" ? (void)(a.bytes = bytes_of(w[1])) : (void)(a.foreign = true);
    } else expect(false, c.name + ": unknown line " + word);
}

std::vector<test_case> read_table(const std::string &folder)
{
    std::vector<test_case> all;
    std::ifstream          in(folder + "/cases.txt");
    test_case              c;
    for (std::string line; std::getline(in, line);) {
        std::istringstream       words(line);
        std::string              first, word;
        std::vector<std::string> rest;
        words >> first;
        while (words >> word)
            rest.push_back(word);
        if (first == "end") all.push_back(c);
        else read_line(c, first, rest, folder);
    }
    return all;
}

weft_execute_report run(const test_case &c, const weft::pool &pool,
                        std::vector<std::vector<unsigned char>> &results)
{
    weft::pool_context        ctx(pool, c.context), other(pool);
    std::vector<weft::input>  inputs;
    std::vector<weft::output> outputs;
    for (const array &a : c.inputs) {
        if (a.foreign) {
            std::vector<float> values(a.bytes.size() / 4);
            std::memcpy(values.data(), a.bytes.data(), a.bytes.size());
            inputs.emplace_back(a.name, other.store(values));
        } else {
            inputs.emplace_back(a.name, a.type, a.bytes.data(), a.bytes.size(), a.sizes);
        }
    }
    for (const array &a : c.outputs) {
        results.emplace_back(a.bytes.empty() ? 4096 : a.bytes.size());
        outputs.emplace_back(a.name, a.type, results.back().data(), a.bytes.size(), a.sizes);
    }
    if (!c.cancel)
        return ctx.execute(c.wgsl, inputs, outputs, c.options);
    // A device that ends before it is cancelled gets another go.
    weft_execute_report report{};
    for (int i = 0; i < cancel_tries && !report.error.kind; i++) {
        weft::execution e = ctx.submit(c.wgsl, inputs, outputs, c.options);
        e.cancel();
        report = e.result();
    }
    return report;
}

void compare(const test_case &c, const array &a, const std::vector<unsigned char> &got)
{
    if (c.tolerance == 0) {
        expect(got == a.bytes, c.name + ": " + a.name);
        return;
    }
    for (std::size_t i = 0; i < got.size(); i += 4) {
        float x, y;
        std::memcpy(&x, &got[i], 4);
        std::memcpy(&y, &a.bytes[i], 4);
        expect(std::fabs(x - y) <= float(c.tolerance) * std::fmax(1.0f, std::fabs(y)),
               c.name + ": " + a.name);
    }
}

void check_error(const test_case &c, const weft::error &e)
{
    expect(c.kind == e.kind_name() || (c.kind.empty() && !e.kind()),
           c.name + ": " + e.kind_name() + ": " + e.what());
    expect(c.about.empty() || c.about == e.name(), c.name + ": the error names " + e.name());
}

/* `own`: the CPU device, which alone has deadlines; else that of the environment. */
weft::pool make_pool(weft::pool_options options, bool own)
{
    const char *backend = std::getenv("WEFT_TEST_BACKEND"), *library = std::getenv("WEFT_WEBGPU");
    options.measure = false;
    options.probe_in_process = true;
    if (library && !own) {
        options.libraries = {library};
        options.no_own = true;
    } else {
        options.adapters = {backend && !own ? backend : "cpu"};
    }
    return weft::pool(options);
}

void run_case(const test_case &c, const weft::pool &shared)
{
    weft::pool pool = c.own_pool ? make_pool(c.pool, true) : shared;
    std::vector<std::vector<unsigned char>> results;
#ifdef WEFT_NO_EXCEPTIONS
    weft::clear_error();
    run(c, pool, results);
    check_error(c, weft::last_error());
#else
    weft::error found(WEFT_ERROR_NONE, "");
    try {
        run(c, pool, results);
    } catch (const weft::error &e) {
        found = e;
    }
    check_error(c, found);
#endif
    for (std::size_t i = 0; c.kind.empty() && i < c.outputs.size(); i++)
        compare(c, c.outputs[i], results[i]);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    weft::pool             pool = make_pool({}, false);
    std::vector<test_case> all = read_table(argv[1]);
    weft_pool_device       device = pool.devices().at(0);
    for (const test_case &c : all)
        if ((!c.f16 || device.f16) && (!c.f64 || device.f64))
            run_case(c, pool);
    std::printf("%zu cases, %d failures\n", all.size(), failures);
    return failures || all.size() < 30;
}
