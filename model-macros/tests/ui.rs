//! A handful of cases through rustc itself: that spans arrive, and that several errors are reported at once. All other
//! messages are tested in the compiler, without rustc.

#[test]
fn errors_point_at_the_wrong_tokens() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pendulum.rs");
    cases.pass("tests/ui/variants.rs");
    cases.compile_fail("tests/ui/two_mistakes.rs");
    cases.compile_fail("tests/ui/massless_body.rs");
}
