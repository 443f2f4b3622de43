//! Hulls of points by chance, on lattices too, where most are in planes with others; and how polygons are cut.

use super::*;

#[path = "../../model-compiler/src/random.rs"]
mod random;

use random::Random;

fn volume(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let of = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| points[index as usize]);
        (0..3).map(|i| a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3])).sum::<f64>() / 6.0
    };
    triangles.iter().map(of).sum()
}

/// Triangles of a hull: closed, convex, with all points within; by whole numbers, without rounding.
fn is_hull(points: &[[i64; 3]], triangles: &[[u32; 3]]) -> bool {
    let edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let is_closed = edges.iter().all(|[a, b]| edges.iter().filter(|edge| **edge == [*b, *a]).count() == 1);
    let holds = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| points[index as usize]);
        let [u, v] = [b, c].map(|point| [0, 1, 2].map(|i| point[i] - a[i]));
        let normal = [0, 1, 2].map(|i| u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
        points.iter().all(|point| (0..3).map(|i| normal[i] * (point[i] - a[i])).sum::<i64>() <= 0)
    };
    is_closed && triangles.iter().all(holds)
}

#[test]
fn hulls_hold_all_points() {
    let mut random = Random(7);
    for round in 0..200 {
        let (count, size) = (4 + round % 60, [2, 3, 10, 100_000][round % 4]);
        let mut whole = |_| [(); 3].map(|()| random.below(size) as i64);
        let points: Vec<[i64; 3]> = (0..count).map(&mut whole).collect();
        let floats: Vec<[f64; 3]> = points.iter().map(|point| point.map(|part| part as f64)).collect();
        let Some(triangles) = hull(&floats) else {
            let from_first = |k: usize| [0, 1, 2].map(|i| points[k][i] - points[0][i]);
            for k in 3..count {
                let [u, v, w] = [1, 2, k].map(from_first);
                let determinant: i64 =
                    (0..3).map(|i| u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3])).sum();
                assert_eq!(determinant, 0, "{points:?}");
            }
            continue;
        };
        assert!(is_hull(&points, &triangles), "{points:?}: {triangles:?}");
        assert!(volume(&floats, &triangles) > 0.0);
    }
}

#[test]
fn what_is_flat_has_no_hull() {
    for points in [vec![], vec![[1.0; 3]; 5], (0..9).map(|k| [k as f64, 2.0 * k as f64, 0.5]).collect()] {
        assert_eq!(hull(&points), None);
    }
}

#[test]
fn polygons_are_cut_as_others_do() {
    let corners = "v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nv 0.5 2 0\nv 0.2 0.5 0\n";
    let read = |faces: &str| obj(&format!("{corners}{faces}")).unwrap();
    // From 2 to 4 is shorter than from 1 to 3, and neither where it is a square.
    assert_eq!(read("f 1 2 3 4").triangles, [[0, 1, 3], [1, 2, 3]]);
    assert_eq!(read("f 2 3 4 1").triangles, [[1, 2, 3], [1, 3, 0]]);
    assert_eq!(read("f 1 2 5 4 6").doubt, Some(7));
    assert_eq!(read("f 1 2 3 5 4").doubt, Some(7));
    assert_eq!(read("f 1 2 3\nl 1 2").doubt, Some(8));
    let flat = obj("v 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n").unwrap();
    assert_eq!((flat.triangles.len(), flat.doubt, flat.of_first), (3, None, 3));
    assert_eq!(read("o a\nf 1 2 3\nusemtl b\nf 1 3 4\ng c\nf 2 3 4\no d\nf 1 2 4").of_first, 2);
}

/// A scene of a square in inches, in a node that is moved, scaled and turned, and once more, mirrored, by a reference.
const SCENE: &str = r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="inch" meter="0.0254"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries>
    <geometry id="square"><mesh>
      <source id="places"><float_array id="numbers" count="13">9 0 0 0 2 0 0 2 2 0 0 2 0</float_array>
        <technique_common><accessor source="#numbers" offset="1" stride="3" count="4"><param name="X"/></accessor></technique_common></source>
      <vertices id="vertices"><input semantic="POSITION" source="#places"/></vertices>
      KIND
    </mesh></geometry>
  </library_geometries>
  <library_nodes><node id="mirrored"><scale>1 1 -1</scale><instance_geometry url="#square"/></node></library_nodes>
  <library_visual_scenes><visual_scene id="scene"><node>
    <translate>0 0 10</translate>
    <node><rotate>0 0 5 90</rotate><scale>1 3 1</scale><instance_geometry url="#square"/></node>
    <node><matrix>1 0 0 7 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_node url="#mirrored"/></node>
  </node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>"##;

const INPUTS: &str = r##"<input semantic="NORMAL" source="#places" offset="0"/><input semantic="VERTEX" source="#vertices" offset="1"/>"##;

#[test]
fn scenes_of_collada_stand_where_their_nodes_put_them() {
    let kinds = [
        format!(
            "<triangles count='2'>{INPUTS}<p>0 0 0 1 0 2 0 0 0 2 0 3</p></triangles><lines count='1'><p>0 0</p></lines>"
        ),
        format!("<polylist count='1'>{INPUTS}<vcount>4</vcount><p>0 0 0 1 0 2 0 3</p></polylist>"),
        format!("<polygons count='1'>{INPUTS}<p>0 0 0 1 0 2 0 3</p></polygons>"),
        format!("<trifans count='1'>{INPUTS}<p>0 0 0 1 0 2 0 3</p></trifans>"),
        format!("<tristrips count='1'>{INPUTS}<p>0 0 0 1 0 3 0 2</p></tristrips>"),
    ];
    for kind in kinds {
        let surface = collada(&SCENE.replace("KIND", &kind)).unwrap();
        assert_eq!((surface.vertices.len(), surface.triangles.len(), surface.of_first), (8, 4, 4), "{kind}");
        let area = |triangles: &[[u32; 3]]| {
            let of = |triangle: &[u32; 3]| {
                let [a, b, c] = triangle.map(|index| surface.vertices[index as usize]);
                0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
            };
            triangles.iter().map(of).sum::<f64>() / (0.0254 * 0.0254)
        };
        // Two by six, and two by two, seen from below because it is mirrored.
        assert!((area(&surface.triangles[..2]) - 12.0).abs() < 1e-12, "{kind}");
        assert!((area(&surface.triangles[2..]) + 4.0).abs() < 1e-12, "{kind}");
        let near = |found: [f64; 3], expected: [f64; 3]| {
            found.iter().zip(expected).all(|(found, expected)| (found - 0.0254 * expected).abs() < 1e-14)
        };
        // (2, 0, 0) is turned about z, (0, 2, 0) is scaled first.
        assert!(surface.vertices.iter().any(|&place| near(place, [0.0, 2.0, 10.0])), "{kind}: {surface:?}");
        assert!(surface.vertices.iter().any(|&place| near(place, [-6.0, 0.0, 10.0])), "{kind}: {surface:?}");
        assert!(surface.vertices.iter().any(|&place| near(place, [9.0, 0.0, 10.0])), "{kind}: {surface:?}");
    }
}

#[test]
fn mistakes_in_collada_have_their_lines() {
    let kind = format!("<triangles count='2'>{INPUTS}<p>0 0 0 1 0 2 0 0 0 2 0 3</p></triangles>");
    let scene = SCENE.replace("KIND", &kind);
    let wrong = |from: &str, to: &str| {
        assert!(scene.contains(from), "{from}");
        collada(&scene.replace(from, to)).unwrap_err().to_string()
    };
    assert_eq!(
        wrong("0 0 0 2 0 3</p>", "0 0 0 2 0 4</p>"),
        "line 9: expected indices of vertices that are there, found `<p>0 0 0 1 0 2 0 0 0 2 0 4</p>`"
    );
    assert_eq!(
        wrong("0 0 0 2 0 3</p>", "0 0</p>"),
        "line 9: expected three vertices of each polygon or more, found `<p>0 0 0 1 0 2 0 0</p>`"
    );
    assert!(
        wrong("count=\"4\"", "count=\"5\"")
            .contains("line 7: expected three numbers of each vertex, as many as it counts")
    );
    assert!(wrong("9 0 0 0 2", "9 0 0 0 two").contains("line 6: expected numbers, found"));
    assert!(wrong("meter=\"0.0254\"", "meter=\"0\"").contains("line 3: expected a length in metres"));
    assert!(
        wrong("url=\"#mirrored\"", "url=\"#square\"")
            .contains("line 16: expected a reference to an element of the file")
    );
    assert!(
        wrong("<rotate>0 0 5 90", "<rotate>0 0 5").contains("line 15: expected as many numbers as the element has")
    );
    assert!(
        wrong("<rotate>0 0 5 90</rotate>", "<skew>1</skew>")
            .contains("line 15: expected matrix, rotate, scale or translate")
    );
    assert!(wrong("<scene>", "<other>").contains("expected XML"));
    assert!(wrong("<instance_visual_scene url=\"#scene\"/>", "").contains("expected a scene"));
    let circle = "<node id=\"mirrored\"><instance_node url=\"#mirrored\"/>";
    assert!(wrong("<node id=\"mirrored\">", circle).contains("expected nodes that do not contain themselves"));
}

/// Whatever is cut out of a file or doubled in it, reading ends.
#[test]
fn damaged_collada_is_refused_or_read() {
    let kind = format!("<polylist count='1'>{INPUTS}<vcount>4</vcount><p>0 0 0 1 0 2 0 3</p></polylist>");
    let scene = SCENE.replace("KIND", &kind);
    let mut random = Random(11);
    let mut refused = 0;
    for _ in 0..3000 {
        let mut text = scene.clone();
        for _ in 0..1 + random.below(3) {
            let (from, length) = (random.below(text.len()), random.below(12));
            let to = (from + length).min(text.len());
            let part = text[from..to].to_owned();
            match random.below(3) {
                0 => text.replace_range(from..to, ""),
                1 => text.insert_str(from, &part),
                _ => text.replace_range(from..to, &"0987654321-. "[..length]),
            }
        }
        refused += usize::from(collada(&text).is_err());
    }
    assert!(refused > 1000, "{refused}");
}
