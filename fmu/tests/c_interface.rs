//! The functions of both versions as importers call them: with pointers, in any order, from several threads.
#![allow(unsafe_code, reason = "the functions of the interface are called as C calls them")]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::{self, File};
use std::ptr::{null, null_mut};

use hamel_fmu::{Contents, Stepping, Version};
use hamel_jit::Level;
use tempfile::TempDir;

type Handle = *mut c_void;
type Log3 = Option<unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char)>;
type Log2 = Option<unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...)>;

#[repr(C)]
struct Callbacks {
    log: Log2,
    allocate: *const c_void,
    free: *const c_void,
    step_finished: *const c_void,
    environment: *mut c_void,
}

#[repr(C)]
#[derive(Default)]
struct EventInfo {
    flags: [c_int; 5],
    next_event: f64,
}

// As the standard's headers declare them.
unsafe extern "C" {
    fn fmi3GetVersion() -> *const c_char;
    fn fmi3InstantiateModelExchange(
        name: *const c_char,
        token: *const c_char,
        resources: *const c_char,
        visible: bool,
        logging: bool,
        environment: *mut c_void,
        log: Log3,
    ) -> Handle;
    fn fmi3InstantiateCoSimulation(
        name: *const c_char,
        token: *const c_char,
        resources: *const c_char,
        visible: bool,
        logging: bool,
        event_mode_used: bool,
        early_return_allowed: bool,
        intermediate: *const u32,
        n_intermediate: usize,
        environment: *mut c_void,
        log: Log3,
        intermediate_update: *const c_void,
    ) -> Handle;
    fn fmi3FreeInstance(handle: Handle);
    fn fmi3EnterInitializationMode(handle: Handle, a: bool, b: f64, start: f64, c: bool, end: f64) -> c_int;
    fn fmi3ExitInitializationMode(handle: Handle) -> c_int;
    fn fmi3EnterEventMode(handle: Handle) -> c_int;
    fn fmi3Terminate(handle: Handle) -> c_int;
    fn fmi3Reset(handle: Handle) -> c_int;
    fn fmi3GetFloat64(handle: Handle, vr: *const u32, n: usize, values: *mut f64, m: usize) -> c_int;
    fn fmi3SetFloat64(handle: Handle, vr: *const u32, n: usize, values: *const f64, m: usize) -> c_int;
    fn fmi3GetInt32(handle: Handle, vr: *const u32, n: usize, values: *mut i32, m: usize) -> c_int;
    fn fmi3GetFMUState(handle: Handle, state: *mut *mut c_void) -> c_int;
    fn fmi3SetFMUState(handle: Handle, state: *mut c_void) -> c_int;
    fn fmi3FreeFMUState(handle: Handle, state: *mut *mut c_void) -> c_int;
    fn fmi3SerializedFMUStateSize(handle: Handle, state: *mut c_void, size: *mut usize) -> c_int;
    fn fmi3SerializeFMUState(handle: Handle, state: *mut c_void, bytes: *mut u8, size: usize) -> c_int;
    fn fmi3DeserializeFMUState(handle: Handle, bytes: *const u8, size: usize, state: *mut *mut c_void) -> c_int;
    fn fmi3UpdateDiscreteStates(
        handle: Handle,
        a: *mut bool,
        b: *mut bool,
        c: *mut bool,
        d: *mut bool,
        e: *mut bool,
        next: *mut f64,
    ) -> c_int;
    fn fmi3EnterContinuousTimeMode(handle: Handle) -> c_int;
    fn fmi3CompletedIntegratorStep(handle: Handle, a: bool, event: *mut bool, end: *mut bool) -> c_int;
    fn fmi3SetTime(handle: Handle, t: f64) -> c_int;
    fn fmi3SetContinuousStates(handle: Handle, x: *const f64, n: usize) -> c_int;
    fn fmi3GetContinuousStates(handle: Handle, x: *mut f64, n: usize) -> c_int;
    fn fmi3GetContinuousStateDerivatives(handle: Handle, x: *mut f64, n: usize) -> c_int;
    fn fmi3GetNumberOfContinuousStates(handle: Handle, n: *mut usize) -> c_int;
    fn fmi3DoStep(
        handle: Handle,
        from: f64,
        interval: f64,
        no_return: bool,
        event: *mut bool,
        end: *mut bool,
        early: *mut bool,
        reached: *mut f64,
    ) -> c_int;

    fn fmi2GetVersion() -> *const c_char;
    fn fmi2GetTypesPlatform() -> *const c_char;
    fn fmi2Instantiate(
        name: *const c_char,
        kind: c_int,
        token: *const c_char,
        resources: *const c_char,
        callbacks: *const Callbacks,
        visible: c_int,
        logging: c_int,
    ) -> Handle;
    fn fmi2FreeInstance(handle: Handle);
    fn fmi2SetupExperiment(handle: Handle, a: c_int, b: f64, start: f64, c: c_int, end: f64) -> c_int;
    fn fmi2EnterInitializationMode(handle: Handle) -> c_int;
    fn fmi2ExitInitializationMode(handle: Handle) -> c_int;
    fn fmi2NewDiscreteStates(handle: Handle, info: *mut EventInfo) -> c_int;
    fn fmi2EnterContinuousTimeMode(handle: Handle) -> c_int;
    fn fmi2GetReal(handle: Handle, vr: *const u32, n: usize, values: *mut f64) -> c_int;
    fn fmi2SetReal(handle: Handle, vr: *const u32, n: usize, values: *const f64) -> c_int;
    fn fmi2GetDerivatives(handle: Handle, x: *mut f64, n: usize) -> c_int;
    fn fmi2DoStep(handle: Handle, from: f64, interval: f64, no_return: c_int) -> c_int;
    fn fmi2GetRealStatus(handle: Handle, what: c_int, value: *mut f64) -> c_int;
    fn fmi2Terminate(handle: Handle) -> c_int;
}

const OK: c_int = 0;
const ERROR: c_int = 3;

const TEXT: &str = "model Swing {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    param mass = 1 kg;
    input torque N m;
    body rod { mass: mass, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground, rod at [0, 0.5] m);
    force motor: torque on hinge;
    initial hinge.angle = 0.3 rad;
}";

struct Unit {
    folder: TempDir,
    token: CString,
    resources: CString,
}

fn unit(version: Version) -> Unit {
    let model = hamel_jit::model(TEXT.parse().unwrap(), Level::Optimised, None).unwrap();
    let contents = Contents {
        text: TEXT.to_owned(),
        version,
        kinds: Vec::new(),
        scheme: "dormand_prince".to_owned(),
        scheme_parameters: Vec::new(),
        stepping: Stepping::Tolerance(1e-10),
        until: 1.0,
    };
    let folder = tempfile::tempdir().unwrap();
    let (file, library) = (folder.path().join("unit.fmu"), folder.path().join("library"));
    fs::write(&library, "a library").unwrap();
    let settings = hamel_fmu::write(&model, &contents, &library, &file).unwrap();
    zip::ZipArchive::new(File::open(&file).unwrap()).unwrap().extract(folder.path()).unwrap();
    // What it compiles is kept for a library with this content, which is always the same here.
    fs::remove_dir_all(folder.path().join("binaries")).unwrap();
    let resources = folder.path().join("resources");
    let resources = resources.to_str().unwrap();
    let resources = if version == Version::Two { format!("file://{resources}") } else { format!("{resources}/") };
    Unit { folder, token: CString::new(settings.token).unwrap(), resources: CString::new(resources).unwrap() }
}

thread_local! {
    static SAID: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn hear3(_: *mut c_void, _: c_int, _: *const c_char, message: *const c_char) {
    let message = unsafe { CStr::from_ptr(message) }.to_str().unwrap().to_owned();
    SAID.with_borrow_mut(|said| said.push(message));
}

fn said() -> Vec<String> {
    SAID.take()
}

fn co_simulation(unit: &Unit) -> Handle {
    let Unit { token, resources, .. } = unit;
    unsafe {
        fmi3InstantiateCoSimulation(
            c"one".as_ptr(),
            token.as_ptr(),
            resources.as_ptr(),
            false,
            true,
            false,
            false,
            null(),
            0,
            null_mut(),
            Some(hear3),
            null(),
        )
    }
}

fn model_exchange(unit: &Unit) -> Handle {
    let Unit { token, resources, .. } = unit;
    unsafe {
        fmi3InstantiateModelExchange(
            c"one".as_ptr(),
            token.as_ptr(),
            resources.as_ptr(),
            false,
            true,
            null_mut(),
            Some(hear3),
        )
    }
}

fn step(handle: Handle, from: f64, interval: f64) -> (c_int, f64) {
    let (mut flags, mut reached) = ([true; 3], f64::NAN);
    let [a, b, c] = &mut flags;
    let status = unsafe { fmi3DoStep(handle, from, interval, true, a, b, c, &mut reached) };
    (status, reached)
}

fn real(handle: Handle, reference: u32) -> f64 {
    let mut value = f64::NAN;
    assert_eq!(unsafe { fmi3GetFloat64(handle, &reference, 1, &mut value, 1) }, OK);
    value
}

/// Value references: the time, `mass`, `torque`, the angle, its velocity, and their derivatives.
const TORQUE: u32 = 2;
const ANGLE: u32 = 3;
const ACCELERATION: u32 = 6;

#[test]
fn a_motion_by_version_3() {
    let unit = unit(Version::Three);
    assert_eq!(unsafe { CStr::from_ptr(fmi3GetVersion()) }, c"3.0");
    let handle = co_simulation(&unit);
    assert!(!handle.is_null(), "{:?}", said());
    unsafe {
        assert_eq!(fmi3EnterInitializationMode(handle, false, 0.0, 0.0, true, 1.0), OK);
        assert_eq!(real(handle, ANGLE), 0.3);
        assert_eq!(fmi3ExitInitializationMode(handle), OK);
        let expected = -9.81 * 0.5 * 0.3_f64.sin() / (0.1 + 0.25);
        assert!((real(handle, ACCELERATION) - expected).abs() < 1e-12);
        assert_eq!(step(handle, 0.0, 0.5), (OK, 0.5));

        // A state is kept, left and found again; also through bytes.
        let mut kept = null_mut();
        assert_eq!(fmi3GetFMUState(handle, &mut kept), OK);
        assert_eq!(fmi3SetFloat64(handle, &TORQUE, 1, &2.0, 1), OK);
        assert_eq!(step(handle, 0.5, 0.1), (OK, 0.6));
        let driven = real(handle, ANGLE);
        assert_eq!(fmi3SetFMUState(handle, kept), OK);
        assert_eq!(step(handle, 0.5, 0.1), (OK, 0.6));
        let free = real(handle, ANGLE);
        assert!(driven > free + 0.01, "{driven} and {free}");
        let mut size = 0;
        assert_eq!(fmi3SerializedFMUStateSize(handle, kept, &mut size), OK);
        let mut bytes = vec![0; size];
        assert_eq!(fmi3SerializeFMUState(handle, kept, bytes.as_mut_ptr(), size), OK);
        let mut read = null_mut();
        assert_eq!(fmi3DeserializeFMUState(handle, bytes.as_ptr(), size, &mut read), OK);
        assert_eq!(fmi3SetFMUState(handle, read), OK);
        assert_eq!(step(handle, 0.5, 0.1), (OK, 0.6));
        assert_eq!(real(handle, ANGLE), free);
        let copy = kept;
        assert_eq!(fmi3FreeFMUState(handle, &mut kept), OK);
        assert!(kept.is_null());
        // Freed twice, as the standard allows for null; and what is no longer there.
        assert_eq!(fmi3FreeFMUState(handle, &mut kept), OK);
        assert_eq!(fmi3SetFMUState(handle, copy), ERROR);
        assert_eq!(fmi3FreeFMUState(handle, &mut read), OK);
        assert_eq!(said(), ["the state was not kept, or was freed"]);

        assert_eq!(fmi3GetInt32(handle, &TORQUE, 1, null_mut(), 1), ERROR);
        assert_eq!(said(), ["this unit has no variables of this type"]);
        assert_eq!(fmi3Terminate(handle), OK);
        assert_eq!(fmi3Reset(handle), OK);
        assert_eq!(real(handle, ANGLE), 0.3);
        fmi3FreeInstance(handle);
        fmi3FreeInstance(null_mut());
        // Not of the standard, but no end of the importer.
        fmi3FreeInstance(handle);
        assert_eq!(fmi3Terminate(handle), ERROR);
    }
}

#[test]
fn a_motion_by_version_2() {
    let unit = unit(Version::Two);
    unsafe {
        assert_eq!(CStr::from_ptr(fmi2GetVersion()), c"2.0");
        assert_eq!(CStr::from_ptr(fmi2GetTypesPlatform()), c"default");
        let callbacks =
            Callbacks { log: None, allocate: null(), free: null(), step_finished: null(), environment: null_mut() };
        let make = |kind| {
            let handle =
                fmi2Instantiate(c"one".as_ptr(), kind, unit.token.as_ptr(), unit.resources.as_ptr(), &callbacks, 0, 1);
            assert!(!handle.is_null());
            assert_eq!(fmi2SetupExperiment(handle, 1, 1e-6, 0.0, 0, 0.0), OK);
            assert_eq!(fmi2EnterInitializationMode(handle), OK);
            assert_eq!(fmi2SetReal(handle, &TORQUE, 1, &1.0), OK);
            assert_eq!(fmi2ExitInitializationMode(handle), OK);
            handle
        };
        let (exchanged, simulated) = (make(0), make(1));
        let mut info = EventInfo { flags: [7; 5], next_event: 0.0 };
        assert_eq!(fmi2NewDiscreteStates(exchanged, &mut info), OK);
        assert_eq!(info.flags, [0; 5]);
        assert_eq!(fmi2EnterContinuousTimeMode(exchanged), OK);
        let mut slope = [f64::NAN; 2];
        assert_eq!(fmi2GetDerivatives(exchanged, slope.as_mut_ptr(), 2), OK);
        let expected = (1.0 - 9.81 * 0.5 * 0.3_f64.sin()) / (0.1 + 0.25);
        assert!(slope[0] == 0.0 && (slope[1] - expected).abs() < 1e-12);
        assert_eq!(fmi2DoStep(simulated, 0.0, 0.25, 1), OK);
        let mut reached = f64::NAN;
        assert_eq!(fmi2GetRealStatus(simulated, 2, &mut reached), OK);
        assert_eq!(reached, 0.25);
        let mut angle = f64::NAN;
        assert_eq!(fmi2GetReal(simulated, &ANGLE, 1, &mut angle), OK);
        assert!((angle - (0.3 + 0.5 * expected * 0.0625)).abs() < 5e-3, "{angle}");
        for handle in [exchanged, simulated] {
            assert_eq!(fmi2Terminate(handle), OK);
            fmi2FreeInstance(handle);
        }
        // A unit of the other version.
        let kept = fmi3InstantiateModelExchange(
            c"one".as_ptr(),
            unit.token.as_ptr(),
            unit.folder.path().join("resources").to_str().map(|path| CString::new(path).unwrap()).unwrap().as_ptr(),
            false,
            true,
            null_mut(),
            Some(hear3),
        );
        assert!(kept.is_null());
        assert_eq!(said(), ["this unit is one of FMI 2.0"]);
    }
}

/// A generator of numbers, so that failures repeat.
struct Random(u64);

impl Random {
    fn next(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn number(&mut self) -> f64 {
        const NUMBERS: [f64; 10] =
            [0.0, 0.01, 0.1, -1.0, 1e3, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE];
        NUMBERS[self.next(NUMBERS.len())]
    }
}

/// Calls in any order with any arguments, as long as lists are as long as they are said to be.
fn hostile(unit: &Unit, random: &mut Random, calls: usize) {
    let mut handles: Vec<Handle> = vec![null_mut()];
    let mut states: Vec<*mut c_void> = vec![null_mut()];
    let mut freed: Vec<Handle> = Vec::new();
    for _ in 0..calls {
        let handle = handles[random.next(handles.len())];
        let state = states[random.next(states.len())];
        let reference = [0, 1, TORQUE, ANGLE, ACCELERATION, 7, 12, 1000, u32::MAX][random.next(9)];
        let (a, b) = (random.number(), random.number());
        let (mut flag, mut flags, mut number, mut size) = (false, [false; 5], 0.0, 0);
        let mut list = [a, b, 0.1];
        let n = random.next(4);
        let status = unsafe {
            match random.next(22) {
                0 if handles.len() < 5 => {
                    handles.push(if random.next(2) == 0 { co_simulation(unit) } else { model_exchange(unit) });
                    OK
                }
                1 if random.next(4) == 0 && !handle.is_null() => {
                    fmi3FreeInstance(handle);
                    handles.retain(|known| *known != handle);
                    freed.push(handle);
                    OK
                }
                2 => fmi3EnterInitializationMode(
                    handle,
                    random.next(2) == 0,
                    a,
                    if random.next(2) == 0 { 0.0 } else { b },
                    false,
                    0.0,
                ),
                3 => fmi3ExitInitializationMode(handle),
                4 => fmi3EnterEventMode(handle),
                5 if random.next(4) == 0 => fmi3Terminate(handle),
                6 if random.next(4) == 0 => fmi3Reset(handle),
                7 => fmi3GetFloat64(handle, &reference, 1, &mut number, 1),
                8 => fmi3GetFloat64(handle, if n == 0 { null() } else { &reference }, 1, null_mut(), 1),
                9 => fmi3SetFloat64(handle, &reference, 1, &a, 1),
                10 => fmi3SetFloat64(handle, &reference, 1, list.as_ptr(), n),
                11 => {
                    let mut state = null_mut();
                    let status = fmi3GetFMUState(handle, &mut state);
                    states.extend((!state.is_null()).then_some(state));
                    status
                }
                12 => fmi3SetFMUState(handle, state),
                13 => {
                    let mut freed = state;
                    let status = fmi3FreeFMUState(handle, &mut freed);
                    if status == OK {
                        states.retain(|known| *known != state || known.is_null());
                    }
                    status
                }
                14 => fmi3SerializedFMUStateSize(handle, state, &mut size),
                15 => {
                    let [a, b, c, d, e] = &mut flags;
                    fmi3UpdateDiscreteStates(handle, a, b, c, d, e, &mut number)
                }
                16 => fmi3EnterContinuousTimeMode(handle),
                17 => fmi3CompletedIntegratorStep(handle, true, &mut flag, null_mut()),
                18 => fmi3SetTime(handle, a),
                19 => fmi3SetContinuousStates(handle, list.as_ptr(), n),
                20 => fmi3GetContinuousStateDerivatives(handle, list.as_mut_ptr(), n),
                _ => {
                    let from = if random.next(2) == 0 { 0.0 } else { a };
                    step(handle, from, b.min(0.1)).0
                }
            }
        };
        assert!((OK..=ERROR).contains(&status), "{status}: {:?}", said());
        said();
    }
    for state in states {
        let mut freed = state;
        // Of no instance: nothing is freed then; the rest goes with the first instance that is alive.
        let handle = handles.iter().copied().find(|handle| !handle.is_null());
        unsafe { fmi3FreeFMUState(handle.unwrap_or(null_mut()), &mut freed) };
    }
    handles.iter().for_each(|handle| unsafe { fmi3FreeInstance(*handle) });
    freed.iter().for_each(|handle| {
        let mut n = 0;
        // The address may be that of an instance of another thread, so nothing is done with it but reading a number.
        assert!([OK, ERROR].contains(&unsafe { fmi3GetNumberOfContinuousStates(*handle, &mut n) }));
    });
}

#[test]
fn hostile_calls_have_a_status() {
    let unit = unit(Version::Three);
    let calls = std::env::var("HAMEL_CALLS").map_or(3000, |calls| calls.parse().unwrap());
    hostile(&unit, &mut Random(1), calls);
}

#[test]
fn instances_in_threads_do_not_know_of_each_other() {
    let unit = unit(Version::Three);
    let angles: Vec<f64> = std::thread::scope(|scope| {
        let run = |torque: f64| {
            let unit = &unit;
            move || {
                let handle = co_simulation(unit);
                unsafe {
                    assert_eq!(fmi3EnterInitializationMode(handle, false, 0.0, 0.0, false, 0.0), OK);
                    assert_eq!(fmi3SetFloat64(handle, &TORQUE, 1, &torque, 1), OK);
                    assert_eq!(fmi3ExitInitializationMode(handle), OK);
                    for k in 0..100 {
                        assert_eq!(step(handle, 0.01 * f64::from(k), 0.01).0, OK, "{:?}", said());
                    }
                    let angle = real(handle, ANGLE);
                    fmi3FreeInstance(handle);
                    angle
                }
            }
        };
        let threads: Vec<_> = [0.0, 1.0, 0.0, 1.0].map(|torque| scope.spawn(run(torque))).into_iter().collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!((angles[0], angles[1]), (angles[2], angles[3]));
    assert!(angles[1] != angles[0]);
}

#[test]
fn states_are_read_and_set_as_lists() {
    let unit = unit(Version::Three);
    let handle = model_exchange(&unit);
    unsafe {
        let mut n = 0;
        assert_eq!(fmi3GetNumberOfContinuousStates(handle, &mut n), OK);
        assert_eq!(n, 2);
        let mut x = [0.0; 2];
        assert_eq!(fmi3EnterInitializationMode(handle, false, 0.0, 0.0, false, 0.0), OK);
        assert_eq!(fmi3ExitInitializationMode(handle), OK);
        assert_eq!(fmi3GetContinuousStates(handle, x.as_mut_ptr(), 2), OK);
        assert_eq!(x, [0.3, 0.0]);
        assert_eq!(fmi3EnterContinuousTimeMode(handle), OK);
        assert_eq!(fmi3SetContinuousStates(handle, [0.0, 1.5].as_ptr(), 2), OK);
        assert_eq!(fmi3GetContinuousStateDerivatives(handle, x.as_mut_ptr(), 2), OK);
        assert_eq!(x, [1.5, 0.0]);
        fmi3FreeInstance(handle);
    }
}
