// Opens the page at three widths and tries what a reader does; faults are written into this document.
'use strict';
const faults = [];
const pause = (time) => new Promise((done) => setTimeout(done, time));
const all = (document, selector) => [...document.querySelectorAll(selector)];
const isSeen = (element) => element.getClientRects().length > 0;

async function open(width, hash = '') {
  document.querySelector('iframe')?.remove();
  const frame = document.createElement('iframe');
  frame.width = width;
  frame.height = 900;
  frame.style.border = '0';
  const loaded = new Promise((done) => { frame.onload = done; });
  frame.src = `page.html${hash}`;
  document.body.prepend(frame);
  await loaded;
  await pause(100);
  return frame.contentWindow;
}

function expect(holds, what) {
  if (!holds) faults.push(what);
}

function overflow(page, width, what) {
  const root = page.document.documentElement;
  expect(root.scrollWidth <= root.clientWidth, `${what}, ${width} px: ${root.scrollWidth} px wide`);
}

function luminance([red, green, blue]) {
  const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

const channels = (color) => color.match(/[\d.]+/g).map(Number);

// The contrast of a text with the first ground behind it that is not transparent.
function contrast(page, element) {
  let ground = [255, 255, 255];
  for (let behind = element; behind; behind = behind.parentElement) {
    const color = channels(page.getComputedStyle(behind).backgroundColor);
    if (color.length < 4 || color[3] > 0.99) { ground = color; break; }
  }
  const text = channels(page.getComputedStyle(element).color);
  const [a, b] = [luminance(text), luminance(ground)].sort((p, q) => q - p);
  return (a + 0.05) / (b + 0.05);
}

function names(page) {
  const { document } = page;
  const ids = all(document, '[id]').map((element) => element.id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  expect(twice.length === 0, `identifiers twice: ${twice.slice(0, 3)}`);
  for (const link of all(document, 'a[href^="#"]')) {
    const id = decodeURIComponent(link.getAttribute('href').slice(1));
    expect(document.getElementById(id), `a link leads nowhere: ${id}`);
  }
  for (const row of all(document, '.claim')) {
    expect(row.querySelector('a.anchor')?.getAttribute('href') === `#${row.id}`, `no link to ${row.id}`);
  }
  let last = 1;
  for (const heading of all(document, 'h1, h2, h3, h4')) {
    const level = Number(heading.tagName[1]);
    expect(level <= last + 1, `a level of headings is left out before: ${heading.textContent}`);
    last = level;
  }
  for (const control of all(document, 'button, a, summary')) {
    const name = control.getAttribute('aria-label') || control.textContent.trim();
    expect(name, `no name: ${control.outerHTML.slice(0, 80)}`);
  }
  for (const control of all(document, 'input, select')) expect(control.labels.length > 0, `no label: ${control.name}`);
  for (const plot of all(document, 'figure .plot > svg')) {
    expect(plot.getAttribute('role') === 'img' && plot.getAttribute('aria-label'), 'a figure without description');
  }
  for (const bar of all(document, '.bar')) expect(bar.getAttribute('aria-label'), 'a bar without description');
  expect(document.documentElement.lang === 'en' && document.title, 'no language or title');
  const texts = all(document, 'p, td, th, li, dt, dd, h1, h2, h3, h4, figcaption, summary, label, .says, .meta, small');
  const faint = texts.filter((text) => isSeen(text) && contrast(page, text) < 4.5);
  expect(faint.length === 0, `${faint.length} texts of too little contrast: ${faint[0]?.outerHTML.slice(0, 80)}`);
}

async function filtering(page) {
  const { document } = page;
  const form = document.getElementById('filter');
  const experiments = () => all(document, '.experiment').filter((article) => !article.closest('[hidden]'));
  const claims = () => all(document, '.claim').filter((row) => !row.closest('[hidden]'));
  const change = (name, value) => {
    form.elements[name].value = value;
    form.dispatchEvent(new page.Event('input', { bubbles: true }));
  };
  const [whole, key] = [claims().length, form.elements.paper.options[1].value];
  change('paper', key);
  const inPaper = experiments().every((article) => article.closest('[data-paper]').dataset.paper === key);
  expect(inPaper && experiments().length > 0 && claims().length < whole, 'the filter by document');
  change('paper', '');
  const box = form.querySelector('[name=verdict]');
  box.click();
  const some = claims();
  expect(some.length > 0 && some.length < whole, 'the filter by verdict');
  expect(some.every((row) => row.dataset.verdict === box.value && row.closest('details').open), 'claims of a verdict');
  box.click();
  const word = document.querySelector('.claim th').textContent.split(' ')[0].toLowerCase();
  change('text', word);
  expect(claims().length > 0, 'the search finds what is there');
  change('text', 'qqqqqq');
  expect(claims().length === 0 && experiments().length === 0, 'the search finds what is not there');
  form.reset();
  await pause(50);
  expect(claims().length === whole && experiments().length > 0, 'the filter is reset');
}

async function figures(page) {
  const { document } = page;
  const figure = document.querySelector('figure');
  figure.scrollIntoView();
  // Where nothing is painted, nothing comes near the window.
  figure.dispatchEvent(new page.PointerEvent('pointerenter'));
  expect(figure.querySelector('.tools'), 'a figure is not made ready');
  if (!figure.querySelector('.tools')) return;
  const svg = figure.querySelector('.plot > svg');
  const readout = figure.querySelector('.readout');
  const state = () => all(svg, 'path, text').map((part) => part.getAttribute('d') ?? part.textContent).join();
  const before = all(svg, '.axes text').map((text) => text.textContent).join();
  const press = (label) => figure.querySelector(`[aria-label="${label}"]`).click();
  press('Next point');
  expect(/\(.+, .+\)/.test(readout.textContent), 'no values of a point');
  press('Zoom in');
  expect(all(svg, '.axes text').map((text) => text.textContent).join() !== before, 'zoom leaves the ticks');
  expect(!/NaN|undefined/.test(state()), 'zoom makes numbers that are none');
  press('Whole figure');
  expect(all(svg, '.axes text').map((text) => text.textContent).join() === before, 'the whole figure has other ticks');
  const box = svg.getBoundingClientRect();
  const curve = svg.querySelector('.curve path').getBoundingClientRect();
  const at = { clientX: curve.left + curve.width / 2, clientY: curve.top + curve.height / 2, bubbles: true };
  svg.dispatchEvent(new page.PointerEvent('pointermove', at));
  expect(box.width > 0 && svg.querySelector('.found'), 'no mark under the pointer');
  const key = figure.querySelector('.keys button');
  if (key) {
    key.click();
    expect(key.getAttribute('aria-pressed') === 'false' && svg.querySelector('.curve[hidden]'), 'a curve stays');
    key.click();
    expect(!svg.querySelector('.curve[hidden]'), 'a curve does not return');
  }
}

// The rules of axe-core, where its file is given.
async function axe(page, width) {
  const script = page.document.createElement('script');
  script.src = 'axe.js';
  const loaded = new Promise((done) => { script.onload = done; });
  page.document.head.append(script);
  await loaded;
  if (!page.axe) return;
  const { violations } = await page.axe.run(page.document, { resultTypes: ['violations'] });
  for (const { id, impact, nodes } of violations) {
    if (impact === 'serious' || impact === 'critical') {
      faults.push(`axe, ${width} px: ${id}, ${nodes.length} times: ${nodes[0].html.slice(0, 120)}`);
    }
  }
}

(async () => {
  for (const width of [400, 1000, 1920]) {
    const page = await open(width);
    overflow(page, width, 'folded');
    await figures(page);
    await filtering(page);
    for (const fold of all(page.document, 'details')) fold.open = true;
    await pause(50);
    overflow(page, width, 'unfolded');
    names(page);
    await axe(page, width);
    faults.push(...page.faults.map((fault) => `${width} px: ${fault}`));
  }
  const { document: first } = await open(1000);
  const id = all(first, '.claim').at(-1).id;
  const { document: second } = await open(1000, `#${encodeURIComponent(id)}`);
  expect(second.getElementById(id).closest('details').open, 'a link to a claim does not unfold it');
  document.body.textContent = `RESULT[${[...new Set(faults)].join('\n')}]RESULT`;
})().catch((error) => { document.body.textContent = `RESULT[${error}: ${error.stack}]RESULT`; });
