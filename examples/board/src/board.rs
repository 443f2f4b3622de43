//! What a program for a Cortex-M has: its memory, where it begins, and what it does when it panics.

use core::mem::MaybeUninit;
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use embedded_alloc::LlffHeap as Heap;

#[global_allocator]
static HEAP: Heap = Heap::empty();

/// Bytes for models and schemes.
const MEMORY: usize = 12 * 1024;

#[entry]
fn main() -> ! {
    static mut MEMORY_OF_HEAP: [MaybeUninit<u8>; MEMORY] = [MaybeUninit::uninit(); MEMORY];
    // SAFETY: called once, before anything is allocated, with memory that nothing else uses.
    unsafe { HEAP.init(MEMORY_OF_HEAP.as_mut_ptr() as usize, MEMORY) }
    let result = hamel_board::report(&mut |line| hprintln!("{}", line));
    if let Err(error) = &result {
        hprintln!("{}", error);
    }
    debug::exit(if result.is_ok() { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {}
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}
