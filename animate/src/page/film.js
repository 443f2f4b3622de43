// Pictures as text in the place of the page, which `hamel animate` makes files and films of:
// #film=25&speed=1&first=0&count=50&size=960x540 are pictures of a film of 25 a second, #film=0&t=1.5 is one.
function film(address, { canvas, stage, start, end, usual, digits, times, label }) {
  const [width, height] = address.get('size').split('x').map(Number);
  Object.assign(canvas, { width, height });
  Object.assign(canvas.style, { position: 'fixed', width: `${width}px`, height: `${height}px` });
  stage.fit([12, 30]);
  const rate = Number(address.get('film'));
  const shown = rate === 0 ? [clamp(Number(address.get('t') ?? start), start, end)] : times(rate, Number(address.get('speed') ?? usual));
  const sheet = document.createElement('canvas');
  Object.assign(sheet, { width, height });
  const pen = sheet.getContext('2d');
  const style = getComputedStyle(document.documentElement);
  const write = (text, color, x, y) => {
    pen.font = `${Math.max(12, Math.round(height / 34))}px system-ui, sans-serif`;
    pen.fillStyle = color;
    pen.fillText(text, x, y);
    return pen.measureText(text).width;
  };
  const bytes = (address) => Array.from(atob(address.split(',')[1]), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'));
  const first = Number(address.get('first') ?? 0);
  const part = shown.slice(first, first + Number(address.get('count') ?? 1));
  const lines = part.map((time) => {
    stage.draw(time);
    pen.drawImage(canvas, 0, 0);
    const [margin, base] = [Math.round(height / 40), height - Math.round(height / 40)];
    if (rate > 0) write(`${time.toFixed(digits)} s`, style.getPropertyValue('--soft'), margin, base);
    let x = margin;
    for (const { text, color } of label()) x += write(text, color, x, margin + Math.round(height / 40)) + 2 * margin;
    return bytes(sheet.toDataURL('image/png')).join('');
  });
  document.documentElement.textContent = `PICTURES[${[shown.length, ...lines].join('\n')}]PICTURES`;
}
