//! `hamel closed-forms`: all schemes on motions that are known exactly.

use hamel::schemes;
use hamel_verify::closed_forms::{self, cells};

use crate::failure::Failure;
use crate::screen::{Destination, Screen};

/// Arguments of `hamel closed-forms`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run only problems whose names begin with NAME, e.g. ball/ or ball/approaching.
    #[arg(long, value_name = "NAME", default_value = "")]
    only: String,
    /// Run only this scheme, see `hamel list schemes`.
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// Print the page docs/closed_forms.md.
    #[arg(long)]
    markdown: bool,
    #[command(flatten)]
    destination: Destination,
}

/// Prints errors for three step sizes and observed orders; fails if a scheme does not converge as claimed.
pub(crate) fn closed_forms(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    screen.direct(&arguments.destination)?;
    let names = || closed_forms::problems().map(|problem| problem.name);
    if !names().any(|name| name.starts_with(&arguments.only)) {
        return Err(Failure::unknown("problem", &arguments.only, names()));
    }
    if let Some(name) = &arguments.scheme
        && !schemes::entries().any(|entry| entry.name == name)
    {
        return Err(Failure::unknown("scheme", name, schemes::entries().map(|entry| entry.name)));
    }
    let measurements = closed_forms::measure(&arguments.only, arguments.scheme.as_deref());
    if arguments.markdown {
        screen.line(closed_forms::markdown(&measurements).trim_end())?;
    } else {
        for group in measurements.chunk_by(|a, b| std::ptr::eq(a.problem, b.problem)) {
            let [long, middle, short] = group[0].problem.steps.map(|step| format!("{step} s"));
            screen.line(format!("{}: {}", group[0].problem.name, group[0].problem.what))?;
            let header = vec!["scheme".to_owned(), long, middle, short, "order".to_owned()];
            screen.table(&std::iter::once(header).chain(group.iter().map(cells)).collect::<Vec<_>>())?;
        }
    }
    screen.flush()?;
    let wrong: Vec<String> = measurements.iter().filter_map(|measurement| measurement.verdict().err()).collect();
    wrong.iter().for_each(|sentence| eprintln!("wrong: {sentence}"));
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Verdict) }
}
