//! The same for every item, on all cores. Results come in the order of the items, whoever computes them.

use std::sync::Mutex;
use std::thread;

/// What the main thread of a compiler has, in bytes.
const STACK: usize = 8 << 20;

/// `function` of every item.
pub fn map<'t, T: Sync, R: Send>(items: &'t [T], function: impl Fn(&'t T) -> R + Sync) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let pending = Mutex::new(items.iter().enumerate());
    let work = || {
        let mut done = Vec::new();
        // The lock is held while the next item is taken, which cannot panic.
        while let Some((index, item)) = pending.lock().ok().and_then(|mut pending| pending.next()) {
            done.push((index, function(item)));
        }
        done
    };
    let mut results = thread::scope(|scope| {
        // This thread works too, so that there is a result even where no other can be started.
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..workers).filter_map(start).collect();
        let mut results = work();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(map(&items, |item| item * item), items.iter().map(|item| item * item).collect::<Vec<_>>());
        assert!(map(&[] as &[u64], |item| *item).is_empty());
    }
}
