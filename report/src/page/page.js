// Folding, links and the filter. Without this script everything is shown, unfolded.
'use strict';
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const folds = all('details.fold');
const form = document.getElementById('filter');
const output = form.querySelector('output');
const wide = matchMedia('(min-width: 1500px)');

// What the address names is shown, and what contains it is unfolded.
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest('[hidden]')) form.reset();
  for (let fold = target.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  target.scrollIntoView();
}

const claims = all('.claim').map((row) => ({ row, text: row.textContent.toLowerCase() }));
const experiments = all('.experiment').map((article) => ({
  article,
  fold: article.querySelector('details.claims'),
  claims: claims.filter(({ row }) => article.contains(row)),
  // What belongs to all claims of the experiment: its heading and place, captions, notes.
  text: all('h3, .meta, figcaption, :scope > p', article).map((part) => part.textContent).join(' ').toLowerCase(),
  paper: article.closest('[data-paper]').dataset.paper,
}));

function filter() {
  const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const paper = form.elements.paper.value;
  const verdicts = new Set(all('[name=verdict]:checked', form).map((box) => box.value));
  const isLimited = words.length > 0 || verdicts.size > 0;
  let shown = 0;
  for (const { article, fold, claims: rows, text, paper: key } of experiments) {
    const isPaper = !paper || paper === key;
    const left = words.filter((word) => !text.includes(word));
    let matches = 0;
    for (const { row, text: own } of rows) {
      const isShown = isPaper && left.every((word) => own.includes(word))
        && (verdicts.size === 0 || verdicts.has(row.dataset.verdict));
      row.hidden = !isShown;
      if (isShown) matches += 1;
    }
    shown += matches;
    article.hidden = !isPaper || (isLimited && matches === 0);
    if (fold && isLimited) fold.open = matches > 0 && (verdicts.size > 0 || left.length > 0);
  }
  for (const section of all('section.paper')) {
    section.hidden = (paper && section.dataset.paper !== paper) || !section.querySelector('.experiment:not([hidden])');
  }
  output.textContent = `${shown} of ${claims.length} claims`;
}

for (const fold of folds) fold.open = fold.parentElement.tagName === 'NAV' && wide.matches;
form.hidden = false;
form.addEventListener('input', filter);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(() => {
  for (const fold of folds) if (fold.matches('.claims')) fold.open = false;
  filter();
}));
form.elements.unfold.addEventListener('click', () => {
  const isOpen = form.elements.unfold.textContent === 'Fold all';
  for (const fold of folds) if (fold.parentElement.tagName !== 'NAV') fold.open = !isOpen;
  form.elements.unfold.textContent = isOpen ? 'Unfold all' : 'Fold all';
});
addEventListener('hashchange', reveal);
// On paper everything is unfolded.
let folded = [];
addEventListener('beforeprint', () => {
  folded = folds.filter((fold) => !fold.open);
  for (const fold of folded) fold.open = true;
});
addEventListener('afterprint', () => { for (const fold of folded) fold.open = false; });
filter();
reveal();
