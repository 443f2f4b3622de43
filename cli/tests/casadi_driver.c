/* Compares Jacobians of functions of CasADi with differences of sixth order, without CasADi. The test defines FUNCTIONS. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long long int casadi_int;
typedef int evaluated(const double **, double **, casadi_int *, double *, int);
typedef casadi_int counted(void);
typedef const char *named(casadi_int);
typedef const casadi_int *placed(casadi_int);
typedef int worked(casadi_int *, casadi_int *, casadi_int *, casadi_int *);

typedef struct {
    const char *name;
    evaluated *f, *jacobian;
    counted *n_in;
    named *name_in;
    placed *sparsity_in, *sparsity_out, *sparsity_of_jacobian;
    worked *work, *work_of_jacobian;
} function;

#define DECLARE(f) \
    evaluated f, jac_##f; counted f##_n_in; named f##_name_in; \
    placed f##_sparsity_in, f##_sparsity_out, jac_##f##_sparsity_out; worked f##_work, jac_##f##_work;
#define LISTED(f) \
    { #f, f, jac_##f, f##_n_in, f##_name_in, f##_sparsity_in, f##_sparsity_out, jac_##f##_sparsity_out, f##_work, jac_##f##_work },

FUNCTIONS(DECLARE)

static double *numbers(size_t n)
{
    double *all = calloc(n + 1, sizeof *all);
    if (!all) exit(3);
    return all;
}

static double *room(worked *work)
{
    casadi_int a, r, iw, w;
    if (work(&a, &r, &iw, &w)) exit(4);
    return numbers((size_t)w);
}

int main(void)
{
    static const function functions[] = { FUNCTIONS(LISTED) };
    const double step = 3e-3, weights[3] = { 45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0 };
    unsigned seed = 1;
    int wrong = 0;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k) {
        const function *f = &functions[k];
        const int n_in = (int)f->n_in();
        const casadi_int rows = f->sparsity_out(0)[0];
        const double *arguments[16] = { 0 };
        double *results[16] = { 0 }, *values[16];
        for (int i = 0; i < n_in; ++i) {
            const casadi_int n = f->sparsity_in(i)[0];
            values[i] = numbers((size_t)n);
            for (casadi_int j = 0; j < n; ++j) {
                seed = seed * 1664525u + 1013904223u;
                values[i][j] = (double)(seed >> 8) / (1 << 24) - 0.3;
            }
            arguments[i] = values[i];
        }
        for (int i = 0; i < n_in; ++i) {
            const casadi_int *s = f->sparsity_of_jacobian(i);
            results[i] = numbers((size_t)(s[0] * s[1]));
        }
        double *w = room(f->work), *w_of_jacobian = room(f->work_of_jacobian);
        if (f->jacobian(arguments, results, 0, w_of_jacobian, 0)) exit(5);
        double *at = numbers((size_t)rows), *difference = numbers((size_t)rows), *dense = numbers((size_t)rows);
        double *out[1] = { at };
        for (int i = 0; i < n_in; ++i) {
            const casadi_int *s = f->sparsity_of_jacobian(i);
            if (s[0] != rows || s[1] != f->sparsity_in(i)[0]) exit(6);
            if (!strcmp(f->name_in(i), "t")) continue;
            const int is_dense = s[2] == 1;
            double worst = 0.0, size = 1e-3;
            for (casadi_int column = 0; column < s[1]; ++column) {
                const double middle = values[i][column];
                memset(difference, 0, (size_t)rows * sizeof *difference);
                memset(dense, 0, (size_t)rows * sizeof *dense);
                for (int j = -3; j <= 3; ++j) {
                    if (!j) continue;
                    values[i][column] = middle + j * step;
                    if (f->f(arguments, out, 0, w, 0)) exit(7);
                    const double weight = (j > 0 ? 1.0 : -1.0) * weights[abs(j) - 1] / step;
                    for (casadi_int row = 0; row < rows; ++row) {
                        difference[row] += weight * at[row];
                        size = fmax(size, fmax(fabs(difference[row]), 1e-5 * fabs(at[row])));
                    }
                }
                values[i][column] = middle;
                const casadi_int begin = is_dense ? column * rows : s[2 + column];
                const casadi_int end = is_dense ? begin + rows : s[3 + column];
                for (casadi_int j = begin; j < end; ++j) dense[is_dense ? j - begin : s[2 + s[1] + 1 + j]] = results[i][j];
                for (casadi_int row = 0; row < rows; ++row) {
                    const double off = fabs(dense[row] - difference[row]);
                    if (!(off <= worst)) worst = off;
                }
            }
            const int is_wrong = !(worst < 1e-8 * size);
            wrong += is_wrong;
            printf("%s by %s: %.0e%s\n", f->name, f->name_in(i), worst / size, is_wrong ? " WRONG" : "");
        }
    }
    return wrong ? 1 : 0;
}
