/* ---- The functions of FMI 3.0. */

typedef void (*log_message)(void *environment, fmi3Status status, const char *category, const char *message);

static int say(unit *u, const char *format, ...)
{
    if (!u->log) return 1;
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ((log_message)u->log)(u->environment, ERROR, "logStatusError", message);
    return 1;
}

SHARED const char *NAMED(fmi3GetVersion)(void)
{
    return "3.0";
}

static void *made(const char *name, const char *token, bool logging, void *environment, log_message log, bool is_exchange)
{
    unit *u = instantiate(name, token, is_exchange);
    if (!u) {
        if (log) log(environment, ERROR, "logStatusError", "the token is not that of this unit, or there is no memory");
        return NULL;
    }
    u->environment = environment;
    u->log = logging ? (void (*)(void))log : NULL;
    return u;
}

SHARED void *NAMED(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, log_message log)
{
    (void)resources;
    (void)visible;
    return made(name, token, logging, environment, log, true);
}

SHARED void *NAMED(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources, bool visible, bool logging, bool events, bool early, const uint32_t *required, size_t n, void *environment, log_message log, void (*update)(void))
{
    (void)resources;
    (void)visible;
    (void)events;
    (void)early;
    (void)required;
    (void)n;
    (void)update;
    return made(name, token, logging, environment, log, false);
}

SHARED void *NAMED(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, log_message log, void (*update)(void), void (*lock)(void), void (*unlock)(void))
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)update;
    (void)lock;
    (void)unlock;
    if (log) log(environment, ERROR, "logStatusError", "the unit has no scheduled execution");
    return NULL;
}

SHARED fmi3Status NAMED(fmi3SetDebugLogging)(void *instance, bool logging, size_t n, const char *const *categories)
{
    (void)logging;
    (void)n;
    (void)categories;
    return instance ? OK : ERROR;
}

SHARED fmi3Status NAMED(fmi3EnterInitializationMode)(void *instance, bool has_tolerance, double tolerance, double start, bool has_stop, double stop)
{
    BEGIN(INSTANTIATED, "fmi3EnterInitializationMode");
    (void)has_stop;
    (void)stop;
    return STATUS(initialize(u, start, has_tolerance, tolerance));
}

SHARED fmi3Status NAMED(fmi3GetFloat64)(void *instance, const uint32_t *references, size_t n, double *values, size_t n_values)
{
    BEGIN(ANY, "fmi3GetFloat64");
    return STATUS(get(u, references, n, values, n_values));
}

SHARED fmi3Status NAMED(fmi3SetFloat64)(void *instance, const uint32_t *references, size_t n, const double *values, size_t n_values)
{
    BEGIN(ANY & ~TERMINATED, "fmi3SetFloat64");
    return STATUS(set(u, references, n, values, n_values));
}

/* All variables are real numbers of double precision. */
static fmi3Status other(void *instance, size_t n)
{
    if (instance && n == 0) return OK;
    if (instance) say(instance, "all variables are of type Float64");
    return ERROR;
}

#define OTHERS(type, of)                                                                                            \
    SHARED fmi3Status NAMED(fmi3Get##type)(void *instance, const uint32_t *references, size_t n, of *values, size_t n_values) \
    {                                                                                                               \
        (void)references;                                                                                           \
        (void)values;                                                                                               \
        (void)n_values;                                                                                             \
        return other(instance, n);                                                                                  \
    }                                                                                                               \
    SHARED fmi3Status NAMED(fmi3Set##type)(void *instance, const uint32_t *references, size_t n, const of *values, size_t n_values) \
    {                                                                                                               \
        (void)references;                                                                                           \
        (void)values;                                                                                               \
        (void)n_values;                                                                                             \
        return other(instance, n);                                                                                  \
    }

OTHERS(Float32, float)
OTHERS(Int8, int8_t)
OTHERS(UInt8, uint8_t)
OTHERS(Int16, int16_t)
OTHERS(UInt16, uint16_t)
OTHERS(Int32, int32_t)
OTHERS(UInt32, uint32_t)
OTHERS(Int64, int64_t)
OTHERS(UInt64, uint64_t)
OTHERS(Boolean, bool)
OTHERS(String, char *)

SHARED fmi3Status NAMED(fmi3GetBinary)(void *instance, const uint32_t *references, size_t n, size_t *sizes, const uint8_t **values, size_t n_values)
{
    (void)references;
    (void)sizes;
    (void)values;
    (void)n_values;
    return other(instance, n);
}

SHARED fmi3Status NAMED(fmi3SetBinary)(void *instance, const uint32_t *references, size_t n, const size_t *sizes, const uint8_t *const *values, size_t n_values)
{
    (void)references;
    (void)sizes;
    (void)values;
    (void)n_values;
    return other(instance, n);
}

SHARED fmi3Status NAMED(fmi3GetClock)(void *instance, const uint32_t *references, size_t n, bool *values)
{
    (void)references;
    (void)values;
    return other(instance, n);
}

SHARED fmi3Status NAMED(fmi3SetClock)(void *instance, const uint32_t *references, size_t n, const bool *values)
{
    (void)references;
    (void)values;
    return other(instance, n);
}

SHARED fmi3Status NAMED(fmi3GetFMUState)(void *instance, void **state)
{
    BEGIN(ANY, "fmi3GetFMUState");
    return STATUS(keep(u, state));
}

SHARED fmi3Status NAMED(fmi3SetFMUState)(void *instance, void *state)
{
    unit *u = instance;
    return STATUS(!u || take(u, state));
}

SHARED fmi3Status NAMED(fmi3FreeFMUState)(void *instance, void **state)
{
    (void)instance;
    return STATUS(forget(state));
}

SHARED fmi3Status NAMED(fmi3SerializedFMUStateSize)(void *instance, void *state, size_t *size)
{
    return STATUS(!instance || measure(state, size));
}

SHARED fmi3Status NAMED(fmi3SerializeFMUState)(void *instance, void *state, uint8_t *bytes, size_t size)
{
    return STATUS(!instance || to_bytes(state, bytes, size));
}

SHARED fmi3Status NAMED(fmi3DeserializeFMUState)(void *instance, const uint8_t *bytes, size_t size, void **state)
{
    return STATUS(!instance || from_bytes(bytes, size, state));
}

SHARED fmi3Status NAMED(fmi3EnterConfigurationMode)(void *instance)
{
    return instance ? OK : ERROR;
}

SHARED fmi3Status NAMED(fmi3ExitConfigurationMode)(void *instance)
{
    return instance ? OK : ERROR;
}

SHARED fmi3Status NAMED(fmi3EnterStepMode)(void *instance)
{
    BEGIN(EVENTS | STEPPING, "fmi3EnterStepMode");
    if (u->now.is_exchange) return STATUS(say(u, "fmi3EnterStepMode: the unit was made for model exchange"));
    u->now.mode = STEPPING;
    return OK;
}

SHARED fmi3Status NAMED(fmi3EvaluateDiscreteStates)(void *instance)
{
    BEGIN(INITIALIZING | EVENTS, "fmi3EvaluateDiscreteStates");
    return OK;
}

SHARED fmi3Status NAMED(fmi3UpdateDiscreteStates)(void *instance, bool *again, bool *terminate, bool *nominals, bool *values, bool *has_next, double *next)
{
    BEGIN(EVENTS, "fmi3UpdateDiscreteStates");
    const int moved = come_back(u);
    if (again) *again = false;
    if (terminate) *terminate = false;
    if (nominals) *nominals = false;
    if (values) *values = moved > 0;
    if (has_next) *has_next = false;
    if (next) *next = 0.0;
    return STATUS(moved < 0);
}

SHARED fmi3Status NAMED(fmi3CompletedIntegratorStep)(void *instance, bool no_return, bool *event, bool *terminate)
{
    BEGIN(CONTINUOUS, "fmi3CompletedIntegratorStep");
    (void)no_return;
    if (event) *event = is_off(u);
    if (terminate) *terminate = false;
    u->now.is_current = false;
    return OK;
}

SHARED fmi3Status NAMED(fmi3GetContinuousStateDerivatives)(void *instance, double *x, size_t n)
{
    BEGIN(INITIALIZING | EVENTS | CONTINUOUS, "fmi3GetContinuousStateDerivatives");
    return STATUS(get_derivatives(u, x, n));
}

SHARED fmi3Status NAMED(fmi3GetNumberOfEventIndicators)(void *instance, size_t *n)
{
    if (!instance || !n) return ERROR;
    *n = 0;
    return OK;
}

SHARED fmi3Status NAMED(fmi3GetNumberOfContinuousStates)(void *instance, size_t *n)
{
    if (!instance || !n) return ERROR;
    *n = NX;
    return OK;
}

SHARED fmi3Status NAMED(fmi3DoStep)(void *instance, double t, double h, bool no_return, bool *event, bool *terminate, bool *early, double *reached)
{
    BEGIN(STEPPING, "fmi3DoStep");
    (void)no_return;
    const int failure = go_on(u, t, h);
    if (event) *event = false;
    if (terminate) *terminate = false;
    if (early) *early = false;
    if (reached) *reached = u->now.motion.t;
    return STATUS(failure);
}

#define NOT_THERE(name, ...)                                  \
    SHARED fmi3Status NAMED(name)(void *instance, __VA_ARGS__) \
    {                                                          \
        if (instance) say(instance, #name " is not there");    \
        return ERROR;                                          \
    }

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NOT_THERE(fmi3GetNumberOfVariableDependencies, uint32_t reference, size_t *n)
NOT_THERE(fmi3GetVariableDependencies, uint32_t dependent, size_t *i, uint32_t *on, size_t *k, int *kinds, size_t n)
NOT_THERE(fmi3GetDirectionalDerivative, const uint32_t *of, size_t n_of, const uint32_t *by, size_t n_by, const double *seed, size_t n_seed, double *values, size_t n)
NOT_THERE(fmi3GetAdjointDerivative, const uint32_t *of, size_t n_of, const uint32_t *by, size_t n_by, const double *seed, size_t n_seed, double *values, size_t n)
NOT_THERE(fmi3GetIntervalDecimal, const uint32_t *references, size_t n, double *intervals, int *qualifiers)
NOT_THERE(fmi3GetIntervalFraction, const uint32_t *references, size_t n, uint64_t *counters, uint64_t *resolutions, int *qualifiers)
NOT_THERE(fmi3GetShiftDecimal, const uint32_t *references, size_t n, double *shifts)
NOT_THERE(fmi3GetShiftFraction, const uint32_t *references, size_t n, uint64_t *counters, uint64_t *resolutions)
NOT_THERE(fmi3SetIntervalDecimal, const uint32_t *references, size_t n, const double *intervals)
NOT_THERE(fmi3SetIntervalFraction, const uint32_t *references, size_t n, const uint64_t *counters, const uint64_t *resolutions)
NOT_THERE(fmi3SetShiftDecimal, const uint32_t *references, size_t n, const double *shifts)
NOT_THERE(fmi3SetShiftFraction, const uint32_t *references, size_t n, const uint64_t *counters, const uint64_t *resolutions)
NOT_THERE(fmi3GetOutputDerivatives, const uint32_t *references, size_t n, const int32_t *orders, double *values, size_t n_values)
NOT_THERE(fmi3ActivateModelPartition, uint32_t reference, double t)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
