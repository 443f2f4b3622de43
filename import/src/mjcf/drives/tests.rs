use crate::mjcf::tests::{import_error, robot, translated, understood, warnings};

/// A joint `j` with these attributes, and what stands beside the bodies.
fn hinge(attributes: &str, others: &str) -> String {
    let body = format!(
        "<body><joint name=\"j\" axis=\"0 1 0\" {attributes}/><inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/></body>\n"
    );
    robot(&body, others)
}

/// Actuators have the gears, gains and biases of `actuator_gear`, `actuator_gainprm` and `actuator_biasprm` of MuJoCo 4.0:
/// one default for all elements, of whose gain and bias another element than the one that said them has nothing.
#[test]
fn a_class_has_one_default_for_all_actuators() {
    let nested = |outer: &str, inner: &str| format!("{outer}<default class=\"c\">{inner}</default>");
    let general = r#"<general gainprm="5" biastype="affine" biasprm="1 -2 -3"/>"#;
    let servo = r#"<position kp="4" kv="2"/>"#;
    let geared = nested(servo, r#"<velocity kv="9" gear="2"/>"#);
    let partial = nested(general, r#"<general biasprm="0 -1"/>"#);
    for (defaults, actuator, law) in [
        (r#"<motor gear="2"/>"#, r#"velocity kv="3""#, "6.0 N m s/rad * a + -12.0 N m s/rad * j.velocity"),
        (r#"<position kp="50"/>"#, "general", "50.0 * a + -50.0 N m/rad * j.angle"),
        (r#"<position kp="50"/>"#, "motor", "1.0 * a"),
        (r#"<position kp="50"/><motor gear="2"/>"#, "general", "2.0 * a"),
        (general, "general", "5.0 * a + 1.0 N m + -2.0 N m/rad * j.angle + -3.0 N m s/rad * j.velocity"),
        (general, "motor", "1.0 * a"),
        (general, "position gear=\"2\"", "10.0 N m/rad * a + -20.0 N m/rad * j.angle + -12.0 N m s/rad * j.velocity"),
        (general, "velocity", "5.0 N m s/rad * a + -5.0 N m s/rad * j.velocity"),
        (&partial, r#"general class="c""#, "5.0 * a + -1.0 N m/rad * j.angle + -3.0 N m s/rad * j.velocity"),
        (&geared, r#"position class="c""#, "8.0 N m/rad * a + -16.0 N m/rad * j.angle + -8.0 N m s/rad * j.velocity"),
        (&geared, r#"general class="c""#, "18.0 * a + -36.0 N m s/rad * j.velocity"),
        (&geared, r#"motor class="c""#, "2.0 * a"),
        (
            r#"<velocity kv="9"/><general gear="2"/>"#,
            "position",
            "18.0 N m/rad * a + -36.0 N m/rad * j.angle + -36.0 N m s/rad * j.velocity",
        ),
        ("<muscle/>", r#"position kp="3""#, "3.0 N m/rad * a + -3.0 N m/rad * j.angle"),
        (r#"<position timeconst="3"/>"#, r#"position timeconst="0""#, "1.0 N m/rad * a + -1.0 N m/rad * j.angle"),
        (r#"<intvelocity kp="3"/>"#, r#"general dyntype="none""#, "3.0 * a + -3.0 N m/rad * j.angle"),
        (r#"<cylinder area="3"/>"#, r#"general biastype="none" dyntype="none""#, "3.0 * a"),
    ] {
        let others = format!("<default>{defaults}</default><actuator><{actuator} name=\"a\" joint=\"j\"/></actuator>");
        let import = translated(&hinge("", &others));
        let line = format!("torque a_torque: {law} on j;");
        assert!(import.model.contains(&line), "{others}\n{line}\n{}", import.model);
        understood(&import);
    }
}

/// A class has what the ones around it say before and in the `default` it stands in, and nothing of later ones.
#[test]
fn classes_do_not_have_what_is_said_later() {
    let others = r#"<default><joint damping="1"/><default class="c"><joint stiffness="2"/></default></default>
<default><joint damping="3" armature="4"/><motor gear="3"/></default>
<actuator><motor name="m" joint="j"/><motor name="n" class="c" joint="j"/></actuator>"#;
    let model = translated(&hinge("", others)).model;
    for line in ["rotor_inertia: 4 kg m^2", "j_damping: -3 N m s/rad", "m_torque: 3.0 * m", "n_torque: 1.0 * n"] {
        assert!(model.contains(line), "{line}\n{model}");
    }
    let model = translated(&hinge("class=\"c\"", others)).model;
    assert!(model.contains("j_damping: -1 N m s/rad") && !model.contains("rotor_inertia"), "{model}");
}

#[test]
fn ranges_of_controls_and_forces_are_no_clamps() {
    let clamped = |compiler: &str, defaults: &str, actuator: &str| {
        let others = format!(
            "<compiler {compiler}/><option><flag clampctrl=\"enable\"/></option><default>{defaults}</default>\
             <actuator><{actuator} joint=\"j\"/></actuator>"
        );
        let said = |text: &str| {
            warnings(&translated(&hinge("range=\"-1 2\"", text))).iter().any(|warning| warning.contains("not clamped"))
        };
        (said(&others), said(&others.replace("enable", "disable")))
    };
    let range = r#"<motor ctrlrange="-0.1 0.1"/>"#;
    assert_eq!(clamped("", range, r#"position kp="3""#), (true, false));
    assert_eq!(clamped("", range, r#"position ctrllimited="false""#), (false, false));
    assert_eq!(clamped("autolimits=\"false\"", range, "motor"), (false, false));
    assert_eq!(clamped("", r#"<position inheritrange="1"/>"#, "general"), (true, false));
    assert_eq!(clamped("", r#"<position inheritrange="1"/>"#, "motor"), (false, false));
    assert_eq!(clamped("", r#"<general forcerange="-1 1"/>"#, "motor"), (true, true));
}

/// MuJoCo adds them times the square of the gear to the diagonal of its mass matrix and to `qfrc_passive`, also where the
/// actuator has no force.
#[test]
fn armature_and_damping_of_actuators_are_those_of_their_joint() {
    let actuator = r#"<actuator><motor joint="j" gear="2" armature="0.125" damping="0.25"/><muscle joint="j"
        gear="3" armature="0.5"/></actuator>"#;
    let joint = "armature=\"1\" damping=\"0.5\"";
    for option in ["", r#"<option actuatorgroupdisable="0"/>"#, r#"<option><flag actuation="disable"/></option>"#] {
        let model = translated(&hinge(joint, &format!("{option}{actuator}"))).model;
        assert!(model.contains("rotor_inertia: 6.0 kg m^2"), "{option}\n{model}");
        assert!(model.contains("torque j_damping: -1.5 N m s/rad * j.velocity on j;"), "{option}\n{model}");
    }
    let cubic = translated(&hinge("", r#"<actuator><motor joint="j" damping="1 0 2"/></actuator>"#));
    assert_eq!(warnings(&cubic).len(), 1, "{:?}", warnings(&cubic));
    let negative = import_error(&hinge("", r#"<actuator><motor joint="j" armature="-1"/></actuator>"#));
    assert!(negative.contains("actuator `actuator1`: expected a mass that is not negative"), "{negative}");
}

#[test]
fn what_is_switched_off_is_not_in_the_model() {
    let joint = r#"damping="3" stiffness="4" range="-10 20" frictionloss="1""#;
    let others = r#"<actuator><motor name="a" joint="j"/><motor name="b" group="2" joint="j"/></actuator>
<equality><joint joint1="j"/></equality>"#;
    let parts = ["j_damping", "j_spring", "a_torque", "b_torque", "limits:", "j_held", "frictionloss"];
    let left = |option: &str| {
        let import = translated(&hinge(joint, &format!("{option}{others}")));
        understood(&import);
        let said = warnings(&import).join("\n");
        parts.into_iter().filter(|part| import.model.contains(part) || said.contains(&format!("`{part}`"))).collect()
    };
    let without = |gone: &[&str]| -> Vec<&str> { parts.into_iter().filter(|part| !gone.contains(part)).collect() };
    let flag = |name: &str| format!("<option><flag {name}=\"disable\"/></option>");
    let found: Vec<&str> = left("");
    assert_eq!(found, parts);
    for (name, gone) in [
        ("damper", &["j_damping"][..]),
        ("spring", &["j_spring"]),
        ("actuation", &["a_torque", "b_torque"]),
        ("limit", &["limits:"]),
        ("equality", &["j_held"]),
        ("frictionloss", &["frictionloss"]),
        ("constraint", &["limits:", "j_held", "frictionloss"]),
    ] {
        assert_eq!(left(&flag(name)), without(gone), "{name}");
        // The last that is said counts.
        let again = format!("{}<option><flag {name}=\"enable\"/></option>", flag(name));
        assert_eq!(left(&again), parts, "{name}");
    }
    let groups = r#"<option actuatorgroupdisable="0"/><option actuatorgroupdisable="2 3"/>"#;
    assert_eq!(left(groups), without(&["a_torque", "b_torque"]));
    let import = translated(&hinge(joint, &format!("{}{others}", flag("damper"))));
    let said = warnings(&import);
    assert!(said[1].ends_with("`damper` is switched off: joints have no damping"), "{said:?}");
}

#[test]
fn actuators_that_are_not_read_say_why() {
    let body = r#"<body><joint type="ball" name="b"/><geom size="0.1"/></body>"#;
    for (actuator, reason) in [
        (r#"motor tendon="t""#, "`motor` is ignored: it acts on a tendon, and not on a joint"),
        (r#"motor cranksite="s""#, "`motor` is ignored: it acts on a site, and not on a joint"),
        (r#"motor joint="b""#, "`motor` is ignored: its joint has several coordinates"),
        (r#"muscle joint="j""#, "`muscle` is ignored: only forces that are linear in the input"),
        (r#"general joint="j" biastype="user""#, "`general` is ignored: only forces that are linear in the input"),
        (r#"intvelocity joint="j""#, "`intvelocity` is ignored: its input acts through a state of its own"),
        (r#"position joint="j" dampratio="1""#, "`position` is ignored: MuJoCo computes its damping from `dampratio`"),
        (r#"motor joint="j" delay="0.1""#, "`delay` of an actuator is ignored"),
    ] {
        let text = hinge("", &format!("<actuator><{actuator}/></actuator>"));
        let text = text.replace("</worldbody>", &format!("{body}</worldbody>"));
        let said = warnings(&translated(&text));
        assert!(said.iter().any(|warning| warning.contains(reason)), "{actuator}: {said:?}");
    }
    let varied = hinge("", r#"<actuator><general joint="j" gaintype="affine" gainprm="1 2"/></actuator>"#);
    assert!(import_error(&varied).contains("a gain that is not fixed is not read"), "{}", import_error(&varied));
}
