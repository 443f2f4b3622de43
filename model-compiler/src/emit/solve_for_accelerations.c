/* row -= factor * other. */
static void subtract(int n, double *row, double factor, const double *other)
{
    for (int j = 0; j < n; ++j) row[j] -= factor * other[j];
}

/* Slopes of accelerations -M^-1 A from those of forces, A, with the factors of M. */
static void solve_with_factors(int n, const double *factors, double *x)
{
    for (int k = n - 1; k >= 0; --k)
        for (int i = 0; i < k; ++i)
            if (factors[k * n + i] != 0.0) subtract(n, x + i * n, factors[k * n + i], x + k * n);
    for (int k = 0; k < n; ++k) {
        const double scale = -factors[k * n + k];
        for (int j = 0; j < n; ++j) x[k * n + j] *= scale;
        for (int i = 0; i < k; ++i)
            if (factors[k * n + i] != 0.0) subtract(n, x + k * n, factors[k * n + i], x + i * n);
    }
}

/* Replaces slopes of forces and M, row by row, by slopes of accelerations and M^-1. */
static void solve_for_accelerations(int n, double *by_position, double *by_velocity, double *mass)
{
    /* M = L^T D L in the lower triangle, with 1/D; velocities of a link stand behind those of its parents. */
    for (int k = n - 1; k >= 0; --k) {
        mass[k * n + k] = 1.0 / mass[k * n + k];
        for (int i = k - 1; i >= 0; --i)
            if (mass[k * n + i] != 0.0) {
                const double factor = mass[k * n + i] * mass[k * n + k];
                subtract(i + 1, mass + i * n, factor, mass + k * n);
                mass[k * n + i] = factor;
            }
    }
    solve_with_factors(n, mass, by_position);
    solve_with_factors(n, mass, by_velocity);
    /* L^-T in the upper triangle, and row by row what remains of the inverse. */
    for (int i = 0; i < n; ++i)
        for (int k = i + 1; k < n; ++k) mass[i * n + k] = 0.0;
    for (int k = n - 1; k >= 0; --k)
        for (int i = 0; i < k; ++i)
            if (mass[k * n + i] != 0.0) {
                mass[i * n + k] -= mass[k * n + i];
                subtract(n - k - 1, mass + i * n + k + 1, mass[k * n + i], mass + k * n + k + 1);
            }
    for (int k = 0; k < n; ++k) {
        double factors[256];
        const double scale = mass[k * n + k];
        for (int i = 0; i < k; ++i) {
            factors[i] = mass[k * n + i];
            mass[k * n + i] = 0.0;
        }
        for (int j = k + 1; j < n; ++j) mass[k * n + j] *= scale;
        for (int i = 0; i < k; ++i)
            if (factors[i] != 0.0) subtract(n, mass + k * n, factors[i], mass + i * n);
    }
}
