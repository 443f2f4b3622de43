// What shows arrows of each kind.
const LAYER = { force: 'forces', torque: 'forces', contact: 'contacts', load: 'loads', moment: 'loads' };

// What is drawn at a time: bodies, joints, connections, beams, arrows, paths, earlier and later positions, the ground.
class Stage {
  constructor(canvas, motions) {
    this.canvas = canvas;
    this.renderer = new Renderer(canvas);
    this.motions = motions;
    this.camera = new Camera(motions[0].up, motions[0].planar);
    this.options = {
      bodies: true, joints: true, forces: true, contacts: true, loads: false, paths: true, grid: true, beside: false,
      ghosts: 0, arrows: 1,
    };
    this.solids = new Map();
    this.prepare();
    this.measure();
  }

  // Solids of a shape as meshes in their places.
  parts(shape) {
    const known = this.solids.get(shape);
    if (known) return known;
    const { kind, size, at, turn, mesh: read } = shape;
    const place = (mesh, dimensions, along = 0, pattern = false) => {
      const from = add(at, turned(turn, [0, 0, along]));
      return { mesh, local: frameOf(from, turn, dimensions), pattern };
    };
    const parts = {
      box: () => [place('box', size)],
      sphere: () => [place('sphere', [size[0], size[0], size[0]], 0, shape.derived)],
      ellipsoid: () => [place('sphere', size)],
      cylinder: () => [place('cylinder', [size[0], size[0], size[1]], 0, shape.derived)],
      capsule: () => {
        const ball = [size[0], size[0], size[0]];
        const ends = [-0.5, 0.5].map((end) => place('sphere', ball, end * size[1]));
        return [place('tube', [size[0], size[0], size[1]]), ...ends];
      },
      cone: () => [place('cone', [size[0], size[0], size[1]])],
      hull: () => [place('hull', size)],
      prism: () => {
        const name = `prism ${JSON.stringify(size)}`;
        if (!this.renderer.meshes.has(name)) this.renderer.define(name, solids.prism(size[0], -size[1] / 2, size[1] / 2));
        return [place(name, [1, 1, 1])];
      },
      mesh: () => {
        if (!this.renderer.meshes.has(read)) this.renderer.define(read, surface(read), true);
        return [place(read, size.scale)];
      },
    }[kind]();
    this.solids.set(shape, parts);
    return parts;
  }

  // The centre of a ball around a shape, and its radius.
  static center({ kind, size, at, turn, mesh }) {
    if (kind !== 'mesh') return at;
    return add(at, turned(turn, mix(mesh.low, mesh.high, 0.5).map((part, i) => part * size.scale[i])));
  }

  static reach({ kind, size, mesh }) {
    switch (kind) {
      case 'mesh': return Math.hypot(...size.scale.map((factor, i) => factor * (mesh.high[i] - mesh.low[i]))) / 2;
      case 'box': case 'hull': return Math.hypot(...size) / 2;
      case 'cylinder': return Math.hypot(size[0], size[1] / 2);
      case 'capsule': return size[0] + size[1] / 2;
      case 'cone': return Math.max(...size);
      case 'prism': return Math.max(...size[0].map(([x, y]) => Math.hypot(x, y)));
      default: return Math.max(...size);
    }
  }

  // Half its extent along the normal of a plane in which it lies.
  static depth({ kind, size, mesh }) {
    if (kind === 'mesh') return Math.abs(size.scale[2]) * Math.max(-mesh.low[2], mesh.high[2]);
    return { box: size[2] / 2, cylinder: size[1] / 2, prism: size[1] / 2, ellipsoid: size[2] }[kind] ?? size[0];
  }

  prepare() {
    for (const [index, motion] of this.motions.entries()) {
      motion.points.forEach((point, k) => {
        [point.key, point.isShown] = [`${index} ${k}`, point.shown];
      });
    }
  }

  path(motion, point) {
    if (!this.renderer.paths.has(point.key)) this.renderer.path(point.key, motion.path(point));
  }

  // Balls around everything that moves, at several instants: what a camera has to see.
  measure() {
    this.balls = [];
    let widest = 0;
    const largest = (of) => this.motions.reduce((most, motion) => Math.max(most, of(motion)), 0);
    const count = clamp(Math.floor(6000 / largest((motion) => motion.movers)), 2, 48);
    for (const [index, motion] of this.motions.entries()) {
      const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      const include = (at, radius) => {
        this.balls.push({ at, radius, index });
        for (let i = 0; i < 3; i += 1) {
          [low[i], high[i]] = [Math.min(low[i], at[i] - radius), Math.max(high[i], at[i] + radius)];
        }
      };
      motion.offset = [0, 0, 0];
      for (let k = 0; k < count; k += 1) {
        motion.move(motion.start + (motion.end - motion.start) * k / (count - 1));
        for (const body of motion.bodies) {
          const frame = motion.frame(body.mover);
          for (const shape of body.shapes) include(pointOf(frame, Stage.center(shape)), Stage.reach(shape));
        }
        for (const beam of motion.beams) {
          for (const node of beam.nodes) include(pointOf(motion.frame(node), [0, 0, 0]), Math.max(...beam.section));
        }
        for (const { movers, ends } of motion.links) {
          ends.forEach((end, side) => include(pointOf(motion.frame(movers[side]), end), 0));
        }
      }
      for (const shape of motion.fixed) if (shape.kind === 'prism' || !shape.derived) include(Stage.center(shape), Stage.reach(shape));
      if (low[0] > high[0]) include([0, 0, 0], 1);
      motion.box = [low, high];
      widest = Math.max(widest, high[0] - low[0]);
    }
    const { up } = this.camera;
    const [low, high] = [0, 1].map((side) => [0, 1, 2].map((i) => {
      const ends = this.motions.map((motion) => motion.box[side][i]);
      return side === 0 ? Math.min(...ends) : Math.max(...ends);
    }));
    this.gap = 1.15 * widest;
    this.center = mix(low, high, 0.5);
    this.radius = length(sub(high, low)) / 2 || 1;
    const lowest = Math.min(...this.balls.map(({ at, radius }) => dot(at, up) - radius));
    this.floor = lowest > -0.02 * this.radius && lowest < 0.6 * this.radius ? Math.min(0, lowest) : lowest - 0.02 * this.radius;
    const deepest = (shapes) => shapes.map((shape) => shape.at[2] - Stage.depth(shape));
    const depths = this.motions.flatMap((motion) => deepest([...motion.bodies, ...motion.joints].flatMap((one) => one.shapes)));
    this.back = Math.min(0, ...depths, ...this.motions.flatMap((motion) => deepest(motion.fixed))) - 0.005 * this.radius;
    this.scales = this.arrowScales();
    this.aside();
  }

  // Motions beside each other, or in one place.
  aside() {
    const { u } = this.camera;
    const middle = (this.motions.length - 1) / 2;
    this.motions.forEach((motion, k) => {
      motion.offset = this.options.beside ? scale((k - middle) * this.gap, u) : [0, 0, 0];
    });
    const spread = this.options.beside ? this.gap * middle : 0;
    this.extent = this.radius + spread;
    this.ghostKey = null;
  }

  // The lengths of arrows: the greatest forces, and the greatest torques, are about a fifth of the scene long, and so are
  // those in joints.
  arrowScales() {
    const sizes = { force: [], torque: [], contact: [], load: [], moment: [] };
    for (const motion of this.motions) {
      const count = motion.arrows.length;
      for (let k = 0; k < motion.vectors.length; k += 6) {
        const size = Math.hypot(motion.vectors[k + 3], motion.vectors[k + 4], motion.vectors[k + 5]);
        if (size > 0) sizes[motion.arrows[(k / 6) % count].kind].push(size);
      }
    }
    const typical = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(0.95 * (numbers.length - 1))] ?? 0;
    const [forces, torques, loads, moments] =
      [[...sizes.force, ...sizes.contact], sizes.torque, sizes.load, sizes.moment].map(typical);
    // Where there are many, each is shorter and thinner.
    const instants = this.motions.reduce((sum, motion) => sum + motion.times.length, 0) / this.motions.length;
    const crowd = ['force', 'torque', 'contact'].reduce((sum, kind) => sum + sizes[kind].length, 0) / instants;
    this.slight = clamp(Math.sqrt(12 / Math.max(crowd, 1)), 0.15, 1);
    const scaled = (size) => (size > 0 ? 0.42 * this.radius * this.slight / size : 0);
    return {
      force: scaled(forces), contact: scaled(forces), torque: scaled(torques), load: scaled(loads), moment: scaled(moments),
    };
  }

  fit(covered = [44, 66]) {
    const { clientWidth, clientHeight } = this.canvas;
    const points = this.balls.map(({ at, radius, index }) => ({ at: add(at, this.motions[index].offset), radius }));
    const shown = points.filter((_, k) => this.motions[this.balls[k].index].isShown);
    // What the controls above and below leave.
    const covers = covered.map((pixels) => Math.min(pixels / Math.max(1, clientHeight), 0.25));
    this.camera.fit(shown.length > 0 ? shown : points, clientWidth / Math.max(1, clientHeight), covers);
  }

  color(color, run) {
    const { palette, neutral, floor } = this.colors;
    if (color.rgb) return color.rgb;
    if (color === 'neutral') return neutral;
    if (color === 'floor') return floor;
    return palette[(this.motions.length > 1 ? run : color.palette) % palette.length];
  }

  shapes(frame, shapes, run, opacity, isBody = false) {
    for (const shape of shapes) {
      const color = this.color(shape.color, run);
      for (const { mesh, local, pattern } of this.parts(shape)) {
        this.renderer.instance(mesh, frame, local, color, opacity === 1 && pattern && isBody ? 2 : opacity);
      }
    }
  }

  // A cylinder from one point to another.
  bar(from, to, radius, color, opacity = 1, mesh = 'tube') {
    const apart = sub(to, from);
    const axis = unit(apart);
    const side = across(axis);
    const local = [...scale(radius, side), ...scale(radius, cross(axis, side)), ...apart, ...mix(from, to, mesh === 'cone' ? 0 : 0.5)];
    this.renderer.instance(mesh, GROUND, local, color, opacity);
  }

  link(motion, { kind, movers, ends, radius }, opacity) {
    const [a, b] = ends.map((end, side) => pointOf(motion.frame(movers[side]), end));
    const { neutral, accent } = this.colors;
    if (length(sub(b, a)) < 1e-9 * this.radius) return;
    if (kind === 'rod') this.bar(a, b, radius, neutral, opacity);
    if (kind === 'spring' || kind === 'spring_damper') this.renderer.coil(a, b, radius, accent, opacity);
    if (kind === 'damper' || kind === 'spring_damper') {
      const [low, high] = [mix(a, b, 0.2), mix(a, b, 0.62)];
      this.bar(a, b, 0.22 * radius, neutral, opacity);
      this.bar(low, high, kind === 'damper' ? 0.8 * radius : 0.5 * radius, neutral, opacity);
    }
  }

  // The surface of a beam through its nodes; between them curves with their tangents.
  beamMesh(motion, { nodes, section }) {
    const frames = nodes.map((node) => motion.frame(node));
    const axis = (frame, k) => [frame[3 * k], frame[3 * k + 1], frame[3 * k + 2]];
    const place = (frame) => [frame[9], frame[10], frame[11]];
    const fine = clamp(Math.ceil(160 / (nodes.length - 1)), 2, 12);
    const rings = [];
    for (let k = 0; k + 1 < frames.length; k += 1) {
      const [a, b] = [frames[k], frames[k + 1]];
      const span = length(sub(place(b), place(a)));
      for (let i = k === 0 ? 0 : 1; i <= fine; i += 1) {
        const s = i / fine;
        const r = 1 - s;
        const weights = [r * r * (1 + 2 * s), s * s * (1 + 2 * r), s * r * r * span, -r * s * s * span];
        const parts = [place(a), place(b), axis(a, 0), axis(b, 0)];
        const at = parts.reduce((sum, part, j) => add(sum, scale(weights[j], part)), [0, 0, 0]);
        rings.push({ at, y: unit(mix(axis(a, 1), axis(b, 1), s)), z: unit(mix(axis(a, 2), axis(b, 2), s)) });
      }
    }
    const [high, wide] = section.map((edge) => edge / 2);
    const to = { positions: [], normals: [], indices: [] };
    // Each side with corners of its own, so that edges are sharp.
    const sides = [[[1, -1], [1, 1], 1, 0], [[1, 1], [-1, 1], 0, 1], [[-1, 1], [-1, -1], -1, 0], [[-1, -1], [1, -1], 0, -1]];
    for (const [first, second, ny, nz] of sides) {
      const start = to.positions.length / 3;
      for (const { at, y, z } of rings) {
        for (const [cy, cz] of [first, second]) {
          to.positions.push(...add(at, add(scale(cy * high, y), scale(cz * wide, z))));
          to.normals.push(...add(scale(ny, y), scale(nz, z)));
        }
      }
      solids.sheet(to, start, rings.length, 2);
    }
    for (const [ring, side] of [[rings[0], -1], [rings[rings.length - 1], 1]]) {
      const start = to.positions.length / 3;
      const normal = scale(side, cross(ring.y, ring.z));
      for (const [cy, cz] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        to.positions.push(...add(ring.at, add(scale(cy * high, ring.y), scale(cz * wide, ring.z))));
        to.normals.push(...normal);
      }
      const corners = side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
      to.indices.push(...corners.map((corner) => start + corner));
    }
    return to;
  }

  beams(motion, run, opacity, prefix) {
    motion.beams.forEach((beam, k) => {
      const name = `${prefix} ${run} ${k}`;
      if (opacity === 1 || !this.renderer.meshes.has(name) || this.ghostsAreNew) {
        this.renderer.define(name, this.beamMesh(motion, beam));
      }
      this.renderer.instance(name, GROUND, GROUND, this.color(beam.color, run), opacity);
    });
  }

  arrows(motion) {
    const { options, colors, scales, radius } = this;
    motion.arrows.forEach(({ kind }, index) => {
      if (!options[LAYER[kind]]) return;
      const [point, vector] = motion.arrow(index);
      // In the plane, before all bodies.
      const from = motion.planar ? add(point, [0, 0, -this.back]) : point;
      const size = Math.min(length(vector) * scales[kind] * options.arrows, 0.8 * radius * options.arrows);
      if (size < 0.004 * radius) return;
      const direction = unit(vector);
      const color = colors[kind];
      const thick = 0.0075 * radius * this.slight;
      const longest = 8.3 * thick;
      const isTorque = kind === 'torque' || kind === 'moment';
      if (isTorque && motion.planar) {
        this.arc(from, Math.sign(vector[2]), Math.min(0.3 * size, 0.16 * radius), thick, color);
        return;
      }
      const tip = add(from, scale(size, direction));
      const head = Math.min(longest, 0.5 * size);
      const wide = 2.6 * thick * Math.min(1, head / longest + 0.3);
      this.bar(from, sub(tip, scale(head, direction)), thick, color);
      this.bar(sub(tip, scale(head, direction)), tip, wide, color, 1, 'cone');
      // A torque has two heads.
      if (isTorque) {
        const second = sub(tip, scale(0.6 * head, direction));
        this.bar(sub(second, scale(head, direction)), second, wide, color, 1, 'cone');
      }
    });
  }

  // A torque in the plane: three quarters of a circle with a head.
  arc(center, side, size, thick, color) {
    const at = (turn) => add(center, [size * Math.cos(side * turn), size * Math.sin(side * turn), 0]);
    const turns = [...Array(19).keys()].map((k) => 0.3 + 4.4 * k / 18);
    for (let k = 1; k < turns.length; k += 1) this.bar(at(turns[k - 1]), at(turns[k]), thick, color);
    const end = turns[turns.length - 1];
    const along = scale(side, [-Math.sin(side * end), Math.cos(side * end), 0]);
    this.bar(at(end), add(at(end), scale(Math.min(7 * thick, size), along)), 2.6 * thick, color, 1, 'cone');
  }

  // Bodies and beams at other times, clear.
  ghosts(time) {
    const { options } = this;
    if (options.ghosts === 0) return;
    const key = `${options.ghosts} ${options.beside}`;
    this.ghostsAreNew = key !== this.ghostKey;
    this.ghostKey = key;
    this.motions.forEach((motion, run) => {
      if (!motion.isShown) return;
      for (let k = 0; k < options.ghosts; k += 1) {
        motion.move(motion.start + (motion.end - motion.start) * k / (options.ghosts - 1));
        for (const body of motion.bodies) this.shapes(motion.frame(body.mover), body.shapes, run, 0.16);
        this.beams(motion, run, 0.16, `ghost ${k}`);
      }
      motion.move(time);
    });
    this.ghostsAreNew = false;
  }

  planes() {
    const { camera, colors, options } = this;
    const { planar, water } = this.motions[0];
    const size = 3.2 * this.extent;
    const cell = 10 ** Math.floor(Math.log10(this.radius / 2));
    const fine = [1, 2, 5].map((step) => step * cell).filter((step) => step <= this.radius / 2).pop() ?? cell;
    this.cell = fine;
    const plane = (center, axisU, axisV, more) => ({
      center, axisU, axisV, size, cell: fine, shift: [dot(center, axisU), dot(center, axisV)],
      ground: colors.ground, line: colors.line, opacity: 0, lines: 1, ...more,
    });
    if (planar) {
      const center = [this.center[0], this.center[1], this.back];
      return options.grid ? [plane(center, [1, 0, 0], [0, 1, 0])] : [];
    }
    const level = sub(this.center, scale(dot(this.center, camera.up), camera.up));
    if (water) return [plane(level, camera.u, camera.v, { ground: colors.water, line: [1, 1, 1], opacity: 0.5, lines: options.grid ? 0.6 : 0 })];
    const floor = add(level, scale(this.floor, camera.up));
    return options.grid ? [plane(floor, camera.u, camera.v)] : [];
  }

  draw(time) {
    const { renderer, camera, options, canvas } = this;
    renderer.begin();
    const paths = [];
    this.motions.forEach((motion, run) => {
      motion.move(time);
      if (!motion.isShown) return;
      if (options.bodies) {
        for (const body of motion.bodies) this.shapes(motion.frame(body.mover), body.shapes, run, 1, true);
        this.beams(motion, run, 1, 'beam');
      }
      this.shapes(motion.frame(null), motion.fixed, run, 1);
      if (options.joints) {
        for (const joint of motion.joints) this.shapes(motion.frame(joint.mover), joint.shapes, run, 1);
      }
      for (const link of motion.links) this.link(motion, link, 1);
      this.arrows(motion);
      if (!options.paths) return;
      motion.points.filter((point) => point.isShown).forEach((point, k) => {
        this.path(motion, point);
        const shade = this.motions.length > 1 ? run : k;
        const color = this.colors.palette[shade % this.colors.palette.length];
        const width = 2.4 * (canvas.width / Math.max(1, canvas.clientWidth));
        const { key } = point;
        const { offset, instant } = motion;
        paths.push({ key, color: [...color, 0.28], width: 0.6 * width, offset, first: 0, last: motion.times.length - 1 });
        paths.push({ key, color: [...color, 1], width, offset, first: 0, last: instant });
      });
    });
    this.ghosts(time);

    const aspect = canvas.width / Math.max(1, canvas.height);
    const toLight = this.motions[0].planar ? unit([-0.35, 0.75, 0.95])
      : unit(add(camera.up, add(scale(-0.35, camera.u), scale(-0.5, camera.v))));
    const side = across(toLight);
    const reach = 1.5 * this.extent;
    const eye = add(this.center, scale(2 * reach, toLight));
    const light = multiply(orthographic(reach, 1, 0, 4 * reach), viewMatrix(eye, side, cross(toLight, side), toLight));
    renderer.draw({
      camera: camera.matrix(aspect, this.extent), eye: camera.eye(), light, toLight, up: camera.up,
      toViewer: camera.axes().back, isFlat: camera.isFlat, background: this.colors.ground, planes: this.planes(), paths,
    });
  }
}
