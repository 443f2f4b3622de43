//! Numbers, parameters, frames and expressions of random models, as text.

use super::random::Random;

/// Numbers whose products and sums vanish or cancel where others do not.
const PLAIN: [&str; 6] = ["1", "2", "0.5", "0.1", "10", "1"];

/// Lines of a model on their way.
pub struct Writer {
    pub random: Random,
    pub is_planar: bool,
    pub lines: Vec<String>,
    pub inputs: usize,
    pub states: usize,
    parameters: usize,
}

impl Writer {
    pub fn new(seed: u64) -> Writer {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x3c6e_f372_fe94_f82b);
        // The first numbers of neighbouring seeds resemble each other.
        for _ in 0..4 {
            random.below(2);
        }
        let is_planar = random.below(2) == 0;
        let lines = if is_planar { vec!["planar;".to_owned()] } else { Vec::new() };
        Writer { random, is_planar, lines, inputs: 0, states: 0, parameters: 0 }
    }

    pub fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Whether something happens that happens once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.random.below(times) == 0
    }

    /// A positive number: over six decades, or a plain one.
    pub fn positive(&mut self) -> String {
        match self.random.below(4) {
            0 => (*self.random.pick(&PLAIN)).to_owned(),
            1 => self.within(0.3, 3.0),
            _ => self.within(1e-3, 1e3),
        }
    }

    /// A number between two others, of any decade between them.
    pub fn within(&mut self, least: f64, most: f64) -> String {
        let part = 0.5 * (1.0 + self.random.signed());
        let value = least * (most / least).powf(part);
        // Few digits: the text is read by people.
        let digits = 1 + self.random.below(4);
        let text = format!("{value:.digits$e}");
        format!("{:?}", text.parse::<f64>().unwrap_or(1.0))
    }

    /// A number of either sign, or zero.
    pub fn signed(&mut self) -> String {
        match self.random.below(5) {
            0 => "0.0".to_owned(),
            1 | 2 => format!("-{}", self.positive()),
            _ => self.positive(),
        }
    }

    /// A positive quantity: written out, or the name of a new parameter.
    pub fn quantity(&mut self, unit: &str) -> String {
        let value = self.positive();
        self.named(format!("{value} {unit}"))
    }

    fn named(&mut self, value: String) -> String {
        if self.once_in(2) {
            return value;
        }
        let name = format!("p{}", self.parameters);
        self.parameters += 1;
        self.line(format!("param {name} = {value};"));
        name
    }

    /// A vector in the space of the model.
    pub fn vector(&mut self, unit: &str) -> String {
        let n = if self.is_planar { 2 } else { 3 };
        let components: Vec<String> = (0..n).map(|_| self.signed()).collect();
        self.named(format!("[{}] {unit}", components.join(", ")))
    }

    /// A direction in space: along an axis, or an oblique one of rational length. Of irrational constants the compiler
    /// keeps the nearest number alone, and how far that is from the constant is not known any more.
    pub fn direction(&mut self) -> String {
        let mut components = *self.random.pick(&[[0, 0, 1], [0, 0, 1], [1, 2, 2], [2, 3, 6], [1, 4, 8], [3, 4, 0]]);
        components.rotate_left(self.random.below(3));
        components.iter_mut().for_each(|component| *component *= [1, -1][self.random.below(2)]);
        let [x, y, z] = components;
        format!("[{x}, {y}, {z}]")
    }

    /// A point on a body, or on the ground.
    pub fn point(&mut self, body: &str) -> String {
        if self.once_in(4) {
            return body.to_owned();
        }
        let at = self.vector("m");
        format!("{body} at {at}")
    }

    /// A frame: a point with axes of its own.
    pub fn frame(&mut self, body: &str) -> String {
        let point = self.point(body);
        let angle = self.within(0.05, 3.0);
        match (self.is_planar, self.random.below(3)) {
            (_, 0) => point,
            (true, _) => format!("{point} rotated {angle} rad"),
            (false, 1) => {
                let about = *self.random.pick(&["x", "y", "z"]);
                format!("{point} rotated rotation_{about}({angle} rad)")
            }
            (false, _) => {
                let axis = self.direction();
                format!("{point} axis {axis}")
            }
        }
    }

    /// A component of a vector.
    pub fn component(&mut self) -> &'static str {
        let axes: &[&'static str] = if self.is_planar { &["x", "y"] } else { &["x", "y", "z"] };
        axes[self.random.below(axes.len())]
    }

    /// An angular velocity about some axis, a number.
    pub fn spin(&mut self, body: &str) -> String {
        if self.is_planar {
            format!("{body}.angular_velocity")
        } else {
            format!("{body}.angular_velocity.{}", self.component())
        }
    }

    /// A dimensionless number without bounds that depends on the motion of a body, or on time.
    pub fn motion(&mut self, body: &str) -> String {
        let (point, c) = (self.point(body), self.component());
        match self.random.below(5) {
            0 => format!("({point}).position.{c} / ({})", self.quantity("m")),
            1 => format!("({point}).velocity.{c} / ({})", self.quantity("m/s")),
            2 => format!("{} / ({})", self.spin(body), self.quantity("rad/s")),
            3 => format!("({}) * time", self.quantity("rad/s")),
            _ if self.is_planar => format!("{body}.angle"),
            _ => format!("{body}.rotation[{}][{}]", self.random.below(3), self.random.below(3)),
        }
    }

    /// A dimensionless factor: smooth or not, of a size that does not overflow.
    pub fn factor(&mut self, body: &str) -> String {
        let x = self.motion(body);
        match self.random.below(13) {
            0 => format!("sin({x})"),
            1 => format!("cos({x})"),
            2 => format!("tanh({x})"),
            3 => format!("atan({x})"),
            4 => format!("exp(-({x})^2)"),
            5 => format!("sqrt(1 + ({x})^2)"),
            6 => format!("abs({x}) * ({x})"),
            7 => format!("(if {x} < {} {{ {} }} else {{ {x} }})", self.signed(), self.signed()),
            8 => format!("min({x}, {})", self.positive()),
            9 => format!("max({x}, -{})", self.positive()),
            10 => format!("ln(2 + sin({x}))"),
            11 => format!("(1 + ({x})^2)^{}", *self.random.pick(&["1.5", "-0.5", "-1", "0.3"])),
            _ => format!("({x})"),
        }
    }

    /// A force or a torque: a number with a unit.
    pub fn strength(&mut self, body: &str, unit: &str) -> String {
        let size = self.quantity(unit);
        match self.random.below(6) {
            0 => size,
            1 if self.inputs > 0 => format!("({size}) * drive{}", self.random.below(self.inputs)),
            2 if self.states > 0 => format!("({size}) * lag{}", self.random.below(self.states)),
            3 => {
                let (a, b) = (self.factor(body), self.factor(body));
                format!("-({size}) * {a} * {b}")
            }
            _ => format!("-({size}) * {}", self.factor(body)),
        }
    }

    /// A vector of such numbers.
    pub fn load(&mut self, body: &str, unit: &str) -> String {
        let n = if self.is_planar { 2 } else { 3 };
        let busy = self.random.below(n);
        let components: Vec<String> =
            (0..n).map(|k| if k == busy { self.strength(body, unit) } else { self.simple(unit) }).collect();
        format!("[{}]", components.join(", "))
    }

    fn simple(&mut self, unit: &str) -> String {
        if self.once_in(2) { format!("0 {unit}") } else { self.quantity(unit) }
    }
}
