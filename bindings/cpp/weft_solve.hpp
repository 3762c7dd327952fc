// SPDX-License-Identifier: Apache-2.0
/*
 * weft_solve.hpp - curve fits and least squares (weft/solve.h, weft/grad.h).
 *
 *     auto f = weft::fit(ctx, "a*exp(-b*x) + c", {{"x", x}, {"y", y}});
 *     f.value("a");
 *     auto r = weft::least_squares(ctx, residuals, 2, {0, 0});   // void(out, x)
 */
#ifndef WEFT_SOLVE_HPP
#define WEFT_SOLVE_HPP

#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include <weft/solve.h>

#include "weft_core.hpp"

namespace weft {

namespace detail {
inline void fit_release(weft_solve_fit *f) { weft_solve_fit_release(f); }
inline void problem_release(weft_solve_problem *p) { weft_solve_problem_release(p); }
inline weft_grad_graph *graph_retain(weft_grad_graph *g) { return weft_grad_graph_retain(g); }
inline void graph_release(weft_grad_graph *g) { weft_grad_graph_release(g); }
inline weft_grad_batch *batch_retain(weft_grad_batch *b) { return weft_grad_batch_retain(b); }
inline void batch_release(weft_grad_batch *b) { weft_grad_batch_release(b); }
} // namespace detail

/* ---- curve fits ---- */

using column = std::pair<std::string, std::vector<double>>;

class curve {
public:
    curve(const context &c, weft_solve_fit *f) : context_(c), handle_(f)
    {
        if (f)
            weft_solve_fit_get_info(&info_, f);
        else
            context_.check();
    }
    explicit operator bool() const { return bool(handle_); }
    const weft_solve_fit_info &info() const { return info_; }
    bool converged() const { return info_.result.converged; }
    std::vector<weft_solve_fit_parameter> parameters() const
    {
        std::vector<weft_solve_fit_parameter> found(info_.parameters);
        for (std::uint32_t i = 0; i < info_.parameters; i++)
            weft_solve_fit_parameter_get(&found[i], handle_.get(), i);
        return found;
    }
    /* NaN, with an error, if there is no such parameter. */
    double value(const std::string &name) const
    {
        for (const weft_solve_fit_parameter &p : parameters())
            if (name == p.name)
                return p.value;
        detail::fail(error(WEFT_ERROR_NOT_FOUND, "no parameter '" + name + "'", name));
        return std::nan("");
    }

private:
    context context_;
    detail::unique<weft_solve_fit, detail::fit_release> handle_;
    weft_solve_fit_info info_{};
};

/* Fits a formula to columns; names that are not columns are its parameters. */
inline curve fit(const context &c, const std::string &formula, const std::vector<column> &columns,
                 const std::map<std::string, double> &start = {})
{
    std::vector<const char *>     names;
    std::vector<weft_solve_guess> guesses;
    std::size_t rows = columns.empty() ? 0 : columns[0].second.size();
    std::vector<double> data(rows * columns.size());
    for (std::size_t k = 0; k < columns.size(); k++) {
        names.push_back(columns[k].first.c_str());
        if (columns[k].second.size() != rows) {
            detail::fail(error(WEFT_ERROR_SHAPE, "the columns have different lengths",
                               columns[k].first));
            rows = 0;
            break;
        }
        for (std::size_t i = 0; i < rows; i++)
            data[i * columns.size() + k] = columns[k].second[i];
    }
    for (const auto &s : start)
        guesses.push_back({s.first.c_str(), s.second, 0, 0, false});
    weft_solve_fit_desc d{};
    d.formula = formula.c_str();
    d.columns = names.data();
    d.column_count = static_cast<std::uint32_t>(names.size());
    d.data = data.data();
    d.count = static_cast<std::uint32_t>(rows);
    d.guesses = guesses.data();
    d.guess_count = static_cast<std::uint32_t>(guesses.size());
    return curve(c, weft_solve_fit_create(c.get(), &d));
}

/* ---- graphs and batches ---- */

class graph;

/* A number of a graph. */
struct node {
    weft_grad_graph *in;
    weft_grad_node   number;
};

#define OP(function, name, value)                                                              \
    inline node function(node a) { return {a.in, weft_grad_##function(a.in, a.number)}; }
WEFT_GRAD_UNARY(OP)
#undef OP
#define OP(function, name, value)                                                              \
    inline node function(node a, node b)                                                       \
    {                                                                                          \
        return {a.in, weft_grad_##function(a.in, a.number, b.number)};                         \
    }                                                                                          \
    inline node function(node a, double b)                                                     \
    {                                                                                          \
        return function(a, node{a.in, weft_grad_constant(a.in, b)});                           \
    }                                                                                          \
    inline node function(double a, node b)                                                     \
    {                                                                                          \
        return function(node{b.in, weft_grad_constant(b.in, a)}, b);                           \
    }
WEFT_GRAD_BINARY(OP)
#undef OP
#define WEFT_OPERATOR(symbol, name)                                                            \
    inline node operator symbol(node a, node b) { return name(a, b); }                         \
    inline node operator symbol(node a, double b) { return name(a, b); }                       \
    inline node operator symbol(double a, node b) { return name(a, b); }
WEFT_OPERATOR(+, add)
WEFT_OPERATOR(-, sub)
WEFT_OPERATOR(*, mul)
WEFT_OPERATOR(/, div)
#undef WEFT_OPERATOR
inline node operator-(node a) { return neg(a); }

/* One topology: inputs are differentiated, data belong to each instance. */
class graph {
public:
    explicit graph(const context &c)
        : context_(c), handle_(weft_grad_graph_create(c.get(), nullptr))
    {
        if (!handle_)
            c.check();
    }
    std::vector<node> input(const char *name, std::uint32_t size)
    {
        return block(weft_grad_input, name, size);
    }
    std::vector<node> data(const char *name, std::uint32_t size)
    {
        return block(weft_grad_data, name, size);
    }
    bool output(node n, const char *name = nullptr)
    {
        return context_.checked(weft_grad_output(handle_.get(), n.number, name));
    }
    weft_grad_graph *get() const { return handle_.get(); }
    const context &in() const { return context_; }

private:
    template <class F> std::vector<node> block(F make, const char *name, std::uint32_t size)
    {
        std::vector<weft_grad_node> raw(size);
        std::vector<node>           out;
        context_.checked(make(raw.data(), handle_.get(), name, size));
        for (weft_grad_node n : raw)
            out.push_back({handle_.get(), n});
        return out;
    }
    context context_;
    detail::handle<weft_grad_graph, detail::graph_release, detail::graph_retain> handle_;
};

/* A graph for `count` instances with data [count][data]. */
class batch {
public:
    batch(const graph &g, std::uint32_t parameters, std::uint32_t count,
          const std::vector<double> &data = {}, const std::vector<std::uint32_t> &index = {})
    {
        weft_grad_graph_info info{};
        weft_grad_graph_get_info(&info, g.get());
        if ((!data.empty() && data.size() != std::size_t(count) * info.data)
            || (!index.empty() && index.size() != std::size_t(count) * info.blocks)) {
            detail::fail(error(WEFT_ERROR_SHAPE, "data or index do not have a row for each "
                                                 "instance"));
            return;
        }
        weft_grad_batch_desc d{};
        d.graph = g.get();
        d.count = count;
        d.parameter_count = parameters;
        d.data = data.empty() ? nullptr : data.data();
        d.index = index.empty() ? nullptr : index.data();
        handle_ = decltype(handle_)(weft_grad_batch_create(g.in().get(), &d));
        if (!handle_)
            g.in().check();
    }
    weft_grad_batch *get() const { return handle_.get(); }
    explicit operator bool() const { return bool(handle_); }

private:
    detail::handle<weft_grad_batch, detail::batch_release, detail::batch_retain> handle_;
};

/* ---- least squares ---- */

struct solution {
    std::vector<double> x;
    weft_solve_result   result;
    bool converged() const { return result.converged; }
};

/* Residuals at x; unless null, the Jacobian [residuals][parameters]. False: not defined there. */
using residual_function = std::function<bool(double *residuals, double *jacobian, const double *x)>;

class problem {
public:
    problem(const context &c, std::uint32_t parameters) : context_(c), parameters_(parameters)
    {
        weft_solve_problem_desc d{};
        d.parameter_count = parameters;
        handle_ = decltype(handle_)(weft_solve_problem_create(c.get(), &d));
        if (!handle_)
            context_.check();
    }
    bool add(const batch &b, const weft_solve_loss *loss = nullptr)
    {
        return context_.checked(weft_solve_add(handle_.get(), b.get(), loss));
    }
    bool add_function(residual_function f, std::uint32_t residuals,
                      const weft_solve_loss *loss = nullptr)
    {
        functions_.push_back(std::make_unique<residual_function>(std::move(f)));
        weft_solve_function d{};
        d.evaluate = [](void *user, double *out, double *jacobian, const double *x) {
            return (*static_cast<residual_function *>(user))(out, jacobian, x);
        };
        d.user = functions_.back().get();
        d.residual_count = residuals;
        d.parameter_count = parameters_;
        return context_.checked(weft_solve_add_function(handle_.get(), &d, loss));
    }
    bool set_bounds(std::uint32_t first, const std::vector<double> &lower,
                    const std::vector<double> &upper)
    {
        std::size_t count = lower.empty() ? upper.size() : lower.size();
        return context_.checked(weft_solve_set_bounds(
            handle_.get(), first, static_cast<std::uint32_t>(count),
            lower.empty() ? nullptr : lower.data(), upper.empty() ? nullptr : upper.data()));
    }
    solution solve(std::vector<double> x, const weft_solve_options &options = {})
    {
        solution s{std::move(x), {}};
        if (s.x.size() != parameters_)
            detail::fail(error(WEFT_ERROR_SHAPE, "the start has not one number a parameter"));
        else
            context_.checked(weft_solve(&s.result, s.x.data(), handle_.get(), &options));
        return s;
    }

private:
    context       context_;
    std::uint32_t parameters_;
    std::vector<std::unique_ptr<residual_function>> functions_;
    detail::unique<weft_solve_problem, detail::problem_release> handle_;
};

} // namespace weft

#endif
