//! Messages of members that are wrong or do not fit together.

use proc_macro2::{Ident, Span};
use syn::Error;

use super::words::{advise, advise_if, beside, error, list, plural, unknown};
use super::{Family, Place};
use crate::escape;
use crate::spelling::spelled;

pub(crate) fn marker_has_its_place(place: Place, marker: &Ident) -> Error {
    let help = "name its body to attach to another point";
    advise(Family::Frames, place, format!("marker `{marker}` has its place and axes already"), help)
}

/// A force on a coordinate that is not moved by a velocity of its own.
pub(crate) fn no_force_on(place: Place, velocities: &[&str]) -> Error {
    advise(
        Family::ForceTarget,
        place,
        "this coordinate has no force of its own",
        format!("name a velocity of the joint: {}", list(velocities)),
    )
}

pub(crate) fn unknown_field(of: &str, name: &Ident, candidates: &[&str]) -> Error {
    unknown(Family::Field, name, format!("unknown field `{name}` of {of}"), candidates)
}

pub(crate) fn missing_field(name: &Ident, of: &str, field: &str) -> Error {
    error(Family::Field, name, format!("missing field `{field}` of {of} `{name}`"))
}

pub(crate) fn duplicate_field(name: &Ident, first: Span) -> Error {
    beside(
        error(Family::Repeated, name, format!("duplicate field `{name}`")),
        first,
        format!("`{name}` is given here first"),
    )
}

pub(crate) fn repeated_setting(span: Span, word: &str, first: Span) -> Error {
    beside(error(Family::Repeated, span, format!("`{word}` is written twice")), first, "first written here")
}

/// An axis for both ends of a joint, of which one has its own.
pub(crate) fn axis_twice(option: &Ident, own: Place, end: &Ident) -> Error {
    let message = format!("`axis` is for both ends of the joint, and `{end}` has one of its own");
    let error = advise(Family::Repeated, option, message, "leave one of them out, or turn the end by `rotated`");
    beside(error, own.first, "its own is given here")
}

pub(crate) fn option_needs_value(option: &Ident, example: &str) -> Error {
    advise(
        Family::FieldValue,
        option,
        format!("expected a value of `{option}`"),
        format!("write `{option}: {example}`"),
    )
}

pub(crate) fn option_takes_no_value(option: &Ident) -> Error {
    error(Family::FieldValue, option, format!("`{option}` takes no value"))
}

pub(crate) fn option_takes_no_range(end: Place, option: &Ident) -> Error {
    error(Family::FieldValue, end, format!("`{option}` takes no range"))
}

pub(crate) fn limits_without_coordinate(option: &Ident) -> Error {
    let message = format!("`{option}` needs a coordinate, which a joint that is a constraint does not have");
    advise(
        Family::JointOption,
        option,
        message,
        "leave it out; joints of the spanning tree have one, with `coordinates joint;`",
    )
}

pub(crate) fn rotor_of_absolute_angle(option: &Ident) -> Error {
    let message =
        format!("`{option}` belongs to an angle against the parent, and `absolute_angle` is one against the ground");
    advise(
        Family::JointOption,
        option,
        message,
        "name the coordinate by `coordinate`, or add the inertia to that of the child",
    )
}

pub(crate) fn limits_in_wrong_order(upper: Place, lower: f64, found: f64) -> Error {
    error(
        Family::JointLimits,
        upper,
        format!("expected an upper limit that is not below the lower one, {lower}, found {found}"),
    )
}

pub(crate) fn negative_limit(place: Place, option: &Ident, found: f64) -> Error {
    error(Family::JointLimits, place, format!("expected a `{option}` that is not negative, found {found}"))
}

pub(crate) fn limit_not_constant(place: Place) -> Error {
    let help = "limits are part of the description of a model, which its parameters do not change";
    advise(Family::JointLimits, place, "expected a finite number that depends on no parameters", help)
}

pub(crate) fn named_twice(again: &Ident) -> Error {
    error(Family::Repeated, again, format!("expected one name of the coordinate, found another: `{again}`"))
}

/// `needed` says what the joint must have, e.g. "exactly one coordinate".
pub(crate) fn option_of_other_joints(option: &Ident, needed: &str, kind: &str) -> Error {
    error(Family::JointOption, option, format!("`{option}` needs a joint with {needed}, found `{kind}`"))
}

pub(crate) fn about_in_field(point: &Ident, field: &Ident) -> Error {
    error(Family::FieldValue, point, format!("`about` belongs to an inertia, found it in `{field}`"))
}

pub(crate) fn wrong_reference_point(point: &Ident) -> Error {
    let help = "without `about origin` an inertia is about the center of mass";
    advise(Family::FieldValue, point, format!("expected `origin`, found `{point}`"), help)
}

const ABSOLUTE: &str = "write `coordinates absolute;`, with which code does not grow with the number of members";

/// A joint that moves more than is worth it; `most` pairs of velocities may share inertia.
pub(crate) fn too_many_coupled(joint: &Ident, most: usize) -> Error {
    let message = format!(
        "up to here, joint coordinates couple more than {most} pairs of velocities: each with those before it in the tree"
    );
    advise(Family::Limit, joint, message, ABSOLUTE)
}

pub(crate) fn too_many_velocities(joint: &Ident, most: usize) -> Error {
    let message = format!("expected at most {most} velocities in joint coordinates");
    advise(Family::Limit, joint, message, ABSOLUTE)
}

/// Conditions on so many velocities that their derivatives fill the memory.
pub(crate) fn too_many_initial_conditions(condition: Span, velocities: usize, most: usize) -> Error {
    let message = format!("expected at most {} initial conditions on {velocities} velocities", most / velocities);
    let help = format!("conditions by velocities may be {most}; give only those from which the others follow");
    advise(Family::Limit, Place::at(condition), message, help)
}

pub(crate) fn too_many_elements(member: &Ident, most: i64) -> Error {
    let message = format!("expected at most {most} elements of all flexible members of this kind together");
    advise(Family::Limit, member, message, "use fewer elements, or fewer members")
}

pub(crate) fn axis_in_the_plane(place: impl Into<Place>) -> Error {
    let help = "in the plane hinges turn about z, and slides go along the x axis of their frames, which `rotated 90 deg` behind \
                an end turns; without `planar;` the model is in space";
    advise(Family::PlaneOrSpace, place, "`axis` is spatial, but the model is `planar`", help)
}

pub(crate) fn only_in_space(place: impl Into<Place>, what: &str) -> Error {
    error(Family::PlaneOrSpace, place, format!("{what} is spatial, but the model is `planar`"))
}

pub(crate) fn only_in_plane(place: impl Into<Place>, what: &str) -> Error {
    error(Family::PlaneOrSpace, place, format!("{what} needs a `planar` model"))
}

pub(crate) fn needs_joint_coordinates(place: Place, what: &str) -> Error {
    error(Family::Coordinates, place, format!("{what} needs `coordinates joint` and a joint of the spanning tree"))
}

/// `on hinge.velocity` where `on hinge` is meant.
pub(crate) fn force_on_value(place: Place, joint: &Ident) -> Error {
    advise(
        Family::ForceTarget,
        place,
        "expected a joint or one of its coordinates, found a value",
        format!("write `on {joint}`"),
    )
}

/// A function of a model in joint coordinates, where there are none or they are constrained.
pub(crate) fn provided_without_freedom(function: &Ident, needs_freedom: bool, is_constrained: bool) -> Error {
    let message = match needs_freedom {
        true => format!("`{function}` needs joint coordinates without constraints"),
        false => format!("`{function}` needs joint coordinates"),
    };
    let help = if is_constrained && needs_freedom {
        "leave out the joints that close loops and the constraints, or take `residual`, which every model has"
    } else {
        "write `coordinates joint;`"
    };
    advise(Family::Provided, function, message, help)
}

pub(crate) fn provided_without_constraints(function: &Ident) -> Error {
    advise(
        Family::Provided,
        function,
        format!("`{function}` needs constraints, and the model has none"),
        "leave it out",
    )
}

pub(crate) fn provided_without_added_mass(function: &Ident, body: &Ident) -> Error {
    let error = error(Family::Provided, function, format!("`{function}` needs a model without added mass"));
    beside(error, body.span(), format!("`{body}` has one"))
}

pub(crate) fn limits_of_follower(option: &Ident) -> Error {
    let message = format!("`{option}` belongs to a coordinate, and a joint that `follows` another has none of its own");
    advise(Family::Followers, option, message, "limit the joint that it follows")
}

pub(crate) fn option_without_follows(option: &Ident) -> Error {
    advise(
        Family::Followers,
        option,
        format!("`{option}` belongs to a joint that `follows` another"),
        "write `follows: hinge` beside it",
    )
}

pub(crate) fn follower_outside_the_tree(option: &Ident, joint: &Ident, is_joint: bool) -> Error {
    let message = format!("`{joint}` has no coordinate that could follow another");
    let help = match is_joint {
        true => "only joints of the spanning tree have coordinates",
        false => "write `coordinates joint;`, or couple the joints by a constraint",
    };
    advise(Family::Followers, option, message, help)
}

pub(crate) fn follower_beside_members(option: &Ident) -> Error {
    advise(
        Family::Followers,
        option,
        format!("`{option}` needs a model of rigid bodies"),
        "couple the joints by `gear`",
    )
}

pub(crate) fn follower_of_itself(leader: &Ident) -> Error {
    error(Family::Followers, leader, format!("`{leader}` cannot follow itself"))
}

pub(crate) fn follower_of_follower(leader: &Ident) -> Error {
    let message = format!("`{leader}` follows another joint itself");
    advise(Family::Followers, leader, message, "follow the joint that it follows, with the product of both ratios")
}

pub(crate) fn leader_without_coordinate(leader: &Ident) -> Error {
    error(
        Family::Followers,
        leader,
        format!("expected a joint of the spanning tree with exactly one coordinate, found `{leader}`"),
    )
}

pub(crate) fn ratio_is_zero(place: &Ident) -> Error {
    advise(
        Family::Followers,
        place,
        "a joint that follows another with the ratio zero does not move",
        "write a `fixed` joint",
    )
}

pub(crate) fn function_of_a_frame(function: &Ident) -> Error {
    advise(
        Family::WrongKind,
        function,
        format!("expected a body or a marker after `{function}`"),
        format!("write `{function}(tool)`"),
    )
}

pub(crate) fn function_of_the_model(function: &Ident, frame: &Ident) -> Error {
    let message = format!("`{function}` is a function of the whole model, found `{frame}`");
    advise(Family::WrongKind, frame, message, format!("write `{function}`"))
}

pub(crate) fn axes_of_another_frame(axes: &Ident, frame: &Ident) -> Error {
    let message = format!("expected the axes of `{frame}` itself, found `{axes}`");
    advise(Family::Frames, axes, message, format!("write `in {frame}`, or leave it out for the axes of the ground"))
}

pub(crate) fn pose_in_own_axes(axes: &Ident) -> Error {
    advise(
        Family::Frames,
        axes,
        "the pose of a frame in its own axes is always the same",
        format!("write `pose({axes})`"),
    )
}

pub(crate) fn default_not_finite(place: Place, name: &Ident, value: f64) -> Error {
    error(Family::NumberRange, place, format!("expected a finite default of `{name}`, found {value}"))
}

pub(crate) fn wrong_number_of_ends(name: &Ident, kind: &Ident, expected: &str, found: usize) -> Error {
    let ends = plural("end", if expected == "1" { 1 } else { 2 });
    error(Family::Tree, kind, format!("expected {expected} {ends} of `{name}`, found {found}"))
}

pub(crate) fn not_a_body(coordinate: &Ident) -> Error {
    error(Family::WrongKind, coordinate, format!("expected a body, found `.{coordinate}`"))
}

pub(crate) fn point_has_no_axes(place: Place) -> Error {
    let help =
        "name the body and a point alone; a vector in the axes of a body is given with `in`, and a `bushing` has axes";
    advise(Family::Frames, place, "a force acts at a point, which has no axes", help)
}

pub(crate) fn round_has_no_axes(place: Place) -> Error {
    error(Family::Frames, place, "a point, a disc or a ball has no axes")
}

/// A note where axes are written that the name of a marker brings along.
pub(crate) fn axes_of_marker(error: Error, axes: Place, marker: &Ident) -> Error {
    beside(error, axes.first, format!("axes of marker `{marker}`"))
}

/// Modes in a model, which has the coordinates of all nodes.
pub(crate) fn modes_at_run_time(field: &Ident, member: &Ident) -> Error {
    let help = format!(
        "leave `modes` out; `hamel::modal::Reduced::member(&model, \"{member}\", 10)` is the model with 10 of them"
    );
    advise(
        Family::FlexibleMember,
        field,
        format!("the modes of `{member}` depend on parameters, and are taken when the model runs"),
        help,
    )
}

/// A restitution or a coefficient of friction that no contact has.
pub(crate) fn law_out_of_range(place: Place, law: &str, contact: &Ident, largest: f64, found: f64) -> Error {
    let range = if largest.is_finite() { format!("from 0 to {largest}") } else { "that is not negative".to_owned() };
    let law = law.replace('_', " ");
    error(Family::ContactLaw, place, format!("expected a {law} of `{contact}` {range}, found {found}"))
}

/// A tangential law of a contact without a direction in which it acts.
pub(crate) fn friction_without_slip(law: &Ident) -> Error {
    let help = "add `slip: …`, a displacement or a velocity along the surface, and `friction: …`";
    advise(Family::ContactLaw, law, format!("`{law}` has nothing to act against"), help)
}

pub(crate) fn coordinate_has_no_point(place: Place) -> Error {
    error(Family::ForceTarget, place, "a force on a coordinate has no point")
}

pub(crate) fn coordinate_not_named(joint: &Ident, known: &[&str]) -> Error {
    let help = known.first().map(|first| format!("name one of {}: `{joint}.{first}`", list(known)));
    advise_if(
        Family::ForceTarget,
        joint,
        format!("expected one coordinate, found the {} of joint `{joint}`", known.len()),
        help,
    )
}

pub(crate) fn nothing_beside_a_coordinate(name: &Ident) -> Error {
    error(Family::ForceTarget, name, format!("a force on a coordinate takes neither `from` nor `in`, found `{name}`"))
}

pub(crate) fn torque_has_no_point(place: Place) -> Error {
    error(Family::ForceTarget, place, "a torque acts on a whole body, not at a point")
}

pub(crate) fn torque_has_no_axes(place: Place) -> Error {
    let help = "name the body alone; a vector in its axes is given with `in`";
    advise(Family::ForceTarget, place, "a torque acts on a whole body, whatever its axes", help)
}

pub(crate) fn force_without_effect(name: &Ident) -> Error {
    let help = "a force acts on a body, from the ground or from another body";
    advise(Family::ForceTarget, name, format!("`{name}` moves nothing"), help)
}

pub(crate) fn needs_an_angle(name: &Ident, kind: &str) -> Error {
    error(Family::ForceTarget, name, format!("`{kind}` needs a coordinate that is an angle"))
}

pub(crate) fn no_bodies(model: &Ident) -> Error {
    error(Family::Tree, model, format!("model `{model}` has no body"))
}

pub(crate) fn joint_to_itself(end: &Ident) -> Error {
    error(Family::Tree, end, format!("expected two bodies, found `{end}` twice"))
}

pub(crate) fn unattached_body(body: &Ident, is_flexible: bool) -> Error {
    let spelled = spelled(&body.to_string());
    if is_flexible {
        let help =
            format!("a joint leads to a flexible member through its first end: `revolute(ground, {spelled}.root)`");
        return advise(Family::Tree, body, format!("flexible member `{body}` is not attached"), help);
    }
    let (stem, index) = spelled.split_at(spelled.find('[').unwrap_or(spelled.len()));
    let help = format!("add a joint, or let it move freely: `joint {stem}_motion{index}: free(ground, {spelled});`");
    advise(Family::Tree, body, format!("body `{body}` is not attached"), help)
}

pub(crate) fn reversed_joint(joint: &Ident, far: &Ident, near: &Ident) -> Error {
    let message = format!("joint `{joint}` attaches `{far}` to `{near}`, but names `{far}` first");
    advise(Family::Tree, far, message, "name the end nearer to the ground first")
}

pub(crate) fn not_positive(place: Place, what: &str, body: &Ident, value: f64) -> Error {
    error(Family::NoSuchBody, place, format!("expected a positive {what} of `{body}`, found {value}"))
}

pub(crate) fn wrong_number_of_elements(place: Place, most: i64) -> Error {
    let message = format!("expected a number of elements from 1 to {most}");
    advise(Family::Integer, place, message, "write a number, or a `const` that is declared further up")
}

pub(crate) fn needs_euler_parameters(place: Place, what: &str) -> Error {
    advise(
        Family::Coordinates,
        place,
        format!("{what} needs absolute coordinates with Euler parameters"),
        "write `coordinates absolute;`",
    )
}

pub(crate) fn stiffness_not_positive_definite(place: Place, member: &Ident) -> Error {
    let message = format!("expected a symmetric and positive definite stiffness of `{member}`");
    advise(Family::FlexibleMember, place, message, "coupling may not outweigh what resists by itself")
}

pub(crate) fn negative_damping(place: Place, member: &Ident, value: f64) -> Error {
    error(
        Family::FlexibleMember,
        place,
        format!("expected a damping of `{member}` that is not negative, found {value}"),
    )
}

pub(crate) fn not_a_floating_frame(place: Place) -> Error {
    error(Family::FlexibleMember, place, "expected a floating frame: `tangent` or `pinned`")
}

pub(crate) fn wrong_dimensions(place: Place, solid: &str, names: &[&str]) -> Error {
    error(Family::Appearance, place, format!("expected `{solid}({})` with lengths", names.join(", ")))
}

pub(crate) fn not_a_mesh(place: Place) -> Error {
    let message = "expected `mesh(\"file.stl\", scale)`, the scale a length or three of them along x, y and z";
    advise(Family::Appearance, place, message, "write `mesh(\"file.stl\", 1 mm)` where the file is in millimetres")
}

pub(crate) fn not_a_mesh_file(file: &syn::LitStr) -> Error {
    let (known, found) = (crate::solids::mesh_files(), escape::excerpt(&file.value()));
    let message = format!("expected a file of triangles that ends in {known}, found `{found}`");
    advise(Family::Appearance, Place::at(file.span()), message, "convert it, for instance with Blender or MeshLab")
}

pub(crate) fn scale_is_zero(place: Place) -> Error {
    error(Family::Appearance, place, "expected a scale without zeros and, of one number, a positive one")
}

pub(crate) fn not_a_color(place: Place) -> Error {
    error(
        Family::Appearance,
        place,
        format!("expected a color: one of {}, or red, green and blue from 0 to 1", list(&crate::solids::COLORS)),
    )
}

pub(crate) fn not_a_section(place: Place) -> Error {
    let help = "or leave it out and give `area` and `second_moment`";
    advise(
        Family::FlexibleMember,
        place,
        "expected a cross-section: `rectangle(width, height)`, its height in the plane of the motion",
        help,
    )
}

pub(crate) fn fields_exclude_each_other(place: Place, field: &str, other: &str) -> Error {
    error(Family::Repeated, place, format!("`{field}` is determined by `{other}`, which is given too"))
}

/// A flexible member where only its ends are bodies.
pub(crate) fn needs_an_end(place: Place, member: &Ident) -> Error {
    let message = format!("expected a rigid body, found flexible member `{member}`");
    advise(Family::FlexibleMember, place, message, format!("name one of its ends: `{member}.root` or `{member}.tip`"))
}

pub(crate) fn only_as_an_output(name: &Ident, member: &Ident) -> Error {
    let help = format!("write `output loads = {member}.{name};`");
    advise(Family::FlexibleMember, name, format!("`{name}` of a flexible member is an output of its own"), help)
}

pub(crate) fn value_of_force(name: &Ident) -> Error {
    let message = format!("values of force `{name}` are known in outputs alone");
    advise(Family::Dependence, name, message, "write what the force is made of instead")
}

pub(crate) fn value_of_constraint(name: &Ident) -> Error {
    let message = format!("the multiplier of `{name}` is known in outputs alone");
    error(Family::Dependence, name, message)
}

pub(crate) fn joint_without_force(name: &Ident, joint: &Ident, kind: &str) -> Error {
    let help = match kind {
        "free" => "it holds nothing",
        _ => "its multiplier, which is in every trajectory, is the force on the second coordinate",
    };
    let message = format!("joint `{joint}` of kind `{kind}` passes no `{name}` from one body to another");
    advise(Family::Dependence, name, message, help)
}

pub(crate) fn unknown_reaction(place: Span, joint: &Ident, of: &str, member: Option<&Ident>) -> Error {
    let message = format!("what `{joint}` passes on is not known in joint coordinates beside {of}");
    let help = match member {
        // It exists in joint coordinates alone.
        Some(member) => format!("`output loads = {member}.section_forces;` has the forces at its ends"),
        None => "write `coordinates absolute;`, where each joint has multipliers".to_owned(),
    };
    advise(Family::Coordinates, place, message, help)
}

pub(crate) fn total_of_flexible_model(name: &Ident) -> Error {
    let message = format!("`{name}` does not count flexible members");
    advise(Family::FlexibleMember, name, message, "energies are in every trajectory")
}

pub(crate) fn provided_for_rigid_bodies(function: &Ident) -> Error {
    let message = format!("`{function}` needs a model of rigid bodies");
    advise(Family::Provided, function, message, "take `residual`, which every model has")
}

pub(crate) fn inertia_not_symmetric(place: Place, body: &Ident) -> Error {
    error(Family::NoSuchBody, place, format!("expected a symmetric inertia of `{body}`"))
}

pub(crate) fn added_mass_not_symmetric(place: Place, field: &Ident, body: &Ident) -> Error {
    let message = format!("expected a symmetric `{field}` of the added mass of `{body}`");
    advise(
        Family::AddedMass,
        place,
        message,
        "a computed matrix A that is not quite symmetric becomes so as `(A + transpose(A)) / 2`",
    )
}

/// A field of an added mass that goes with another convention.
pub(crate) fn field_of_other_convention(field: &Ident, convention: &str) -> Error {
    error(Family::FieldValue, field, format!("`{field}` belongs to `velocity: {convention}`"))
}

pub(crate) fn inertia_not_positive_definite(place: Place, body: &Ident) -> Error {
    error(Family::NoSuchBody, place, format!("expected an inertia without negative principal moments of `{body}`"))
}

pub(crate) fn inertia_violates_triangle(place: Place, body: &Ident, [a, b, c]: [f64; 3]) -> Error {
    let message = format!(
        "no rigid body has the inertia of `{body}`: its principal moments {a}, {b}, {c} violate the triangle inequality"
    );
    advise(Family::NoSuchBody, place, message, "no moment may exceed the sum of the other two")
}

pub(crate) fn axis_not_constant(place: Place) -> Error {
    let help = "turn the joint with `rotated` where the direction depends on parameters";
    advise(Family::Frames, place, "expected numbers in the direction of an axis", help)
}

pub(crate) fn axis_is_zero(place: Place) -> Error {
    error(Family::Frames, place, "expected a direction, found a zero vector")
}

pub(crate) fn not_a_rotation(place: Place) -> Error {
    let message = "expected a rotation, found a matrix whose columns are not orthonormal and right-handed";
    advise(Family::Frames, place, message, "use `rotation_x`, `rotation_y`, `rotation_z` or `euler_zyx`")
}
