// A small renderer on WebGL 2: solids and coils in instances, one call for all of a kind; a plane with a grid, paths, and
// shadows of one light.

// Numbers that are gathered for a picture, in an array that grows.
class List {
  constructor() { [this.data, this.length] = [new Float32Array(64), 0]; }

  clear() { this.length = 0; }

  next(count) {
    this.length += count;
    if (this.length > this.data.length) {
      const larger = new Float32Array(2 * this.length);
      larger.set(this.data);
      this.data = larger;
    }
    return this.data;
  }
}

class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { antialias: true, alpha: false });
    if (!gl) throw new Error('This browser offers no WebGL 2.');
    this.gl = gl;
    this.canvas = canvas;
    this.programs = Object.fromEntries(Object.entries(shaders).map(([name, parts]) => [name, this.program(parts)]));
    this.meshes = new Map();
    for (const [name, mesh] of Object.entries(solids.all)) this.define(name, mesh);
    this.defineCoil();
    this.unitSquare = this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.ribbon = this.buffer(new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    this.paths = new Map();
    this.makeShadows(2048);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  program([vertex, fragment]) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k += 1) {
      const { name } = gl.getActiveUniform(program, k);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms, at: (name) => gl.getAttribLocation(program, name) };
  }

  buffer(data, target = this.gl.ARRAY_BUFFER, use = this.gl.STATIC_DRAW) {
    const buffer = this.gl.createBuffer();
    this.gl.bindBuffer(target, buffer);
    if (data) this.gl.bufferData(target, data, use);
    return buffer;
  }

  // A vertex array of a program: names of attributes with buffer, size, stride, offset and divisor.
  array(program, attributes, indices) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [name, [buffer, size, stride, offset, divisor]] of Object.entries(attributes)) {
      const place = program.at(name);
      if (place < 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, stride, offset);
      gl.vertexAttribDivisor(place, divisor);
    }
    if (indices) gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bindVertexArray(null);
    return array;
  }

  // A mesh under a name, of which instances are drawn; sixteen numbers each. Of one that may be open or inside out, as files
  // have them, both sides are drawn.
  define(name, { positions, normals, indices }, bothSides = false) {
    const { gl } = this;
    const known = this.meshes.get(name);
    if (known) {
      gl.bindBuffer(gl.ARRAY_BUFFER, known.position);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(positions), gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, known.normal);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(normals), gl.DYNAMIC_DRAW);
      return;
    }
    const [position, normal] = [positions, normals].map((numbers) => this.buffer(new Float32Array(numbers)));
    gl.bindVertexArray(null);
    const index = this.buffer(new Uint32Array(indices), gl.ELEMENT_ARRAY_BUFFER);
    const instances = this.buffer(null);
    const attributes = {
      position: [position, 3, 0, 0, 0], normal: [normal, 3, 0, 0, 0],
      axisX: [instances, 3, 64, 0, 1], axisY: [instances, 3, 64, 12, 1], axisZ: [instances, 3, 64, 24, 1],
      origin: [instances, 3, 64, 36, 1], color: [instances, 4, 64, 48, 1],
    };
    this.meshes.set(name, {
      position, normal, instances, bothSides, lists: [new List(), new List()], count: indices.length, programs: ['solid', 'solidDepth'],
      arrays: ['solid', 'solidDepth'].map((program) => this.array(this.programs[program], attributes, index)),
    });
  }

  // The wire of a coil; instances have both ends, a radius and a colour.
  defineCoil() {
    const { gl } = this;
    const [rows, row] = [300, 9];
    const numbers = [];
    for (let i = 0; i < rows; i += 1) {
      for (let j = 0; j < row; j += 1) numbers.push(i / (rows - 1), -2 * Math.PI * j / (row - 1));
    }
    const sheet = { indices: [] };
    solids.sheet(sheet, 0, rows, row);
    const position = this.buffer(new Float32Array(numbers));
    gl.bindVertexArray(null);
    const index = this.buffer(new Uint32Array(sheet.indices), gl.ELEMENT_ARRAY_BUFFER);
    const instances = this.buffer(null);
    const attributes = {
      position: [position, 2, 0, 0, 0], from: [instances, 3, 44, 0, 1], to: [instances, 3, 44, 12, 1],
      radius: [instances, 1, 44, 24, 1], color: [instances, 4, 44, 28, 1],
    };
    this.meshes.set('coil', {
      instances, lists: [new List(), new List()], count: sheet.indices.length, programs: ['coil', 'coilDepth'],
      arrays: ['coil', 'coilDepth'].map((program) => this.array(this.programs[program], attributes, index)),
    });
  }

  makeShadows(size) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    const settings = [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL],
    ];
    for (const [name, value] of settings) gl.texParameteri(gl.TEXTURE_2D, name, value);
    const target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.shadows = { size, texture, target };
  }

  // A path by its points, drawn from one index to another.
  path(key, points) {
    const buffer = this.buffer(points);
    const attributes = {
      position: [this.ribbon, 2, 0, 0, 0], from: [buffer, 3, 12, 0, 1], to: [buffer, 3, 12, 12, 1],
    };
    this.paths.set(key, { buffer, count: points.length / 3 - 1, array: this.array(this.programs.line, attributes) });
  }

  // All that is drawn is given anew for each picture.
  begin() {
    for (const mesh of this.meshes.values()) for (const list of mesh.lists) list.clear();
  }

  // An instance of a mesh: a place in a frame, both as three axes and an origin; clear ones are drawn last.
  instance(name, frame, local, color, opacity = 1) {
    const list = this.meshes.get(name).lists[opacity < 1 ? 1 : 0];
    const to = list.next(16);
    const at = list.length - 16;
    for (let c = 0; c < 12; c += 3) {
      const [x, y, z] = [local[c], local[c + 1], local[c + 2]];
      for (let i = 0; i < 3; i += 1) to[at + c + i] = frame[i] * x + frame[3 + i] * y + frame[6 + i] * z;
    }
    for (let i = 0; i < 3; i += 1) {
      to[at + 9 + i] += frame[9 + i];
      to[at + 12 + i] = color[i];
    }
    to[at + 15] = opacity;
  }

  coil(from, to, radius, color, opacity = 1) {
    const list = this.meshes.get('coil').lists[opacity < 1 ? 1 : 0];
    list.next(11).set([...from, ...to, radius, ...color, opacity], list.length - 11);
  }

  upload(mesh, list) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.instances);
    gl.bufferData(gl.ARRAY_BUFFER, list.data.subarray(0, list.length), gl.DYNAMIC_DRAW);
  }

  draw({ camera, eye, light, toLight, up, toViewer, isFlat, background, planes, paths }) {
    const { gl } = this;
    const size = (mesh) => (mesh.programs[0] === 'coil' ? 11 : 16);
    const [opaque, clear] = [0, 1].map((k) => [...this.meshes.values()].filter((mesh) => mesh.lists[k].length > 0));
    const elements = (mesh, k, which) => {
      if (mesh.bothSides) gl.disable(gl.CULL_FACE); else gl.enable(gl.CULL_FACE);
      gl.bindVertexArray(mesh.arrays[which]);
      const count = mesh.lists[k].length / size(mesh);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, count);
    };
    for (const mesh of opaque) this.upload(mesh, mesh.lists[0]);
    const set = (program, values) => {
      gl.useProgram(program.program);
      for (const [name, value] of Object.entries(values)) {
        const place = program.uniforms[name];
        if (!place) continue;
        if (value.length === 16) gl.uniformMatrix4fv(place, false, value);
        else if (value.length) gl[`uniform${value.length}fv`](place, value);
        else gl.uniform1f(place, value);
      }
      if (program.uniforms.shadows) gl.uniform1i(program.uniforms.shadows, 0);
    };

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadows.target);
    gl.viewport(0, 0, this.shadows.size, this.shadows.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    for (const mesh of opaque) {
      set(this.programs[mesh.programs[1]], { light });
      elements(mesh, 0, 1);
    }

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, this.shadows.texture);
    const common = { camera, light, eye, toLight, up, toViewer, flatView: isFlat ? 1 : 0 };
    for (const mesh of opaque) {
      set(this.programs[mesh.programs[0]], { ...common, bothSides: mesh.bothSides ? 1 : 0 });
      elements(mesh, 0, 0);
    }

    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.disable(gl.CULL_FACE);
    for (const plane of planes) {
      set(this.programs.plane, { ...common, ...plane });
      this.square ??= this.array(this.programs.plane, { position: [this.unitSquare, 2, 0, 0, 0] });
      gl.bindVertexArray(this.square);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    for (const { key, color, width, offset, first, last } of paths) {
      const path = this.paths.get(key);
      const count = Math.min(path.count, last) - first;
      if (count <= 0) continue;
      const screen = [this.canvas.width, this.canvas.height];
      set(this.programs.line, { camera, screen, color, width, offset, first, last });
      gl.bindVertexArray(path.array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, first + count);
    }
    gl.enable(gl.CULL_FACE);
    for (const mesh of clear) {
      this.upload(mesh, mesh.lists[1]);
      set(this.programs[mesh.programs[0]], { ...common, bothSides: mesh.bothSides ? 1 : 0 });
      elements(mesh, 1, 0);
    }
    gl.depthMask(true);
    gl.bindVertexArray(null);
  }
}
