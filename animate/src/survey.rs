//! What is asked of the kinematics of a model in order to draw it, and where the answers stand.

use hamel_compiler::picture::{Asked, reactions_are_known};
use hamel_compiler::resolve::{
    Beam, BodyId, BodyShape, Contact, ContactForm, FlexibleMember, Frame, JointId, Output, Quantity, System, TermKind,
};

/// What joints pass on is drawn of models with at most so many: beyond, arrows would be most of a page.
const JOINTS_WITH_LOADS: usize = 40;

/// Places of answers about a body.
pub(crate) struct BodyPlaces {
    pub mass: usize,
    pub inertia: usize,
    pub center: Option<usize>,
    pub shapes: Vec<ShapePlaces>,
}

/// Places of the answers about a shape: its frame, and its dimensions.
pub(crate) type ShapePlaces = (usize, Vec<usize>);

/// Places of the answers about the two frames of a joint, in their bodies.
pub(crate) struct Ends {
    pub frames: [usize; 2],
}

/// Places of answers about a contact between shapes.
pub(crate) struct Touch {
    pub frames: [usize; 2],
    pub radii: Option<usize>,
}

/// Places of answers about a planar beam.
pub(crate) struct MemberPlaces {
    pub area: usize,
    pub second_moment: usize,
    /// Movers of its nodes.
    pub nodes: Vec<usize>,
}

/// Places of answers about an exact beam.
pub(crate) struct BeamPlaces {
    pub mass: usize,
    pub inertia: usize,
    pub nodes: Vec<usize>,
}

/// A point whose path is an output of the model.
pub(crate) struct Traced<'s> {
    pub output: &'s Output,
    pub body: BodyId,
    pub frame: usize,
}

/// All that is asked.
pub(crate) struct Survey<'s> {
    asked: Vec<Asked<'s>>,
    /// Places of the poses of all movers: bodies in their order, then nodes of planar beams.
    movers: Vec<usize>,
    pub gravity: Option<usize>,
    pub bodies: Vec<BodyPlaces>,
    /// For each look of the ground its shapes.
    pub ground: Vec<Vec<ShapePlaces>>,
    pub joints: Vec<Ends>,
    /// For each joint the place of what it passes on to its second body, if that is drawn.
    loads: Vec<Option<usize>>,
    /// For each force the frames in their bodies.
    pub force_frames: Vec<Vec<usize>>,
    forces: Vec<Option<usize>>,
    contacts: Vec<usize>,
    /// For each contact its frames, if it is one between shapes.
    pub touches: Vec<Option<Touch>>,
    /// For each written contact the points of bodies that its gap depends on, in their bodies.
    pub corners: Vec<Vec<(BodyId, usize)>>,
    pub members: Vec<MemberPlaces>,
    pub beams: Vec<BeamPlaces>,
    pub traced: Vec<Traced<'s>>,
}

impl<'s> Survey<'s> {
    /// Asks for what there is to draw; `frames` are those of the bodies.
    pub fn new(system: &'s System, frames: &'s [Frame]) -> Survey<'s> {
        let mut survey = Survey {
            asked: Vec::new(),
            movers: Vec::new(),
            gravity: None,
            bodies: Vec::new(),
            ground: Vec::new(),
            joints: Vec::new(),
            loads: Vec::new(),
            force_frames: Vec::new(),
            forces: Vec::new(),
            contacts: Vec::new(),
            touches: Vec::new(),
            corners: Vec::new(),
            members: Vec::new(),
            beams: Vec::new(),
            traced: Vec::new(),
        };
        survey.movers = frames.iter().map(|frame| survey.ask(Asked::Pose(frame))).collect();
        survey.gravity = system.gravity.as_ref().map(|term| survey.ask(Asked::Value(term)));
        for body in &system.bodies {
            let mass = survey.ask(Asked::Value(&body.mass));
            let inertia = survey.ask(Asked::Value(&body.inertia));
            let center = body.center_of_mass.as_ref().map(|term| survey.ask(Asked::Value(term)));
            let shapes = survey.shapes(&body.shapes);
            survey.bodies.push(BodyPlaces { mass, inertia, center, shapes });
        }
        for look in &system.ground {
            let shapes = survey.shapes(&look.shapes);
            survey.ground.push(shapes);
        }
        for joint in &system.joints {
            let frames = [&joint.parent, &joint.child].map(|frame| survey.ask(Asked::InBody(frame)));
            survey.joints.push(Ends { frames });
        }
        let has_loads = system.joints.len() <= JOINTS_WITH_LOADS;
        for (index, joint) in system.joints.iter().enumerate().map(|(index, joint)| (JointId(index), joint)) {
            let is_drawn = has_loads && joint.child.body.is_some() && reactions_are_known(system, index);
            let asked = is_drawn.then(|| survey.ask(Asked::Reaction(index)));
            survey.loads.push(asked);
        }
        for force in &system.forces {
            let frames = force.frames.iter().map(|frame| survey.ask(Asked::InBody(frame))).collect();
            survey.force_frames.push(frames);
            let is_arrow = ["force", "torque", "generalized"].contains(&force.kind.keyword());
            let asked = is_arrow.then(|| survey.ask(Asked::Force(force)));
            survey.forces.push(asked);
        }
        for contact in &system.contacts {
            survey.contact(contact);
        }
        for member in &system.members {
            survey.member(system, member);
        }
        for beam in &system.beams {
            survey.beam(beam);
        }
        for output in &system.outputs {
            let TermKind::Quantity(Quantity::Position(frame)) = &output.value.kind else { continue };
            if let Some(body) = frame.body {
                let frame = survey.ask(Asked::InBody(frame));
                survey.traced.push(Traced { output, body, frame });
            }
        }
        survey
    }

    fn ask(&mut self, asked: Asked<'s>) -> usize {
        self.asked.push(asked);
        self.asked.len() - 1
    }

    fn shapes(&mut self, shapes: &'s [BodyShape]) -> Vec<ShapePlaces> {
        let places = shapes.iter().map(|shape| {
            let frame = self.ask(Asked::InBody(&shape.frame));
            (frame, shape.dimensions.iter().map(|term| self.ask(Asked::Value(term))).collect())
        });
        places.collect()
    }

    fn contact(&mut self, contact: &'s Contact) {
        let place = self.ask(Asked::Contact(contact));
        self.contacts.push(place);
        let mut corners = Vec::new();
        let touch = match &contact.form {
            ContactForm::Kind { frames, radii, .. } => {
                let frames = [&frames[0], &frames[1]].map(|frame| self.ask(Asked::InBody(frame)));
                let radii = radii.as_ref().map(|term| self.ask(Asked::Value(term)));
                Some(Touch { frames, radii })
            }
            ContactForm::Written { gap, .. } => {
                for frame in hamel_compiler::picture::points(gap) {
                    if let Some(body) = frame.body {
                        corners.push((body, self.ask(Asked::InBody(frame))));
                    }
                }
                None
            }
        };
        self.touches.push(touch);
        self.corners.push(corners);
    }

    fn member(&mut self, system: &'s System, member: &'s FlexibleMember) {
        let mut nodes = vec![root(system, member).0];
        for node in 1..member.elements {
            let place = self.ask(Asked::Node(member, node));
            nodes.push(self.movers.len());
            self.movers.push(place);
        }
        nodes.extend(system.joints[member.end.0].child.body.map(|body| body.0));
        let area = self.ask(Asked::Value(&member.area));
        let second_moment = self.ask(Asked::Value(&member.second_moment));
        self.members.push(MemberPlaces { area, second_moment, nodes });
    }

    fn beam(&mut self, beam: &'s Beam) {
        let mass = self.ask(Asked::Value(&beam.mass_per_length));
        let inertia = self.ask(Asked::Value(&beam.inertia_per_length));
        self.beams.push(BeamPlaces { mass, inertia, nodes: beam.nodes().map(|body| body.0).collect() });
    }

    /// What is asked, in order.
    pub fn asked(&self) -> &[Asked<'s>] {
        &self.asked
    }

    /// Number of frames that move.
    pub fn movers(&self) -> usize {
        self.movers.len()
    }

    /// Places of their poses.
    pub fn mover_places(&self) -> impl Iterator<Item = usize> + '_ {
        self.movers.iter().copied()
    }

    /// For each force the place of its action, if it is drawn as an arrow.
    pub fn forces(&self) -> &[Option<usize>] {
        &self.forces
    }

    /// For each joint the place of what it passes on, if it is drawn as arrows.
    pub fn loads(&self) -> &[Option<usize>] {
        &self.loads
    }

    /// For each contact the place of its points and directions.
    pub fn contacts(&self) -> &[usize] {
        &self.contacts
    }
}

/// The body that is the first node of a planar beam: its frame, or what a pinned frame turns against.
fn root(system: &System, member: &FlexibleMember) -> BodyId {
    let is_frame = |body: Option<BodyId>| body == Some(member.frame_body);
    let before = system.joints.iter().find(|joint| is_frame(joint.child.body) && joint.kind.keyword() == PINNED);
    before.and_then(|joint| joint.parent.body).unwrap_or(member.frame_body)
}

/// The joint between the pinned end of a planar beam and its frame, as the compiler calls it.
const PINNED: &str = "frame of a flexible member";
