// Programs of the graphics processor. Light comes from above, from the sky and from the viewer.
const shaders = (() => {
  const head = '#version 300 es\nprecision highp float;\n';
  // Vertices of an instance: three scaled axes and a place; the fourth part of a colour is its opacity, 2 with a pattern.
  const solidPlace = `
    in vec3 position, normal, axisX, axisY, axisZ, origin;
    in vec4 color;
    void place(out vec3 world, out vec3 direction, out vec3 local) {
      world = axisX * position.x + axisY * position.y + axisZ * position.z + origin;
      vec3 n = normal / vec3(dot(axisX, axisX), dot(axisY, axisY), dot(axisZ, axisZ));
      direction = normalize(axisX * n.x + axisY * n.y + axisZ * n.z);
      local = position;
    }`;
  // A coil from one point to another: along it, and around its wire.
  const coilPlace = `
    in vec2 position;
    in vec3 from, to;
    in float radius;
    in vec4 color;
    const float TURNS = 9.0, TAU = 6.2831853;
    void place(out vec3 world, out vec3 direction, out vec3 local) {
      vec3 span = to - from;
      float size = max(length(span), 1e-9);
      vec3 axis = span / size;
      vec3 side = normalize(cross(axis, abs(axis.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0)));
      vec3 other = cross(axis, side);
      float s = position.x;
      float wide = radius * smoothstep(0.04, 0.1, s) * (1.0 - smoothstep(0.9, 0.96, s));
      float inner = clamp((s - 0.07) / 0.86, 0.0, 1.0);
      float turn = TAU * TURNS * inner;
      vec3 outward = cos(turn) * side + sin(turn) * other;
      vec3 along = normalize(axis * size / (TAU * TURNS) + wide * (cos(turn) * other - sin(turn) * side));
      vec3 across = normalize(cross(along, outward));
      vec3 away = normalize(cross(across, along));
      direction = cos(position.y) * away + sin(position.y) * across;
      world = from + axis * size * s + outward * wide + direction * radius * 0.16;
      local = vec3(0.0);
    }`;
  const lit = (place) => `${head}
    uniform mat4 camera, light;
    out vec3 world, direction, local;
    out vec4 shade, inLight;
    ${place}
    void main() {
      place(world, direction, local);
      shade = color;
      inLight = light * vec4(world, 1.0);
      gl_Position = camera * vec4(world, 1.0);
    }`;
  const depth = (place) => `${head}
    uniform mat4 light;
    ${place}
    void main() {
      vec3 world, direction, local;
      place(world, direction, local);
      gl_Position = light * vec4(world, 1.0);
    }`;
  const nothing = `${head} void main() {}`;
  const shadow = `
    uniform highp sampler2DShadow shadows;
    float lightAt(vec4 inLight, float slope) {
      vec3 at = inLight.xyz / inLight.w * 0.5 + 0.5;
      if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
      float sum = 0.0;
      for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
          vec2 beside = 1.1 * vec2(i, j) / vec2(textureSize(shadows, 0));
          sum += texture(shadows, vec3(at.xy + beside, at.z - slope));
        }
      }
      return sum / 9.0;
    }`;
  const shaded = `${head}
    uniform vec3 eye, toLight, up, toViewer;
    uniform float flatView, bothSides;
    in vec3 world, direction, local;
    in vec4 shade, inLight;
    out vec4 result;
    ${shadow}
    void main() {
      vec3 n = normalize(direction);
      vec3 view = normalize(mix(eye - world, toViewer, flatView));
      if (bothSides > 0.5 && dot(n, view) < 0.0) n = -n;
      vec3 albedo = pow(shade.rgb, vec3(2.2));
      // Quarters of round bodies are darker, so that turning is seen.
      vec3 part = sign(local);
      if (shade.a > 1.5 && part.x * part.y * part.z < 0.0) albedo *= 0.62;
      float facing = dot(n, toLight);
      float open = facing > 0.0 ? lightAt(inLight, 0.0015 + 0.004 * (1.0 - facing)) : 0.0;
      float sky = 0.5 + 0.5 * dot(n, up);
      vec3 middle = normalize(view + toLight);
      float gloss = pow(max(dot(n, middle), 0.0), 48.0) * open;
      float light = 0.3 + 0.24 * sky + 0.78 * max(facing, 0.0) * open + 0.16 * max(dot(n, view), 0.0);
      vec3 sum = albedo * light + vec3(0.16 * gloss);
      result = vec4(pow(sum, vec3(1.0 / 2.2)), min(shade.a, 1.0));
    }`;

  // A plane with lines of a grid, which fades with the distance; it receives shadows.
  const planeVertex = `${head}
    uniform mat4 camera, light;
    uniform vec3 center, axisU, axisV;
    uniform float size;
    in vec2 position;
    out vec2 place;
    out vec4 inLight;
    void main() {
      place = position * size;
      vec3 world = center + axisU * place.x + axisV * place.y;
      inLight = light * vec4(world, 1.0);
      gl_Position = camera * vec4(world, 1.0);
    }`;
  const planeFragment = `${head}
    uniform vec3 ground, line;
    uniform vec2 shift;
    uniform float cell, size, opacity, lines;
    in vec2 place;
    in vec4 inLight;
    out vec4 result;
    ${shadow}
    float grid(vec2 at, float width) {
      vec2 wide = fwidth(at);
      vec2 near = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
      vec2 line = clamp(width - near + 0.5, 0.0, 1.0) * clamp(0.7 - wide * 1.5, 0.0, 1.0);
      return max(line.x, line.y);
    }
    void main() {
      vec2 at = (place + shift) / cell;
      float fade = 1.0 - smoothstep(0.35, 1.0, length(place) / size);
      float strength = max(0.45 * grid(at, 0.6), 0.95 * grid(at / 5.0, 0.9)) * lines;
      float dark = 0.24 * (1.0 - lightAt(inLight, 0.002));
      vec3 color = mix(ground, line, strength);
      color = mix(color, color * 0.35, dark);
      result = vec4(color, fade * max(opacity, max(strength, dark * 2.0)));
    }`;

  // Segments of a path as ribbons of constant width on the screen.
  const lineVertex = `${head}
    uniform mat4 camera;
    uniform vec2 screen;
    uniform vec3 offset;
    uniform float width, first, last;
    in vec2 position;
    in vec3 from, to;
    out float along;
    void main() {
      vec4 a = camera * vec4(from + offset, 1.0), b = camera * vec4(to + offset, 1.0);
      vec2 run = (b.xy / b.w - a.xy / a.w) * screen;
      vec2 direction = length(run) > 1e-6 ? normalize(run) : vec2(1, 0);
      vec4 end = mix(a, b, position.x);
      vec2 aside = vec2(-direction.y, direction.x) * position.y * width / screen;
      gl_Position = end + vec4(aside * end.w, -1e-4 * end.w, 0.0);
      along = (float(gl_InstanceID) + position.x - first) / max(last - first, 1.0);
    }`;
  const lineFragment = `${head}
    uniform vec4 color;
    in float along;
    out vec4 result;
    void main() { result = vec4(color.rgb, color.a * mix(0.35, 1.0, clamp(along, 0.0, 1.0))); }`;

  return {
    solid: [lit(solidPlace), shaded],
    coil: [lit(coilPlace), shaded],
    solidDepth: [depth(solidPlace), nothing],
    coilDepth: [depth(coilPlace), nothing],
    plane: [planeVertex, planeFragment],
    line: [lineVertex, lineFragment],
  };
})();
