// Meshes of the solids, of unit size: positions, normals and indices.
const solids = (() => {
  const mesh = () => ({ positions: [], normals: [], indices: [] });
  const vertex = (to, position, normal) => {
    to.positions.push(...position);
    to.normals.push(...normal);
    return to.positions.length / 3 - 1;
  };
  // A convex polygon, its corners against the clock as seen from outside.
  const face = (to, corners) => {
    const normal = unit(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])));
    const first = corners.map((corner) => vertex(to, corner, normal))[0];
    for (let k = 2; k < corners.length; k += 1) to.indices.push(first, first + k - 1, first + k);
  };
  // A grid of vertices with one row after the other.
  const sheet = (to, first, rows, row) => {
    for (let i = 0; i + 1 < rows; i += 1) {
      for (let j = 0; j + 1 < row; j += 1) {
        const a = first + i * row + j;
        to.indices.push(a, a + 1, a + row, a + 1, a + row + 1, a + row);
      }
    }
  };

  const prism = (outline, low, high) => {
    const to = mesh();
    const at = (z) => outline.map(([x, y]) => [x, y, z]);
    face(to, at(high));
    face(to, at(low).reverse());
    outline.forEach(([x, y], k) => {
      const [u, v] = outline[(k + 1) % outline.length];
      face(to, [[x, y, low], [u, v, low], [u, v, high], [x, y, high]]);
    });
    return to;
  };

  const sphere = (rows, row) => {
    const to = mesh();
    for (let i = 0; i <= rows; i += 1) {
      for (let j = 0; j <= row; j += 1) {
        const [polar, turn] = [Math.PI * i / rows, 2 * Math.PI * j / row];
        const at = [Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar)];
        vertex(to, at, at);
      }
    }
    // Rows go from the upper pole down.
    const flipped = mesh();
    sheet(flipped, 0, rows + 1, row + 1);
    for (let k = 0; k < flipped.indices.length; k += 3) {
      const [a, b, c] = flipped.indices.slice(k, k + 3);
      to.indices.push(a, c, b);
    }
    return to;
  };

  // Radius 1; from z = low with that radius to z = high with the radius `top`.
  const round = (n, low, high, top) => {
    const to = mesh();
    const ring = (z, radius, normal) => {
      for (let j = 0; j <= n; j += 1) {
        const turn = 2 * Math.PI * j / n;
        const [c, s] = [Math.cos(turn), Math.sin(turn)];
        vertex(to, [radius * c, radius * s, z], normal(c, s));
      }
    };
    const slope = (1 - top) / (high - low);
    const outward = (c, s) => unit([c, s, slope]);
    ring(low, 1, outward);
    ring(high, top, outward);
    sheet(to, 0, 2, n + 1);
    const lid = (z, radius, side) => {
      const corners = [...Array(n).keys()].map((j) => 2 * Math.PI * j / n * side);
      face(to, corners.map((turn) => [radius * Math.cos(turn), radius * Math.sin(turn), z]));
    };
    lid(low, 1, -1);
    if (top > 0) lid(high, top, 1);
    return to;
  };

  // The deck of a boat of length, breadth and height 1 with its bow along x, narrower at the keel.
  const hull = () => {
    const to = mesh();
    const half = [[0.5, 0], [0.36, 0.28], [0.15, 0.45], [-0.15, 0.5], [-0.42, 0.46], [-0.5, 0.38]];
    const deck = [...half, ...half.slice(1).reverse().map(([x, y]) => [x, -y])];
    const at = (z, wide, long) => deck.map(([x, y]) => [long * x, wide * y, z]);
    const [top, bottom] = [at(0.5, 1, 1), at(-0.5, 0.62, 0.86)];
    face(to, top);
    face(to, [...bottom].reverse());
    top.forEach((corner, k) => {
      const next = (k + 1) % top.length;
      face(to, [bottom[k], bottom[next], top[next], corner]);
    });
    return to;
  };

  const square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
  return {
    prism,
    sheet,
    all: {
      box: prism(square, -0.5, 0.5),
      sphere: sphere(20, 32),
      cylinder: round(40, -0.5, 0.5, 1),
      tube: round(20, -0.5, 0.5, 1),
      cone: round(24, 0, 1, 0),
      hull: hull(),
    },
  };
})();
