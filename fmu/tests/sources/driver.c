/* An importer of one unit of sources, which is linked to it: VERSION is that of the interface, TOKEN the unit's.
 *
 *     driver cs|me|back|look UNTIL STEPS VARIABLES FIRST_STATE STATES [REFERENCE VALUE]…
 *     driver hostile SEED CALLS VARIABLES FIRST_STATE STATES
 *
 * prints all variables at the end, one a line; given values are set before the start, which is at the time START of the
 * environment. `look` reads a state after each of them. Messages go to stderr.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if VERSION == 3
#define F(name) fmi3##name
typedef bool flag;
static void log_message(void *environment, int status, const char *category, const char *message)
{
    (void)environment;
    fprintf(stderr, "%d %s: %s\n", status, category, message);
}
typedef void (*logger)(void *, int, const char *, const char *);
void *fmi3InstantiateModelExchange(const char *, const char *, const char *, bool, bool, void *, logger);
void *fmi3InstantiateCoSimulation(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, logger, void (*)(void));
int fmi3EnterInitializationMode(void *, bool, double, double, bool, double);
int fmi3GetFloat64(void *, const uint32_t *, size_t, double *, size_t);
int fmi3SetFloat64(void *, const uint32_t *, size_t, const double *, size_t);
int fmi3GetContinuousStateDerivatives(void *, double *, size_t);
int fmi3UpdateDiscreteStates(void *, bool *, bool *, bool *, bool *, bool *, double *);
int fmi3DoStep(void *, double, double, bool, bool *, bool *, bool *, double *);
int fmi3GetFMUState(void *, void **);
int fmi3SetFMUState(void *, void *);
int fmi3FreeFMUState(void *, void **);
int fmi3SerializedFMUStateSize(void *, void *, size_t *);
int fmi3SerializeFMUState(void *, void *, uint8_t *, size_t);
int fmi3DeserializeFMUState(void *, const uint8_t *, size_t, void **);
#else
#define F(name) fmi2##name
typedef int flag;
static void log_message(void *environment, const char *name, int status, const char *category, const char *message, ...)
{
    (void)environment;
    (void)message;
    fprintf(stderr, "%d %s of %s\n", status, category, name);
}
typedef struct {
    void (*log)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;
typedef struct {
    int again, terminates, nominals, values, has_next;
    double next;
} event_info;
void *fmi2Instantiate(const char *, int, const char *, const char *, const callbacks *, int, int);
int fmi2SetupExperiment(void *, int, double, double, int, double);
int fmi2EnterInitializationMode(void *);
int fmi2GetReal(void *, const uint32_t *, size_t, double *);
int fmi2SetReal(void *, const uint32_t *, size_t, const double *);
int fmi2GetDerivatives(void *, double *, size_t);
int fmi2NewDiscreteStates(void *, event_info *);
int fmi2DoStep(void *, double, double, int);
#endif
void F(FreeInstance)(void *);
int F(ExitInitializationMode)(void *);
int F(EnterEventMode)(void *);
int F(EnterContinuousTimeMode)(void *);
int F(CompletedIntegratorStep)(void *, flag, flag *, flag *);
int F(SetTime)(void *, double);
int F(SetContinuousStates)(void *, const double *, size_t);
int F(GetContinuousStates)(void *, double *, size_t);
int F(Terminate)(void *);
int F(Reset)(void *);

/* s */
static double start;

static void expect(int status, const char *what)
{
    if (status == 0) return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

static void *instantiate(bool is_exchange, const char *token)
{
#if VERSION == 3
    if (is_exchange) return fmi3InstantiateModelExchange("one", token, NULL, false, true, NULL, log_message);
    return fmi3InstantiateCoSimulation("one", token, NULL, false, true, false, false, NULL, 0, NULL, log_message, NULL);
#else
    static const callbacks functions = { log_message, NULL, NULL, NULL, NULL };
    return fmi2Instantiate("one", is_exchange ? 0 : 1, token, NULL, &functions, 0, 1);
#endif
}

static int get(void *unit, const uint32_t *references, size_t n, double *values)
{
#if VERSION == 3
    return fmi3GetFloat64(unit, references, n, values, n);
#else
    return fmi2GetReal(unit, references, n, values);
#endif
}

static int set(void *unit, const uint32_t *references, size_t n, const double *values)
{
#if VERSION == 3
    return fmi3SetFloat64(unit, references, n, values, n);
#else
    return fmi2SetReal(unit, references, n, values);
#endif
}

static int initialize(void *unit)
{
#if VERSION == 3
    return fmi3EnterInitializationMode(unit, true, 1e-8, start, false, 0.0);
#else
    return fmi2SetupExperiment(unit, 1, 1e-8, start, 0, 0.0) || fmi2EnterInitializationMode(unit);
#endif
}

static int derivatives(void *unit, double *x, size_t n)
{
#if VERSION == 3
    return fmi3GetContinuousStateDerivatives(unit, x, n);
#else
    return fmi2GetDerivatives(unit, x, n);
#endif
}

static int update(void *unit, bool *has_changed)
{
#if VERSION == 3
    bool again, terminate, nominals, has_next;
    double next;
    return fmi3UpdateDiscreteStates(unit, &again, &terminate, &nominals, has_changed, &has_next, &next);
#else
    event_info info = { 0, 0, 0, 0, 0, 0.0 };
    const int status = fmi2NewDiscreteStates(unit, &info);
    *has_changed = info.values != 0;
    return status;
#endif
}

static int go_on(void *unit, double t, double h)
{
#if VERSION == 3
    bool event, terminate, early;
    double reached;
    return fmi3DoStep(unit, t, h, true, &event, &terminate, &early, &reached);
#else
    return fmi2DoStep(unit, t, h, 1);
#endif
}

static void print(void *unit, size_t variables)
{
    double *values = malloc(variables * sizeof *values);
    uint32_t *references = malloc(variables * sizeof *references);
    for (size_t i = 0; i < variables; ++i) references[i] = (uint32_t)i;
    expect(get(unit, references, variables, values), "reading");
    for (size_t i = 0; i < variables; ++i) printf("%.17g\n", values[i]);
    free(values);
    free(references);
}

/* The classical scheme, as an importer has it. */
static void integrate(void *unit, double until, long steps, size_t n)
{
    static const double nodes[4] = { 0.0, 0.5, 0.5, 1.0 };
    static const double weights[4] = { 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0 };
    double *room = calloc(4 * n, sizeof *room);
    double *x = room, *next = room + n, *stage = room + 2 * n, *rate = room + 3 * n;
    bool has_changed = false;
    long events = 0;
    expect(update(unit, &has_changed), "the first event");
    expect(F(EnterContinuousTimeMode)(unit), "continuous time");
    const double h = until / (double)steps;
    for (long step = 0; step < steps; ++step) {
        const double t = start + (double)step * h;
        expect(F(GetContinuousStates)(unit, x, n), "states");
        for (size_t i = 0; i < n; ++i) next[i] = stage[i] = x[i];
        for (int k = 0; k < 4; ++k) {
            expect(F(SetTime)(unit, t + nodes[k] * h), "time");
            expect(F(SetContinuousStates)(unit, stage, n), "states");
            expect(derivatives(unit, rate, n), "derivatives");
            for (size_t i = 0; i < n; ++i) {
                next[i] += h * weights[k] * rate[i];
                if (k < 3) stage[i] = x[i] + h * nodes[k + 1] * rate[i];
            }
        }
        flag event = 0, terminate = 0;
        expect(F(SetTime)(unit, t + h), "time");
        expect(F(SetContinuousStates)(unit, next, n), "states");
        expect(F(CompletedIntegratorStep)(unit, 1, &event, &terminate), "the end of a step");
        if (event) {
            ++events;
            expect(F(EnterEventMode)(unit), "event mode");
            expect(update(unit, &has_changed), "an event");
            expect(F(EnterContinuousTimeMode)(unit), "continuous time");
        }
    }
    fprintf(stderr, "%ld events\n", events);
    free(room);
}

#if VERSION == 3
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static double any(void)
{
    static const double odd[6] = { NAN, INFINITY, -INFINITY, 0.0, 1e300, -1e-300 };
    return below(4) == 0 ? odd[below(6)] : (double)below(2000) / 1000.0 - 1.0;
}

/* Calls in random order with arguments that may be wrong. */
static void hostile(long calls, uint32_t variables, size_t n)
{
    void *unit = instantiate(below(2) == 0, TOKEN);
    void *state = NULL;
    double *room = calloc(n + 8, sizeof *room);
    uint32_t references[4];
    double values[4];
    for (long call = 0; call < calls; ++call) {
        for (int i = 0; i < 4; ++i) {
            references[i] = below(10) == 0 ? UINT32_MAX - below(3) : below(variables + 2);
            values[i] = any();
        }
        for (size_t i = 0; i < n; ++i) room[i] = any();
        bool has_changed;
        flag event, terminate;
        switch (below(24)) {
        case 0: initialize(unit); break;
        case 1: F(ExitInitializationMode)(unit); break;
        case 2: F(EnterEventMode)(unit); break;
        case 3: F(EnterContinuousTimeMode)(unit); break;
        case 4: F(CompletedIntegratorStep)(unit, 1, below(5) ? &event : NULL, below(5) ? &terminate : NULL); break;
        case 5: F(SetTime)(unit, any()); break;
        case 6: F(SetContinuousStates)(unit, below(8) ? room : NULL, below(8) ? n : n + 1); break;
        case 7: F(GetContinuousStates)(unit, room, n); break;
        case 8: derivatives(unit, room, n); break;
        case 9: update(unit, &has_changed); break;
        case 10: go_on(unit, any(), below(3) ? 0.002 : any() * 0.01); break;
        case 11: get(unit, below(8) ? references : NULL, below(5), values); break;
        case 12: set(unit, below(8) ? references : NULL, below(5), values); break;
        case 13: fmi3GetFloat64(unit, references, 2, values, 3); break;
        case 14: fmi3GetFMUState(unit, &state); break;
        case 15: fmi3SetFMUState(unit, state); break;
        case 16: fmi3FreeFMUState(unit, &state); break;
        case 17: if (below(3) == 0) F(Reset)(unit); break;
        case 18: if (below(8) == 0) F(Terminate)(unit); break;
        case 19: get(NULL, references, 1, values); break;
        case 20: instantiate(true, below(2) ? "another" : NULL); break;
        case 21: {
            size_t size = 0;
            if (state && fmi3SerializedFMUStateSize(unit, state, &size) == 0) {
                uint8_t *bytes = malloc(size);
                fmi3SerializeFMUState(unit, state, bytes, size);
                if (below(3) == 0) bytes[0] ^= 1;
                fmi3DeserializeFMUState(unit, bytes, below(5) ? size : size - 1, &state);
                free(bytes);
            }
            break;
        }
        case 22:
            if (below(6) == 0) {
                F(FreeInstance)(unit);
                unit = instantiate(below(2) == 0, TOKEN);
            }
            break;
        default: F(FreeInstance)(NULL); break;
        }
    }
    fmi3FreeFMUState(unit, &state);
    F(FreeInstance)(unit);
    free(room);
}
#endif

int main(int count, char **words)
{
    if (count < 7) return 2;
    const char *mode = words[1], *begin = getenv("START");
    start = begin ? atof(begin) : 0.0;
    const double until = atof(words[2]);
    const long steps = atol(words[3]);
    const size_t variables = (size_t)atol(words[4]), states = (size_t)atol(words[6]);
#if VERSION == 3
    if (strcmp(mode, "hostile") == 0) {
        seed = (uint64_t)until;
        hostile(steps, (uint32_t)variables, states);
        return 0;
    }
#endif
    const bool is_exchange = strcmp(mode, "me") == 0;
    void *unit = instantiate(is_exchange, TOKEN);
    if (!unit || instantiate(is_exchange, "another")) return 3;
    for (int i = 7; i + 1 < count; i += 2) {
        const uint32_t reference = (uint32_t)atol(words[i]);
        const double value = atof(words[i + 1]);
        expect(set(unit, &reference, 1, &value), "a start");
        if (strcmp(mode, "look") == 0) {
            const uint32_t first = (uint32_t)atol(words[5]);
            double seen;
            expect(get(unit, &first, 1, &seen), "a look");
        }
    }
    expect(initialize(unit), "the start");
    expect(F(ExitInitializationMode)(unit), "the end of the start");
    if (is_exchange) {
        integrate(unit, until, steps, states);
    } else {
        const double h = until / (double)steps;
        for (long step = 0; step < steps; ++step) {
#if VERSION == 3
            if (step == steps / 2 && strcmp(mode, "back") == 0) {
                /* Goes on for a while, and then back, by way of bytes. */
                void *state = NULL, *copy = NULL;
                size_t size = 0;
                expect(fmi3GetFMUState(unit, &state), "a state");
                expect(fmi3SerializedFMUStateSize(unit, state, &size), "its size");
                uint8_t *bytes = malloc(size);
                expect(fmi3SerializeFMUState(unit, state, bytes, size), "its bytes");
                expect(go_on(unit, start + (double)step * h, 2.5 * h), "a step that is undone");
                expect(fmi3DeserializeFMUState(unit, bytes, size, &copy), "a state of bytes");
                expect(fmi3SetFMUState(unit, copy), "going back");
                fmi3FreeFMUState(unit, &state);
                fmi3FreeFMUState(unit, &copy);
                free(bytes);
            }
#endif
            expect(go_on(unit, start + (double)step * h, h), "a step");
        }
    }
    print(unit, variables);
    expect(F(Terminate)(unit), "the end");
    F(FreeInstance)(unit);
    return 0;
}
