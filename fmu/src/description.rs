//! `modelDescription.xml`, for both versions of the interface.

use std::fmt::Write;

use hamel::configuration::ranges;
use hamel::{Block, ModelInfo, State};
use hamel_compiler::units::Unit;

use crate::settings::{Kind, Settings, Stepping, Version};
use crate::variables::{Causality, Place, Variable, Variables};

/// What a description says.
pub(crate) struct Description<'a> {
    pub info: &'a ModelInfo,
    pub settings: &'a Settings,
    pub variables: &'a Variables,
    pub parameters: &'a [f64],
    /// The start.
    pub state: &'a State,
    /// End of the motion that importers compute where nobody asks for another, s.
    pub until: f64,
    /// Files that are compiled, of a unit of sources.
    pub sources: &'a [&'a str],
}

/// Categories of messages.
pub(crate) const CATEGORIES: [(&str, &str); 1] = [("logStatusError", "calls that failed, and why")];

/// The tolerance of integrators between events of contacts: their errors make bodies touch that do not.
const BETWEEN_EVENTS: f64 = 1e-8;

/// Knowns on which an unknown depends, and how.
type Dependencies = Vec<(usize, &'static str)>;

impl Description<'_> {
    pub(crate) fn text(&self) -> String {
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        let Settings { token, version, .. } = self.settings;
        let doc = self.info.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        let (number, token_name) = match version {
            Version::Two => ("2.0", "guid"),
            Version::Three => ("3.0", "instantiationToken"),
        };
        let mut head = attribute("fmiVersion", number)
            + &attribute("modelName", &self.info.name)
            + &attribute(token_name, token)
            + &if doc.is_empty() { String::new() } else { attribute("description", &doc) }
            + &attribute("generationTool", concat!("Hamel ", env!("CARGO_PKG_VERSION")))
            + &attribute("variableNamingConvention", self.naming());
        if *version == Version::Two {
            head += &attribute("numberOfEventIndicators", &self.variables.indicators().len().to_string());
        }
        let _ = writeln!(text, "<fmiModelDescription{head}>");
        self.kinds(&mut text);
        self.units(&mut text);
        text.push_str("  <LogCategories>\n");
        for (name, description) in CATEGORIES {
            let attributes = attribute("name", name) + &attribute("description", description);
            let _ = writeln!(text, "    <Category{attributes}/>");
        }
        text.push_str("  </LogCategories>\n");
        let step = match self.settings.stepping {
            Stepping::Fixed(dt) if self.variables.indicators().len() > 0 => {
                attribute("tolerance", &BETWEEN_EVENTS.to_string()) + &attribute("stepSize", &dt.to_string())
            }
            Stepping::Fixed(dt) => attribute("stepSize", &dt.to_string()),
            Stepping::Tolerance(tolerance) => {
                attribute("tolerance", &tolerance.to_string())
                    + &attribute("stepSize", &(self.until / 1000.0).to_string())
            }
        };
        let times = attribute("startTime", "0") + &attribute("stopTime", &self.until.to_string());
        let _ = writeln!(text, "  <DefaultExperiment{times}{step}/>");
        text.push_str("  <ModelVariables>\n");
        for (reference, variable) in self.variables.all.iter().enumerate() {
            self.variable(&mut text, reference, variable);
        }
        text.push_str("  </ModelVariables>\n  <ModelStructure>\n");
        self.structure(&mut text);
        text.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
        text
    }

    fn is_two(&self) -> bool {
        self.settings.version == Version::Two
    }

    /// Names with points and indices, unless one has other characters.
    fn naming(&self) -> &'static str {
        let is_structured = |name: &str| {
            let inner = name.strip_prefix("der(").and_then(|name| name.strip_suffix(')')).unwrap_or(name);
            inner.split('.').all(|part| {
                // One pair of brackets, with numbers.
                let (word, indices) = part.split_once('[').unwrap_or((part, "0]"));
                let is_number = |number: &str| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
                word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && indices.strip_suffix(']').is_some_and(|indices| indices.split(',').all(is_number))
            })
        };
        if self.variables.all.iter().all(|variable| is_structured(&variable.name)) { "structured" } else { "flat" }
    }

    fn kinds(&self, text: &mut String) {
        let identifier = attribute("modelIdentifier", &self.settings.identifier);
        // After impacts bodies penetrate each other by what steps leave, and no motion starts there.
        let can_return = self.info.contacts.is_empty();
        let states = match self.is_two() {
            true => ["canGetAndSetFMUstate", "canSerializeFMUstate"],
            false => ["canGetAndSetFMUState", "canSerializeFMUState"],
        };
        let mut states: String = states.iter().map(|name| attribute(name, &can_return.to_string())).collect();
        if self.settings.derivatives {
            let names: &[&str] = match self.is_two() {
                true => &["providesDirectionalDerivative"],
                false => &["providesDirectionalDerivatives", "providesAdjointDerivatives"],
            };
            states.extend(names.iter().map(|name| attribute(name, "true")));
        }
        for kind in &self.settings.kinds {
            let _ = match kind {
                Kind::ModelExchange => {
                    // After each step the unit looks whether the state has left the constraints. Version 2 has the
                    // opposite, which is false if it is not said.
                    let steps =
                        if self.is_two() { String::new() } else { attribute("needsCompletedIntegratorStep", "true") };
                    writeln!(
                        text,
                        "  <ModelExchange{identifier}{steps}{states}{}",
                        self.listed_sources("ModelExchange")
                    )
                }
                Kind::CoSimulation => {
                    let steps = attribute("canHandleVariableCommunicationStepSize", "true");
                    writeln!(text, "  <CoSimulation{identifier}{steps}{states}{}", self.listed_sources("CoSimulation"))
                }
            };
        }
    }

    /// The rest of an element of a kind; version 2 names its sources there.
    fn listed_sources(&self, kind: &str) -> String {
        if !self.is_two() || self.sources.is_empty() {
            return "/>".to_owned();
        }
        let files: String =
            self.sources.iter().map(|name| format!("      <File{}/>\n", attribute("name", name))).collect();
        format!(">\n    <SourceFiles>\n{files}    </SourceFiles>\n  </{kind}>")
    }

    /// `buildDescription.xml`, which names the sources in version 3.
    pub(crate) fn build(&self) -> String {
        let files: String =
            self.sources.iter().map(|name| format!("      <SourceFile{}/>\n", attribute("name", name))).collect();
        let identifier = attribute("modelIdentifier", &self.settings.identifier);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  <BuildConfiguration{identifier}>\n    <SourceFileSet language=\"C99\">\n{files}    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n"
        )
    }

    fn units(&self, text: &mut String) {
        let mut units: Vec<&str> = self.variables.all.iter().map(|variable| variable.unit.as_str()).collect();
        units.sort_unstable();
        units.dedup();
        let known = units.into_iter().filter_map(|unit| Some((unit, base_unit(unit)?)));
        text.push_str("  <UnitDefinitions>\n");
        for (unit, base) in known {
            let _ = writeln!(text, "    <Unit{}><BaseUnit{base}/></Unit>", attribute("name", unit));
        }
        text.push_str("  </UnitDefinitions>\n");
    }

    fn variable(&self, text: &mut String, reference: usize, variable: &Variable) {
        let (causality, variability) = match variable.causality {
            Causality::Independent => ("independent", "continuous"),
            Causality::Parameter => ("parameter", "tunable"),
            Causality::Input => ("input", "continuous"),
            Causality::Output => ("output", "continuous"),
            Causality::Local => ("local", "continuous"),
        };
        let (nq, state) = (self.state.q.len(), self.state);
        let (initial, start) = match variable.place {
            Place::Time => ("", None),
            Place::Parameter(i) => ("exact", Some(self.parameters[i])),
            Place::Input(_) => ("", Some(0.0)),
            // Initial conditions and constraints decide.
            Place::State(i) => ("approx", Some(if i < nq { state.q[i] } else { state.v[i - nq] })),
            Place::Derivative(_) | Place::Column(_) | Place::Indicator(_) => ("calculated", None),
        };
        let mut outer = attribute("name", &variable.name) + &attribute("valueReference", &reference.to_string());
        let mut inner = String::new();
        outer += &(attribute("causality", causality) + &attribute("variability", variability));
        if !initial.is_empty() {
            outer += &attribute("initial", initial);
        }
        if base_unit(&variable.unit).is_some() {
            inner += &attribute("unit", &variable.unit);
        }
        if let Some([low, high]) = variable.range {
            inner += &(attribute("min", &low.to_string()) + &attribute("max", &high.to_string()));
        }
        if let Some(start) = start {
            inner += &attribute("start", &start.to_string());
        }
        if let Place::Derivative(i) = variable.place {
            // Value references are indices from zero; version 2 counts variables from one.
            let of = self.variables.first_state + i + usize::from(self.is_two());
            inner += &attribute("derivative", &of.to_string());
        }
        let _ = match self.is_two() {
            true => writeln!(text, "    <ScalarVariable{outer}><Real{inner}/></ScalarVariable>"),
            false => writeln!(text, "    <Float64{outer}{inner}/>"),
        };
    }

    fn structure(&self, text: &mut String) {
        let all_of =
            |causality| (0..self.variables.all.len()).filter(move |&i| self.variables.all[i].causality == causality);
        let (outputs, inputs) = (|| all_of(Causality::Output), || all_of(Causality::Input));
        let depends = Dependence::new(self.info, self.variables);
        let of = |i: usize| -> Dependencies {
            match self.variables.all[i].place {
                Place::State(_) => vec![(i, "constant")],
                Place::Derivative(derivative) => depends.of(derivative),
                // What an output reads, its formula alone tells.
                _ => inputs().chain(self.variables.states()).map(|i| (i, "dependent")).collect(),
            }
        };
        // At the start all follows from what is set, by initial conditions and constraints.
        let of_start =
            || -> Dependencies { all_of(Causality::Parameter).chain(inputs()).map(|i| (i, "dependent")).collect() };
        let initial =
            outputs().chain(self.variables.states().filter(|&i| self.variables.all[i].causality != Causality::Output));
        let initial: Vec<usize> = initial.chain(self.variables.derivatives()).collect();
        // Version 2 tells their number alone.
        let indicators = if self.is_two() { Vec::new() } else { self.variables.indicators().collect() };
        let lists: [(&str, &str, Vec<usize>); 4] = [
            ("Outputs", "Output", outputs().collect()),
            ("Derivatives", "ContinuousStateDerivative", self.variables.derivatives().collect()),
            ("InitialUnknowns", "InitialUnknown", initial),
            ("EventIndicators", "EventIndicator", indicators),
        ];
        for (list, element, unknowns) in lists {
            let mut lines = String::new();
            for i in unknowns {
                let dependencies = if list == "InitialUnknowns" { of_start() } else { of(i) };
                let _ = match self.is_two() {
                    true => writeln!(
                        lines,
                        "      <Unknown{}{}/>",
                        attribute("index", &(i + 1).to_string()),
                        self.listed(dependencies)
                    ),
                    false => {
                        writeln!(
                            lines,
                            "    <{element}{}{}/>",
                            attribute("valueReference", &i.to_string()),
                            self.listed(dependencies)
                        )
                    }
                };
            }
            match self.is_two() && !lines.is_empty() {
                true => {
                    let _ = write!(text, "    <{list}>\n{lines}    </{list}>\n");
                }
                false => text.push_str(&lines),
            }
        }
    }

    fn listed(&self, dependencies: Dependencies) -> String {
        let offset = usize::from(self.is_two());
        let indices: Vec<String> = dependencies.iter().map(|(i, _)| (i + offset).to_string()).collect();
        let kinds: Vec<&str> = dependencies.iter().map(|&(_, kind)| kind).collect();
        attribute("dependencies", &indices.join(" ")) + &attribute("dependenciesKind", &kinds.join(" "))
    }
}

/// On which knowns the derivatives of states depend.
struct Dependence<'a> {
    info: &'a ModelInfo,
    variables: &'a Variables,
    /// Directions of motion that move together, and what their forces depend on: for each direction, its group.
    group: Vec<usize>,
    /// Coordinates and velocities, as states, of each group.
    states: Vec<Vec<usize>>,
}

impl<'a> Dependence<'a> {
    fn new(info: &'a ModelInfo, variables: &'a Variables) -> Self {
        let (nq, nv) = (info.coordinates.len(), info.velocities.len());
        // M and constraints join directions: the inverse is full there.
        let mut joined: Vec<usize> = (0..nv + info.constraints.len()).collect();
        fn root(joined: &mut [usize], mut i: usize) -> usize {
            while joined[i] != i {
                joined[i] = joined[joined[i]];
                i = joined[i];
            }
            i
        }
        let rows = info.constraint_jacobian.entries().map(|(row, column)| (nv + row, column));
        for (a, b) in info.mass_matrix.entries().chain(rows) {
            let (a, b) = (root(&mut joined, a), root(&mut joined, b));
            joined[a.max(b)] = a.min(b);
        }
        let group: Vec<usize> = (0..nv).map(|i| root(&mut joined, i)).collect();
        // The coordinates that a direction of motion changes.
        let mut moved = vec![0..0; nv];
        for (block, q, v) in ranges(&info.blocks) {
            for (i, direction) in v.clone().enumerate() {
                moved[direction] = match block {
                    Block::Vector { .. } | Block::EulerParameters => q.start + i..q.start + i + 1,
                    Block::Rotation(_) | Block::Pose(_) => q.clone(),
                };
            }
        }
        let mut states = vec![Vec::new(); nv];
        for i in 0..nv {
            states[group[i]].extend(moved[i].clone().chain([nq + i]));
        }
        for (row, column) in info.stiffness.entries() {
            states[group[row]].extend(moved[column].clone());
        }
        for (row, column) in info.damping.entries() {
            states[group[row]].push(nq + column);
        }
        for states in &mut states {
            states.sort_unstable();
            states.dedup();
        }
        Self { info, variables, group, states }
    }

    /// Of the derivative of this state.
    fn of(&self, state: usize) -> Dependencies {
        let (first, nq) = (self.variables.first_state, self.info.coordinates.len());
        if let Some(direction) = state.checked_sub(nq) {
            let inputs = (0..self.variables.all.len()).filter(|&i| self.variables.all[i].causality == Causality::Input);
            let states = self.states[self.group[direction]].iter().map(|state| first + state);
            return inputs.chain(states).map(|i| (i, "dependent")).collect();
        }
        let Some((block, q, v)) = ranges(&self.info.blocks).find(|(_, q, _)| q.contains(&state)) else {
            return Vec::new();
        };
        match block {
            Block::Vector { .. } | Block::EulerParameters => {
                vec![(first + nq + v.start + state - q.start, "constant")]
            }
            Block::Rotation(_) | Block::Pose(_) => {
                q.chain(v.map(|v| nq + v)).map(|state| (first + state, "dependent")).collect()
            }
        }
    }
}

/// The attributes of a unit in base units, and the angle that is left out in ours.
fn base_unit(unit: &str) -> Option<String> {
    if unit.is_empty() {
        return None;
    }
    let exponents = Unit::parse(unit)?.exponents();
    let radians: i32 = unit
        .split('/')
        .enumerate()
        .map(|(place, part)| {
            let count = part.split_whitespace().filter(|symbol| *symbol == "rad").count() as i32;
            if place == 0 { count } else { -count }
        })
        .sum();
    let mut text = String::new();
    for (name, exponent) in ["kg", "m", "s", "A", "K"].into_iter().zip(exponents) {
        if exponent.fract() != 0.0 {
            return None;
        }
        if exponent != 0.0 {
            text += &attribute(name, &exponent.to_string());
        }
    }
    if radians != 0 {
        text += &attribute("rad", &radians.to_string());
    }
    Some(text)
}

fn attribute(name: &str, value: &str) -> String {
    let mut text = format!(" {name}=\"");
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '"' => text.push_str("&quot;"),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
