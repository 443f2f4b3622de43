// Controls of the page: time, camera, layers, pointer and keys. The part of the address after # sets a moment, for links:
// #t=1.5&view=x&play=0
(() => {
  const byId = (id) => document.getElementById(id);
  const canvas = document.querySelector('canvas');
  const scenes = JSON.parse(byId('data').textContent);
  const meshes = JSON.parse(byId('meshes').textContent);
  const motions = scenes.map((scene) => new Motion(scene, meshes));
  const [start, end] = [Math.min(...motions.map((m) => m.start)), Math.max(...motions.map((m) => m.end))];
  const duration = end - start;
  const form = document.querySelector('.show form');
  const body = document.body;

  let stage;
  try {
    stage = new Stage(canvas, motions);
  } catch (error) {
    const fault = document.querySelector('.fault');
    fault.hidden = false;
    fault.textContent = `The animation cannot be drawn: ${error.message} Plots and values are shown as usual.`;
  }

  // ---- Colours of the page, of both kinds.
  const style = () => {
    if (!stage) return;
    const values = getComputedStyle(document.documentElement);
    const channels = (text) => {
      const pen = document.createElement('canvas').getContext('2d');
      pen.fillStyle = text;
      const hex = pen.fillStyle.slice(1);
      return [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
    };
    const named = (name) => channels(values.getPropertyValue(name).trim());
    const palette = document.querySelector('.palette');
    palette.hidden = false;
    const colors = all('i', palette).map((one) => {
      const [r, g, b] = getComputedStyle(one).color.match(/\d+/g).map((part) => Number(part) / 255);
      return [r, g, b];
    });
    palette.hidden = true;
    stage.colors = {
      palette: colors, neutral: named('--metal'), floor: named('--floor'), accent: named('--spring'), ground: named('--ground'), line: named('--mesh'),
      water: named('--water'), force: named('--force'), torque: named('--torque'), contact: named('--contact'),
      load: named('--load'), moment: named('--moment'),
    };
    motions.forEach((motion, k) => {
      if (motion.mark) motion.mark.style.color = `rgb(${colors[k % colors.length].map((part) => 255 * part).join(' ')})`;
    });
  };
  const system = matchMedia('(prefers-color-scheme: dark)');
  let isDark = system.matches;
  const rules = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) if (rule.media?.mediaText.includes('prefers-color-scheme')) rules.push(rule);
  }
  const theme = (dark) => {
    isDark = dark;
    for (const rule of rules) rule.media.mediaText = dark ? 'all' : 'not all';
    document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
    style();
    ask();
  };
  byId('theme').addEventListener('click', () => theme(!isDark));
  system.addEventListener('change', (event) => theme(event.matches));

  // ---- Time.
  const slider = byId('time');
  const now = byId('now');
  const digits = clamp(3 - Math.floor(Math.log10(duration || 1)), 0, 9);
  const state = { time: start, isPlaying: false, speed: 1, loops: true };
  [slider.min, slider.max] = [start, end];
  const jump = (time) => {
    state.time = clamp(time, start, end);
    ask();
  };
  const play = (isPlaying) => {
    if (isPlaying && state.time >= end) state.time = start;
    state.isPlaying = isPlaying;
    body.classList.toggle('playing', isPlaying);
    byId('play').setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    ask();
  };
  const step = (change) => {
    const { times } = motions.reduce((a, b) => (a.times.length >= b.times.length ? a : b));
    const later = (t) => t > state.time + 1e-7 * duration;
    const earlier = (t) => t < state.time - 1e-7 * duration;
    play(false);
    jump(change > 0 ? times.find(later) ?? end : times.findLast(earlier) ?? start);
  };
  slider.addEventListener('input', () => { play(false); jump(Number(slider.value)); });
  byId('play').addEventListener('click', () => play(!state.isPlaying));
  byId('before').addEventListener('click', () => step(-1));
  byId('after').addEventListener('click', () => step(1));
  byId('loop').addEventListener('click', (event) => {
    state.loops = !state.loops;
    event.currentTarget.setAttribute('aria-pressed', String(state.loops));
  });

  // ---- Speed: real time, unless that is over too soon or lasts too long.
  const speed = byId('speed');
  const speeds = [];
  for (let power = -6; power <= 4; power += 1) for (const m of [1, 2, 5]) speeds.push(Number(`${m}e${power}`));
  const suits = (s) => duration / s >= 4 && duration / s <= 20;
  const usual = suits(1) || duration === 0 ? 1
    : speeds.reduce((best, s) => (Math.abs(Math.log(duration / s / 9)) < Math.abs(Math.log(duration / best / 9)) ? s : best));
  const offered = speeds.filter((s) => s >= usual / 25 && s <= usual * 25);
  speed.append(...offered.map((s) => new Option(`${s} × real time`, s, s === usual, s === usual)));
  state.speed = usual;
  speed.addEventListener('change', () => { state.speed = Number(speed.value); });
  const faster = (change) => {
    speed.selectedIndex = clamp(speed.selectedIndex + change, 0, offered.length - 1);
    state.speed = Number(speed.value);
  };

  // ---- Layers.
  const has = (kinds) => motions.some((motion) => motion.arrows.some(({ kind }) => kinds.includes(kind)));
  const layers = [
    ['bodies', 'bodies', true], ['joints', 'joints', motions.some((motion) => motion.joints.length > 0)],
    ['forces', 'forces and torques', has(['force', 'torque']), ['--force', '--torque']],
    ['contacts', 'contact forces', has(['contact']), ['--contact']],
    ['loads', 'forces and torques in joints', has(['load', 'moment']), ['--load', '--moment']],
    ['paths', 'paths', true], ['grid', 'grid', true], ['beside', 'motions side by side', motions.length > 1],
  ];
  for (const [name, text, isThere, marks = []] of layers) {
    if (!isThere || !stage) continue;
    const label = document.createElement('label');
    const box = document.createElement('input');
    Object.assign(box, { type: 'checkbox', name, checked: stage.options[name] });
    box.addEventListener('change', () => {
      stage.options[name] = box.checked;
      if (name === 'beside') { stage.aside(); stage.fit(); }
      ask();
    });
    label.append(box, text, ...marks.map((mark) => {
      const dot = document.createElement('i');
      dot.style.color = `var(${mark})`;
      return dot;
    }));
    byId('layers').append(label);
  }
  form.elements.arrows.closest('label').hidden = !has(['force', 'torque', 'contact', 'load', 'moment']);
  form.elements.ghosts.addEventListener('change', () => {
    if (stage) stage.options.ghosts = Number(form.elements.ghosts.value);
    ask();
  });
  form.elements.arrows.addEventListener('input', () => {
    if (stage) stage.options.arrows = 2 ** Number(form.elements.arrows.value);
    ask();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  // Points of all motions with the same name have one box.
  const names = [...new Set(motions.flatMap((motion) => motion.points.map((point) => point.name)))].slice(0, 200);
  for (const name of names) {
    const points = motions.flatMap((motion) => motion.points.filter((point) => point.name === name));
    const label = document.createElement('label');
    const box = document.createElement('input');
    Object.assign(box, { type: 'checkbox', checked: points[0].shown });
    box.addEventListener('change', () => {
      for (const point of points) point.isShown = box.checked;
      ask();
    });
    label.append(box, name);
    byId('points').append(label);
  }
  if (motions.length > 1) {
    for (const motion of motions) {
      const item = document.createElement('li');
      const label = document.createElement('label');
      const box = document.createElement('input');
      motion.mark = document.createElement('i');
      Object.assign(box, { type: 'checkbox', checked: true });
      box.addEventListener('change', () => { motion.isShown = box.checked; ask(); });
      label.append(box, motion.mark, motion.label);
      item.append(label);
      document.querySelector('.runs').append(item);
    }
  }

  // ---- Camera.
  const views = all('.views [data-view]');
  const flat = byId('flat');
  const press = () => {
    flat.setAttribute('aria-pressed', String(stage.camera.isFlat));
    ask();
  };
  const look = (name) => {
    if (!stage) return;
    stage.camera.view(name);
    stage.fit();
    ask();
  };
  const fit = () => { stage?.fit(); ask(); };
  const flatten = () => {
    if (!stage) return;
    stage.camera.isFlat = !stage.camera.isFlat;
    press();
  };
  for (const button of views) button.addEventListener('click', () => look(button.dataset.view));
  byId('fit').addEventListener('click', fit);
  flat.addEventListener('click', flatten);

  const pointers = new Map();
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add('turning');
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before || !stage) return;
    const after = [event.clientX, event.clientY];
    const [dx, dy] = [after[0] - before[0], after[1] - before[1]];
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const size = canvas.clientHeight;
    if (others.length > 0) {
      const apart = (at) => Math.hypot(at[0] - others[0][0], at[1] - others[0][1]);
      stage.camera.zoom(apart(before) / Math.max(1, apart(after)));
      stage.camera.pan(dx / size / 2, dy / size / 2);
    } else if (event.shiftKey || event.buttons & 6) {
      stage.camera.pan(dx / size, dy / size);
    } else {
      stage.camera.orbit(dx * 0.008, dy * 0.008);
    }
    pointers.set(event.pointerId, after);
    ask();
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) canvas.classList.remove('turning');
  };
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, release);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('dblclick', fit);
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (!stage) return;
    const factor = Math.exp(clamp(event.deltaY, -300, 300) * 0.0015);
    const box = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.height, (event.clientY - box.top) / box.height];
    const [mx, my] = [0.5 * box.width / box.height, 0.5];
    // What is under the pointer stays there.
    stage.camera.pan((mx - x) * (1 / factor - 1) * factor, (my - y) * (1 / factor - 1) * factor);
    stage.camera.zoom(factor);
    ask();
  }, { passive: false });

  // ---- Keys.
  const help = byId('help');
  byId('keys').addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.closest('input:not([type=checkbox]), select, textarea')) return;
    const isOnButton = event.target.closest('button, summary, input');
    const turn = event.target === canvas;
    const act = {
      ' ': () => !isOnButton && (play(!state.isPlaying), true),
      ArrowLeft: () => (event.shiftKey ? jump(state.time - duration / 10) : step(-1), true),
      ArrowRight: () => (event.shiftKey ? jump(state.time + duration / 10) : step(1), true),
      ArrowUp: () => turn && (stage?.camera.orbit(0, 0.1), ask(), true),
      ArrowDown: () => turn && (stage?.camera.orbit(0, -0.1), ask(), true),
      a: () => (stage?.camera.orbit(0.1, 0), ask(), true),
      d: () => (stage?.camera.orbit(-0.1, 0), ask(), true),
      Home: () => (jump(start), true),
      End: () => (jump(end), true),
      '+': () => (faster(1), true),
      '=': () => (faster(1), true),
      '-': () => (faster(-1), true),
      1: () => (look('iso'), true),
      2: () => (look('x'), true),
      3: () => (look('y'), true),
      4: () => (look('z'), true),
      5: () => (flatten(), true),
      f: () => (fit(), true),
      g: () => {
        const ghosts = form.elements.ghosts;
        ghosts.selectedIndex = (ghosts.selectedIndex + 1) % ghosts.options.length;
        ghosts.dispatchEvent(new Event('change'));
        return true;
      },
      t: () => (form.elements.paths?.click(), true),
      l: () => (byId('loop').click(), true),
      p: () => (save(), true),
      r: () => (record.click(), true),
      '?': () => (help.showModal(), true),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act?.()) event.preventDefault();
  });

  // ---- Pictures.
  const resize = (ratio) => {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * ratio)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  };
  const density = () => Math.min(devicePixelRatio || 1, 2);
  const save = () => {
    if (!stage) return;
    resize(Math.max(2, density()));
    stage.draw(state.time);
    canvas.toBlob((blob) => { download(blob, `_${state.time.toFixed(digits)}s.png`); ask(); }, 'image/png');
  };
  const download = (blob, ending) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${document.title.replace(/[^\p{L}\p{N}]+/gu, '_')}${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  byId('picture').addEventListener('click', save);

  // A film of the whole motion as it is seen and as fast as it is played, recorded while it plays.
  const record = byId('record');
  let recorder;
  const kinds = ['video/mp4', 'video/webm'];
  const kind = window.MediaRecorder && kinds.find((one) => MediaRecorder.isTypeSupported(one));
  record.hidden = !stage || !kind || duration === 0;
  record.addEventListener('click', () => {
    if (recorder) { recorder.stop(); return; }
    const parts = [];
    recorder = new MediaRecorder(canvas.captureStream(), { mimeType: kind, videoBitsPerSecond: 8e6 });
    recorder.addEventListener('dataavailable', (event) => parts.push(event.data));
    recorder.addEventListener('stop', () => {
      recorder = undefined;
      record.setAttribute('aria-pressed', 'false');
      download(new Blob(parts, { type: kind }), `.${kind.split('/')[1]}`);
    });
    record.setAttribute('aria-pressed', 'true');
    state.time = start;
    play(true);
    recorder.start();
  });

  const compass = document.querySelector('.compass');
  const drawCompass = () => {
    const { right, up, back } = stage.camera.axes();
    const axes = ['x', 'y', 'z'].map((name, k) => ({ name, at: [right[k], -up[k]], depth: back[k] }));
    axes.sort((a, b) => a.depth - b.depth);
    const tone = { x: '#d55e00', y: '#009e73', z: '#0072b2' };
    compass.innerHTML = axes.map(({ name, at: [x, y] }) => {
      const isSeen = Math.hypot(x, y) > 0.12;
      const line = `<line x1="0" y1="0" x2="${24 * x}" y2="${24 * y}" stroke="${tone[name]}"/>`;
      return `${line}${isSeen ? `<text x="${33 * x}" y="${33 * y}">${name}</text>` : ''}`;
    }).join('');
  };

  const rounded = (value) => String(Number(value.toPrecision(3)));
  const draw = () => {
    slider.value = state.time;
    now.textContent = `${state.time.toFixed(digits)} s`;
    slider.setAttribute('aria-valuetext', now.textContent);
    plots.show(state.time);
    if (!stage) return;
    resize(density());
    stage.draw(state.time);
    drawCompass();
    const { planar, water } = motions[0];
    const says = stage.options.grid && !(water && !planar) ? `grid ${rounded(stage.cell)} m` : '';
    document.querySelector('.cell').textContent = says;
    canvas.setAttribute('aria-label', `${document.title} at ${now.textContent}`);
  };

  // ---- A picture is drawn when something has changed.
  let [isAsked, last] = [false, 0];
  function ask() {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(frame);
  }
  function frame(moment) {
    isAsked = false;
    const passed = Math.min(0.1, Math.max(0, (moment - last) / 1000));
    last = moment;
    if (state.isPlaying) {
      state.time += passed * state.speed;
      if (recorder && state.time >= end) { state.time = end; play(false); recorder.stop(); }
      if (state.time >= end && state.loops && state.isPlaying && duration > 0) state.time = start + ((state.time - start) % duration);
      if (state.time >= end && state.isPlaying) { state.time = end; play(false); }
    }
    draw();
    if (state.isPlaying) ask();
  }
  new ResizeObserver(() => { stage?.fit(); ask(); }).observe(canvas);
  plots.listen((time) => jump(time));

  const address = new URLSearchParams(location.hash.slice(1));
  if (address.has('dark')) theme(address.get('dark') !== '0'); else style();
  if (stage) {
    if (address.has('view')) stage.camera.view(address.get('view'));
    if (address.has('ghosts')) {
      form.elements.ghosts.value = address.get('ghosts');
      stage.options.ghosts = Number(form.elements.ghosts.value);
    }
    if (address.has('beside')) form.elements.beside?.click();
    press();
    stage.fit();
  }
  if (address.has('film')) {
    // The last picture is that of the end; both ends are shown even of motions that are over at once.
    const times = (rate, pace) => {
      const count = clamp(Math.round(duration / pace * rate), 1, 1e6);
      return Array.from({ length: count + 1 }, (_, k) => start + duration * k / count);
    };
    const label = () => motions.filter((motion) => motion.mark && motion.isShown)
      .map((motion) => ({ text: motion.label, color: motion.mark.style.color }));
    if (stage) film(address, { canvas, stage, start, end, usual, digits, times, label });
    else document.documentElement.textContent = 'PICTURES[no WebGL 2]PICTURES';
    return;
  }
  if (address.has('t')) jump(Number(address.get('t')));
  const isQuiet = matchMedia('(prefers-reduced-motion: reduce)').matches;
  play(address.has('play') ? address.get('play') !== '0' : !isQuiet && !address.has('t'));
  draw();
  // For tests and other scripts.
  window.animation = { state, stage, jump, play, draw, frame };
})();
