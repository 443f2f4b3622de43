// The double pendulum of `models/src/double_pendulum.rs` by the angles of its rods against the ground, many at once, by the
// classical Runge-Kutta scheme: LANES instances side by side, so that a compiler can put them into vector registers.
//
// `double_pendulum STEP STEPS INSTANCES`; every line of standard input runs them once and is answered by a line: the tip of
// the first instance at the end. Later instances start with a little more speed.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LANES
#define LANES 1
#endif

enum { A, B, DA, DB, SIZE };
typedef double Values[SIZE][LANES];

static const double m1 = 1.0, m2 = 0.6, l1 = 1.0, l2 = 0.7, friction = 0.02, stiffness = 4.0, free_length = 0.5, g = 9.81;

static inline void derivative(Values x, Values dx) {
#if LANES > 1
    // In one loop they would become calls of `sincos`, which has no vector form.
    double sines[2][LANES], cosines[2][LANES];
    for (int i = 0; i < 2; i++)
#pragma omp simd
        for (int k = 0; k < LANES; k++) sines[i][k] = sin(x[i][k]);
    for (int i = 0; i < 2; i++)
#pragma omp simd
        for (int k = 0; k < LANES; k++) cosines[i][k] = cos(x[i][k]);
#endif
#pragma omp simd
    for (int k = 0; k < LANES; k++) {
#if LANES > 1
        double ca = cosines[A][k], sa = sines[A][k], cb = cosines[B][k], sb = sines[B][k];
#else
        double ca = cos(x[A][k]), sa = sin(x[A][k]), cb = cos(x[B][k]), sb = sin(x[B][k]);
#endif
        double da = x[DA][k], db = x[DB][k];
        double c = ca * cb + sa * sb, s = sa * cb - ca * sb;
        double coupling = m2 * l1 * l2 / 2;
        double m11 = m1 * l1 * l1 / 3 + m2 * l1 * l1, m12 = coupling * c, m22 = m2 * l2 * l2 / 3;
        double px = l1 * ca + l2 * cb - 1.0, py = l1 * sa + l2 * sb - 0.5;
        double length = sqrt(px * px + py * py), pull = -stiffness * (length - free_length) / length;
        double bearing = -friction * (db - da);
        double fa = -g * (m1 / 2 + m2) * l1 * ca - coupling * s * db * db - bearing + pull * l1 * (py * ca - px * sa);
        double fb = -g * m2 * l2 / 2 * cb + coupling * s * da * da + bearing + pull * l2 * (py * cb - px * sb);
        double inverse = 1 / (m11 * m22 - m12 * m12);
        dx[A][k] = da;
        dx[B][k] = db;
        dx[DA][k] = (m22 * fa - m12 * fb) * inverse;
        dx[DB][k] = (m11 * fb - m12 * fa) * inverse;
    }
}

static inline void add(Values x, double factor, Values dx, Values sum) {
    for (int i = 0; i < SIZE; i++)
#pragma omp simd
        for (int k = 0; k < LANES; k++) sum[i][k] = x[i][k] + factor * dx[i][k];
}

static void step(Values x, double h) {
    Values k1, k2, k3, k4, at;
    derivative(x, k1);
    add(x, h / 2, k1, at);
    derivative(at, k2);
    add(x, h / 2, k2, at);
    derivative(at, k3);
    add(x, h, k3, at);
    derivative(at, k4);
    for (int i = 0; i < SIZE; i++)
#pragma omp simd
        for (int k = 0; k < LANES; k++) x[i][k] += h / 6 * (k1[i][k] + 2 * (k2[i][k] + k3[i][k]) + k4[i][k]);
}

int main(int count, char **arguments) {
    if (count != 4) return 1;
    double h = atof(arguments[1]);
    long steps = atol(arguments[2]), instances = atol(arguments[3]);
    for (int character; (character = getchar()) != EOF;) {
        if (character != '\n') continue;
        double tip[2] = {0, 0}, sum = 0;
        for (long first = 0; first < instances; first += LANES) {
            Values x;
            for (int k = 0; k < LANES; k++) {
                x[A][k] = -M_PI / 6;
                x[B][k] = -M_PI / 18;
                x[DA][k] = 0;
                x[DB][k] = 1 + 1e-3 * (first + k);
            }
            for (long i = 0; i < steps; i++) step(x, h);
            if (first == 0) {
                tip[0] = l1 * cos(x[A][0]) + l2 * cos(x[B][0]);
                tip[1] = l1 * sin(x[A][0]) + l2 * sin(x[B][0]);
            }
            for (int k = 0; k < LANES; k++) sum += x[A][k];
        }
        // The sum keeps the compiler from leaving out the other instances.
        printf("%.17g %.17g %.17g\n", tip[0], tip[1], sum);
        fflush(stdout);
    }
    return 0;
}
