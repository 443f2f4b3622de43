//! Shapes and colours have no influence on the equations: generated code is the same without them, but for the text that it
//! carries.

use hamel_compiler::Stages;
use hamel_compiler::simplify::Limits;

/// The stages of a model, and its generated code without the text of the model.
fn code(text: &str) -> (Stages, String) {
    let limits = Limits::at_once();
    let stages =
        hamel_compiler::stages_within(text.parse().unwrap(), &limits).unwrap_or_else(|error| panic!("{error}"));
    let code = stages.code().unwrap().to_string();
    let source = proc_macro2::Literal::string(&stages.source).to_string();
    assert_eq!(code.matches(&source).count(), 1, "generated code carries its text");
    (stages, code.replace(&source, "SOURCE"))
}

/// The text without what is between the marks.
fn without_shapes(text: &str) -> String {
    let parts = text.split("/*shape*/").enumerate();
    parts.filter(|(index, _)| index % 2 == 0).map(|(_, part)| part).collect()
}

#[test]
fn shapes_change_neither_equations_nor_code() {
    for coordinates in ["joint", "absolute"] {
        let drawn = format!(
            "model Drawn {{
                coordinates {coordinates};
                param r = 2 cm;
                param l = 0.5 m;
                gravity [0, 0, -9.81] m/s^2;
                body rod {{
                    mass: 1 kg, inertia: diag(0.1, 0.1, 0.001) kg m^2,
                    /*shape*/shape: cylinder(r, l) at [0, 0, r] axis [1, 0, 0], shape: box(l, l, r), color: orange,/*shape*/
                }}
                body head {{ mass: 1 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 /*shape*/, shape: sphere(l / 10), color: [1, 0, 0]/*shape*/ }}
                joint hinge: revolute(ground, rod at [0, 0, l / 2]) {{ axis: [0, 1, 0] }}
                joint neck: spherical(rod at [0, 0, -l / 2], head);
                output place = head.position;
            }}"
        );
        let plain = without_shapes(&drawn);
        assert!(plain.len() < drawn.len() - 150 && !plain.contains("shape"));
        let [(with, with_code), (without, without_code)] = [code(&drawn), code(&plain)];
        assert_eq!(with.system.bodies[0].shapes.len(), 2);
        assert!(without.system.bodies.iter().all(|body| body.shapes.is_empty() && body.color.is_none()));
        assert_eq!(with_code, without_code, "{coordinates}");
        assert_eq!(format!("{:?}", with.equations), format!("{:?}", without.equations), "{coordinates}");
        assert_eq!(format!("{:?}", with.schedule), format!("{:?}", without.schedule), "{coordinates}");
    }
}
