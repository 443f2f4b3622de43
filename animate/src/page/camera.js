// An orbit camera: a target, a distance and two angles about the direction against gravity.
class Camera {
  constructor(up, isPlanar) {
    this.up = up;
    const side = sub([1, 0, 0], scale(dot([1, 0, 0], up), up));
    this.u = length(side) > 0.1 ? unit(side) : unit(cross([0, 1, 0], up));
    this.v = cross(up, this.u);
    this.target = [0, 0, 0];
    this.distance = 5;
    this.tangent = Math.tan(Math.PI / 12);
    this.isFlat = isPlanar;
    this.view(isPlanar ? 'z' : 'iso');
  }

  // Looks from one of the directions with names.
  view(name) {
    const towards = { x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1] }[name];
    if (!towards) {
      [this.turn, this.height] = [-Math.PI / 3, Math.PI / 7];
      return;
    }
    const along = dot(towards, this.up);
    this.height = Math.asin(clamp(along, -1, 1));
    const isUpright = Math.abs(along) > 0.999;
    this.turn = isUpright ? -Math.PI / 2 : Math.atan2(dot(towards, this.v), dot(towards, this.u));
  }

  // Directions of the picture: to the right, up, and to the viewer.
  axes() {
    const [c, s] = [Math.cos(this.turn), Math.sin(this.turn)];
    const [ch, sh] = [Math.cos(this.height), Math.sin(this.height)];
    const level = add(scale(c, this.u), scale(s, this.v));
    const back = add(scale(ch, level), scale(sh, this.up));
    const right = add(scale(-s, this.u), scale(c, this.v));
    return { right, up: cross(back, right), back };
  }

  eye() {
    return add(this.target, scale(this.distance, this.axes().back));
  }

  matrix(aspect, radius) {
    const { right, up, back } = this.axes();
    const far = this.distance + 12 * radius;
    const eye = this.eye();
    if (this.isFlat) {
      const around = viewMatrix(eye, right, up, back);
      return multiply(orthographic(this.distance * this.tangent, aspect, -12 * radius, far), around);
    }
    const near = Math.max(this.distance / 200, this.distance - 6 * radius);
    return multiply(perspective(this.tangent, aspect, near, far), viewMatrix(eye, right, up, back));
  }

  orbit(dx, dy) {
    this.turn -= dx;
    this.height = clamp(this.height + dy, -Math.PI / 2, Math.PI / 2);
  }

  // Moves the target by parts of the height of the picture.
  pan(dx, dy) {
    const { right, up } = this.axes();
    const size = 2 * this.distance * this.tangent;
    this.target = add(this.target, add(scale(-dx * size, right), scale(dy * size, up)));
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 1e-6, 1e9);
  }

  // The nearest place from which all points are seen, between what covers the picture above and below, as parts of it.
  fit(points, aspect, [above, below], room = 0.1) {
    if (points.length === 0) return;
    const { right, up, back } = this.axes();
    const seen = points.map(({ at, radius }) => ({ x: dot(at, right), y: dot(at, up), z: dot(at, back), radius }));
    const range = (of) => [Math.min(...seen.map((p) => of(p) - p.radius)), Math.max(...seen.map((p) => of(p) + p.radius))];
    const middle = [range((p) => p.x), range((p) => p.y), range((p) => p.z)].map(([low, high]) => (low + high) / 2);
    const [tx, ty] = [this.tangent * aspect * (1 - room), this.tangent * (1 - room - above - below)];
    // In perspective the middle of what is seen is not that of the points.
    for (let round = 0; round < 4; round += 1) {
      let distance = 1e-6;
      for (const p of seen) {
        const depth = this.isFlat ? 0 : p.z - middle[2];
        distance = Math.max(distance, depth + (Math.abs(p.x - middle[0]) + p.radius) / tx);
        distance = Math.max(distance, depth + (Math.abs(p.y - middle[1]) + p.radius) / ty);
      }
      this.distance = distance;
      if (this.isFlat) break;
      for (const k of [0, 1]) {
        const places = seen.map((p) => {
          const away = Math.max(distance - (p.z - middle[2]), 1e-6);
          const at = (k === 0 ? p.x : p.y) - middle[k];
          return [(at - p.radius) / away, (at + p.radius) / away];
        });
        const [low, high] = [Math.min(...places.map((p) => p[0])), Math.max(...places.map((p) => p[1]))];
        middle[k] += distance * (low + high) / 2;
      }
    }
    this.target = add(add(scale(middle[0], right), scale(middle[1], up)), scale(middle[2], back));
    this.pan(0, (above - below) / 2);
  }
}
