// Opens the page at three sizes, light and dark, and tries what a viewer does; faults are written into this document.
'use strict';
const faults = [];
const pause = (time) => new Promise((done) => setTimeout(done, time));
const all = (document, selector) => [...document.querySelectorAll(selector)];
const expect = (holds, what) => { if (!holds) faults.push(what); };

async function open(width, height, hash) {
  document.querySelector('iframe')?.remove();
  const frame = document.createElement('iframe');
  [frame.width, frame.height] = [width, height];
  frame.style.border = '0';
  const loaded = new Promise((done) => { frame.onload = done; });
  frame.src = `page.html#${hash}`;
  document.body.prepend(frame);
  await loaded;
  await pause(300);
  return frame.contentWindow;
}

// The pixels of the picture at a time.
function pixels(page, time) {
  const { stage } = page.animation;
  stage.draw(time);
  const { gl } = stage.renderer;
  const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
  const data = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
  return data;
}

// The part of pixels that differ clearly.
function difference(a, b) {
  let count = 0;
  for (let k = 0; k < a.length; k += 4) {
    if (Math.abs(a[k] - b[k]) + Math.abs(a[k + 1] - b[k + 1]) + Math.abs(a[k + 2] - b[k + 2]) > 60) count += 1;
  }
  return count / (a.length / 4);
}

function pictures(page, what) {
  const { start, end } = page.animation.stage.motions[0];
  const times = [0.05, 0.35, 0.7].map((part) => start + part * (end - start));
  const shown = times.map((time) => pixels(page, time));
  expect(difference(shown[0], pixels(page, times[0])) === 0, `${what}: one instant has two pictures`);
  expect(difference(shown[0], shown[1]) > 0.002 && difference(shown[1], shown[2]) > 0.002, `${what}: nothing moves`);
  // Bodies are seen: without them, the picture is another.
  const { options } = page.animation.stage;
  options.bodies = false;
  expect(difference(shown[0], pixels(page, times[0])) > 0.002, `${what}: no bodies`);
  options.bodies = true;
  // Meshes of files are among them, in each motion.
  pixels(page, times[0]);
  const { stage } = page.animation;
  const files = JSON.parse(page.document.getElementById('meshes').textContent).length;
  const read = [...stage.renderer.meshes.values()].filter((mesh) => mesh.bothSides);
  const isDrawn = read.every((mesh) => mesh.lists[0].length >= 16 * stage.motions.length);
  expect(read.length === files && isDrawn, `${what}: ${read.length} meshes of ${files} files`);
  // What is drawn is within the picture.
  const { camera, canvas, balls, extent } = page.animation.stage;
  const matrix = camera.matrix(canvas.width / canvas.height, extent);
  const outside = balls.filter(({ at }) => {
    const [x, y, , w] = [0, 1, 2, 3].map((i) => matrix[i] * at[0] + matrix[4 + i] * at[1] + matrix[8 + i] * at[2] + matrix[12 + i]);
    return Math.abs(x) > 1.001 * w || Math.abs(y) > 1.001 * w;
  });
  expect(outside.length === 0, `${what}: ${outside.length} of ${balls.length} places are outside`);
}

function names(page, what) {
  const { document } = page;
  for (const control of all(document, 'button, summary, select, input')) {
    const name = control.getAttribute('aria-label') || control.textContent.trim() || control.labels?.[0]?.textContent.trim();
    expect(name, `${what}: no name: ${control.outerHTML.slice(0, 80)}`);
  }
  expect(document.querySelector('canvas').getAttribute('aria-label'), `${what}: a picture without description`);
  expect(document.documentElement.lang === 'en' && document.title, `${what}: no language or title`);
}

// Controls are within the stage and do not cover each other.
function places(page, what) {
  const { document } = page;
  const root = document.documentElement;
  expect(root.scrollWidth <= root.clientWidth, `${what}: ${root.scrollWidth} px wide`);
  const stage = document.querySelector('.stage').getBoundingClientRect();
  const boxes = all(document, '.views, .show summary, .transport, .compass, .notes').map((part) => part.getBoundingClientRect());
  for (const [k, a] of boxes.entries()) {
    const isInside = a.left >= stage.left && a.right <= stage.right + 0.5 && a.top >= stage.top && a.bottom <= stage.bottom;
    expect(isInside, `${what}: control ${k} is outside of the stage`);
    for (const b of boxes.slice(k + 1)) {
      const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      expect(apart, `${what}: controls ${k} and another cover each other`);
    }
  }
}

async function controls(page) {
  const { document, animation } = page;
  const { stage, state } = animation;
  const key = (name, on = document.body) => on.dispatchEvent(new page.KeyboardEvent('keydown', { key: name, bubbles: true }));
  const byId = (id) => document.getElementById(id);
  key('Home');
  key('ArrowRight');
  expect(state.time > stage.motions[0].start, 'a key leads to no later instant');
  key('End');
  expect(state.time === stage.motions[0].end, 'the end is not reached');
  key(' ');
  // Where nothing is painted, no pictures are asked for.
  animation.frame(5000);
  animation.frame(5050);
  expect(state.isPlaying && state.time > 0 && state.time < stage.motions[0].end, 'it does not play');
  byId('play').click();
  expect(!state.isPlaying, 'it does not pause');
  const turn = stage.camera.turn;
  document.querySelector('[data-view=x]').click();
  expect(stage.camera.turn !== turn && Math.abs(stage.camera.axes().back[0]) > 0.99, 'no view along x');
  const before = stage.camera.distance;
  const canvas = document.querySelector('canvas');
  canvas.dispatchEvent(new page.WheelEvent('wheel', { deltaY: 100, bubbles: true, cancelable: true }));
  expect(stage.camera.distance > before, 'the wheel does nothing');
  const box = canvas.getBoundingClientRect();
  const pointer = (name, x, y) => canvas.dispatchEvent(new page.PointerEvent(name, {
    clientX: box.left + x, clientY: box.top + y, pointerId: 7, buttons: 1, bubbles: true,
  }));
  canvas.setPointerCapture = () => {};
  const height = stage.camera.height;
  pointer('pointerdown', 100, 100);
  pointer('pointermove', 160, 140);
  pointer('pointerup', 160, 140);
  expect(stage.camera.height !== height, 'a drag does not turn');
  byId('fit').click();
  expect(Math.abs(stage.camera.distance - before) > 0, 'nothing fits');
  // A plot follows the time, and leads to it.
  const svg = document.querySelector('figure svg');
  animation.jump(stage.motions[0].start);
  animation.draw();
  const line = () => svg.querySelector('.now').getAttribute('d');
  const first = line();
  const frame = svg.getBoundingClientRect();
  const at = { clientX: frame.left + 0.6 * frame.width, clientY: frame.top + 0.4 * frame.height, bubbles: true };
  svg.dispatchEvent(new page.PointerEvent('pointerdown', { ...at, button: 2, pointerType: 'touch' }));
  svg.dispatchEvent(new page.MouseEvent('click', at));
  animation.draw();
  const part = (state.time - stage.motions[0].start) / (stage.motions[0].end - stage.motions[0].start);
  expect(part > 0.4 && part < 0.7, `a click on a plot leads to ${part}`);
  expect(first && line() && line() !== first, 'the plot does not follow');
  // Layers, earlier positions, motions.
  const plain = pixels(page, 1);
  stage.options.ghosts = 5;
  expect(difference(plain, pixels(page, 1)) > 0.001, 'no earlier positions');
  stage.options.ghosts = 0;
  const box1 = document.querySelector('.runs input');
  if (box1) {
    box1.click();
    expect(difference(plain, pixels(page, 1)) > 0.001, 'a motion is not switched off');
    box1.click();
  }
  const ground = stage.colors.ground.join();
  byId('theme').click();
  expect(stage.colors.ground.join() !== ground, 'light and dark are the same');
}

(async () => {
  if (!document.createElement('canvas').getContext('webgl2')) {
    document.body.textContent = 'RESULT[no WebGL 2]RESULT';
    return;
  }
  for (const [width, height] of [[390, 780], [900, 1000], [1600, 900]]) {
    for (const dark of [0, 1]) {
      const what = `${width} px${dark ? ', dark' : ''}`;
      const page = await open(width, height, `play=0&t=0&dark=${dark}`);
      pictures(page, what);
      names(page, what);
      places(page, what);
      if (width > 1000) await controls(page);
      faults.push(...page.faults.map((fault) => `${what}: ${fault}`));
    }
  }
  document.body.textContent = `RESULT[${[...new Set(faults)].join('\n')}]RESULT`;
})().catch((error) => { document.body.textContent = `RESULT[${error}: ${error.stack}]RESULT`; });
