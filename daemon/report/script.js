'use strict';
// Wide tables show where they go on.
(() => {
  const mark = (box) => box.toggleAttribute('data-more', box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
  const boxes = [...document.querySelectorAll('.scroll')];
  const all = () => boxes.forEach(mark);
  boxes.forEach((box) => box.addEventListener('scroll', () => mark(box), { passive: true }));
  window.addEventListener('resize', all);
  all();
})();
(() => {
  const form = document.querySelector('.filter');
  if (!form) return;
  const cards = [...document.querySelectorAll('.card')];
  const groups = [...document.querySelectorAll('section.group')];
  const home = new Map(cards.map((c, i) => [c, i]));
  const count = form.querySelector('.count');
  const fields = ['test', 'model', 'status', 'outcome'];
  let current = null;

  const shown = () => [...document.querySelectorAll('.card')].filter((c) => !c.hidden);
  const value = (name) => (form[name] ? form[name].value : '');

  function order() {
    const way = value('order');
    const rank = (c) => (c.dataset.score === '' ? -Infinity : +c.dataset.score);
    const by = { line: (a, b) => a.dataset.line - b.dataset.line, down: (a, b) => rank(b) - rank(a) }[way] || (() => 0);
    for (const g of groups) {
      const box = g.querySelector('.cards');
      const list = [...box.children];
      list.sort((a, b) => by(a, b) || home.get(a) - home.get(b));
      box.append(...list);
    }
  }

  function apply() {
    const words = value('find').toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const c of cards) {
      const text = words.length ? c.textContent.toLowerCase() : '';
      const ok = fields.every((f) => !value(f) || c.dataset[f] === value(f)) && words.every((w) => text.includes(w));
      c.hidden = !ok;
      if (ok) n++;
    }
    for (const g of groups) {
      const k = [...g.querySelectorAll('.card')].filter((c) => !c.hidden).length;
      g.hidden = k === 0;
      g.querySelector('h2 .here').textContent = k;
    }
    count.textContent = n + (n < cards.length ? ' of ' + cards.length : '') + ' on this page';
  }

  function go(step) {
    const list = shown();
    if (!list.length) return;
    const focused = document.activeElement && document.activeElement.closest('.card');
    const at = list.indexOf(focused || current);
    select(list[at < 0 ? 0 : Math.max(0, Math.min(list.length - 1, at + step))]);
  }

  function select(card) {
    if (current) current.classList.remove('current');
    current = card;
    card.classList.add('current');
    card.querySelector('summary').focus({ preventScroll: true });
    card.scrollIntoView({ block: 'nearest' });
  }

  function help() {
    const keys = document.getElementById('keys');
    keys.hidden = !keys.hidden;
    form.querySelector('.help').setAttribute('aria-expanded', String(!keys.hidden));
    if (!keys.hidden) keys.scrollIntoView({ block: 'nearest' });
  }

  form.addEventListener('input', (e) => {
    if (e.target.name === 'order') order();
    apply();
  });
  form.querySelector('.help').addEventListener('click', help);

  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
      if (e.key === 'Escape') e.target.blur();
      return;
    }
    const keys = {
      j: () => go(1),
      k: () => go(-1),
      e: () => shown().slice(0, 200).forEach((c) => (c.open = true)),
      c: () => cards.forEach((c) => (c.open = false)),
      '/': () => form.find.focus(),
      '?': help,
    };
    if (keys[e.key]) {
      e.preventDefault();
      keys[e.key]();
    }
  });

  // The address names a card, or the group that a mean of the tables leads to.
  function open() {
    const to = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!to) return;
    if (to.classList.contains('group')) {
      for (const f of ['status', 'outcome', 'find']) form[f].value = '';
      form.test.value = to.dataset.test;
      if (form.model) form.model.value = to.dataset.model;
      apply();
      to.scrollIntoView({ block: 'start' });
    } else if (to.classList.contains('card')) {
      to.open = true;
      select(to);
      to.scrollIntoView({ block: 'start' });
    }
  }
  window.addEventListener('hashchange', open);
  // The same link again changes no address.
  document.addEventListener('click', (e) => {
    const a = e.target.closest('td a[href^="#"]');
    if (a && a.hash === location.hash) open();
  });
  apply();
  open();
})();
