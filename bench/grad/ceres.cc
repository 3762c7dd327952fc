// SPDX-License-Identifier: Apache-2.0
//
// ceres.cc - the problems of bench/grad as cost functions of Ceres with automatic derivatives, and
// a loop over them: what Ceres can do at best, without its own bookkeeping.

#include "problems.h"

#include <ceres/ceres.h>
#include <ceres/rotation.h>
#include <omp.h>

#include <memory>
#include <vector>

namespace {

struct Reprojection {
    double u, v;
    template <typename T> bool operator()(const T *camera, const T *point, T *r) const
    {
        T p[3];
        ceres::AngleAxisRotatePoint(camera, point, p);
        p[0] += camera[3];
        p[1] += camera[4];
        p[2] += camera[5];
        T x = -p[0] / p[2], y = -p[1] / p[2];
        T r2 = x * x + y * y;
        T d = 1.0 + r2 * (camera[7] + camera[8] * r2);
        r[0] = camera[6] * d * x - u;
        r[1] = camera[6] * d * y - v;
        return true;
    }
};

struct Rigid {
    double e[3];
    template <typename T> bool operator()(const T *a, const T *b, const T *w, T *r) const
    {
        T rest[3] = {T(e[0]), T(e[1]), T(e[2])}, turned[3];
        ceres::AngleAxisRotatePoint(w, rest, turned);
        for (int i = 0; i < 3; i++)
            r[i] = a[i] - b[i] - turned[i];
        return true;
    }
};

struct Gauss {
    double t, y;
    template <typename T> bool operator()(const T *p, T *r) const
    {
        T z = (t - p[1]) / p[2];
        r[0] = p[0] * exp(-0.5 * z * z) + p[3] - y;
        return true;
    }
};

ceres::CostFunction *make(const Problem *p, size_t i)
{
    const double *d = p->data + i * p->data_count;
    if (p->kind == PROBLEM_BUNDLE)
        return new ceres::AutoDiffCostFunction<Reprojection, 2, 9, 3>(
            new Reprojection{d[0], d[1]});
    if (p->kind == PROBLEM_ARAP)
        return new ceres::AutoDiffCostFunction<Rigid, 3, 3, 3, 3>(new Rigid{{d[0], d[1], d[2]}});
    return new ceres::AutoDiffCostFunction<Gauss, 1, 4>(new Gauss{d[0], d[1]});
}

}  // namespace

struct CeresProblem {
    const Problem *p;
    std::vector<std::unique_ptr<ceres::CostFunction>> functions;
    std::vector<double> residuals, jacobian, normal;
    std::vector<int> sizes;
};

extern "C" bool ceres_available(void)
{
    return true;
}

extern "C" CeresProblem *ceres_make(const Problem *p)
{
    auto *c = new CeresProblem;
    c->p = p;
    for (size_t i = 0; i < p->count; i++)
        c->functions.emplace_back(make(p, i));
    c->residuals.resize((size_t)p->count * p->outputs);
    if (p->kind == PROBLEM_GAUSS)
        c->normal.resize((size_t)p->parameter_count / 4 * 14);
    else
        c->jacobian.resize((size_t)p->count * p->outputs * p->inputs);
    c->sizes = p->kind == PROBLEM_BUNDLE ? std::vector<int>{9, 3}
             : p->kind == PROBLEM_ARAP   ? std::vector<int>{3, 3, 3} : std::vector<int>{4};
    return c;
}

extern "C" void ceres_free(CeresProblem *c)
{
    delete c;
}

static void run_jacobian(CeresProblem *c, const double *x, size_t i)
{
    const Problem *p = c->p;
    const double *parameters[3];
    double *jacobians[3], *j = c->jacobian.data() + i * p->outputs * p->inputs;
    for (uint32_t b = 0; b < p->blocks; b++) {
        parameters[b] = x + p->index[i * p->blocks + b];
        jacobians[b] = j;
        j += p->outputs * c->sizes[b];
    }
    c->functions[i]->Evaluate(parameters, c->residuals.data() + i * p->outputs, jacobians);
}

static void run_normal(CeresProblem *c, const double *x, size_t fit, size_t points)
{
    Eigen::Matrix4d h = Eigen::Matrix4d::Zero();
    Eigen::Vector4d g = Eigen::Vector4d::Zero();
    const double *parameters[1] = {x + 4 * fit};
    for (size_t i = fit * points; i < (fit + 1) * points; i++) {
        Eigen::Matrix<double, 1, 4> j;
        double *jacobians[1] = {j.data()};
        c->functions[i]->Evaluate(parameters, &c->residuals[i], jacobians);
        h.noalias() += j.transpose() * j;
        g.noalias() += j.transpose() * c->residuals[i];
    }
    double *out = c->normal.data() + fit * 14;
    for (int r = 0; r < 4; r++)
        for (int k = r; k < 4; k++)
            *out++ = h(r, k);
    for (int r = 0; r < 4; r++)
        *out++ = g(r);
}

extern "C" void ceres_run(CeresProblem *c, const double *x, uint32_t threads)
{
    const Problem *p = c->p;
    if (p->kind == PROBLEM_GAUSS) {
        size_t fits = p->parameter_count / 4, points = p->count / fits;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (size_t f = 0; f < fits; f++)
            run_normal(c, x, f, points);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < p->count; i++)
        run_jacobian(c, x, i);
}

extern "C" double ceres_cost(const CeresProblem *c)
{
    double sum = 0;
    for (double r : c->residuals)
        sum += r * r;
    return sum / 2;
}

extern "C" const double *ceres_jacobian(const CeresProblem *c)
{
    return c->jacobian.empty() ? nullptr : c->jacobian.data();
}

extern "C" const double *ceres_normal(const CeresProblem *c)
{
    return c->normal.empty() ? nullptr : c->normal.data();
}
