// Plots that follow the time: a line at the present instant, and a jump to the instant that is clicked.
const plots = (() => {
  const figures = all('figure').filter((figure) => figure.querySelector('.plot > svg')?.dataset.x.split(',')[2] !== '1');
  const lines = figures.map((figure) => {
    const svg = figure.querySelector('.plot > svg');
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    line.setAttribute('class', 'now');
    svg.append(line);
    return { figure, svg, line };
  });
  const numbers = (text) => text.split(',').map(Number);

  const show = (time) => {
    for (const { figure, svg, line } of lines) {
      const [left, top, right, bottom] = numbers(svg.dataset.box);
      const [low, high] = numbers(svg.dataset.x);
      const [from, to] = figure.plot?.view ?? [0, 1];
      const at = left + ((time - low) / (high - low) - from) / (to - from) * (right - left);
      line.setAttribute('d', at >= left - 1 && at <= right + 1 ? `M${Math.round(at)} ${top}V${bottom}` : '');
    }
  };

  const listen = (jump) => {
    for (const { figure, svg } of lines) {
      let down = [0, 0];
      svg.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
      svg.addEventListener('click', (event) => {
        if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 5) return;
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        const [left, , right] = numbers(svg.dataset.box);
        const [low, high] = numbers(svg.dataset.x);
        const [from, to] = figure.plot?.view ?? [0, 1];
        const part = from + clamp((at.x - left) / (right - left), 0, 1) * (to - from);
        jump(low + part * (high - low));
      });
    }
  };
  return { show, listen };
})();
