//! Descriptions of robots with everything in them that goes wrong: a translation is refused, or it is the robot's and
//! nothing else.

use hamel_compiler::parse::parse;
use hamel_compiler::resolve::{Provided, resolve};
use hamel_compiler::simplify::Limits;
use hamel_import::urdf::{self, Options};
use roxmltree::{Document, Node};

use super::random::Random;

/// Text that ends comments, lines, attributes or items, words with a meaning, and names that look alike.
const NAMES: [&str; 64] = [
    "base",
    "arm",
    "arm",
    "left-arm",
    "a b",
    "mass",
    "type",
    "fn",
    "joint",
    "body",
    "ground",
    "model",
    "pi",
    "sin",
    "r#type",
    "_",
    "__",
    "",
    " ",
    "  base",
    "1st",
    "日本",
    "é",
    "e\u{301}",
    "α",
    "Base",
    "BASE",
    "base_link",
    "base_joint",
    "base_joint2",
    "*/",
    "/*",
    "*/ joint x: free(ground, y); /*",
    "//",
    "\\",
    "a\\",
    "&#10;",
    "a&#10;joint x: free(ground, y);",
    "&#13;",
    "&#9;",
    "&quot;",
    "&lt;/robot&gt;",
    "&amp;#10;",
    "&#x202e;",
    "\u{202e}rtl",
    "\u{200b}",
    "\u{feff}",
    "\u{2028}",
    "&#x85;",
    "}}",
    "{{",
    "}",
    "{",
    "; output y = 1;",
    "`",
    "${name}",
    "$(arg x)",
    "f64",
    "Self",
    "self",
    "crate",
    "&#0;",
    "&#xd800;",
    "&unknown;",
];

const NUMBERS: [&str; 56] = [
    "0",
    "1",
    "-1",
    "0.1",
    "2.5",
    "1e-3",
    "3.14159",
    "1.5708",
    "-1.5707963267948966",
    "1e308",
    "-1e308",
    "1e309",
    "1e400",
    "5e-324",
    "1e-400",
    "1e-308",
    "inf",
    "-inf",
    "infinity",
    "nan",
    "NaN",
    "-0",
    "-0.0",
    "+1",
    "+.5",
    ".5",
    "5.",
    "1.e3",
    "1.E+3",
    "1E5",
    "1e+5",
    "0e5",
    "00012",
    "0x10",
    "1_000",
    "1f",
    "1f32",
    "1,5",
    "1e",
    "e5",
    ".",
    "-",
    "+-1",
    "1e999999999999",
    "1e-999999999999",
    "1e0000000000005",
    "0.1e0000000000000000000000000000000000001",
    "٣",
    "１",
    "${pi}",
    "",
    " ",
    "1 2",
    "123456789012345678901234567890",
    "0.00000000000000000000000000000000000000000000001",
    "1e16",
];

const KINDS: [&str; 10] =
    ["revolute", "continuous", "prismatic", "fixed", "fixed", "floating", "planar", "Revolute", "", "screw"];

/// Elements beside those that mean something.
const EXTRAS: [&str; 16] = [
    "<visual/>",
    "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>",
    "<limit lower=\"nan\" upper=\"-inf\"/>",
    "<mimic joint=\"no such\" multiplier=\"1e999\"/>",
    "<dynamics damping=\"0.5\" friction=\"0.1\"/>",
    "<dynamics damping=\"-1e308\"/>",
    "<dynamics damping=\"nan\"/>",
    "<safety_controller/>",
    "<![CDATA[ <link name=\"x\"/> ]]>",
    "<!-- */ joint x: free(ground, y); -->",
    "<?hamel joint?>",
    "<xacro:macro xmlns:xacro=\"http://www.ros.org/wiki/xacro\"/>",
    "<origin xyz=\"0 0 0\"/>",
    "text; joint x: free(ground, y);",
    "<link name=\"inner\"/>",
    "<gazebo><link/></gazebo>",
];

const BEFORE: [&str; 10] = [
    "<?xml version=\"1.0\"?>\n",
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n",
    "<?xml version=\"9\"?>",
    "<!DOCTYPE robot [<!ENTITY a \"b\"><!ENTITY unknown \"&a;&a;&a;\">]>",
    "\u{feff}",
    "<!-- comment -->",
    "\n\n",
    "junk",
    "<?xml version=\"1.0\"?><?xml version=\"1.0\"?>",
    "<!DOCTYPE robot SYSTEM \"file:///etc/passwd\">",
];

/// What is put into text at random.
const PIECES: [&str; 18] = [
    "<",
    ">",
    "/>",
    "\"",
    "'",
    "&",
    "&#0;",
    "]]>",
    "<!--",
    "-->",
    "<robot>",
    "</robot>",
    "</link>",
    "\0",
    "\u{7f}",
    "=\"",
    " ",
    "\u{10ffff}",
];

/// A description by its seed.
pub fn description(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1);
    random.below(2);
    // Most have one or two things wrong, some are wild.
    let mut writer = Writer { one_in: [400, 60, 12, 4][random.below(4)], random };
    let mut text = writer.robot();
    if writer.random.below(4) == 0 {
        for _ in 0..=writer.random.below(4) {
            text = writer.edited(text);
        }
    }
    text
}

struct Writer {
    random: Random,
    /// How rarely something is hostile.
    one_in: usize,
}

impl Writer {
    fn is_hostile(&mut self) -> bool {
        self.random.below(self.one_in) == 0
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.random.below(list.len())]
    }

    fn number(&mut self) -> String {
        match self.is_hostile() {
            true => self.one_of(&NUMBERS).to_owned(),
            false => format!("{}", self.random.below(2000) as f64 / 500.0 - 2.0),
        }
    }

    fn vector(&mut self) -> String {
        let count = if self.is_hostile() { self.random.below(6) } else { 3 };
        (0..count).map(|_| self.number()).collect::<Vec<_>>().join(if self.is_hostile() { "\t\n " } else { " " })
    }

    fn attribute(&mut self, name: &str, value: &str) -> String {
        if !self.is_hostile() {
            return format!(" {name}=\"{value}\"");
        }
        match self.random.below(6) {
            0 => String::new(),
            1 => format!(" {name}=\"{value}\" {name}=\"{value}\""),
            2 => format!(" {name}={value}"),
            3 => format!(" {name}='{value}'"),
            4 => format!(" {}=\"{value}\"", name.to_uppercase()),
            _ => format!(" x:{name}=\"{value}\""),
        }
    }

    fn origin(&mut self) -> String {
        if self.random.below(3) == 0 {
            return String::new();
        }
        let (xyz, rpy) = (self.vector(), self.vector());
        format!("<origin{}{}/>", self.attribute("xyz", &xyz), self.attribute("rpy", &rpy))
    }

    fn inertial(&mut self) -> String {
        let mut mass = if self.random.below(8) == 0 { "0".to_owned() } else { format!("{}", 1 + self.random.below(5)) };
        let mut moments = ["1", "0", "0", "1.2", "0", "1.4"].map(str::to_owned);
        if self.is_hostile() {
            mass = self.number();
        }
        for moment in &mut moments {
            if self.is_hostile() {
                *moment = self.number();
            }
        }
        let axes = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
        let moments: String = axes.iter().zip(&moments).map(|(axis, moment)| self.attribute(axis, moment)).collect();
        format!(
            "<inertial>{}<mass{}/><inertia{moments}/>{}</inertial>",
            self.origin(),
            self.attribute("value", &mass),
            self.extra()
        )
    }

    fn extra(&mut self) -> String {
        if self.is_hostile() { self.one_of(&EXTRAS).to_owned() } else { String::new() }
    }

    fn name(&mut self, plain: String) -> String {
        match self.is_hostile() {
            true if self.random.below(20) == 0 => "long".repeat(1 + self.random.below(100)),
            true => self.one_of(&NAMES).to_owned(),
            false => plain,
        }
    }

    fn robot(&mut self) -> String {
        let count = 1 + self.random.below(9);
        let names: Vec<String> = (0..count).map(|k| self.name(format!("link{k}"))).collect();
        let mut elements = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let has_inertia = if index == 0 { self.random.below(2) == 0 } else { self.random.below(6) > 0 };
            let inertial = if has_inertia { self.inertial() } else { String::new() };
            let element = if self.is_hostile() { "Link" } else { "link" };
            elements.push(format!("<{element}{}>{inertial}{}</{element}>", self.attribute("name", name), self.extra()));
            if index == 0 {
                continue;
            }
            // Mostly a tree; otherwise a ring, a second parent, a link that does not exist.
            let parent = if self.is_hostile() { self.random.below(count) } else { self.random.below(index) };
            let child = if self.is_hostile() { self.random.below(count) } else { index };
            let (parent, child) = (self.name(names[parent].clone()), self.name(names[child].clone()));
            let own = self.name(format!("joint{index}"));
            let known = if self.is_hostile() { KINDS.len() } else { 7 };
            let kind = KINDS[self.random.below(known)];
            let axis = if self.random.below(2) == 0 {
                format!("<axis{}/>", {
                    let axis = self.vector();
                    self.attribute("xyz", &axis)
                })
            } else {
                String::new()
            };
            let damping = if self.random.below(4) == 0 { "<dynamics damping=\"0.5\"/>" } else { "" };
            elements.push(format!(
                "<joint{}{}><parent{}/><child{}/>{}{axis}{damping}{}</joint>",
                self.attribute("name", &own),
                self.attribute("type", kind),
                self.attribute("link", &parent),
                self.attribute("link", &child),
                self.origin(),
                self.extra()
            ));
        }
        if self.is_hostile() {
            let (a, b) = (self.random.below(elements.len()), self.random.below(elements.len()));
            match self.random.below(3) {
                0 => drop(elements.remove(a)),
                1 => elements.insert(a, elements[b].clone()),
                _ => elements.swap(a, b),
            }
        }
        let before = if self.is_hostile() { self.one_of(&BEFORE) } else { "" };
        let name = self.name("robot".to_owned());
        let depth = if self.is_hostile() { self.random.below(120) } else { 0 };
        let nested = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        let head = self.attribute("name", &name);
        format!("{before}<robot{head}>\n{}{}{nested}</robot>", elements.join("\n"), self.extra())
    }

    /// The text with a run of characters left out, doubled or replaced.
    fn edited(&mut self, text: String) -> String {
        let letters: Vec<char> = text.chars().collect();
        let (a, b) = (self.random.below(letters.len() + 1), self.random.below(40));
        let b = (a + b).min(letters.len());
        let run: String = letters[a..b].iter().collect();
        let middle = match self.random.below(4) {
            0 => String::new(),
            1 => run.repeat(2),
            2 => self.one_of(&PIECES).to_owned(),
            _ => run + self.one_of(&PIECES),
        };
        letters[..a].iter().collect::<String>() + &middle + &letters[b..].iter().collect::<String>()
    }
}

/// Translates a description, and holds the model against it: how it ended, or the law that is broken.
pub fn translate(text: &str, seed: u64) -> Result<&'static str, String> {
    let is_floating = seed.is_multiple_of(3);
    let exact_angles = seed.is_multiple_of(7);
    let provide = if seed.is_multiple_of(5) { vec![Provided::InverseDynamics] } else { Vec::new() };
    let import = match urdf::import(text, &Options { is_floating, provide, exact_angles, ..Options::default() }) {
        Ok(import) => import,
        Err(error) => return is_seen(&error.to_string()).map(|()| "refused"),
    };
    for warning in &import.warnings {
        is_seen(&warning.to_string())?;
    }
    let model = &import.model;
    is_seen(model)?;
    let tokens: proc_macro2::TokenStream = model.parse().map_err(|error| format!("does not lex: {error}\n{model}"))?;
    let description = parse(tokens.clone()).map_err(|error| format!("does not parse: {error}\n{model}"))?;
    // The compiler knows better than the translation what a model cannot be, such as one without bodies.
    let Ok(system) = resolve(&description) else { return Ok("refused by the compiler") };
    let expected = Expected::of(text, is_floating).ok_or_else(|| format!("translated what is not XML\n{model}"))?;
    let found = (system.bodies.len(), system.joints.len(), system.forces.len());
    let others = [
        system.parameters.len(),
        system.inputs.len(),
        system.states.len(),
        system.members.len(),
        system.beams.len(),
        system.constraints.len(),
        system.contacts.len(),
        system.initial.len(),
        system.outputs.len(),
    ];
    if found != (expected.bodies, expected.bodies, expected.dampers) || others != [0; 9] {
        return Err(format!(
            "{found:?} and {others:?} for {} bodies, {} dampers\n{model}",
            expected.bodies, expected.dampers
        ));
    }
    if seed.is_multiple_of(64) {
        return Ok(match hamel_compiler::stages_within(tokens, &Limits::least()) {
            Ok(_) => "compiled",
            Err(_) => "refused late",
        });
    }
    Ok("accepted")
}

/// Nothing but line feeds may hide in what is printed.
fn is_seen(text: &str) -> Result<(), String> {
    match text.chars().find(|letter| letter.is_control() && *letter != '\n') {
        Some(letter) => Err(format!("{letter:?} in {text:?}")),
        None => Ok(()),
    }
}

/// What the model of a description has, counted in its XML.
struct Expected {
    bodies: usize,
    dampers: usize,
}

impl Expected {
    fn of(text: &str, is_floating: bool) -> Option<Expected> {
        let document = Document::parse(text).ok()?;
        let robot = document.root_element();
        let all = |name: &'static str| robot.children().filter(move |node| node.has_tag_name(name));
        // What a joint moves is a body; what is fixed to it is part of it.
        let moving = all("joint").filter(|joint| joint.attribute("type") != Some("fixed")).count();
        let bodies = moving + usize::from(is_floating);
        let dampers = |joint: Node<'_, '_>| {
            let dynamics = joint.children().rfind(|node| node.has_tag_name("dynamics"));
            let damping = dynamics.and_then(|node| node.attribute("damping")?.trim().parse::<f64>().ok());
            // One for each direction of motion.
            let directions = match joint.attribute("type") {
                Some("revolute" | "continuous" | "prismatic") => 1,
                Some("floating") => 6,
                _ => 0,
            };
            if damping.is_some_and(|damping| damping != 0.0) { directions } else { 0 }
        };
        Some(Expected { bodies, dampers: all("joint").map(dampers).sum() })
    }
}
