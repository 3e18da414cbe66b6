// Makes the figures of the page react. Nothing on the page needs it: without, every figure is shown as drawn.
'use strict';
(() => {
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const namespace = document.querySelector('svg.defs')?.namespaceURI;
  const svgElement = (tag, attributes, text) => {
    const element = document.createElementNS(namespace, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // ---- axes ----

  const superscript = (k) => [...String(k)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c])).join('');

  class Axis {
    constructor(pixel0, value0, pixel1, value1, base) {
      Object.assign(this, {pixel0, value0, pixel1, value1, base});
    }
    static of(text) { return new Axis(...text.split(' ').map(Number)); }
    share(value) {
      return this.base ? Math.log(value / this.value0) / Math.log(this.value1 / this.value0)
                       : (value - this.value0) / (this.value1 - this.value0);
    }
    pixel(value) {
      if (this.base && !(value > 0)) return this.pixel0;
      return this.pixel0 + this.share(value) * (this.pixel1 - this.pixel0);
    }
    value(pixel) {
      const share = (pixel - this.pixel0) / (this.pixel1 - this.pixel0);
      return this.base ? this.value0 * Math.pow(this.value1 / this.value0, share)
                       : this.value0 + share * (this.value1 - this.value0);
    }
    /** Pixels have two decimals: no more digits than they tell. */
    text(pixel) {
      const value = this.value(pixel);
      if (this.base === 2) {
        const exponent = Math.log2(value), whole = Math.round(exponent);
        if (whole >= 10 && Math.abs(exponent - whole) < 2e-3) return '2' + superscript(whole);
      }
      const error = Math.abs(this.value(pixel + 0.01) - value);
      const digits = Math.max(1, Math.min(3, Math.floor(Math.log10(Math.abs(value) / error))));
      return plain(value, Number.isFinite(digits) ? digits : 1);
    }
    ticks() {
      if (this.base === 2) return this.powers(2, 8);
      if (this.base === 10) {
        const decades = Math.log10(this.value1 / this.value0);
        return decades > 2.5 ? this.powers(10, 10) : this.digits();
      }
      const raw = (this.value1 - this.value0) / 6, power = Math.pow(10, Math.floor(Math.log10(raw)));
      const step = power * [1, 2, 5, 10].find((digit) => digit * power >= raw);
      const found = [];
      for (let k = Math.ceil(this.value0 / step); k * step <= this.value1 * (1 + 1e-9); ++k)
        found.push([k * step, plain(k * step, 3)]);
      return found;
    }
    powers(base, most) {
      const first = Math.ceil(Math.log(this.value0) / Math.log(base) - 1e-9),
            last = Math.floor(Math.log(this.value1) / Math.log(base) + 1e-9),
            step = 1 + Math.floor((last - first) / most), found = [];
      for (let k = Math.ceil(first / step) * step; k <= last; k += step) {
        const value = Math.pow(base, k);
        found.push([value, value >= 0.001 && value < 10000 ? plain(value, 5) : base + superscript(k)]);
      }
      return found;
    }
    digits() {
      const found = [];
      for (let k = Math.floor(Math.log10(this.value0)); Math.pow(10, k) <= this.value1; ++k)
        for (const digit of this.value1 / this.value0 > 4 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]) {
          const value = digit * Math.pow(10, k);
          if (value >= this.value0 && value <= this.value1) found.push([value, plain(value, 3)]);
        }
      return found;
    }
  }

  /** So many significant digits, without an exponent from 0.0001 to a million. */
  const plain = (value, digits) => {
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace('e+', 'e');
    const rounded = Number(value.toPrecision(digits));
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
    return rounded.toFixed(Math.min(decimals, 9));
  };

  // ---- a figure ----

  const pair = /(-?[\d.]+) (-?[\d.]+)/g;
  const pairs = (d) => [...d.matchAll(pair)].map((match) => [Number(match[1]), Number(match[2])]);

  class Figure {
    constructor(element) {
      this.element = element;
      this.svg = element.querySelector('svg.figure');
      this.drawn = {x: Axis.of(this.svg.dataset.x), y: Axis.of(this.svg.dataset.y)};
      this.axes = {...this.drawn};
      this.paths = [...this.svg.querySelectorAll('g[data-k] path')].map((path) => ({path, d: path.getAttribute('d')}));
      this.hasBoxes = this.svg.querySelector('.x') !== null;
      this.words = this.svg.querySelector('.words') !== null;
      this.nearest = null;
      this.addLegend();
      this.addTools();
      this.addReadout();
    }

    label(k) {
      const entry = this.element.querySelector(`.legend [data-k="${k}"]`);
      return entry ? entry.textContent : '';
    }

    addLegend() {
      for (const entry of this.element.querySelectorAll('.legend li[data-k]')) {
        const button = make('button', '', {type: 'button', 'aria-pressed': 'true', title: 'Show or hide'});
        button.append(...entry.childNodes);
        entry.append(button);
        button.addEventListener('click', () => {
          const shown = button.getAttribute('aria-pressed') === 'false';
          button.setAttribute('aria-pressed', String(shown));
          for (const group of this.svg.querySelectorAll(`g[data-k="${entry.dataset.k}"]`))
            group.toggleAttribute('hidden', !shown);
          this.clear();
        });
      }
    }

    addTools() {
      const tools = make('div', '', {class: 'tools'});
      for (const name of this.hasBoxes ? [] : this.words ? ['y'] : ['x', 'y']) {
        const axis = this.drawn[name], other = axis.base ? 'linear' : 'logarithmic';
        if (!axis.base && !(this.smallest(name) > 0)) continue;
        const button = make('button', `${name} axis ${other}`, {type: 'button', 'aria-pressed': 'false'});
        button.addEventListener('click', () => {
          const changed = button.getAttribute('aria-pressed') === 'false';
          button.setAttribute('aria-pressed', String(changed));
          this.rescale(name, changed);
        });
        tools.append(button);
      }
      if (tools.childElementCount) this.svg.after(tools);
    }

    // -- the other scale --

    /** The smallest positive value that is drawn. */
    smallest(name) {
      const axis = this.drawn[name], index = name === 'x' ? 0 : 1;
      let smallest = Infinity;
      for (const {path, d} of this.paths)
        if (path.matches('.l, .p'))
          for (const point of pairs(d)) {
            const value = axis.value(point[index]);
            if (value > 0 && Math.abs(point[index] - axis.pixel0) > 0.02) smallest = Math.min(smallest, value);
          }
      return Number.isFinite(smallest) ? smallest : 0;
    }

    other(name) {
      const {pixel0, value0, pixel1, value1, base} = this.drawn[name];
      if (base) return new Axis(pixel0, 0, pixel1, value1, 0);
      return new Axis(pixel0, this.smallest(name) / 1.15, pixel1, value1, 10);
    }

    rescale(name, changed) {
      this.axes[name] = changed ? this.other(name) : this.drawn[name];
      for (const {path, d} of this.paths)
        path.setAttribute('d', d.replace(pair, (match, x, y) => `${this.place('x', x)} ${this.place('y', y)}`));
      const drawn = this.svg.querySelector('.t' + name);
      drawn.toggleAttribute('hidden', changed);
      this.svg.querySelector('.t.again-' + name)?.remove();
      if (changed) drawn.after(this.ticks(name));
      this.clear();
    }

    place(name, pixel) {
      const from = this.drawn[name], to = this.axes[name];
      if (from === to) return pixel;
      const low = Math.min(to.pixel0, to.pixel1), high = Math.max(to.pixel0, to.pixel1);
      return Math.min(high, Math.max(low, to.pixel(from.value(Number(pixel))))).toFixed(2);
    }

    ticks(name) {
      const axis = this.axes[name], {x, y} = this.drawn;
      const group = svgElement('g', {class: `t t${name}-again again-${name}`});
      let d = '';
      const texts = [];
      for (const [value, text] of axis.ticks()) {
        const at = axis.pixel(value).toFixed(2);
        d += name === 'x' ? `M${at} ${y.pixel0}V${y.pixel1}` : `M${x.pixel0} ${at}H${x.pixel1}`;
        texts.push(name === 'x' ? svgElement('text', {x: at, y: y.pixel0 + 20, 'text-anchor': 'middle'}, text)
                                : svgElement('text', {x: x.pixel0 - 8, y: Number(at) + 5, 'text-anchor': 'end'}, text));
      }
      group.append(svgElement('path', {d}), ...texts);
      return group;
    }

    // -- values --

    /** The points of the curves shown, in the order of x: {k, x, y, low, high}. */
    points() {
      const {x: horizontal, y: vertical} = this.axes, found = [];
      const atEdge = (y) => Math.abs(y - vertical.pixel1) < 0.03;  // where gnuplot cuts a line
      for (const {path} of this.paths) {
        const group = path.parentNode, k = group.dataset.k;
        if (group.hasAttribute('hidden') || !this.label(k)) continue;
        const vertices = pairs(path.getAttribute('d'));
        if (path.matches('.x')) {
          for (let i = 0; i + 3 < vertices.length; i += 4) {
            const corners = vertices.slice(i, i + 4), xs = corners.map((c) => c[0]), ys = corners.map((c) => c[1]);
            const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
            found.push({k, x: (left + right) / 2, y: (top + bottom) / 2, box: {left, right, top, bottom}});
          }
        } else if (path.matches('.p')) {
          const bars = this.bars(group);
          for (const [x, y] of vertices) found.push({k, x, y, bar: bars.get(x)});
        } else if (path.matches('.l')) {
          const line = this.svg.querySelector(`g[data-k="${k}"] .p`) !== null;  // beside markers of the same name
          for (const [x, y] of vertices)
            if (!atEdge(y)) found.push({k, x, y, line});
        }
      }
      const marked = new Set(found.filter(({line}) => !line).map(({k, x, y}) => `${k} ${x} ${y}`));
      return found.filter(({k, x, y, line}) => x >= horizontal.pixel0 - 1 && x <= horizontal.pixel1 + 1 &&
                                               !(line && marked.has(`${k} ${x} ${y}`))).sort((a, b) => a.x - b.x);
    }

    bars(group) {
      const path = group.querySelector('.b'), found = new Map();
      if (!path) return found;
      const ends = pairs(path.getAttribute('d'));
      for (let i = 0; i + 1 < ends.length; i += 2) found.set(ends[i][0], [ends[i][1], ends[i + 1][1]]);
      return found;
    }

    describe(point) {
      const {x, y} = this.axes;
      const xName = this.svg.querySelector('.xl').textContent, yName = this.svg.querySelector('.yl').textContent;
      const lines = [this.label(point.k) + (point.line ? ', line' : '')];
      if (this.words) lines[0] = `${this.category(point.x)}: ${lines[0]}`;
      else lines.push(`${xName}: ${x.text(point.x)}`);
      if (point.box) {
        const height = Math.abs(y.value(point.box.top) - y.value(point.box.bottom));
        lines.push(`${yName}: ${plain(height, 3)}`);
      } else {
        lines.push(`${yName}: ${y.text(point.y)}`);
        if (point.bar) lines.push(`quartiles ${y.text(Math.max(...point.bar))} to ${y.text(Math.min(...point.bar))}`);
      }
      return lines.join('\n');
    }

    category(x) {
      let best = '', distance = Infinity;
      const at = [...this.svg.querySelector('.tx path').getAttribute('d').matchAll(/M([\d.]+) /g)].map((m) => Number(m[1]));
      [...this.svg.querySelectorAll('.tx text')].forEach((text, i) => {
        if (Math.abs(at[i] - x) < distance) [distance, best] = [Math.abs(at[i] - x), text.textContent];
      });
      return best;
    }

    addReadout() {
      this.readout = make('div', '', {class: 'readout', role: 'status', hidden: ''});
      this.aim = svgElement('circle', {class: 'aim', r: 7, hidden: ''});
      this.svg.append(this.aim);
      this.element.append(this.readout);
      this.svg.setAttribute('tabindex', '0');
      this.svg.setAttribute('aria-roledescription', 'figure; arrow keys read its values');
      this.svg.addEventListener('pointermove', (event) => this.pointTo(event));
      this.svg.addEventListener('pointerdown', (event) => this.pointTo(event));
      this.svg.addEventListener('pointerleave', () => this.clear());
      this.svg.addEventListener('focus', () => { if (!this.nearest && this.svg.matches(':focus-visible')) this.step(0, 0); });
      this.svg.addEventListener('blur', () => this.clear());
      this.svg.addEventListener('keydown', (event) => this.key(event));
    }

    pointTo(event) {
      const box = this.svg.getBoundingClientRect(), scale = this.svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      let nearest = null, least = 40 * 40;
      for (const point of this.points()) {
        const b = point.box;
        const distance = b ? (x >= b.left && x <= b.right && y >= b.top && y <= b.bottom ? 0 : Infinity)
                           : (point.x - x) ** 2 + (point.y - y) ** 2;
        if (distance < least || (b && distance === 0)) [nearest, least] = [point, distance];
      }
      if (nearest) this.show(nearest); else this.clear();
    }

    key(event) {
      const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
      if (event.key === 'Escape') this.clear();
      if (!(event.key in steps)) return;
      event.preventDefault();
      this.step(...steps[event.key]);
    }

    /** To the next point of the curve, or the nearest of the next curve. */
    step(along, across) {
      const points = this.points();
      if (!points.length) return;
      const curves = [...new Set(points.map(({k}) => k))].sort((a, b) => a - b);
      const now = this.nearest && curves.includes(this.nearest.k) ? this.nearest : points.find(({k}) => k === curves[0]);
      const k = curves[(curves.indexOf(now.k) + across + curves.length) % curves.length];
      const curve = points.filter((point) => point.k === k);
      let at = 0;
      curve.forEach((point, i) => { if (Math.abs(point.x - now.x) < Math.abs(curve[at].x - now.x)) at = i; });
      if (across === 0 && this.nearest) {
        const same = curve.findIndex((point) => point.x === now.x && point.y === now.y);
        at = Math.min(curve.length - 1, Math.max(0, (same < 0 ? at : same) + along));
      }
      this.show(curve[at]);
    }

    show(point) {
      this.nearest = point;
      this.aim.setAttribute('cx', point.x);
      this.aim.setAttribute('cy', point.y);
      this.aim.removeAttribute('hidden');
      const text = this.describe(point);
      if (this.readout.textContent !== text) this.readout.textContent = text;
      this.readout.hidden = false;
      const box = this.svg.getBoundingClientRect(), own = this.element.getBoundingClientRect();
      const scale = box.width / this.svg.viewBox.baseVal.width;
      const x = box.left - own.left + point.x * scale, y = box.top - own.top + point.y * scale;
      const width = this.readout.offsetWidth, height = this.readout.offsetHeight;
      this.readout.style.left = Math.max(0, Math.min(own.width - width, x - width / 2)) + 'px';
      this.readout.style.top = (y - height - 12 > 0 ? y - height - 12 : y + 14) + 'px';
    }

    clear() {
      this.nearest = null;
      this.readout.hidden = true;
      this.aim.setAttribute('hidden', '');
    }
  }

  // ---- choices among the figures of a section ----

  const addChoices = (figures) => {
    const all = [...figures.querySelectorAll(':scope > figure')];
    const choices = make('div', '', {class: 'choices'});
    const selects = [];
    for (const [name, label] of [['type', 'Type'], ['parameter', 'Parameter']]) {
      const values = [...new Set(all.map((figure) => figure.dataset[name]).filter((value) => value !== undefined))];
      if (values.length < 2) continue;
      const select = make('select', ''), box = make('label', label + ' ');
      for (const value of values) select.append(make('option', value, {value}));
      select.addEventListener('change', choose);
      box.append(select);
      choices.append(box);
      selects.push([name, select]);
    }
    function choose() {
      for (const figure of all)
        figure.hidden = selects.some(([name, select]) => figure.dataset[name] !== undefined && figure.dataset[name] !== select.value);
    }
    if (!selects.length) return;
    figures.before(choices);
    choose();
  };

  // ---- the page ----

  const ready = new WeakSet();
  const isOpen = (element) => {
    const closed = element.parentElement.closest('details:not([open])');
    return closed === null;
  };
  /** Figures in closed sections wait until they are opened. */
  const prepare = (within) => {
    for (const figure of within.querySelectorAll('figure'))
      if (!ready.has(figure) && figure.querySelector('svg.figure') && isOpen(figure)) {
        ready.add(figure);
        new Figure(figure);
      }
  };
  const openTarget = () => {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    for (let at = target; at; at = at.parentElement)
      if (at.tagName === 'DETAILS') at.open = true;
    if (target) target.scrollIntoView();
  };

  for (const figures of document.querySelectorAll('.figures')) addChoices(figures);
  document.addEventListener('toggle', (event) => prepare(event.target), true);
  prepare(document.body);
  addEventListener('hashchange', openTarget);
  openTarget();

  let opened = [];
  const open = () => {
    opened = [...document.querySelectorAll('details.printed:not([open])')];
    for (const one of opened) one.open = true;
  };
  const close = () => {
    for (const one of opened) one.open = false;
    opened = [];
  };
  addEventListener('beforeprint', open);
  addEventListener('afterprint', close);
})();
