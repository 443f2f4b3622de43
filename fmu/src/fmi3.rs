//! The functions of FMI 3.0, as importers call them.
//!
//! Each does what [`Instance`](crate::Instance) does. What the interface has and units of models do not, clocks and
//! variables of other types, is an error if it is asked for.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use crate::derivatives::Side;
use crate::handle::{Status, c_text, free, list, made, none, on, put, room, states, text};
use crate::instance::{Fault, Instance};
use crate::settings::{Kind, Version};

type Handle = *mut c_void;
type References = *const u32;
type Log = Option<unsafe extern "C" fn(*mut c_void, Status, *const c_char, *const c_char)>;

/// Makes an instance for one use.
///
/// # Safety
/// Texts end with a zero; `log` may be called with `environment` while the instance exists.
unsafe fn instance(
    kind: Kind,
    token: *const c_char,
    resources: *const c_char,
    is_logging: bool,
    environment: *mut c_void,
    log: Log,
) -> Handle {
    let say = move |status: Status, message: &str| {
        let Some(log) = log.filter(|_| is_logging || status != Status::Ok) else { return };
        let message = c_text(message);
        // SAFETY: the importer has given both for this.
        unsafe { log(environment, status, c"logStatusError".as_ptr(), message.as_ptr()) };
    };
    made(Box::new(say), || {
        // SAFETY: the caller says that they end with a zero.
        let (token, resources) = unsafe { (text(token, "the token")?, text(resources, "the path of resources")?) };
        let instance = Instance::new(Path::new(&resources), &token, kind)?;
        match instance.version() {
            Version::Three => Ok(instance),
            Version::Two => Err(Fault::new("this unit is one of FMI 2.0".to_owned())),
        }
    })
}

/// The version.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

/// Messages are those of failures, which are always given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    handle: Handle,
    _on: bool,
    _n: usize,
    _names: *const *const c_char,
) -> Status {
    on!(handle, |_instance| Ok(()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    _name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    is_logging: bool,
    environment: *mut c_void,
    log: Log,
) -> Handle {
    // SAFETY: the interface says so.
    unsafe { instance(Kind::ModelExchange, token, resources, is_logging, environment, log) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    _name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    is_logging: bool,
    _event_mode_used: bool,
    _early_return_allowed: bool,
    _intermediate: References,
    _n_intermediate: usize,
    environment: *mut c_void,
    log: Log,
    _intermediate_update: *const c_void,
) -> Handle {
    // SAFETY: the interface says so.
    unsafe { instance(Kind::CoSimulation, token, resources, is_logging, environment, log) }
}

/// Units have no clocks.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _is_logging: bool,
    _environment: *mut c_void,
    _log: Log,
    _clock_update: *const c_void,
    _lock: *const c_void,
    _unlock: *const c_void,
) -> Handle {
    std::ptr::null_mut()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(handle: Handle) {
    // SAFETY: the interface says that nobody uses the instance any more.
    unsafe { free(handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    handle: Handle,
    has_tolerance: bool,
    tolerance: f64,
    start: f64,
    has_end: bool,
    end: f64,
) -> Status {
    on!(handle, |instance| {
        instance.set_up(start, has_end.then_some(end), has_tolerance.then_some(tolerance))?;
        instance.begin_initialization()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(handle: Handle) -> Status {
    on!(handle, |instance| instance.exit_initialization())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterEventMode(handle: Handle) -> Status {
    on!(handle, |instance| instance.enter_event_mode())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(handle: Handle) -> Status {
    on!(handle, |instance| instance.terminate())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(handle: Handle) -> Status {
    on!(handle, |instance| {
        instance.reset();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFloat64(
    handle: Handle,
    vr: References,
    n: usize,
    values: *mut f64,
    m: usize,
) -> Status {
    on!(handle, |instance| instance.get(list(vr, n, "value references")?, room(values, m, "values")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFloat64(
    handle: Handle,
    vr: References,
    n: usize,
    values: *const f64,
    m: usize,
) -> Status {
    on!(handle, |instance| instance.set(list(vr, n, "value references")?, list(values, m, "values")?))
}

/// Variables of other types, of which there are none.
macro_rules! without_variables {
    ($($get:ident $set:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(handle: Handle, _vr: References, n: usize, _values: *mut c_void, _m: usize) -> Status {
            on!(handle, |_instance| none(n, "variables of this type"))
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(handle: Handle, _vr: References, n: usize, _values: *const c_void, _m: usize) -> Status {
            on!(handle, |_instance| none(n, "variables of this type"))
        }
    )*};
}

without_variables! {
    fmi3GetFloat32 fmi3SetFloat32
    fmi3GetInt8 fmi3SetInt8
    fmi3GetUInt8 fmi3SetUInt8
    fmi3GetInt16 fmi3SetInt16
    fmi3GetUInt16 fmi3SetUInt16
    fmi3GetInt32 fmi3SetInt32
    fmi3GetUInt32 fmi3SetUInt32
    fmi3GetInt64 fmi3SetInt64
    fmi3GetUInt64 fmi3SetUInt64
    fmi3GetBoolean fmi3SetBoolean
    fmi3GetString fmi3SetString
}

/// Functions with a list of value references, of what there is none.
macro_rules! without {
    ($what:literal: $($name:ident($($argument:ident: $type:ty),*))*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: Handle, _vr: References, n: usize $(, $argument: $type)*) -> Status {
            on!(handle, |_instance| none(n, $what))
        }
    )*};
}

without! { "binary variables":
    fmi3GetBinary(_sizes: *mut usize, _values: *mut c_void, _m: usize)
    fmi3SetBinary(_sizes: *const usize, _values: *const c_void, _m: usize)
}

without! { "clocks":
    fmi3GetClock(_values: *mut c_void)
    fmi3SetClock(_values: *const c_void)
    fmi3GetIntervalDecimal(_intervals: *mut f64, _qualifiers: *mut c_int)
    fmi3GetIntervalFraction(_counters: *mut u64, _resolutions: *mut u64, _qualifiers: *mut c_int)
    fmi3GetShiftDecimal(_shifts: *mut f64)
    fmi3GetShiftFraction(_counters: *mut u64, _resolutions: *mut u64)
    fmi3SetIntervalDecimal(_intervals: *const f64)
    fmi3SetIntervalFraction(_counters: *const u64, _resolutions: *const u64)
    fmi3SetShiftDecimal(_shifts: *const f64)
    fmi3SetShiftFraction(_counters: *const u64, _resolutions: *const u64)
}

without! { "derivatives of outputs":
    fmi3GetOutputDerivatives(_orders: *const i32, _values: *mut f64, _m: usize)
}

/// What there is not, whatever is given.
macro_rules! never {
    ($($name:ident($($argument:ident: $type:ty),*): $what:literal)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: Handle $(, $argument: $type)*) -> Status {
            on!(handle, |_instance| Err(Fault::new($what.to_owned())))
        }
    )*};
}

never! {
    fmi3EnterConfigurationMode(): "this unit has no structural parameters"
    fmi3ExitConfigurationMode(): "this unit has no structural parameters"
    fmi3GetNumberOfVariableDependencies(_vr: u32, _n: *mut usize): "dependencies are those of the description"
    fmi3GetVariableDependencies(
        _vr: u32, _of: *mut usize, _on: *mut u32, _elements: *mut usize, _kinds: *mut c_int, _n: usize
    ): "dependencies are those of the description"
    fmi3ActivateModelPartition(_clock: u32, _t: f64): "this unit has no clocks"
    fmi3EnterStepMode(): "this unit has no event mode in co-simulation"
}

/// Both kinds of derivatives, whose seeds and results have the same places.
macro_rules! derivatives {
    ($($name:ident: $side:expr)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            handle: Handle,
            unknowns: References,
            n_unknowns: usize,
            knowns: References,
            n_knowns: usize,
            seed: *const f64,
            n_seed: usize,
            sensitivity: *mut f64,
            n_sensitivity: usize,
        ) -> Status {
            on!(handle, |instance| instance.partial_derivatives(
                list(unknowns, n_unknowns, "unknowns")?,
                list(knowns, n_knowns, "knowns")?,
                $side,
                list(seed, n_seed, "the seed")?,
                room(sensitivity, n_sensitivity, "sensitivities")?,
            ))
        }
    )*};
}

derivatives! {
    fmi3GetDirectionalDerivative: Side::Directional
    fmi3GetAdjointDerivative: Side::Adjoint
}

states! {
    fmi3GetFMUState fmi3SetFMUState fmi3FreeFMUState
    fmi3SerializedFMUStateSize fmi3SerializeFMUState fmi3DeserializeFMUState
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EvaluateDiscreteStates(handle: Handle) -> Status {
    on!(handle, |_instance| Ok(()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3UpdateDiscreteStates(
    handle: Handle,
    needs_update: *mut bool,
    terminates: *mut bool,
    has_new_nominals: *mut bool,
    has_new_states: *mut bool,
    has_next_event: *mut bool,
    next_event: *mut f64,
) -> Status {
    on!(handle, |instance| {
        let has_changed = instance.update_discrete_states()?;
        let next = instance.next_event();
        [needs_update, terminates, has_new_nominals].into_iter().for_each(|flag| put(flag, false));
        put(has_new_states, has_changed);
        put(has_next_event, next.is_some());
        put(next_event, next.unwrap_or(f64::INFINITY));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterContinuousTimeMode(handle: Handle) -> Status {
    on!(handle, |instance| instance.enter_continuous_time_mode())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3CompletedIntegratorStep(
    handle: Handle,
    _no_return: bool,
    needs_event: *mut bool,
    terminates: *mut bool,
) -> Status {
    on!(handle, |instance| {
        put(needs_event, instance.completed_integrator_step()?);
        put(terminates, false);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetTime(handle: Handle, t: f64) -> Status {
    on!(handle, |instance| instance.set_time(t))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetContinuousStates(handle: Handle, states: *const f64, n: usize) -> Status {
    on!(handle, |instance| instance.set_continuous_states(list(states, n, "states")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStateDerivatives(handle: Handle, derivatives: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.derivatives(room(derivatives, n, "derivatives")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetEventIndicators(handle: Handle, indicators: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.event_indicators(room(indicators, n, "indicators")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStates(handle: Handle, states: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.continuous_states(room(states, n, "states")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNominalsOfContinuousStates(handle: Handle, nominals: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.nominals(room(nominals, n, "nominals")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfEventIndicators(handle: Handle, n: *mut usize) -> Status {
    on!(handle, |instance| {
        put(n, instance.variables().indicators().len());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfContinuousStates(handle: Handle, n: *mut usize) -> Status {
    on!(handle, |instance| {
        put(n, instance.variables().states);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    handle: Handle,
    from: f64,
    interval: f64,
    _no_return: bool,
    needs_event: *mut bool,
    terminates: *mut bool,
    is_early: *mut bool,
    reached: *mut f64,
) -> Status {
    on!(handle, |instance| {
        [needs_event, terminates, is_early].into_iter().for_each(|flag| put(flag, false));
        let result = instance.do_step(from, interval);
        put(reached, instance.time());
        result
    })
}
