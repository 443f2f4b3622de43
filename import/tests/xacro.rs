//! Descriptions with macros become what the Python package xacro makes of them, to the last digit.

use std::path::{Path, PathBuf};

use hamel_import::{Format, Import, Options, Visuals, urdf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/xacro")
}

fn imported(path: &Path, arguments: &[(&str, &str)]) -> Result<Import, String> {
    let text = std::fs::read_to_string(path).expect("a description");
    let model_folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let visuals = Some(Visuals { folder: model_folder.clone(), packages: Vec::new(), model_folder });
    let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(Format::of(path), Some(Format::Urdf));
    urdf::import(&text, &Options { visuals, arguments, ..Options::default() }).map_err(|errors| errors.to_string())
}

#[test]
fn macros_are_expanded_as_xacro_does() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|ending| ending != "xacro") {
            continue;
        }
        let [own, whole] = [path.clone(), path.with_extension("urdf")]
            .map(|path| imported(&path, &[]).unwrap_or_else(|errors| panic!("{}: {errors}", path.display())));
        assert_eq!(own.model, whole.model, "{}", path.display());
        hamel_compiler::understand(own.tokens().expect("tokens")).expect("a model");
        count += 1;
    }
    assert!(count >= 7, "{count} descriptions");
}

#[test]
fn arguments_are_given_from_outside() {
    let cart = folder().join("cart.xacro");
    let import = imported(&cart, &[("segments", "5"), ("prefix", "my_")]).unwrap();
    assert!(import.model.contains("joint my_joint_5: revolute("), "{}", import.model);
    assert!(!imported(&cart, &[("arm", "false")]).unwrap().model.contains("segment"));
    let message = imported(&cart, &[("segment", "5")]).unwrap_err();
    assert!(message.starts_with("1:1: unknown argument `segment`\nhelp: did you mean `segments`?"), "{message}");
    let message = imported(&cart, &[("arm", "maybe")]).unwrap_err();
    assert!(message.starts_with("48:3: expected `true`, `false`, 0 or 1, found `maybe`"), "{message}");
    let message = imported(&cart.with_file_name("random0.urdf"), &[("arm", "1")]).unwrap_err();
    assert!(message.contains("unknown argument `arm`"), "{message}");
}

/// What is wrong is said where the first file has it or includes it.
#[test]
fn mistakes_stand_where_they_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = |inside: &str, included: &str| {
        let head = "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n";
        std::fs::write(folder.path().join("more.xacro"), format!("{head}{included}</robot>")).expect("a file");
        let path = folder.path().join("robot.xacro");
        std::fs::write(&path, format!("{head}{inside}</robot>")).expect("a file");
        imported(&path, &[]).unwrap_err()
    };
    let include = "<xacro:include filename=\"more.xacro\"/>\n";
    let link = r#"<link name="a"/><joint name="j" type="ball"><parent link="a"/><child link="a"/></joint>"#;
    for (inside, included, expected) in [
        // Of URDF.
        (format!("\n<xacro:if value=\"1\">\n  {link}</xacro:if>"), "", "4:19: joint `j`: unknown type of joint `ball`"),
        (format!("\n{include}<link name=\"b\"/>"), link, "3:1: joint `j` of `more.xacro`: unknown type of joint `ball`"),
        // Of xacro.
        ("<link name=\"${prefx}\"/>".to_owned(), "", "2:1: `${prefx}`: unknown property `prefx`"),
        (include.to_owned(), "<link name=\"${x}\"/>", "2:1: `link` in `more.xacro`: `${x}`: unknown property `x`"),
        (include.replace("more", "none"), "", "2:1: `none.xacro` is not included: "),
        (include.replace("filename", "file"), "", "2:1: expected the attribute `filename` of `xacro:include`"),
        (include.to_owned(), include, "2:1: `xacro:include` in `more.xacro`: expected at most 250 elements, macros and properties within each other"),
        (include.to_owned(), "<robot>", "2:1: `more.xacro` is not included: "),
        ("<xacro:arm/>".to_owned(), "", "2:1: unknown macro `arm`"),
        ("<xacro:macro name=\"m\" params=\"length\"/><xacro:m lenght=\"1\"/>".to_owned(), "", "2:40: unknown parameter `lenght`\nhelp: did you mean `length`?"),
        ("<xacro:macro name=\"m\" params=\"length\"/><xacro:m/>".to_owned(), "", "2:40: expected the parameter `length` of `m`"),
        ("<xacro:macro name=\"m\" params=\"*at\"/><xacro:m/>".to_owned(), "", "2:37: expected an element in it for the block `at` of `m`"),
        ("<xacro:macro name=\"m\"/><xacro:m><a/></xacro:m>".to_owned(), "", "2:24: `m` has no block for `a` in it"),
        ("<xacro:macro name=\"m\"><xacro:m/></xacro:macro><xacro:m/>".to_owned(), "", "2:23: found 251 elements and macros within each other"),
        ("<xacro:insert_block name=\"b\"/>".to_owned(), "", "2:1: unknown block `b`"),
        ("<xacro:property name=\"a\" value=\"${b}\"/><xacro:property name=\"b\" value=\"${a + 1}\"/><link name=\"${a}\"/>".to_owned(), "", "2:83: `${a}`: `${b}`: `${a + 1}`: the property `a` depends on itself"),
        ("<xacro:property name=\"a b\" value=\"1\"/>".to_owned(), "", "2:1: expected letters, digits and `_` in `name`, found `a b`"),
        ("<link name=\"$(find other)\"/>".to_owned(), "", "2:1: it is not known where the package `other` is: say so, with `--package other=DIR`"),
        ("<link name=\"$(arg other)\"/>".to_owned(), "", "2:1: the argument `other` has no value: give one, with `--arg other=VALUE`"),
        ("<link name=\"$(env HOME)\"/>".to_owned(), "", "2:1: `$(env HOME)` is not read: expected `arg NAME`, `find PACKAGE` or `dirname`"),
        ("<link name=\"${load_yaml('a')}\"/>".to_owned(), "", "2:1: `${load_yaml('a')}`: the function `load_yaml` is not read"),
        ("<link name=\"${1\"/>".to_owned(), "", "2:1: expected `}` behind `${1`"),
        ("<xacro:attribute name=\"a\" value=\"b\"/>".to_owned(), "", "2:1: `xacro:attribute` is not read"),
        ("<xacro:include filename=\"*.xacro\"/>".to_owned(), "", "2:1: `*.xacro` is not included: patterns are not read"),
    ] {
        let found = message(&inside, included);
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
    let found = message("<link name=\"${load_yaml('a')}\"/>", "");
    assert!(found.contains("help: write it otherwise, or expand the file first: `xacro FILE > robot.urdf`"), "{found}");
}

/// What grows without end is refused before it is made.
#[test]
fn macros_do_not_grow_beyond_descriptions() {
    let text = |inside: &str| {
        let text = format!("<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">{inside}</robot>");
        urdf::import(&text, &Options::default()).expect_err("too large").to_string()
    };
    let doubled: String =
        (0..60).map(|k| format!("<xacro:macro name=\"m{}\"><xacro:m{k}/><xacro:m{k}/></xacro:macro>", k + 1)).collect();
    assert!(text(&format!("<xacro:macro name=\"m0\"/>{doubled}<xacro:m60/>")).contains("expected at most 2000000"));
    let doubled: String =
        (0..60).map(|k| format!("<xacro:property name=\"p{}\" value=\"${{p{k}}}${{p{k}}}\"/>", k + 1)).collect();
    let found = text(&format!("<xacro:property name=\"p0\" value=\"x\"/>{doubled}<link name=\"${{p60}}\"/>"));
    assert!(found.contains("larger than a description may be"), "{found}");
    let wrapped = "<xacro:macro name=\"m\" params=\"n **of\"><xacro:if value=\"${n &gt; 0}\"><xacro:m n=\"${n - 1}\"><of><link>\
        <xacro:insert_block name=\"of\"/><xacro:insert_block name=\"of\"/></link></of></xacro:m></xacro:if>\
        <xacro:unless value=\"${n &gt; 0}\"><xacro:insert_block name=\"of\"/></xacro:unless></xacro:macro>";
    let found = text(&format!("{wrapped}<xacro:m n=\"40\"><of><link/></of></xacro:m>"));
    assert!(found.contains("expected at most"), "{found}");
}
