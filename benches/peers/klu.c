/* Times KLU on the matrices that `newton_matrices` writes; `klu_times.py` compiles and runs both.
 *
 * A file holds n and the number of entries, column starts, rows, the number of matrices, then the values of each.
 * Prints, in microseconds: analysis, factorization, and the least and the median time of refactorization and solution
 * over all matrices and rounds; entries of L + U; the largest residual, relative to matrix, solution and right-hand side.
 */
#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double larger(double a, double b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[1], "r") : NULL;
    int rounds = argc > 2 ? atoi(argv[2]) : 0, n, nnz, matrices;
    if (!file || rounds < 1 || fscanf(file, "%d %d", &n, &nnz) != 2) return 1;
    int *starts = malloc(sizeof(int) * (size_t)(n + 1)), *rows = malloc(sizeof(int) * (size_t)nnz);
    for (int i = 0; i <= n; i++) if (fscanf(file, "%d", &starts[i]) != 1) return 1;
    for (int i = 0; i < nnz; i++) if (fscanf(file, "%d", &rows[i]) != 1) return 1;
    if (fscanf(file, "%d", &matrices) != 1) return 1;
    double *values = malloc(sizeof(double) * (size_t)nnz * (size_t)matrices);
    for (long i = 0; i < (long)nnz * matrices; i++) if (fscanf(file, "%lf", &values[i]) != 1) return 1;
    fclose(file);

    klu_common common;
    klu_defaults(&common);
    double start = now();
    klu_symbolic *symbolic = klu_analyze(n, starts, rows, &common);
    double analyse = now() - start;
    start = now();
    klu_numeric *numeric = klu_factor(starts, rows, values, symbolic, &common);
    double factor = now() - start;
    if (!symbolic || !numeric) return 1;
    long entries = (long)numeric->lnz + (long)numeric->unz - n + (long)numeric->nzoff;

    int count = matrices * rounds;
    double *refactor = malloc(sizeof(double) * (size_t)count), *solve = malloc(sizeof(double) * (size_t)count);
    double *x = malloc(sizeof(double) * (size_t)n), *r = malloc(sizeof(double) * (size_t)n), worst = 0.0;
    for (int k = 0; k < count; k++) {
        double *a = values + (long)(k % matrices) * nnz;
        for (int i = 0; i < n; i++) x[i] = 1.0 + (double)(i % 7);
        memcpy(r, x, sizeof(double) * (size_t)n);
        start = now();
        if (!klu_refactor(starts, rows, a, symbolic, numeric, &common)) return 1;
        refactor[k] = now() - start;
        start = now();
        klu_solve(symbolic, numeric, n, 1, x, &common);
        solve[k] = now() - start;
        double size = 0.0, entry = 0.0, residual = 0.0, given = 7.0;
        for (int j = 0; j < n; j++) {
            size = larger(size, fabs(x[j]));
            for (int i = starts[j]; i < starts[j + 1]; i++) {
                r[rows[i]] -= a[i] * x[j];
                entry = larger(entry, fabs(a[i]));
            }
        }
        for (int i = 0; i < n; i++) residual = larger(residual, fabs(r[i]));
        worst = larger(worst, residual / (entry * size + given));
    }
    qsort(refactor, (size_t)count, sizeof(double), ascending);
    qsort(solve, (size_t)count, sizeof(double), ascending);
    printf("%.2f %.2f %.2f %.2f %.2f %.2f %ld %.1e\n", analyse, factor, refactor[0], refactor[count / 2], solve[0],
           solve[count / 2], entries, worst);
    return 0;
}
