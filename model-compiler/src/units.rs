//! Physical units: products of powers of kg, m, s, A and K, and the symbols that users write for them.
//!
//! Every value is converted to SI base units where it is written, exactly where the factor is rational; afterwards only
//! dimensions are compared. Angles are dimensionless. Exponents are kept in twelfths, so that roots of common orders
//! have units too.

use std::fmt;

use crate::expr::Number;

/// Parts of an exponent of one.
const PARTS: i32 = 12;
/// Largest exponent, in twelfths; anything beyond it is a typo.
const LARGEST: i64 = 100 * PARTS as i64;
/// Symbols of the exponents, in their order.
const BASE: [&str; 5] = ["kg", "m", "s", "A", "K"];

/// A unit in SI base units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Unit {
    /// Exponents of kg, m, s, A and K, in twelfths.
    twelfths: [i32; 5],
}

impl Unit {
    /// The unit of pure numbers and of angles.
    pub const ONE: Unit = Unit::base(0, 0, 0);
    /// kg.
    pub const KILOGRAM: Unit = Unit::base(1, 0, 0);
    /// m.
    pub const METRE: Unit = Unit::base(0, 1, 0);
    /// s.
    pub const SECOND: Unit = Unit::base(0, 0, 1);
    /// N.
    pub const NEWTON: Unit = Unit::base(1, 1, -2);
    /// J, which is also N m.
    pub const JOULE: Unit = Unit::base(1, 2, -2);
    /// kg m², the unit of moments of inertia.
    pub const INERTIA: Unit = Unit::base(1, 2, 0);

    const fn base(kilogram: i32, metre: i32, second: i32) -> Unit {
        Unit { twelfths: [kilogram * PARTS, metre * PARTS, second * PARTS, 0, 0] }
    }

    const fn electric(kilogram: i32, metre: i32, second: i32, ampere: i32, kelvin: i32) -> Unit {
        let Unit { twelfths: [kg, m, s, _, _] } = Unit::base(kilogram, metre, second);
        Unit { twelfths: [kg, m, s, ampere * PARTS, kelvin * PARTS] }
    }

    /// Whether values of this unit are pure numbers or angles.
    pub fn is_one(self) -> bool {
        self == Unit::ONE
    }

    /// Unit of a product.
    pub fn times(self, other: Unit) -> Unit {
        Unit { twelfths: std::array::from_fn(|i| self.twelfths[i].saturating_add(other.twelfths[i])) }
    }

    /// Unit of a quotient.
    pub fn over(self, other: Unit) -> Unit {
        Unit { twelfths: std::array::from_fn(|i| self.twelfths[i].saturating_sub(other.twelfths[i])) }
    }

    /// Unit of a power with a rational exponent; `None` where the result has no exponents in twelfths or absurd ones.
    pub fn power(self, numerator: i64, denominator: i64) -> Option<Unit> {
        let mut twelfths = [0; 5];
        for (result, own) in twelfths.iter_mut().zip(self.twelfths) {
            let product = i64::from(own).checked_mul(numerator)?;
            let exact = (denominator != 0 && product % denominator == 0).then(|| product / denominator)?;
            *result = i32::try_from(exact).ok().filter(|_| exact.abs() <= LARGEST)?;
        }
        Some(Unit { twelfths })
    }

    /// Exponents of kg, m, s, A and K.
    pub fn exponents(self) -> [f64; 5] {
        self.twelfths.map(|exponent| f64::from(exponent) / f64::from(PARTS))
    }

    /// Reads a unit without prefixes to convert, as registries write it: `N m s/rad`.
    ///
    /// `None` for an unknown symbol and for one that is not coherent with SI.
    pub fn parse(text: &str) -> Option<Unit> {
        let mut unit = Unit::ONE;
        for (place, part) in text.split('/').enumerate() {
            for factor in part.split_whitespace() {
                let (name, exponent) = factor.split_once('^').unwrap_or((factor, "1"));
                let symbol = find(name).filter(|symbol| symbol.factor().is_one())?;
                let power = symbol.unit.power(exponent.parse().ok()?, 1)?;
                unit = if place == 0 { unit.times(power) } else { unit.over(power) };
            }
        }
        Some(unit)
    }
}

impl Unit {
    /// The unit as a model may write it after a number; `None` for pure numbers and for roots.
    pub fn written(self) -> Option<String> {
        if self.is_one() || self.twelfths.iter().any(|exponent| exponent % PARTS != 0) {
            return None;
        }
        if self == Unit::ONE.over(Unit::SECOND) {
            return Some("rad/s".to_owned());
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, unit)| *unit == self) {
            return Some((*name).to_owned());
        }
        let powers = || BASE.iter().zip(self.twelfths).filter(|(_, exponent)| *exponent != 0);
        if powers().all(|(_, exponent)| exponent < 0) {
            let factors: Vec<String> =
                powers().map(|(symbol, exponent)| format!("{symbol}^{}", exponent / PARTS)).collect();
            return Some(factors.join(" "));
        }
        let above: Vec<String> = powers()
            .filter(|(_, exponent)| *exponent > 0)
            .map(|(symbol, exponent)| power_text(symbol, exponent))
            .collect();
        let below =
            powers().filter(|(_, exponent)| *exponent < 0).map(|(symbol, exponent)| power_text(symbol, -exponent));
        Some(below.fold(above.join(" "), |text, factor| format!("{text}/{factor}")))
    }
}

/// A unit as it is declared, for messages: of `N m s/rad` its dimension knows only kg m²/s.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Its dimension.
    pub unit: Unit,
    text: Option<&'static str>,
}

impl Declared {
    /// What a registry says of a field; `*` is `any`.
    pub fn of_field(text: &'static str, any: Unit) -> Declared {
        match text {
            "*" => any.into(),
            _ => Declared { unit: Unit::parse(text).unwrap_or_default(), text: Some(text) },
        }
    }

    /// The unit as a model may write it after a number; `None` for pure numbers and for roots.
    pub fn written(self) -> Option<String> {
        self.text.map(str::to_owned).or_else(|| self.unit.written())
    }
}

impl From<Unit> for Declared {
    fn from(unit: Unit) -> Declared {
        Declared { unit, text: None }
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text {
            Some(text) => f.write_str(text),
            None if self.unit.is_one() => f.write_str("a pure number"),
            None => self.unit.fmt(f),
        }
    }
}

/// Units with a name of their own, as the field writes them. A product of newton and metre may be a torque, so it is
/// not called joule.
const NAMED: [(&str, Unit); 6] = [
    ("N", Unit::NEWTON),
    ("N m", Unit::JOULE),
    ("W", Unit::base(1, 2, -3)),
    ("Pa", Unit::base(1, -1, -2)),
    ("N/m", Unit::base(1, 0, -2)),
    ("N s/m", Unit::base(1, 0, -1)),
];

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, unit)| unit == self) {
            return f.write_str(name);
        }
        let side = |sign: i32| -> Vec<String> {
            let powers = BASE.iter().zip(self.twelfths).filter(|(_, exponent)| exponent * sign > 0);
            powers.map(|(symbol, exponent)| power_text(symbol, exponent.abs())).collect()
        };
        let (above, below) = (side(1), side(-1));
        let above = if above.is_empty() { "1".to_owned() } else { above.join(" ") };
        match below.len() {
            0 => f.write_str(&above),
            1 => write!(f, "{above}/{}", below[0]),
            _ => write!(f, "{above}/({})", below.join(" ")),
        }
    }
}

fn power_text(symbol: &str, twelfths: i32) -> String {
    match (twelfths / PARTS, twelfths % PARTS) {
        (1, 0) => symbol.to_owned(),
        (whole, 0) => format!("{symbol}^{whole}"),
        _ => {
            let common = (1..=PARTS).rev().find(|d| twelfths % d == 0 && PARTS % d == 0).unwrap_or(1);
            format!("{symbol}^({}/{})", twelfths / common, PARTS / common)
        }
    }
}

/// A factor to SI base units: an exact ratio times a power of π.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factor {
    ratio: Number,
    powers_of_pi: i32,
}

impl Factor {
    /// The factor of SI units.
    pub const ONE: Factor = Factor { ratio: Number::ONE, powers_of_pi: 0 };

    /// Whether it is the factor of SI units.
    pub fn is_one(self) -> bool {
        self == Factor::ONE
    }

    /// The product of two factors.
    pub fn times(self, other: Factor) -> Factor {
        Factor { ratio: self.ratio * other.ratio, powers_of_pi: self.powers_of_pi.saturating_add(other.powers_of_pi) }
    }

    /// An integer power; `None` where it is not exact.
    pub fn power(self, exponent: i32) -> Option<Factor> {
        let (mut ratio, times) = (Number::ONE, exponent.unsigned_abs());
        for _ in 0..if self.ratio.is_one() { 0 } else { times } {
            ratio = ratio.checked_mul(self.ratio)?;
        }
        let ratio = if exponent < 0 { Number::ONE.checked_div(ratio)? } else { ratio };
        Some(Factor { ratio, powers_of_pi: self.powers_of_pi.checked_mul(exponent)? })
    }

    /// `number` times this factor: exact but for multiples of π.
    pub fn apply(self, number: Number) -> Number {
        let exact = number * self.ratio;
        match self.powers_of_pi {
            0 => exact,
            powers => Number::from_f64(exact.to_f64() * std::f64::consts::PI.powi(powers)),
        }
    }
}

/// A symbol that users write after a number.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// How it is written.
    pub name: &'static str,
    /// Its dimension.
    pub unit: Unit,
    /// What one of it is in SI base units.
    scale: (i64, i64),
    is_multiple_of_pi: bool,
}

impl Symbol {
    const fn new(name: &'static str, unit: Unit, numerator: i64, denominator: i64) -> Symbol {
        Symbol { name, unit, scale: (numerator, denominator), is_multiple_of_pi: false }
    }

    const fn of_pi(name: &'static str, unit: Unit, numerator: i64, denominator: i64) -> Symbol {
        Symbol { name, unit, scale: (numerator, denominator), is_multiple_of_pi: true }
    }

    /// What one of it is in SI base units.
    pub fn factor(self) -> Factor {
        let (numerator, denominator) = self.scale;
        let ratio = Number::ratio(numerator.into(), denominator.into());
        Factor { ratio, powers_of_pi: i32::from(self.is_multiple_of_pi) }
    }
}

/// Every symbol.
#[rustfmt::skip]
pub static SYMBOLS: &[Symbol] = &[
    Symbol::new("1",   Unit::ONE, 1, 1),
    Symbol::new("rad", Unit::ONE, 1, 1),
    Symbol::of_pi("deg", Unit::ONE, 1, 180),
    Symbol::new("kg",  Unit::KILOGRAM, 1, 1),
    Symbol::new("g",   Unit::KILOGRAM, 1, 1000),
    Symbol::new("mg",  Unit::KILOGRAM, 1, 1_000_000),
    Symbol::new("t",   Unit::KILOGRAM, 1000, 1),
    Symbol::new("m",   Unit::METRE, 1, 1),
    Symbol::new("mm",  Unit::METRE, 1, 1000),
    Symbol::new("um",  Unit::METRE, 1, 1_000_000),
    Symbol::new("µm",  Unit::METRE, 1, 1_000_000),
    Symbol::new("cm",  Unit::METRE, 1, 100),
    Symbol::new("km",  Unit::METRE, 1000, 1),
    Symbol::new("s",   Unit::SECOND, 1, 1),
    Symbol::new("ms",  Unit::SECOND, 1, 1000),
    Symbol::new("min", Unit::SECOND, 60, 1),
    Symbol::new("h",   Unit::SECOND, 3600, 1),
    Symbol::new("kn",  Unit::base(0, 1, -1), 1852, 3600),
    Symbol::new("Hz",  Unit::base(0, 0, -1), 1, 1),
    Symbol::new("kHz", Unit::base(0, 0, -1), 1000, 1),
    Symbol::of_pi("rpm", Unit::base(0, 0, -1), 1, 30),
    Symbol::new("N",   Unit::NEWTON, 1, 1),
    Symbol::new("mN",  Unit::NEWTON, 1, 1000),
    Symbol::new("kN",  Unit::NEWTON, 1000, 1),
    Symbol::new("MN",  Unit::NEWTON, 1_000_000, 1),
    Symbol::new("Pa",  Unit::base(1, -1, -2), 1, 1),
    Symbol::new("kPa", Unit::base(1, -1, -2), 1000, 1),
    Symbol::new("MPa", Unit::base(1, -1, -2), 1_000_000, 1),
    Symbol::new("GPa", Unit::base(1, -1, -2), 1_000_000_000, 1),
    Symbol::new("bar", Unit::base(1, -1, -2), 100_000, 1),
    Symbol::new("J",   Unit::JOULE, 1, 1),
    Symbol::new("kJ",  Unit::JOULE, 1000, 1),
    Symbol::new("W",   Unit::base(1, 2, -3), 1, 1),
    Symbol::new("kW",  Unit::base(1, 2, -3), 1000, 1),
    Symbol::new("A",   Unit::electric(0, 0, 0, 1, 0), 1, 1),
    Symbol::new("V",   Unit::electric(1, 2, -3, -1, 0), 1, 1),
    Symbol::new("K",   Unit::electric(0, 0, 0, 0, 1), 1, 1),
];

/// The symbol of this name.
pub fn find(name: &str) -> Option<Symbol> {
    SYMBOLS.iter().copied().find(|symbol| symbol.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str) -> Unit {
        Unit::parse(text).unwrap_or_else(|| panic!("{text} is a unit"))
    }

    #[test]
    fn products_and_quotients() {
        assert_eq!(unit("kg m/s^2"), unit("N"));
        assert_eq!(unit("N m"), unit("J"));
        assert_eq!(unit("N m s/rad"), unit("kg m^2 s^-1"));
        assert_eq!(unit("rad/s"), unit("Hz"));
        assert_ne!(unit("kg"), unit("m"));
        for text in ["stone", "m^x", "mm", "kg^1000"] {
            assert_eq!(Unit::parse(text), None, "{text}");
        }
    }

    #[test]
    fn display_is_canonical() {
        let cases = [
            ("1", "1"),
            ("kg m^2", "kg m^2"),
            ("m s^-2", "m/s^2"),
            ("rad/s", "1/s"),
            ("kg m s^-2", "N"),
            ("J", "N m"),
            ("kg/m^3", "kg/m^3"),
            ("N/m", "N/m"),
            ("W/A", "kg m^2/(s^3 A)"),
        ];
        for (written, shown) in cases {
            assert_eq!(unit(written).to_string(), shown);
        }
        for (name, named) in NAMED {
            assert_eq!(unit(name), named);
        }
    }

    #[test]
    fn what_messages_suggest_is_read_as_the_same_unit() {
        for text in ["kg", "kg m^2", "m/s^2", "s^-1", "m^-1", "m^-1 s^-2", "W/A", "N s/m", "kg/m^3", "kg^2 A^-1 K^-2"] {
            let written = unit(text).written().unwrap();
            assert_eq!(unit(&written), unit(text), "{written}");
            assert!(!written.starts_with('1') && !written.contains('('), "{written}");
        }
        assert_eq!(Unit::ONE.written(), None);
        assert_eq!(unit("m").power(1, 2).and_then(Unit::written), None);
    }

    #[test]
    fn roots_have_units_where_twelfths_suffice() {
        assert_eq!(unit("m^2").power(1, 2), Some(Unit::METRE));
        assert_eq!(unit("m").power(1, 2).map(|u| u.to_string()), Some("m^(1/2)".to_owned()));
        assert_eq!(unit("m/s^2").power(3, 2).map(|u| u.to_string()), Some("m^(3/2)/s^3".to_owned()));
        assert_eq!(unit("m").power(1, 5), None);
        assert_eq!(unit("m").power(1, 0), None);
        assert_eq!(unit("m").power(i64::MAX, 1), None);
    }

    #[test]
    fn factors_are_exact_where_rational() {
        let si = |text: &str, number: i64| find(text).map(|symbol| symbol.factor().apply(Number::from(number)));
        assert_eq!(si("mm", 3), Some(Number::ratio(3, 1000)));
        assert_eq!(si("GPa", 210), Some(Number::from(210_000_000_000)));
        assert_eq!(si("µm", 3), si("um", 3));
        assert_eq!(si("mN", 3), Some(Number::ratio(3, 1000)));
        assert_eq!(si("kn", 18), Some(Number::ratio(926, 100)));
        assert_eq!(si("deg", 90), Some(Number::from_f64(std::f64::consts::FRAC_PI_2)));
        assert_eq!(si("rpm", 30), Some(Number::from_f64(std::f64::consts::PI)));
        let per_square_centimetre = find("cm").and_then(|symbol| symbol.factor().power(-2));
        assert_eq!(per_square_centimetre.map(|factor| factor.apply(Number::ONE)), Some(Number::from(10_000)));
    }

    #[test]
    fn symbols_are_unique() {
        for symbol in SYMBOLS {
            assert_eq!(SYMBOLS.iter().filter(|other| other.name == symbol.name).count(), 1, "{}", symbol.name);
        }
    }
}
