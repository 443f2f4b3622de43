// Recorded motions: poses of frames at any time, between the instants that are stored.
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const decode = (text) => new Float32Array(bytes(text));
// The surface of a file; its positions are steps through the box around it.
const surface = ({ low, high, positions, normals, wide, indices }) => ({
  positions: Float32Array.from(new Uint16Array(bytes(positions)), (step, k) => low[k % 3] + (high[k % 3] - low[k % 3]) * step / 65535),
  normals: Float32Array.from(new Int8Array(bytes(normals)), (step) => step / 127),
  indices: wide ? new Uint32Array(bytes(indices)) : new Uint16Array(bytes(indices)),
});
// Three axes and an origin.
const GROUND = new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
const frameOf = (at, turn, size = [1, 1, 1]) => {
  const axes = columns(turn).map((axis, k) => scale(size[k], axis));
  return new Float64Array([...axes.flat(), ...at]);
};
const pointOf = (frame, [x, y, z]) => [0, 1, 2].map((i) => frame[i] * x + frame[3 + i] * y + frame[6 + i] * z + frame[9 + i]);

class Motion {
  constructor(scene, meshes) {
    Object.assign(this, scene);
    for (const shape of [...this.bodies.flatMap((body) => body.shapes), ...this.fixed]) {
      if (shape.kind === 'mesh') shape.mesh = meshes[scene.mesh_places[shape.size.mesh]];
    }
    [this.times, this.poses, this.vectors] = [scene.times, scene.poses, scene.vectors].map(decode);
    this.size = scene.planar ? 3 : 7;
    [this.start, this.end] = [this.times[0], this.times[this.times.length - 1]];
    this.offset = [0, 0, 0];
    this.isShown = true;
    this.frames = Array.from({ length: scene.movers }, () => new Float64Array(12));
    this.move(this.start);
  }

  // The instant before a time, and the part of the way to the next one.
  place(time) {
    const { times } = this;
    let [low, high] = [0, times.length - 1];
    if (time >= times[high]) return [high, 0];
    if (time <= times[0]) return [0, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    return [low, (time - times[low]) / (times[high] - times[low])];
  }

  // Brings all frames to their poses at a time.
  move(time) {
    const [instant, part] = this.place(time);
    [this.instant, this.part] = [instant, part];
    const { poses, size, movers, frames, offset } = this;
    const next = part > 0 ? size * movers : 0;
    for (let mover = 0; mover < movers; mover += 1) {
      const at = size * (instant * movers + mover);
      const value = (k) => poses[at + k] + part * (poses[at + next + k] - poses[at + k]);
      const frame = frames[mover];
      if (size === 3) {
        const angle = value(2);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        [frame[0], frame[1], frame[3], frame[4], frame[8]] = [c, s, -s, c, 1];
        [frame[9], frame[10], frame[11]] = [value(0) + offset[0], value(1) + offset[1], offset[2]];
        continue;
      }
      let [w, x, y, z] = [value(3), value(4), value(5), value(6)];
      const norm = 1 / (Math.hypot(w, x, y, z) || 1);
      [w, x, y, z] = [w * norm, x * norm, y * norm, z * norm];
      frame[0] = 1 - 2 * (y * y + z * z); frame[1] = 2 * (x * y + w * z); frame[2] = 2 * (x * z - w * y);
      frame[3] = 2 * (x * y - w * z); frame[4] = 1 - 2 * (x * x + z * z); frame[5] = 2 * (y * z + w * x);
      frame[6] = 2 * (x * z + w * y); frame[7] = 2 * (y * z - w * x); frame[8] = 1 - 2 * (x * x + y * y);
      for (let k = 0; k < 3; k += 1) frame[9 + k] = value(k) + offset[k];
    }
  }

  // The frame of a mover, or the ground's.
  frame(mover) {
    if (mover !== null) return this.frames[mover];
    this.ground ??= new Float64Array(12);
    this.ground.set(GROUND);
    this.ground.set(this.offset, 9);
    return this.ground;
  }

  // Point and vector of an arrow now.
  arrow(index) {
    const count = 6 * this.arrows.length;
    const at = this.instant * count + 6 * index;
    const next = this.part > 0 ? count : 0;
    const value = (k) => this.vectors[at + k] + this.part * (this.vectors[at + next + k] - this.vectors[at + k]);
    return [add([value(0), value(1), value(2)], this.offset), [value(3), value(4), value(5)]];
  }

  // The path of a point through all instants.
  path({ mover, at }) {
    const points = new Float32Array(3 * this.times.length);
    for (let instant = 0; instant < this.times.length; instant += 1) {
      const from = this.size * (instant * this.movers + mover);
      const p = this.poses.subarray(from, from + this.size);
      if (this.size === 3) {
        const [c, s] = [Math.cos(p[2]), Math.sin(p[2])];
        points.set([p[0] + c * at[0] - s * at[1], p[1] + s * at[0] + c * at[1], 0], 3 * instant);
      } else {
        points.set(add([p[0], p[1], p[2]], turned([p[3], p[4], p[5], p[6]], at)), 3 * instant);
      }
    }
    return points;
  }
}
