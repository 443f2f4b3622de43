//! A glTF document while it is written: its JSON, and the numbers that stand behind it.

use serde::Serialize;
use serde_json::{Value, json};

/// What a binary file begins with: `glTF`, and the version.
const HEAD: [u8; 8] = *b"glTF\x02\0\0\0";

/// A document; lists without entries are not written, because the format forbids them.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    /// First, so that files say who made them where they begin.
    asset: Value,
    scene: usize,
    scenes: Vec<Value>,
    pub nodes: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    meshes: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skins: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub animations: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    accessors: Vec<Value>,
    #[serde(rename = "bufferViews", skip_serializing_if = "Vec::is_empty")]
    views: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buffers: Vec<Value>,
    #[serde(skip)]
    bytes: Vec<u8>,
    /// All numbers are finite in single precision.
    #[serde(skip)]
    is_finite: bool,
}

/// What numbers are for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    /// Vertices.
    Vertices,
    /// Indices of vertices.
    Indices,
    /// Instants and what there is at these.
    Motion,
}

impl Document {
    pub fn new(generator: &str) -> Document {
        Document {
            asset: json!({ "version": "2.0", "generator": generator }),
            scene: 0,
            scenes: Vec::new(),
            nodes: Vec::new(),
            meshes: Vec::new(),
            materials: Vec::new(),
            skins: Vec::new(),
            animations: Vec::new(),
            accessors: Vec::new(),
            views: Vec::new(),
            buffers: Vec::new(),
            bytes: Vec::new(),
            is_finite: true,
        }
    }

    /// Adds a node, and gives its place.
    pub fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds a mesh, and gives its place.
    pub fn mesh(&mut self, mesh: Value) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// Adds vectors of N numbers each, with the box around them.
    pub fn vectors<const N: usize>(&mut self, vectors: &[[f32; N]], purpose: Use) -> usize {
        self.is_finite &= vectors.iter().flatten().all(|number| number.is_finite());
        // JSON has the numbers that the file has, and not shorter ones that mean the same in single precision.
        let bound = |pick: fn(f32, f32) -> f32| {
            let of = |i: usize| vectors.iter().map(|vector| vector[i]).reduce(pick).map(f64::from);
            (0..N).map(of).collect::<Vec<_>>()
        };
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let more = json!({ "min": bound(f32::min), "max": bound(f32::max) });
        let bytes = vectors.iter().flatten().flat_map(|number| number.to_le_bytes());
        self.accessor(bytes, (5126, kind, vectors.len()), more, purpose)
    }

    /// Adds whole numbers in vectors of four.
    pub fn shorts(&mut self, vectors: &[[u16; 4]]) -> usize {
        let bytes = vectors.iter().flatten().flat_map(|number| number.to_le_bytes());
        self.accessor(bytes, (5123, "VEC4", vectors.len()), json!({}), Use::Vertices)
    }

    /// Adds indices, as short as they can be; the greatest short one has another meaning.
    pub fn indices(&mut self, indices: &[u32]) -> usize {
        if indices.iter().all(|index| *index < u32::from(u16::MAX)) {
            let bytes = indices.iter().flat_map(|index| (*index as u16).to_le_bytes());
            return self.accessor(bytes, (5123, "SCALAR", indices.len()), json!({}), Use::Indices);
        }
        let bytes = indices.iter().flat_map(|index| index.to_le_bytes());
        self.accessor(bytes, (5125, "SCALAR", indices.len()), json!({}), Use::Indices)
    }

    fn accessor(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        (component, kind, count): (u32, &str, usize),
        mut accessor: Value,
        purpose: Use,
    ) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset });
        match purpose {
            Use::Vertices => view["target"] = json!(34962),
            Use::Indices => view["target"] = json!(34963),
            Use::Motion => {}
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        accessor["bufferView"] = json!(self.views.len() - 1);
        accessor["componentType"] = json!(component);
        accessor["count"] = json!(count);
        accessor["type"] = json!(kind);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// The binary file with these nodes at its root.
    pub fn file(mut self, roots: &[usize]) -> Result<Vec<u8>, String> {
        // What is not finite is nothing in JSON.
        if !self.is_finite || self.nodes.iter().any(has_nothing) {
            return Err("expected places and dimensions within single precision".to_owned());
        }
        self.scenes = vec![json!({ "nodes": roots })];
        if !self.bytes.is_empty() {
            self.buffers = vec![json!({ "byteLength": self.bytes.len() })];
        }
        let mut text = serde_json::to_vec(&self).map_err(|error| error.to_string())?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut chunks: Vec<(&[u8; 4], Vec<u8>)> = vec![(b"JSON", text)];
        if !self.bytes.is_empty() {
            chunks.push((b"BIN\0", self.bytes));
        }
        let length = HEAD.len() + 4 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        let size =
            |length: usize| u32::try_from(length).map_err(|_| "more than 4 GiB".to_owned()).map(u32::to_le_bytes);
        let mut file = [&HEAD[..], &size(length)?].concat();
        for (kind, bytes) in chunks {
            file.extend(size(bytes.len())?);
            file.extend(kind);
            file.extend(bytes);
        }
        Ok(file)
    }
}

fn has_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.iter().any(has_nothing),
        Value::Object(fields) => fields.values().any(has_nothing),
        _ => false,
    }
}
