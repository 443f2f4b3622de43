//! Many runs at once, on all cores.

use core::num::NonZeroUsize;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use crate::prelude::*;
use crate::simulation::message;

/// Threads that are begun at most.
const MOST_THREADS: usize = 4096;
/// Results that wait for the receiver, for each thread; beyond that, threads wait.
const WAITING: usize = 64;

/// How a case ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Case<T> {
    /// With this result, which may be a failure.
    Ended(T),
    /// With a panic, which has this message. The other cases are not concerned.
    Panicked(String),
    /// It did not begin, because the ensemble was cancelled.
    NotRun,
}

impl<T> Case<T> {
    /// The result, if there is one.
    pub fn ended(self) -> Option<T> {
        match self {
            Case::Ended(result) => Some(result),
            Case::Panicked(_) | Case::NotRun => None,
        }
    }
}

/// Runs that do not depend on each other: they may differ in parameters, initial states, inputs, schemes and steps.
///
/// Each case is computed by one thread from its number alone, so that results have the same digits for any number of
/// threads.
///
/// # Examples
/// How far a pendulum falls from rest within a second, for a hundred lengths. Each thread has a model of its own.
///
/// ```
/// use hamel::ensemble::Ensemble;
/// use hamel::schemes::RungeKutta;
/// use hamel::{Simulation, StepError, initial_state};
///
/// hamel::multibody! {
///     model Pendulum {
///         planar;
///         coordinates joint;
///         gravity [0, -9.81] m/s^2;
///         param length = 1 m;
///         body bob { mass: 1 kg, inertia: 0.1 kg m^2 }
///         joint hinge: revolute(ground, bob at [-length, 0]);
///     }
/// }
///
/// let angle = |_: &mut (), case: u64| -> Result<f64, StepError> {
///     let length = 0.5 + 0.01 * case as f64;
///     let model = Pendulum::new(PendulumParameters { length, ..Default::default() });
///     let run = Simulation::new(&model, &RungeKutta).step(1e-2).until(0.2).run(initial_state(&model)?);
///     run.outcome?;
///     Ok(run.trajectory.rows().next_back().map_or(f64::NAN, |row| row[1]))
/// };
/// let angles = Ensemble::new(0..100).run(|| (), angle);
/// assert_eq!(angles.len(), 100);
/// assert!(angles.into_iter().all(|angle| matches!(angle.ended(), Some(Ok(angle)) if angle < -0.1)));
/// ```
pub struct Ensemble<'a, I> {
    cases: I,
    threads: usize,
    cancelled_by: Option<&'a AtomicBool>,
}

impl<I: IntoIterator<Item = u64, IntoIter: Send>> Ensemble<'_, I> {
    /// The cases with these numbers, on as many threads as the machine has cores.
    pub fn new(cases: I) -> Self {
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ensemble { cases, threads, cancelled_by: None }
    }
}

impl<'a, I: IntoIterator<Item = u64, IntoIter: Send>> Ensemble<'a, I> {
    /// On so many threads, at least one.
    pub fn threads(self, threads: usize) -> Self {
        Ensemble { threads: threads.max(1), ..self }
    }

    /// No further cases begin once this flag is set.
    pub fn cancelled_by(self, flag: &'a AtomicBool) -> Self {
        Ensemble { cancelled_by: Some(flag), ..self }
    }

    /// Runs all cases and returns how they ended, in the order of their numbers as given.
    ///
    /// `worker` makes what a thread needs for its cases, such as a model; it is made again after a panic.
    ///
    /// # Examples
    /// A case that panics does not end the others.
    ///
    /// ```
    /// use hamel::ensemble::{Case, Ensemble};
    ///
    /// let square = |_: &mut (), case: u64| if case == 2 { panic!("two") } else { case * case };
    /// let squares = Ensemble::new(0..4).run(|| (), square);
    /// assert_eq!(squares, [Case::Ended(0), Case::Ended(1), Case::Panicked("two".into()), Case::Ended(9)]);
    /// ```
    pub fn run<W, T: Send>(
        self,
        worker: impl Fn() -> W + Sync,
        case: impl Fn(&mut W, u64) -> T + Sync,
    ) -> Vec<Case<T>> {
        let numbers: Vec<u64> = self.cases.into_iter().collect();
        let mut results: Vec<Case<T>> = numbers.iter().map(|_| Case::NotRun).collect();
        let places =
            Ensemble { cases: 0..numbers.len() as u64, threads: self.threads, cancelled_by: self.cancelled_by };
        places.each(
            worker,
            |worker, place| case(worker, numbers[place as usize]),
            |place, result| {
                results[place as usize] = result;
                ControlFlow::Continue(())
            },
        );
        results
    }

    /// Runs all cases and hands over each number and result as it comes, which depends on the threads. Where the
    /// receiver is slower than the threads, these wait: memory does not grow with the number of cases. If it breaks, no
    /// further cases begin.
    ///
    /// # Examples
    /// The mean of a million numbers, without keeping them.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hamel::ensemble::Ensemble;
    ///
    /// let mut sum = 0;
    /// Ensemble::new(0..1_000_000).each(|| (), |_, case| case, |_, result| {
    ///     sum += result.ended().unwrap_or_default();
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(sum, 499_999_500_000);
    /// ```
    pub fn each<W, T: Send>(
        self,
        worker: impl Fn() -> W + Sync,
        case: impl Fn(&mut W, u64) -> T + Sync,
        receive: impl FnMut(u64, Case<T>) -> ControlFlow<()>,
    ) {
        self.each_together(
            1,
            worker,
            |worker, cases| cases.iter().map(|&number| case(worker, number)).collect(),
            receive,
        );
    }

    /// The same where a thread runs up to so many cases at once, as in lanes; fewer where there are not enough for all
    /// threads. It gets their numbers, and returns as many results in this order; another number of results counts as a panic.
    /// Cases whose group panics run again one by one.
    ///
    /// # Examples
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hamel::ensemble::Ensemble;
    ///
    /// let squares = |_: &mut (), cases: &[u64]| cases.iter().map(|case| case * case).collect();
    /// let mut sum = 0;
    /// Ensemble::new(0..10).each_together(4, || (), squares, |_, square| {
    ///     sum += square.ended().unwrap_or_default();
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(sum, 285);
    /// ```
    pub fn each_together<W, T: Send>(
        self,
        at_once: usize,
        worker: impl Fn() -> W + Sync,
        together: impl Fn(&mut W, &[u64]) -> Vec<T> + Sync,
        mut receive: impl FnMut(u64, Case<T>) -> ControlFlow<()>,
    ) {
        let cases = self.cases.into_iter();
        // More threads than cases have nothing to do.
        let most = cases.size_hint().1;
        let threads = self.threads.min(most.unwrap_or(usize::MAX)).clamp(1, MOST_THREADS);
        let share = most.map_or(usize::MAX, |most| most.div_ceil(threads));
        let at_once = at_once.min(share).max(1);
        let cases = Mutex::new(cases);
        let has_stopped = AtomicBool::new(false);
        let is_over = || {
            has_stopped.load(Ordering::Relaxed) || self.cancelled_by.is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        // An iterator of the user that has panicked ends.
        let next = || -> Vec<u64> {
            let mut cases = cases.lock().unwrap_or_else(PoisonError::into_inner);
            cases.by_ref().take(at_once).collect()
        };
        let (send, results) = mpsc::sync_channel(WAITING * threads);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (send, worker, together, next, is_over) = (send.clone(), &worker, &together, &next, &is_over);
                scope.spawn(move || {
                    let mut own = None;
                    let mut run = |numbers: &[u64]| -> Vec<Case<T>> {
                        let run = AssertUnwindSafe(|| {
                            let results = together(own.get_or_insert_with(worker), numbers);
                            let [expected, found] = [numbers.len(), results.len()];
                            assert_eq!(expected, found, "expected as many results as cases, {expected}, not {found}");
                            results
                        });
                        match catch_unwind(run) {
                            Ok(results) => results.into_iter().map(Case::Ended).collect(),
                            Err(panic) => {
                                own = None;
                                vec![Case::Panicked(message(&*panic).to_owned())]
                            }
                        }
                    };
                    loop {
                        let numbers = if is_over() { Vec::new() } else { next() };
                        if numbers.is_empty() {
                            break;
                        }
                        let mut results = run(&numbers);
                        if numbers.len() > 1 && matches!(results[..], [Case::Panicked(_)]) {
                            results = numbers.iter().flat_map(|number| run(&[*number])).collect();
                        }
                        let mut ended = numbers.iter().zip(results);
                        if ended.any(|(&number, result)| send.send((number, result)).is_err()) {
                            break;
                        }
                    }
                });
            }
            // The threads have the others.
            drop(send);
            for (number, result) in results {
                if receive(number, result).is_break() {
                    has_stopped.store(true, Ordering::Relaxed);
                    break;
                }
            }
        });
    }
}
