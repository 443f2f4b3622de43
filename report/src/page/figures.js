// Figures: values under the pointer, zoom, and curves that can be switched off.
//
// The paths of a figure are its data: places in units of the canvas, each relative to the one before (plot/path.rs).
// `data-box` is the frame, `data-x` and `data-y` the range of each axis and whether it is logarithmic.
{
  const SVG = 'http://www.w3.org/2000/svg';
  const make = (name, attributes, parent) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent?.append(element);
    return element;
  };
  const raised = (letter) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(letter)];
  const superscript = (number) => String(number).replace(/[-\d]/g, raised);
  const readable = (value, digits) => {
    if (value === 0) return '0';
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    const isPlain = exponent >= -2 && exponent < 6;
    const scientific = `${mantissa}·10${superscript(Number(exponent))}`;
    const text = isPlain ? String(Number(value.toPrecision(digits))) : scientific;
    return text.replace(/^-/, '−');
  };

  // One axis: positions are fractions of the whole range.
  const axis = (described) => {
    const [low, high, isLog] = described.split(',').map(Number);
    const [from, to] = isLog ? [Math.log10(low), Math.log10(high)] : [low, high];
    return {
      value: (fraction) => { const at = from + fraction * (to - from); return isLog ? 10 ** at : at; },
      // Fractions and labels of round values between two fractions.
      ticks(first, last) {
        const [a, b] = [from + first * (to - from), from + last * (to - from)];
        const raw = (b - a) / 6;
        const power = 10 ** Math.floor(Math.log10(raw));
        let step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= raw * (1 - 1e-9));
        if (isLog) step = Math.max(1, Math.round(step));
        const found = [];
        for (let k = Math.ceil(a / step - 1e-9); k * step <= b + 1e-9 * step; k += 1) found.push(k * step);
        const isFine = isLog && found.length < 2;
        const values = isFine ? [a, (a + b) / 2, b] : found;
        const label = (at) => {
          // As many digits as tell ticks apart.
          const digits = 3 + Math.max(0, Math.floor(Math.log10(Math.abs(at) / (b - a))));
          if (!isLog) return Math.abs(at) < 1e-9 * step ? '0' : readable(at, digits);
          return isFine ? readable(10 ** at, 3) : `10${superscript(at)}`;
        };
        return values.map((at) => [(at - from) / (to - from), label(at)]);
      },
    };
  };

  // The runs of a path.
  const parse = (d) => {
    const runs = [];
    let [x, y] = [0, 0];
    for (const part of d.split('m').slice(1)) {
      const numbers = part.match(/-?\d+/g).map(Number);
      const run = [];
      for (let k = 0; k < numbers.length; k += 2) run.push([x += numbers[k], y += numbers[k + 1]]);
      runs.push(run);
    }
    return runs;
  };

  class Plot {
    constructor(figure) {
      this.figure = figure;
      this.svg = figure.querySelector('.plot > svg');
      [this.left, this.top, this.right, this.bottom] = this.svg.dataset.box.split(',').map(Number);
      this.x = axis(this.svg.dataset.x);
      this.y = axis(this.svg.dataset.y);
      this.axes = this.svg.querySelector('.axes');
      this.view = [0, 1, 0, 1];
      this.chosen = [0, -1];
      const keys = all('.keys [data-curve]', figure);
      this.curves = all('.curve', this.svg).map((group, number) => ({
        group,
        name: keys.find((key) => Number(key.dataset.curve) === number)?.textContent ?? '',
        paths: all('path:not(.mark)', group).map((path) => ({ path, runs: parse(path.getAttribute('d')) })),
        texts: all('text', group).map((text) => ({ text, at: ['x', 'y'].map((name) => Number(text.getAttribute(name))) })),
      }));
      for (const curve of this.curves) curve.points = (curve.paths.at(-1)?.runs ?? []).flat();
      this.clip();
      for (const key of keys) this.button(key);
      this.found = make('circle', { class: 'found', r: 55, visibility: 'hidden' }, this.svg);
      this.tools();
      this.listen();
    }

    clip() {
      const id = `${this.figure.id}-clip`;
      const { left, top, right, bottom } = this;
      const box = { x: left, y: top, width: right - left, height: bottom - top };
      make('rect', box, make('clipPath', { id }, this.svg));
      this.clipping = `url(#${id})`;
    }

    // A key of the legend becomes a button that switches its curve.
    button(key) {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...key.childNodes);
      button.setAttribute('aria-pressed', 'true');
      button.title = 'Show or hide this curve';
      button.addEventListener('click', () => {
        const isShown = button.getAttribute('aria-pressed') === 'false';
        button.setAttribute('aria-pressed', String(isShown));
        this.curves[key.dataset.curve].group.toggleAttribute('hidden', !isShown);
        this.hide();
      });
      key.append(button);
    }

    tools() {
      const bar = document.createElement('div');
      bar.className = 'tools';
      const add = (text, label, act) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = text;
        button.setAttribute('aria-label', label);
        button.title = label;
        button.addEventListener('click', act);
        bar.append(button);
      };
      add('+', 'Zoom in', () => this.scale(0.5));
      add('−', 'Zoom out', () => this.scale(2));
      add('↺', 'Whole figure', () => this.zoom([0, 1, 0, 1]));
      add('◂', 'Previous point', () => this.walk(-1));
      add('▸', 'Next point', () => this.walk(1));
      this.readout = document.createElement('output');
      this.readout.className = 'readout';
      bar.append(this.readout);
      this.figure.querySelector('.plot').after(bar);
    }

    // A place of the whole figure where it is shown now.
    shown([x, y]) {
      const [x0, x1, y0, y1] = this.view;
      const [width, height] = [this.right - this.left, this.bottom - this.top];
      const across = ((x - this.left) / width - x0) / (x1 - x0);
      const up = ((this.bottom - y) / height - y0) / (y1 - y0);
      return [Math.round(this.left + across * width), Math.round(this.bottom - up * height)];
    }

    scale(factor) {
      const [x0, x1, y0, y1] = this.view;
      const about = (a, b) => [(a + b) / 2 - factor * (b - a) / 2, (a + b) / 2 + factor * (b - a) / 2];
      this.zoom([...about(x0, x1), ...about(y0, y1)]);
    }

    zoom(view) {
      // The same extent, moved into the figure.
      const within = (a, b) => {
        if (b - a >= 1) return [0, 1];
        const first = Math.max(0, Math.min(a, 1 - (b - a)));
        return [first, first + b - a];
      };
      this.view = [...within(view[0], view[1]), ...within(view[2], view[3])];
      const isWhole = this.view.join() === '0,1,0,1';
      for (const { group, paths, texts } of this.curves) {
        for (const { path, runs } of paths) {
          path.setAttribute('d', runs.map((run) => 'M' + run.map((at) => this.shown(at).join(' ')).join('L')).join(''));
        }
        for (const { text, at } of texts) {
          const [x, y] = this.shown(at);
          text.setAttribute('x', x);
          text.setAttribute('y', y);
        }
        if (isWhole) group.removeAttribute('clip-path'); else group.setAttribute('clip-path', this.clipping);
      }
      for (const guide of all('.guide', this.svg)) guide.toggleAttribute('hidden', !isWhole);
      this.ticks(isWhole);
      this.hide();
    }

    ticks(isWhole) {
      this.whole ??= [...this.axes.childNodes];
      if (isWhole) { this.axes.replaceChildren(...this.whole); return; }
      const [x0, x1, y0, y1] = this.view;
      const { left, top, right, bottom } = this;
      this.axes.replaceChildren();
      for (const [fraction, label] of this.x.ticks(x0, x1)) {
        const at = left + (fraction - x0) / (x1 - x0) * (right - left);
        make('path', { class: 'grid', d: `M${at} ${top}V${bottom}` }, this.axes);
        make('text', { class: 'x', x: at, y: bottom + 180 }, this.axes).textContent = label;
      }
      for (const [fraction, label] of this.y.ticks(y0, y1)) {
        const at = bottom - (fraction - y0) / (y1 - y0) * (bottom - top);
        make('path', { class: 'grid', d: `M${left} ${at}H${right}` }, this.axes);
        make('text', { class: 'y', x: left - 60, y: at + 40 }, this.axes).textContent = label;
      }
    }

    hide() {
      this.found.setAttribute('visibility', 'hidden');
      this.readout.textContent = '';
    }

    visible() {
      return this.curves.filter(({ group, points }) => !group.hasAttribute('hidden') && points.length > 0);
    }

    // Says what is at a place of a curve.
    show(name, place) {
      const [x, y] = this.shown(place);
      this.found.setAttribute('cx', x);
      this.found.setAttribute('cy', y);
      this.found.setAttribute('visibility', 'visible');
      const across = this.x.value((place[0] - this.left) / (this.right - this.left));
      const up = this.y.value((this.bottom - place[1]) / (this.bottom - this.top));
      this.readout.textContent = `${name ? `${name}: ` : ''}(${readable(across, 4)}, ${readable(up, 4)})`;
    }

    // The next point along the curve on which the last one was.
    walk(change) {
      const curves = this.visible();
      if (curves.length === 0) return;
      let [curve, index] = this.chosen;
      curve = Math.min(curve, curves.length - 1);
      const { name, points } = curves[curve];
      const isShown = (at) => {
        const [x, y] = this.shown(at);
        return x >= this.left && x <= this.right && y >= this.top && y <= this.bottom;
      };
      // Past what the zoom leaves out.
      do index += change; while (points[index] && !isShown(points[index]));
      if (!points[index]) return;
      this.chosen = [curve, index];
      this.show(name, points[index]);
    }

    // The drawn place that is nearest to the pointer.
    nearest(pointer) {
      let best = { distance: Infinity };
      this.visible().forEach((curve, number) => {
        const consider = (place, index) => {
          const [x, y] = this.shown(place);
          const distance = Math.hypot(x - pointer[0], y - pointer[1]);
          if (distance < best.distance) best = { distance, curve, number, place, index };
        };
        curve.points.forEach(consider);
        for (const { path, runs } of curve.paths) {
          if (path.matches('.dots')) continue;
          for (const run of runs) {
            for (let k = 1; k < run.length; k += 1) {
              const [a, b] = [this.shown(run[k - 1]), this.shown(run[k])];
              const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
              const part = ((pointer[0] - a[0]) * dx + (pointer[1] - a[1]) * dy) / (dx * dx + dy * dy || 1);
              if (part > 0 && part < 1) {
                consider([0, 1].map((i) => run[k - 1][i] + part * (run[k][i] - run[k - 1][i])), 0);
              }
            }
          }
        }
      });
      return best;
    }

    listen() {
      const place = (event) => {
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
        return [at.x, at.y];
      };
      let [start, box] = [null, null];
      this.svg.addEventListener('pointerdown', (event) => {
        if (event.pointerType === 'touch' || event.button !== 0) return;
        start = place(event);
        this.svg.setPointerCapture(event.pointerId);
      });
      this.svg.addEventListener('pointermove', (event) => {
        const at = place(event);
        if (start) {
          box ??= make('rect', { class: 'box' }, this.svg);
          const sizes = [0, 1].map((i) => [Math.min(start[i], at[i]), Math.abs(start[i] - at[i])]);
          const [[x, width], [y, height]] = sizes;
          for (const [key, value] of Object.entries({ x, y, width, height })) box.setAttribute(key, value);
          return;
        }
        const { distance, curve, number, place: near, index } = this.nearest(at);
        if (distance > 600) { this.hide(); return; }
        this.chosen = [number, index];
        this.show(curve.name, near);
      });
      this.svg.addEventListener('pointerup', (event) => {
        const at = place(event);
        box?.remove();
        if (start && Math.abs(at[0] - start[0]) > 100 && Math.abs(at[1] - start[1]) > 100) {
          const [x0, x1, y0, y1] = this.view;
          const across = (x) => x0 + (x - this.left) / (this.right - this.left) * (x1 - x0);
          const up = (y) => y0 + (this.bottom - y) / (this.bottom - this.top) * (y1 - y0);
          const order = (a, b) => [Math.min(a, b), Math.max(a, b)];
          this.zoom([...order(across(start[0]), across(at[0])), ...order(up(start[1]), up(at[1]))]);
        }
        [start, box] = [null, null];
      });
      this.svg.addEventListener('pointerleave', () => { if (!start) this.hide(); });
      this.svg.addEventListener('dblclick', () => this.zoom([0, 1, 0, 1]));
    }
  }

  // A figure is made ready when it comes near the window, so that the page opens at once.
  const prepare = (figure) => { figure.plot ??= new Plot(figure); };
  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      prepare(target);
    }
  }, { rootMargin: '600px' });
  for (const figure of all('figure')) {
    watch.observe(figure);
    figure.addEventListener('pointerenter', () => prepare(figure), { once: true });
  }
}
