//! A flexible member by a few of its modes: the lowest frequencies of a cantilever, and its vibration by two modes.

use hamel::modal::{Reduced, member_modes};
use hamel::{Model, Simulation, initial_state, schemes};

hamel::multibody! {
    /// A steel ruler that is clamped at its root, and loaded at its tip.
    pub model Ruler {
        planar;
        coordinates joint;
        param length = 0.3 m;
        param push = 0.1 N;
        flexible ruler: beam_floating_frame {
            length: length, elements: 8, E: 200 GPa, density: 7800 kg/m^3, section: rectangle(25 mm, 1 mm),
        }
        joint clamp: fixed(ground, ruler.root);
        force load: [0, push] on ruler.tip;
        output tip = ruler.tip.position;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ruler = Ruler::default();
    let modes = member_modes(&ruler, "ruler")?;
    // (βl)² √(E I / (ρ A l⁴)) with cos βl cosh βl = −1.
    let scale = (200e9 * 1e-6 / 12.0 / 7800.0_f64).sqrt() / (0.3 * 0.3);
    for (found, root) in modes.frequencies.iter().zip([1.875_104_07, 4.694_091_13, 7.854_757_44]) {
        let exact = root * root * scale / std::f64::consts::TAU;
        println!("{found:8.3} Hz, Euler-Bernoulli {exact:8.3} Hz");
        assert!((found / exact - 1.0).abs() < 2e-3);
    }

    let reduced = Reduced::member(&ruler, "ruler", 2)?;
    println!("{} coordinates instead of {}", reduced.dims().nq, ruler.dims().nq);
    let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", 0.9)])?;
    let run = Simulation::new(&reduced, &*scheme).step(1e-4).until(1.0).run(initial_state(&reduced)?);
    run.outcome?;
    let tip: Vec<f64> = run.trajectory.column("tip_y")?.collect();
    let mean = tip.iter().sum::<f64>() / tip.len() as f64;
    // It swings about F l³ / (3 E I).
    let still = 0.1 * 0.3_f64.powi(3) / (3.0 * 200e9 * 25e-3 * 1e-9 / 12.0);
    println!("the tip swings about {:.4} mm, at rest it would be at {:.4} mm", 1e3 * mean, 1e3 * still);
    assert!((mean / still - 1.0).abs() < 0.05);
    Ok(())
}
