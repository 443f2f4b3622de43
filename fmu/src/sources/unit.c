/* @title@
 * A unit of the Functional Mock-up Interface @version@: what is common to both versions stands first, then its functions.
 * With FMI@major@_FUNCTION_PREFIX their names begin with it, unless FMI@major@_OVERRIDE_FUNCTION_PREFIX is defined.
 */
#include "@name@_motion.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(FMI@major@_FUNCTION_PREFIX) && !defined(FMI@major@_OVERRIDE_FUNCTION_PREFIX)
#define PASTED(a, b) a##b
#define PASTE(a, b) PASTED(a, b)
#define NAMED(name) PASTE(FMI@major@_FUNCTION_PREFIX, name)
#else
#define NAMED(name) name
#endif
#ifdef _WIN32
#define SHARED __declspec(dllexport)
#else
#define SHARED
#endif

enum { NP = @parameters@, NI = @inputs@, NQ = @coordinates@, NV = @velocities@, NX = NQ + NV, NC = @constraints@, NO = @outputs@ };
/* The first value reference of each group; that of time is 0. */
enum {
    PARAMETERS = 1,
    INPUTS = PARAMETERS + NP,
    STATES = INPUTS + NI,
    DERIVATIVES = STATES + NX,
    MULTIPLIERS = DERIVATIVES + NX,
    OUTPUTS = MULTIPLIERS + NC,
    END = OUTPUTS + NO
};
#define TOKEN "@token@"
/* Length of the steps by which it integrates by itself, s. */
#define STEP @step@
/* Weight of what an importer has given in the search for a start, and by which part of its size it may be moved. */
#define HELD 1e10
#define MOVED 1e-2

/* For each coordinate the directions of velocities by which it changes: the first, and how many. */
static const int first_direction[NQ] = { @first_directions@ };
static const int directions[NQ] = { @directions@ };
static const double defaults[NP + 1] = { @defaults@ };

/* Modes of the interface. */
enum { INSTANTIATED = 1, INITIALIZING = 2, EVENTS = 4, CONTINUOUS = 8, STEPPING = 16, TERMINATED = 32, FAILED = 64 };

/* What a copy of the state of a unit is. */
typedef struct {
    char token[sizeof TOKEN];
    int mode;
    bool is_exchange;
    /* Whether parameters have changed since constants were computed, the start is at another time than zero, and
     * accelerations belong to the state. */
    bool has_changed;
    bool is_later;
    bool is_current;
    /* States that were given for the start, their values, whether one came since it was found, and the model's own start. */
    bool is_given[NX];
    double given[NX];
    bool has_given;
    double own[NX];
    double parameters[NP + 1];
    @name@_motion motion;
} content;

typedef struct {
    content now;
    content before;
    double tolerance;
    void *environment;
    void (*log)(void);
    char *instance_name;
} unit;

static int say(unit *u, const char *format, ...);

/* Whether the state has left the constraints by more than the errors of the importer. */
static bool is_off(unit *u)
{
    return !(@name@_drift(&u->now.motion) <= 10.0 * u->tolerance);
}

static void begin(content *c, bool is_exchange)
{
    memset(c, 0, sizeof *c);
    memcpy(c->token, TOKEN, sizeof TOKEN);
    c->mode = INSTANTIATED;
    c->is_exchange = is_exchange;
    memcpy(c->parameters, defaults, sizeof defaults);
    @name@_start(c->parameters, &c->motion);
    memcpy(c->own, c->motion.q, sizeof c->motion.q);
    memcpy(c->own + NQ, c->motion.v, sizeof c->motion.v);
}

/* 0, or 1 with a message: a call in a mode that does not permit it. */
static int refuse(unit *u, int modes, const char *call)
{
    if (u->now.mode & modes) return 0;
    return say(u, u->now.mode == FAILED ? "%s: the unit has failed before; reset it" : "%s: not permitted in this mode", call);
}

/* Applies parameters and the start that was given; the rest of the model's own start moves as little as the constraints
 * allow, whatever was read and set before. */
static int settle(unit *u)
{
    content *c = &u->now;
    const bool is_start = (c->mode & (INSTANTIATED | INITIALIZING)) != 0;
    bool is_moved = c->has_changed;
    if (c->has_changed) {
        @name@_constants(c->parameters, c->motion.constants);
        c->has_changed = false;
        c->is_current = false;
    }
    if (!is_start) {
        if (!is_moved || !is_off(u)) return 0;
        c->has_changed = true;
        return say(u, "with these parameters the state does not obey the constraints; set others");
    }
    if (c->is_later || c->has_given) is_moved = true;
    if (!is_moved) return 0;
    c->is_later = c->has_given = c->is_current = false;
    memcpy(c->motion.q, c->own, sizeof c->motion.q);
    memcpy(c->motion.v, c->own + NQ, sizeof c->motion.v);
    double places[NV], speeds[NV];
    for (int i = 0; i < NV; ++i) places[i] = speeds[i] = 1.0;
    for (int i = 0; i < NX; ++i) {
        if (!c->is_given[i]) continue;
        if (i < NQ) {
            c->motion.q[i] = c->given[i];
            for (int k = 0; k < directions[i]; ++k) places[first_direction[i] + k] = HELD;
        } else {
            c->motion.v[i - NQ] = c->given[i];
            speeds[i - NQ] = HELD;
        }
    }
    if (@name@_assemble(&c->motion, places, speeds)) return say(u, "no start near these values obeys the constraints");
    for (int i = 0; i < NX; ++i) {
        const double found = i < NQ ? c->motion.q[i] : c->motion.v[i - NQ];
        if (c->is_given[i] && fabs(found - c->given[i]) > MOVED * fmax(1.0, fabs(c->given[i]))) {
            return say(u, "the constraints contradict the start of value reference %d: %g instead of %g", STATES + i, found, c->given[i]);
        }
    }
    return 0;
}

/* Accelerations and multipliers of the state. */
static int accelerate(unit *u)
{
    if (u->now.is_current) return 0;
    if (@name@_accelerate(&u->now.motion)) return say(u, "the accelerations are not determined at t = %g s", u->now.motion.t);
    u->now.is_current = true;
    return 0;
}

static int get(unit *u, const uint32_t *references, size_t n, double *values, size_t n_values)
{
    content *c = &u->now;
    double rates[NQ], outputs[NO + 1];
    bool has_rates = false, has_outputs = false;
    if (n_values != n || (n > 0 && (!references || !values))) return say(u, "expected as many values as value references");
    if (settle(u)) return 1;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t r = references[i];
        if (r >= END) return say(u, "there is no value reference %lu, expected one below %d", (unsigned long)r, END);
        if (r >= DERIVATIVES && accelerate(u)) return 1;
        if (r >= OUTPUTS) {
            if (!has_outputs) @name@_read(&c->motion, outputs);
            has_outputs = true;
            values[i] = outputs[r - OUTPUTS];
        } else if (r >= MULTIPLIERS) {
            values[i] = @multiplier@;
        } else if (r >= DERIVATIVES + NQ) {
            values[i] = c->motion.a[r - DERIVATIVES - NQ];
        } else if (r >= DERIVATIVES) {
            if (!has_rates) @name@_rates(&c->motion, rates);
            has_rates = true;
            values[i] = rates[r - DERIVATIVES];
        } else if (r >= STATES + NQ) {
            values[i] = c->motion.v[r - STATES - NQ];
        } else if (r >= STATES) {
            values[i] = c->motion.q[r - STATES];
        } else if (NI > 0 && r >= INPUTS) {
            values[i] = c->motion.inputs[r - INPUTS];
        } else if (NP > 0 && r >= PARAMETERS) {
            values[i] = c->parameters[r - PARAMETERS];
        } else {
            values[i] = c->motion.t;
        }
    }
    return 0;
}

/* Changes nothing if one of the values cannot be set. */
static int set(unit *u, const uint32_t *references, size_t n, const double *values, size_t n_values)
{
    content *c = &u->now;
    const bool is_start = (c->mode & (INSTANTIATED | INITIALIZING)) != 0;
    if (n_values != n || (n > 0 && (!references || !values))) return say(u, "expected as many values as value references");
    for (size_t i = 0; i < n; ++i) {
        const uint32_t r = references[i];
        if (r >= END) return say(u, "there is no value reference %lu, expected one below %d", (unsigned long)r, END);
        if (!isfinite(values[i])) return say(u, "value reference %lu: expected a finite number", (unsigned long)r);
        const bool is_input = r >= INPUTS && r < STATES;
        const bool is_parameter = r >= PARAMETERS && r < INPUTS;
        const bool is_state = r >= STATES && r < DERIVATIVES;
        const bool is_free = is_start || (c->mode & (EVENTS | STEPPING)) != 0;
        if (is_input || (is_parameter && is_free) || (is_state && is_start)) continue;
        return say(u, "value reference %lu cannot be set here", (unsigned long)r);
    }
    for (size_t i = 0; i < n; ++i) {
        const uint32_t r = references[i];
        if (r >= STATES) {
            c->is_given[r - STATES] = c->has_given = true;
            c->given[r - STATES] = values[i];
        } else if (NI > 0 && r >= INPUTS) {
            c->motion.inputs[r - INPUTS] = values[i];
            c->is_current = false;
        } else if (NP > 0) {
            c->parameters[r - PARAMETERS] = values[i];
            c->has_changed = true;
        }
    }
    return 0;
}

static int initialize(unit *u, double start, bool has_tolerance, double tolerance)
{
    if (!isfinite(start)) return say(u, "the start time is not finite");
    u->now.motion.t = start;
    u->now.motion.t_rest = 0.0;
    u->now.is_current = false;
    u->tolerance = has_tolerance && tolerance > 0.0 ? tolerance : 1e-6;
    u->now.is_later = start != 0.0;
    u->now.mode = INITIALIZING;
    return 0;
}

static int initialized(unit *u, int next)
{
    if (settle(u) || accelerate(u)) {
        u->now.mode = FAILED;
        return 1;
    }
    u->now.mode = next;
    return 0;
}

static int set_time(unit *u, double t)
{
    if (!isfinite(t)) return say(u, "the time is not finite");
    u->now.motion.t = t;
    u->now.motion.t_rest = 0.0;
    u->now.is_current = false;
    return 0;
}

static int set_states(unit *u, const double *x, size_t n)
{
    if (n != NX || !x) return say(u, "expected %d states", NX);
    for (int i = 0; i < NX; ++i) {
        if (!isfinite(x[i])) return say(u, "state %d is not finite", i);
    }
    memcpy(u->now.motion.q, x, NQ * sizeof *x);
    memcpy(u->now.motion.v, x + NQ, NV * sizeof *x);
    u->now.is_current = false;
    return 0;
}

static int get_states(unit *u, double *x, size_t n)
{
    if (n != NX || !x) return say(u, "expected room for %d states", NX);
    if (settle(u)) return 1;
    memcpy(x, u->now.motion.q, NQ * sizeof *x);
    memcpy(x + NQ, u->now.motion.v, NV * sizeof *x);
    return 0;
}

static int get_derivatives(unit *u, double *x, size_t n)
{
    if (n != NX || !x) return say(u, "expected room for %d derivatives", NX);
    if (settle(u) || accelerate(u)) return 1;
    @name@_rates(&u->now.motion, x);
    memcpy(x + NQ, u->now.motion.a, NV * sizeof *x);
    return 0;
}

/* Moves the state back onto the constraints, if it has left them; -1 if that fails. */
static int come_back(unit *u)
{
    if (settle(u)) return -1;
    if (!is_off(u)) return 0;
    u->before = u->now;
    if (@name@_project(&u->now.motion)) {
        u->now = u->before;
        say(u, "the state is too far off the constraints at t = %g s; take smaller steps or tolerances", u->now.motion.t);
        return -1;
    }
    u->now.is_current = false;
    return 1;
}

/* Goes on by equal steps of at most STEP; if one fails, the state is that before the call. */
static int go_on(unit *u, double t, double h)
{
    content *c = &u->now;
    if (!isfinite(t) || !(h >= 0.0) || !isfinite(h)) return say(u, "the step is no length: %g s", h);
    if (fabs(t - c->motion.t) > 1e-9 * (1.0 + fabs(t))) return say(u, "the unit is at t = %g s, not at %g s", c->motion.t, t);
    if (settle(u)) return 1;
    const double count = ceil(h / STEP * (1.0 - 1e-9));
    if (count > 1e10) return say(u, "the step has more than 1e10 steps of %g s", STEP);
    u->before = *c;
    for (double i = 0.0; i < count; i += 1.0) {
        const int failure = @name@_step(&c->motion, h / count);
        bool is_finite = true;
        for (int k = 0; k < NV; ++k) is_finite = is_finite && isfinite(c->motion.v[k]);
        if (failure || !is_finite) {
            const double at = c->motion.t;
            *c = u->before;
            return say(u, failure == 2 ? "a step at t = %g s leaves the constraints; take smaller ones" : "the motion is not determined at t = %g s", at);
        }
    }
    c->motion.t = t + h;
    c->motion.t_rest = 0.0;
    /* Accelerations of a step are not always those of its end. */
    c->is_current = false;
    return 0;
}

static unit *instantiate(const char *name, const char *token, bool is_exchange)
{
    unit *u = token && strcmp(token, TOKEN) == 0 ? calloc(1, sizeof *u) : NULL;
    if (!u) return NULL;
    begin(&u->now, is_exchange);
    u->tolerance = 1e-6;
    const size_t length = name ? strlen(name) : 0;
    u->instance_name = calloc(length + 1, 1);
    if (!u->instance_name) {
        free(u);
        return NULL;
    }
    if (length > 0) memcpy(u->instance_name, name, length);
    return u;
}

static void release(unit *u)
{
    if (!u) return;
    free(u->instance_name);
    free(u);
}

/* Copies of the state, on their own or as bytes; those of other units are refused. */
static int keep(unit *u, void **state)
{
    if (!state) return say(u, "expected a place for the state");
    if (!*state) *state = malloc(sizeof u->now);
    if (!*state) return say(u, "there is no memory for the state");
    memcpy(*state, &u->now, sizeof u->now);
    return 0;
}

static int take(unit *u, const void *state)
{
    if (!state) return say(u, "expected a state");
    memcpy(&u->before, state, sizeof u->before);
    if (memcmp(u->before.token, TOKEN, sizeof TOKEN) != 0) return say(u, "the state is that of another unit");
    u->now = u->before;
    return 0;
}

static int forget(void **state)
{
    if (state) {
        free(*state);
        *state = NULL;
    }
    return 0;
}

static int measure(const void *state, size_t *size)
{
    if (!state || !size) return 1;
    *size = sizeof(content);
    return 0;
}

static int to_bytes(const void *state, void *bytes, size_t size)
{
    if (!state || !bytes || size != sizeof(content)) return 1;
    memcpy(bytes, state, size);
    return 0;
}

static int from_bytes(const void *bytes, size_t size, void **state)
{
    if (!state || !bytes || size != sizeof(content)) return 1;
    if (!*state) *state = malloc(size);
    if (!*state) return 1;
    memcpy(*state, bytes, size);
    return 0;
}

/* ---- How functions of the interface begin and end. */

typedef int fmi@major@Status;
enum { OK = 0, ERROR = 3 };
#define STATUS(failure) ((failure) ? ERROR : OK)

#define BEGIN(modes, call)                                             \
    unit *u = instance;                                                \
    if (!u || refuse(u, modes, call)) return ERROR

#define ANY (INSTANTIATED | INITIALIZING | EVENTS | CONTINUOUS | STEPPING | TERMINATED)

