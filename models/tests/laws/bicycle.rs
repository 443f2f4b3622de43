//! The bicycle of Whipple, in the code that the macro generates; `verify` compares all of its published numbers.

use hamel::linearize::About;
use hamel::nalgebra::Complex;
use hamel::{LinearizeError, initial_state, linearize};
use hamel_models::bicycle::{Bicycle, BicycleParameters};

/// Eigenvalues other than zero, by real parts.
fn eigenvalues(speed: f64) -> Result<Vec<Complex<f64>>, LinearizeError> {
    let model = Bicycle::new(BicycleParameters { speed, ..Default::default() });
    let linear = linearize(&model, &initial_state(&model)?, About::Steady)?;
    let mut values = linear.eigenvalues()?;
    values.retain(|value| value.norm() > 1e-9);
    values.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    Ok(values)
}

/// [meijaard, Table 2]
#[test]
fn the_bicycle_has_its_published_eigenvalues() {
    let real = |value: f64| Complex::new(value, 0.0);
    let standing = [-5.530_943_717_653_93, -3.131_643_247_906_56, 3.131_643_247_906_56, 5.530_943_717_653_93].map(real);
    let weave = Complex::new(-0.775_341_882_195_85, 4.464_867_713_788_23);
    let riding = [real(-14.078_389_692_798_22), weave.conj(), weave, real(-0.322_866_429_004_09)];
    for (speed, published) in [(0.0, standing), (5.0, riding)] {
        let found = eigenvalues(speed).unwrap();
        assert_eq!(found.len(), 4);
        for (found, published) in found.into_iter().zip(published) {
            assert!((found - published).norm() < 1e-12, "{speed} m/s: {found} instead of {published}");
        }
    }
}

/// What moves along, or turns about, no equation depends on: five coordinates, and the speed.
#[test]
fn what_grows_in_a_steady_motion_has_eigenvalues_of_exactly_zero() {
    let model = Bicycle::new(BicycleParameters { speed: 7.0, ..Default::default() });
    let linear = linearize(&model, &initial_state(&model).unwrap(), About::Steady).unwrap();
    let zeros = linear.eigenvalues().unwrap().into_iter().filter(|value| *value == Complex::new(0.0, 0.0)).count();
    assert_eq!((linear.states.len(), zeros), (10, 6));
    let standing = linearize(&model, &initial_state(&model).unwrap(), About::Equilibrium).unwrap();
    assert_eq!(standing.eigenvalues().unwrap().len(), 10);
}
