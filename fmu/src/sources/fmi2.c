/* ---- The functions of FMI 2.0. */

typedef int fmi2Boolean;

typedef void (*logger)(void *environment, const char *name, fmi2Status status, const char *category, const char *message, ...);

typedef struct {
    logger log;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, fmi2Status);
    void *environment;
} callbacks;

typedef struct {
    fmi2Boolean needs_iteration;
    fmi2Boolean terminates;
    fmi2Boolean nominals_have_changed;
    fmi2Boolean values_have_changed;
    fmi2Boolean has_next;
    double next;
} event_info;

static int say(unit *u, const char *format, ...)
{
    if (!u->log) return 1;
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ((logger)u->log)(u->environment, u->instance_name, ERROR, "logStatusError", "%s", message);
    return 1;
}

SHARED const char *NAMED(fmi2GetTypesPlatform)(void)
{
    return "default";
}

SHARED const char *NAMED(fmi2GetVersion)(void)
{
    return "2.0";
}

SHARED fmi2Status NAMED(fmi2SetDebugLogging)(void *instance, fmi2Boolean logging, size_t n, const char *const *categories)
{
    (void)logging;
    (void)n;
    (void)categories;
    return instance ? OK : ERROR;
}

SHARED void *NAMED(fmi2Instantiate)(const char *name, int type, const char *token, const char *resources, const callbacks *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources;
    (void)visible;
    const logger log = functions ? functions->log : NULL;
    void *environment = functions ? functions->environment : NULL;
    unit *u = instantiate(name, token, type == 0);
    if (!u) {
        if (log) log(environment, name ? name : "", ERROR, "logStatusError", "the GUID is not that of this unit, or there is no memory");
        return NULL;
    }
    u->environment = environment;
    u->log = logging ? (void (*)(void))log : NULL;
    return u;
}

SHARED fmi2Status NAMED(fmi2SetupExperiment)(void *instance, fmi2Boolean has_tolerance, double tolerance, double start, fmi2Boolean has_stop, double stop)
{
    BEGIN(INSTANTIATED, "fmi2SetupExperiment");
    (void)has_stop;
    (void)stop;
    const int failure = initialize(u, start, has_tolerance != 0, tolerance);
    u->now.mode = INSTANTIATED;
    return STATUS(failure);
}

SHARED fmi2Status NAMED(fmi2EnterInitializationMode)(void *instance)
{
    BEGIN(INSTANTIATED, "fmi2EnterInitializationMode");
    u->now.mode = INITIALIZING;
    return OK;
}

SHARED fmi2Status NAMED(fmi2GetReal)(void *instance, const uint32_t *references, size_t n, double *values)
{
    BEGIN(ANY, "fmi2GetReal");
    return STATUS(get(u, references, n, values, n));
}

SHARED fmi2Status NAMED(fmi2SetReal)(void *instance, const uint32_t *references, size_t n, const double *values)
{
    BEGIN(ANY & ~TERMINATED, "fmi2SetReal");
    return STATUS(set(u, references, n, values, n));
}

/* All variables are real numbers. */
static fmi2Status other(void *instance, size_t n)
{
    if (instance && n == 0) return OK;
    if (instance) say(instance, "all variables are of type Real");
    return ERROR;
}

#define OTHERS(type, of)                                                                                      \
    SHARED fmi2Status NAMED(fmi2Get##type)(void *instance, const uint32_t *references, size_t n, of *values)  \
    {                                                                                                         \
        (void)references;                                                                                     \
        (void)values;                                                                                         \
        return other(instance, n);                                                                            \
    }                                                                                                         \
    SHARED fmi2Status NAMED(fmi2Set##type)(void *instance, const uint32_t *references, size_t n, const of *values) \
    {                                                                                                         \
        (void)references;                                                                                     \
        (void)values;                                                                                         \
        return other(instance, n);                                                                            \
    }

OTHERS(Integer, int)
OTHERS(Boolean, fmi2Boolean)
OTHERS(String, char *)

SHARED fmi2Status NAMED(fmi2GetFMUstate)(void *instance, void **state)
{
    BEGIN(ANY, "fmi2GetFMUstate");
    return STATUS(keep(u, state));
}

SHARED fmi2Status NAMED(fmi2SetFMUstate)(void *instance, void *state)
{
    unit *u = instance;
    return STATUS(!u || take(u, state));
}

SHARED fmi2Status NAMED(fmi2FreeFMUstate)(void *instance, void **state)
{
    (void)instance;
    return STATUS(forget(state));
}

SHARED fmi2Status NAMED(fmi2SerializedFMUstateSize)(void *instance, void *state, size_t *size)
{
    return STATUS(!instance || measure(state, size));
}

SHARED fmi2Status NAMED(fmi2SerializeFMUstate)(void *instance, void *state, char *bytes, size_t size)
{
    return STATUS(!instance || to_bytes(state, bytes, size));
}

SHARED fmi2Status NAMED(fmi2DeSerializeFMUstate)(void *instance, const char *bytes, size_t size, void **state)
{
    return STATUS(!instance || from_bytes(bytes, size, state));
}

SHARED fmi2Status NAMED(fmi2GetDirectionalDerivative)(void *instance, const uint32_t *of, size_t n_of, const uint32_t *by, size_t n_by, const double *seed, double *values)
{
    (void)of;
    (void)n_of;
    (void)by;
    (void)n_by;
    (void)seed;
    (void)values;
    if (instance) say(instance, "fmi2GetDirectionalDerivative is not there");
    return ERROR;
}

SHARED fmi2Status NAMED(fmi2NewDiscreteStates)(void *instance, event_info *info)
{
    BEGIN(EVENTS, "fmi2NewDiscreteStates");
    if (!info) return STATUS(say(u, "fmi2NewDiscreteStates: expected a place for what has changed"));
    const int moved = come_back(u);
    memset(info, 0, sizeof *info);
    info->values_have_changed = moved > 0;
    return STATUS(moved < 0);
}

SHARED fmi2Status NAMED(fmi2CompletedIntegratorStep)(void *instance, fmi2Boolean no_return, fmi2Boolean *event, fmi2Boolean *terminate)
{
    BEGIN(CONTINUOUS, "fmi2CompletedIntegratorStep");
    (void)no_return;
    if (event) *event = is_off(u);
    if (terminate) *terminate = 0;
    u->now.is_current = false;
    return OK;
}

SHARED fmi2Status NAMED(fmi2GetDerivatives)(void *instance, double *x, size_t n)
{
    BEGIN(INITIALIZING | EVENTS | CONTINUOUS, "fmi2GetDerivatives");
    return STATUS(get_derivatives(u, x, n));
}

SHARED fmi2Status NAMED(fmi2SetRealInputDerivatives)(void *instance, const uint32_t *references, size_t n, const int *orders, const double *values)
{
    (void)references;
    (void)orders;
    (void)values;
    return other(instance, n);
}

SHARED fmi2Status NAMED(fmi2GetRealOutputDerivatives)(void *instance, const uint32_t *references, size_t n, const int *orders, double *values)
{
    (void)references;
    (void)orders;
    (void)values;
    return other(instance, n);
}

SHARED fmi2Status NAMED(fmi2DoStep)(void *instance, double t, double h, fmi2Boolean no_return)
{
    BEGIN(STEPPING, "fmi2DoStep");
    (void)no_return;
    return STATUS(go_on(u, t, h));
}

SHARED fmi2Status NAMED(fmi2CancelStep)(void *instance)
{
    if (instance) say(instance, "fmi2CancelStep: steps are over when they return");
    return ERROR;
}

/* Steps are over when they return. */
static fmi2Status no_status(void *instance)
{
    if (instance) say(instance, "there is no step that goes on");
    return ERROR;
}

#define STATUSES(type, of)                                                             \
    SHARED fmi2Status NAMED(fmi2Get##type##Status)(void *instance, int kind, of *value) \
    {                                                                                  \
        (void)kind;                                                                    \
        (void)value;                                                                   \
        return no_status(instance);                                                    \
    }

STATUSES(, fmi2Status)
STATUSES(Real, double)
STATUSES(Integer, int)
STATUSES(Boolean, fmi2Boolean)
STATUSES(String, const char *)
