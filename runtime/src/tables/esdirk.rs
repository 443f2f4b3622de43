//! The schemes of Kennedy and Carpenter: explicit first stage, one diagonal entry, stiffly accurate, embedded estimate.
//!
//! [zhang, Sect. 2.3] takes them over; the embedded weights are those of Kennedy and Carpenter (2016, 2019).

use super::Tableau;
use super::mssth::{self, third_order};

use crate::prelude::*;

/// ESDIRK3(2)4L\[2\]SA: third order with an embedded scheme of second order, L-stable.
///
/// It is the member of third order of the family [`mssth`](super::mssth) for ρ∞ = 0, with another third node.
///
/// # Examples
/// The weights have third order, the embedded ones second order: Σ b c² = 1/3 and Σ b̂ c = 1/2.
///
/// ```
/// let table = hamel::tables::esdirk324();
/// let moment = |weights: &[f64], power| -> f64 { weights.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(power)).sum() };
/// assert!((moment(&table.weights, 2) - 1.0 / 3.0).abs() < 1e-13);
/// let embedded = table.embedded.as_deref().expect("embedded weights");
/// assert!((moment(embedded, 1) - 1.0 / 2.0).abs() < 1e-13);
/// ```
pub fn esdirk324() -> Tableau {
    // The embedded weights of this scheme are published as long fractions, which agree with these digits.
    let embedded =
        vec![0.108_896_617_615_864_45, -0.915_325_811_870_712_7, 1.271_273_597_302_152_2, 0.535_155_596_952_696_1];
    let gamma = mssth::gamma(3, 0.0);
    Tableau { embedded: Some(embedded), ..third_order(gamma, 0.6) }
}

/// ESDIRK3(2)5L\[2\]SA: third order with an embedded scheme of second order, L-stable, with small error constants.
///
/// # Examples
/// The weights have third order, the embedded ones second order: Σ b c² = 1/3 and Σ b̂ c = 1/2.
///
/// ```
/// let table = hamel::tables::esdirk325();
/// let moment = |weights: &[f64], power| -> f64 { weights.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(power)).sum() };
/// assert!((moment(&table.weights, 2) - 1.0 / 3.0).abs() < 1e-13);
/// let embedded = table.embedded.as_deref().expect("embedded weights");
/// assert!((moment(embedded, 1) - 1.0 / 2.0).abs() < 1e-13);
/// ```
pub fn esdirk325() -> Tableau {
    let r = 2.0_f64.sqrt();
    let a3 = 9.0 * (1.0 + r) / 80.0;
    let a4 = (22.0 + 15.0 * r) / (80.0 * (1.0 + r));
    let b = (2398.0 + 1205.0 * r) / (2835.0 * (4.0 + 3.0 * r));
    let inner: [&[f64]; 4] = [
        &[],
        &[a3],
        &[a4, -7.0 / (40.0 * (1.0 + r))],
        &[b, -2374.0 * (1.0 + 2.0 * r) / (2835.0 * (5.0 + 3.0 * r)), 5827.0 / 7560.0],
    ];
    let first = (5_547_709.0 * r - 4_800_247.0) / 16_519_545.0;
    let embedded =
        vec![first, first, 11_095_418.0 * (1.0 - r) / 16_519_545.0, 30_698_249.0 / 44_052_120.0, 49_563.0 / 233_080.0];
    Tableau::esdirk(9.0 / 40.0, &[0.0, 0.45, 9.0 * (2.0 + r) / 40.0, 0.6, 1.0], &inner, Some(embedded))
}

/// ESDIRK4(3)6L\[2\]SA2: fourth order with an embedded scheme of third order, L-stable.
///
/// # Examples
/// The weights are of fourth, the embedded ones of third order: Σ b c³ = 1/4 and Σ b̂ c² = 1/3.
///
/// ```
/// let table = hamel::tables::esdirk436sa2();
/// let moment = |weights: &[f64], power| -> f64 { weights.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(power)).sum() };
/// assert!((moment(&table.weights, 3) - 1.0 / 4.0).abs() < 1e-13);
/// let embedded = table.embedded.as_deref().expect("embedded weights");
/// assert!((moment(embedded, 2) - 1.0 / 3.0).abs() < 1e-13);
/// ```
pub fn esdirk436sa2() -> Tableau {
    let inner: [&[f64]; 5] = [
        &[],
        &[-360_286_518_617.0 / 7_014_585_480_527.0],
        &[-506_388_693_497.0 / 5_937_754_990_171.0, 7_149_918_333_491.0 / 13_390_931_526_268.0],
        &[
            -7_628_305_438_933.0 / 11_061_539_393_788.0,
            21_592_626_537_567.0 / 14_352_247_503_901.0,
            11_630_056_083_252.0 / 17_263_101_053_231.0,
        ],
        &[
            -12_917_657_251.0 / 5_222_094_901_039.0,
            5_602_338_284_630.0 / 15_643_096_342_197.0,
            9_002_339_615_474.0 / 18_125_249_312_447.0,
            -2_420_307_481_369.0 / 24_731_958_684_496.0,
        ],
    ];
    let first = -1_007_911_106_287.0 / 12_117_826_057_527.0;
    let embedded = vec![
        first,
        first,
        17_694_008_993_113.0 / 35_931_961_998_873.0,
        5_816_803_040_497.0 / 11_256_217_655_929.0,
        -538_664_890_905.0 / 7_490_061_179_786.0,
        2_032_560_730_450.0 / 8_872_919_773_257.0,
    ];
    let nodes = [0.0, 62.0 / 125.0, 486_119_545_908.0 / 3_346_201_505_189.0, 1043.0 / 1706.0, 1361.0 / 1300.0, 1.0];
    Tableau::esdirk(31.0 / 125.0, &nodes, &inner, Some(embedded))
}
