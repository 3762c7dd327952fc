// SPDX-License-Identifier: Apache-2.0
//
// ceres.cc - the problems of bench/solve for Ceres: a bundle adjustment for its solver, small fits
// for its TinySolver.

#include "bench_solve.h"

#include <ceres/ceres.h>
#include <ceres/rotation.h>
#include <ceres/tiny_solver.h>
#include <ceres/tiny_solver_autodiff_function.h>
#include <omp.h>

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

struct Peak {
    const double *t, *y;
    template <typename T> bool operator()(const T *p, T *r) const
    {
        T inverse = 1.0 / p[2];
        for (int i = 0; i < MANY_POINTS; i++) {
            T z = (t[i] - p[1]) * inverse;
            r[i] = p[0] * exp(-0.5 * z * z) + p[3] - y[i];
        }
        return true;
    }
};

using PeakFunction = ceres::TinySolverAutoDiffFunction<Peak, MANY_POINTS, 4>;

}  // namespace

extern "C" bool rival_available(void)
{
    return true;
}

extern "C" RivalResult rival_bundle(double *x, const Problem *p, const Options *o)
{
    double start = now();
    ceres::Problem problem;
    auto ordering = std::make_shared<ceres::ParameterBlockOrdering>();
    for (uint32_t i = 0; i < p->count; i++) {
        const double *d = p->data + 2 * i;
        double *camera = x + p->index[2 * i], *point = x + p->index[2 * i + 1];
        problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Reprojection, 2, 9, 3>(
                                     new Reprojection{d[0], d[1]}), nullptr, camera, point);
        ordering->AddElementToGroup(point, 0);
        ordering->AddElementToGroup(camera, 1);
    }
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_SCHUR;
    options.linear_solver_ordering = ordering;
    options.num_threads = (int)o->threads;
    options.max_num_iterations = (int)o->iterations;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    return {now() - start, summary.total_time_in_seconds, summary.initial_cost,
            summary.final_cost, (uint32_t)summary.iterations.size() - 1};
}

extern "C" RivalResult rival_many(double *x, const double *y, uint32_t fits, uint32_t threads)
{
    double start = now(), before = 0, after = 0, t[MANY_POINTS];
    uint64_t iterations = 0;
    for (uint32_t i = 0; i < MANY_POINTS; i++)
        t[i] = many_abscissa(i);
#pragma omp parallel num_threads(threads) reduction(+ : before, after, iterations)
    {
        ceres::TinySolver<PeakFunction> solver;
#pragma omp for schedule(static)
        for (uint32_t f = 0; f < fits; f++) {
            Peak peak{t, y + (size_t)f * MANY_POINTS};
            PeakFunction function(peak);
            Eigen::Vector4d parameters(x + 4 * (size_t)f);
            solver.Solve(function, &parameters);
            Eigen::Map<Eigen::Vector4d>(x + 4 * (size_t)f) = parameters;
            before += solver.summary.initial_cost;
            after += solver.summary.final_cost;
            iterations += (uint64_t)solver.summary.iterations;
        }
    }
    double seconds = now() - start;
    return {seconds, seconds, before, after, (uint32_t)(iterations / (fits ? fits : 1))};
}
