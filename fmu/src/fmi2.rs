//! The functions of FMI 2.0, as importers call them.

use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

use crate::derivatives::Side;
use crate::handle::{Status, c_text, free, list, made, none, on, put, room, states, text};
use crate::instance::{Fault, Instance};
use crate::settings::{Kind, Version};

type Handle = *mut c_void;
type References = *const u32;
/// Not zero: true.
type Boolean = c_int;

/// What the importer offers; memory is our own.
#[repr(C)]
pub struct Callbacks {
    /// It has further arguments, as `printf`; no message of ours needs them.
    log: Option<unsafe extern "C" fn(*mut c_void, *const c_char, Status, *const c_char, *const c_char, ...)>,
    allocate: *const c_void,
    free: *const c_void,
    step_finished: *const c_void,
    environment: *mut c_void,
}

/// What follows from an event.
#[repr(C)]
pub struct EventInfo {
    needs_update: Boolean,
    terminates: Boolean,
    has_new_nominals: Boolean,
    has_new_states: Boolean,
    has_next_event: Boolean,
    next_event: f64,
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

/// Messages are those of failures, which are always given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetDebugLogging(
    handle: Handle,
    _on: Boolean,
    _n: usize,
    _names: *const *const c_char,
) -> Status {
    on!(handle, |_instance| Ok(()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    token: *const c_char,
    resources: *const c_char,
    callbacks: *const Callbacks,
    _visible: Boolean,
    _is_logging: Boolean,
) -> Handle {
    // SAFETY: the interface says that both are there while the instance exists, and that texts end with a zero.
    let (log, environment, name) = unsafe {
        let callbacks = callbacks.as_ref();
        let name = text(name, "the name").unwrap_or_default();
        (callbacks.and_then(|callbacks| callbacks.log), callbacks.map(|callbacks| callbacks.environment), c_text(&name))
    };
    let say = move |status: Status, message: &str| {
        let (Some(log), Some(environment)) = (log, environment) else { return };
        // It is a format.
        let message = c_text(&message.replace('%', "%%"));
        // SAFETY: the importer has given both for this.
        unsafe { log(environment, name.as_ptr(), status, c"logStatusError".as_ptr(), message.as_ptr()) };
    };
    made(Box::new(say), || {
        // SAFETY: the interface says that they end with a zero.
        let (token, location) = unsafe { (text(token, "the token")?, text(resources, "the location of resources")?) };
        let kind = if kind == 0 { Kind::ModelExchange } else { Kind::CoSimulation };
        let instance = Instance::new(&path(&location)?, &token, kind)?;
        match instance.version() {
            Version::Two => Ok(instance),
            Version::Three => Err(Fault::new("this unit is one of FMI 3.0".to_owned())),
        }
    })
}

/// The path of a location, `file:///…` with percent-encoded characters.
fn path(location: &str) -> Result<PathBuf, Fault> {
    let Some(rest) = location.strip_prefix("file:") else {
        return Err(Fault::new(format!(
            "the location of resources is `{location}`, expected one that begins with `file:`"
        )));
    };
    // `file:/path`, `file:///path` and `file://host/path`, of this computer.
    let rest = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or(rest, |start| &rest[start..]),
        None => rest,
    };
    let mut bytes = Vec::new();
    let mut given = rest.bytes();
    while let Some(byte) = given.next() {
        let code = || -> Option<u8> {
            let mut digits = given.clone();
            let digit = |byte: u8| (byte as char).to_digit(16);
            let (high, low) = (digit(digits.next()?)?, digit(digits.next()?)?);
            u8::try_from(16 * high + low).ok()
        };
        match (byte == b'%').then(code).flatten() {
            Some(code) => {
                given.nth(1);
                bytes.push(code);
            }
            None => bytes.push(byte),
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| Fault::new(format!("the location `{location}` is no text")))?;
    // `/C:/path`
    let is_drive = cfg!(windows) && text.as_bytes().get(2) == Some(&b':');
    Ok(PathBuf::from(if is_drive { &text[1..] } else { &text[..] }))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(handle: Handle) {
    // SAFETY: the interface says that nobody uses the instance any more.
    unsafe { free(handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    handle: Handle,
    has_tolerance: Boolean,
    tolerance: f64,
    start: f64,
    has_end: Boolean,
    end: f64,
) -> Status {
    on!(handle, |instance| instance.set_up(
        start,
        (has_end != 0).then_some(end),
        (has_tolerance != 0).then_some(tolerance)
    ))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterInitializationMode(handle: Handle) -> Status {
    on!(handle, |instance| instance.begin_initialization())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2ExitInitializationMode(handle: Handle) -> Status {
    on!(handle, |instance| instance.exit_initialization())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Terminate(handle: Handle) -> Status {
    on!(handle, |instance| instance.terminate())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Reset(handle: Handle) -> Status {
    on!(handle, |instance| {
        instance.reset();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetReal(handle: Handle, vr: References, n: usize, values: *mut f64) -> Status {
    on!(handle, |instance| instance.get(list(vr, n, "value references")?, room(values, n, "values")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetReal(handle: Handle, vr: References, n: usize, values: *const f64) -> Status {
    on!(handle, |instance| instance.set(list(vr, n, "value references")?, list(values, n, "values")?))
}

/// Functions with a list of value references, of what there is none.
macro_rules! without {
    ($($name:ident($($argument:ident: $type:ty),*): $what:literal)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: Handle, _vr: References, n: usize $(, $argument: $type)*) -> Status {
            on!(handle, |_instance| none(n, $what))
        }
    )*};
}

without! {
    fmi2GetInteger(_values: *mut c_int): "integer variables"
    fmi2GetBoolean(_values: *mut Boolean): "boolean variables"
    fmi2GetString(_values: *mut *const c_char): "variables that are texts"
    fmi2SetInteger(_values: *const c_int): "integer variables"
    fmi2SetBoolean(_values: *const Boolean): "boolean variables"
    fmi2SetString(_values: *const *const c_char): "variables that are texts"
    fmi2SetRealInputDerivatives(_orders: *const c_int, _values: *const f64): "derivatives of inputs"
    fmi2GetRealOutputDerivatives(_orders: *const c_int, _values: *mut f64): "derivatives of outputs"
}

states! {
    fmi2GetFMUstate fmi2SetFMUstate fmi2FreeFMUstate
    fmi2SerializedFMUstateSize fmi2SerializeFMUstate fmi2DeSerializeFMUstate
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDirectionalDerivative(
    handle: Handle,
    unknowns: References,
    n: usize,
    knowns: References,
    m: usize,
    seed: *const f64,
    sensitivity: *mut f64,
) -> Status {
    on!(handle, |instance| instance.partial_derivatives(
        list(unknowns, n, "unknowns")?,
        list(knowns, m, "knowns")?,
        Side::Directional,
        list(seed, m, "the seed")?,
        room(sensitivity, n, "sensitivities")?,
    ))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterEventMode(handle: Handle) -> Status {
    on!(handle, |instance| instance.enter_event_mode())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2NewDiscreteStates(handle: Handle, info: *mut EventInfo) -> Status {
    on!(handle, |instance| {
        let has_new_states = Boolean::from(instance.update_discrete_states()?);
        let next = instance.next_event();
        let [needs_update, terminates, has_new_nominals] = [0; 3];
        let (has_next_event, next_event) = (Boolean::from(next.is_some()), next.unwrap_or(0.0));
        put(info, EventInfo { needs_update, terminates, has_new_nominals, has_new_states, has_next_event, next_event });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterContinuousTimeMode(handle: Handle) -> Status {
    on!(handle, |instance| instance.enter_continuous_time_mode())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CompletedIntegratorStep(
    handle: Handle,
    _no_return: Boolean,
    needs_event: *mut Boolean,
    terminates: *mut Boolean,
) -> Status {
    on!(handle, |instance| {
        put(needs_event, Boolean::from(instance.completed_integrator_step()?));
        put(terminates, 0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetTime(handle: Handle, t: f64) -> Status {
    on!(handle, |instance| instance.set_time(t))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetContinuousStates(handle: Handle, states: *const f64, n: usize) -> Status {
    on!(handle, |instance| instance.set_continuous_states(list(states, n, "states")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDerivatives(handle: Handle, derivatives: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.derivatives(room(derivatives, n, "derivatives")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetEventIndicators(handle: Handle, indicators: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.event_indicators(room(indicators, n, "indicators")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetContinuousStates(handle: Handle, states: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.continuous_states(room(states, n, "states")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetNominalsOfContinuousStates(handle: Handle, nominals: *mut f64, n: usize) -> Status {
    on!(handle, |instance| instance.nominals(room(nominals, n, "nominals")?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DoStep(handle: Handle, from: f64, interval: f64, _no_return: Boolean) -> Status {
    on!(handle, |instance| instance.do_step(from, interval))
}

/// Steps are not cut short.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CancelStep(handle: Handle) -> Status {
    on!(handle, |_instance| Err(Fault::new("no step is going on".to_owned())))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStatus(handle: Handle, _what: c_int, status: *mut c_int) -> Status {
    on!(handle, |_instance| {
        put(status, 0);
        Ok(())
    })
}

/// The number of the question for the time that was reached.
const LAST_SUCCESSFUL_TIME: c_int = 2;
/// The number of the question whether the unit has ended the simulation.
const TERMINATED: c_int = 3;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealStatus(handle: Handle, what: c_int, value: *mut f64) -> Status {
    on!(handle, |instance| {
        none(usize::from(what != LAST_SUCCESSFUL_TIME), "such status")?;
        put(value, instance.time());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBooleanStatus(handle: Handle, what: c_int, value: *mut Boolean) -> Status {
    on!(handle, |_instance| {
        none(usize::from(what != TERMINATED), "such status")?;
        put(value, 0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetIntegerStatus(handle: Handle, _what: c_int, _value: *mut c_int) -> Status {
    on!(handle, |_instance| none(1, "status that is a whole number"))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStringStatus(handle: Handle, _what: c_int, _value: *mut *const c_char) -> Status {
    on!(handle, |_instance| none(1, "status that is a text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_become_paths() {
        let of = |location: &str| path(location).unwrap().to_str().unwrap().to_owned();
        assert_eq!(of("file:///tmp/unit/resources"), "/tmp/unit/resources");
        assert_eq!(of("file:/tmp/a%20b%C3%BC"), "/tmp/a bü");
        assert_eq!(of("file://localhost/tmp/100%25%"), "/tmp/100%%");
        assert!(path("/tmp/unit").is_err() && path("file:///%ff").is_err());
    }
}
