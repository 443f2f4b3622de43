//! Prints motions: on a microcontroller to its debugger, elsewhere to the terminal.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod board;

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    hamel_board::report(&mut |line| println!("{line}"))
}
