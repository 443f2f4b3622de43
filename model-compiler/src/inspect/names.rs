//! What kernels and the entries of their results are called for people.

use crate::derive::{Equations, Role};
use crate::schedule::vocabulary::role_symbol;

/// A kernel's name, and its instances if they have others.
pub(super) fn title(equations: &Equations, kernel: usize) -> String {
    let members = equations.instances.iter().filter(|instance| instance.kernel == kernel);
    let names: Vec<&str> = members.map(|instance| instance.name.as_str()).collect();
    let name = &equations.kernels[kernel].name;
    if names == [name.as_str()] { name.clone() } else { format!("{name} ({})", names.join(", ")) }
}

/// `M[0,1]`, `h[2]`, `T`.
pub(super) fn entry_name(role: Role, shape: (usize, usize), row: usize, column: usize) -> String {
    let symbol = role_symbol(role).0;
    match shape {
        (1, 1) => symbol.to_owned(),
        (_, 1) => format!("{symbol}[{row}]"),
        _ => format!("{symbol}[{row},{column}]"),
    }
}
