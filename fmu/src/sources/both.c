
/* ---- Functions that both versions have, but for their names. */

SHARED void NAMED(fmi@major@FreeInstance)(void *instance)
{
    release(instance);
}

SHARED fmi@major@Status NAMED(fmi@major@ExitInitializationMode)(void *instance)
{
    BEGIN(INITIALIZING, "fmi@major@ExitInitializationMode");
    return STATUS(initialized(u, u->now.is_exchange ? EVENTS : STEPPING));
}

SHARED fmi@major@Status NAMED(fmi@major@EnterEventMode)(void *instance)
{
    BEGIN(CONTINUOUS | EVENTS, "fmi@major@EnterEventMode");
    u->now.mode = EVENTS;
    return OK;
}

SHARED fmi@major@Status NAMED(fmi@major@Terminate)(void *instance)
{
    BEGIN(EVENTS | CONTINUOUS | STEPPING, "fmi@major@Terminate");
    u->now.mode = TERMINATED;
    return OK;
}

SHARED fmi@major@Status NAMED(fmi@major@Reset)(void *instance)
{
    unit *u = instance;
    if (!u) return ERROR;
    begin(&u->now, u->now.is_exchange);
    return OK;
}

SHARED fmi@major@Status NAMED(fmi@major@EnterContinuousTimeMode)(void *instance)
{
    BEGIN(EVENTS, "fmi@major@EnterContinuousTimeMode");
    if (!u->now.is_exchange) return STATUS(say(u, "fmi@major@EnterContinuousTimeMode: the unit was made for co-simulation"));
    u->now.mode = CONTINUOUS;
    return OK;
}

SHARED fmi@major@Status NAMED(fmi@major@SetTime)(void *instance, double t)
{
    BEGIN(CONTINUOUS | EVENTS, "fmi@major@SetTime");
    return STATUS(set_time(u, t));
}

SHARED fmi@major@Status NAMED(fmi@major@SetContinuousStates)(void *instance, const double *x, size_t n)
{
    BEGIN(CONTINUOUS, "fmi@major@SetContinuousStates");
    return STATUS(set_states(u, x, n));
}

SHARED fmi@major@Status NAMED(fmi@major@GetContinuousStates)(void *instance, double *x, size_t n)
{
    BEGIN(INITIALIZING | EVENTS | CONTINUOUS, "fmi@major@GetContinuousStates");
    return STATUS(get_states(u, x, n));
}

SHARED fmi@major@Status NAMED(fmi@major@GetNominalsOfContinuousStates)(void *instance, double *nominals, size_t n)
{
    BEGIN(ANY, "fmi@major@GetNominalsOfContinuousStates");
    if (n != NX || !nominals) return STATUS(say(u, "expected room for %d nominals", NX));
    for (size_t i = 0; i < n; ++i) nominals[i] = 1.0;
    return OK;
}

SHARED fmi@major@Status NAMED(fmi@major@GetEventIndicators)(void *instance, double *indicators, size_t n)
{
    BEGIN(ANY, "fmi@major@GetEventIndicators");
    (void)indicators;
    return n == 0 ? OK : STATUS(say(u, "there are no event indicators"));
}
