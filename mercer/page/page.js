// The scatter plot of a report, alive: pointing at a row tells of it, wheel and keys zoom, drags
// move, classes are switched off and on, other components are chosen. Without this script the page
// shows the same plot as a still picture. Everything from the model arrives as JSON and is put on the
// page as text, never as markup.
'use strict';
(() => {
  const source = document.getElementById('scatter-data');
  const box = document.getElementById('scatter');
  if (!source || !box) return;
  const data = JSON.parse(source.textContent);
  const canvas = box.querySelector('canvas');
  const pen = canvas.getContext('2d');
  const tip = document.getElementById('scatter-tip');
  const said = document.getElementById('scatter-said');
  const legend = document.getElementById('scatter-classes');
  const choices = {x: document.getElementById('scatter-x'), y: document.getElementById('scatter-y')};
  const kEdge = {left: 64, right: 14, top: 12, bottom: 46};
  const kReach = 14;  // pixels within which a row is pointed at
  const kColours = 8, kMostShown = 80, kZoom = 1.4, kMostZoom = 1e5;

  // Whole numbers of 16 bits, the lower byte first.
  const wholes = (text) => {
    const bytes = atob(text), numbers = new Uint16Array(bytes.length / 2);
    for (let i = 0; i < numbers.length; ++i)
      numbers[i] = bytes.charCodeAt(2 * i) | bytes.charCodeAt(2 * i + 1) << 8;
    return numbers;
  };
  // Scores as 65 535ths of the way from the lowest to the highest.
  const columns = data.components.map((one) => {
    const shares = wholes(one.values), step = (one.high - one.low) / 65535;
    return {name: one.name, title: one.title,
            values: Float64Array.from(shares, (share) => one.low + step * share)};
  });
  const number_of_row = (i) => 1 + i * data.step;
  if (columns.length === 1)
    columns.push({name: 'row', title: 'row', values: Float64Array.from({length: data.rows}, (_, i) => number_of_row(i))});
  const group = data.group ? wholes(data.group) : null;
  const shown = data.classes.map(() => true);
  const view = {x: 0, y: 1, left: 0, bottom: 0, width: 1, height: 1};
  let pointed = -1, whole = null, theme = {}, size = {width: 0, height: 0};

  const name_of = (i) => (data.names ? data.names[i] : '') || 'row ' + number_of_row(i);
  const class_of = (i) => (group ? data.classes[group[i]] : '');
  const text_of = (value) => (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e6 || value === 0)
    ? String(Number(value.toPrecision(4))) : value.toExponential(3);

  function show_all() {
    const span = (values) => {
      let low = Infinity, high = -Infinity;
      for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
      const room = high > low ? 0.05 * (high - low) : Math.max(1e-9, Math.abs(low)) / 2;
      return [low - room, high - low + 2 * room];
    };
    [view.left, view.width] = span(columns[view.x].values);
    [view.bottom, view.height] = span(columns[view.y].values);
    whole = {width: view.width, height: view.height};
  }

  const inner = () => ({width: size.width - kEdge.left - kEdge.right, height: size.height - kEdge.top - kEdge.bottom});
  const pixel_x = (value) => kEdge.left + (value - view.left) / view.width * inner().width;
  const pixel_y = (value) => kEdge.top + (1 - (value - view.bottom) / view.height) * inner().height;
  const zoomed = () => view.width < 0.999 * whole.width;

  // Steps of 1, 2 or 5 times a power of ten.
  function ticks_of(low, span, about) {
    const rough = span / about, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const large = Math.max(Math.abs(low), Math.abs(low + span));
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= low + span && ticks.length < 50; ++k)
      ticks.push({at: k * step, text: large >= 1e6 || large < 1e-4 ? (k * step).toExponential(1) : (k * step).toFixed(Math.min(digits, 20))});
    return ticks;
  }

  function draw_axes() {
    const {width, height} = inner(), across = columns[view.x], up = columns[view.y];
    pen.font = '12px system-ui, sans-serif';
    pen.lineWidth = 1;
    pen.strokeStyle = theme.grid;
    pen.fillStyle = theme.muted;
    pen.textAlign = 'center';
    for (const tick of ticks_of(view.left, view.width, Math.max(2, width / 90))) {
      const x = Math.round(pixel_x(tick.at)) + 0.5;
      pen.beginPath(); pen.moveTo(x, kEdge.top); pen.lineTo(x, kEdge.top + height); pen.stroke();
      pen.fillText(tick.text, x, kEdge.top + height + 17);
    }
    pen.textAlign = 'right';
    for (const tick of ticks_of(view.bottom, view.height, Math.max(2, height / 60))) {
      const y = Math.round(pixel_y(tick.at)) + 0.5;
      pen.beginPath(); pen.moveTo(kEdge.left, y); pen.lineTo(kEdge.left + width, y); pen.stroke();
      pen.fillText(tick.text, kEdge.left - 6, y + 4);
    }
    pen.fillStyle = theme.ink;
    pen.textAlign = 'center';
    pen.fillText(across.title, kEdge.left + width / 2, size.height - 8);
    pen.save();
    pen.translate(13, kEdge.top + height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(up.title, 0, 0);
    pen.restore();
  }

  // The symbols of the still picture: others after every eight classes.
  function trace(kind, x, y, r) {
    const corners = {1: [[-1, -1], [1, -1], [1, 1], [-1, 1]], 2: [[0, -1.3], [1.2, 0.9], [-1.2, 0.9]],
                     3: [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]]}[kind];
    if (corners) {
      corners.forEach(([a, b], i) => (i ? pen.lineTo(x + a * r, y + b * r) : pen.moveTo(x + a * r, y + b * r)));
      pen.closePath();
    } else if (kind >= 4) {
      const turn = kind === 4 ? Math.SQRT1_2 : 0;
      for (const [a, b] of [[1, 0.34], [0.34, 1]])
        for (const [s, t] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
          const u = s * a * r * 1.3, v = t * b * r * 1.3, c = turn || 1;
          const at = [x + (turn ? c * (u - v) : u), y + (turn ? c * (u + v) : v)];
          s === -1 && t === -1 ? pen.moveTo(...at) : pen.lineTo(...at);
        }
    } else {
      pen.moveTo(x + r, y);
      pen.arc(x, y, r, 0, 2 * Math.PI);
    }
  }

  function draw_rows() {
    const across = columns[view.x].values, up = columns[view.y].values, {width, height} = inner();
    const usual = data.rows <= 60 ? 5 : data.rows <= 400 ? 4 : data.rows <= 2000 ? 3 : data.rows <= 6000 ? 2.2 : 1.6;
    const radius = Math.min(6, usual * Math.min(2, (whole.width / view.width) ** 0.25));
    pen.save();
    pen.beginPath();
    pen.rect(kEdge.left, kEdge.top, width, height);
    pen.clip();
    pen.globalAlpha = data.rows <= 400 ? 0.9 : data.rows <= 2000 ? 0.75 : 0.6;
    for (let c = 0; c < Math.max(1, data.classes.length); ++c) {
      if (group && !shown[c]) continue;
      pen.fillStyle = theme.classes[c % kColours];
      for (let i = 0; i < data.rows; ++i) {
        if (group && group[i] !== c) continue;
        const x = pixel_x(across[i]), y = pixel_y(up[i]);
        if (x < kEdge.left - 9 || y < kEdge.top - 9 || x > kEdge.left + width + 9 || y > kEdge.top + height + 9) continue;
        pen.beginPath();
        trace(Math.floor(c / kColours) % 6, x, y, radius);
        pen.fill();
      }
    }
    pen.restore();
    if (pointed < 0) return;
    pen.lineWidth = 2;
    pen.strokeStyle = theme.ink;
    pen.beginPath();
    pen.arc(pixel_x(across[pointed]), pixel_y(up[pointed]), radius + 4, 0, 2 * Math.PI);
    pen.stroke();
  }

  let waiting = false;
  function draw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const fine = window.devicePixelRatio || 1;
      size = {width: canvas.clientWidth, height: canvas.clientHeight};
      canvas.width = Math.round(size.width * fine);
      canvas.height = Math.round(size.height * fine);
      pen.setTransform(fine, 0, 0, fine, 0, 0);
      canvas.classList.toggle('zoomed', zoomed());
      draw_axes();
      draw_rows();
    });
  }

  function take_theme() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue('--' + name).trim();
    theme = {ink: colour('ink'), muted: colour('muted'), grid: colour('grid'),
             classes: Array.from({length: kColours}, (_, i) => colour('class-' + i))};
    draw();
  }

  // By a factor about a place of the canvas, which stays where it is.
  function zoom(factor, x = size.width / 2, y = size.height / 2) {
    const by = Math.min(factor, kMostZoom * view.width / whole.width), {width, height} = inner();
    const right = (x - kEdge.left) / width, up = 1 - (y - kEdge.top) / height;
    if (by <= 1 && view.width / by >= whole.width) {
      show_all();
    } else {
      view.left += right * view.width * (1 - 1 / by);
      view.bottom += up * view.height * (1 - 1 / by);
      view.width /= by;
      view.height /= by;
    }
    draw();
  }

  function move(right, up) {
    const {width, height} = inner();
    view.left -= right / width * view.width;
    view.bottom += up / height * view.height;
    draw();
  }

  function facts_of(i) {
    const facts = columns.slice(0, 8).map((column) => column.name + ' ' + text_of(column.values[i]));
    return {name: name_of(i), group: class_of(i), facts};
  }

  function point_at(i) {
    if (i === pointed) return;
    pointed = i;
    tip.hidden = i < 0;
    if (i >= 0) {
      const {name, group: of, facts} = facts_of(i);
      tip.replaceChildren();
      const head = document.createElement('strong');
      head.textContent = name;
      tip.append(head);
      for (const line of (of ? [(data.classTitle ? data.classTitle + ': ' : '') + of] : []).concat(facts)) {
        const part = document.createElement('span');
        part.textContent = line;
        tip.append(part);
      }
      const x = pixel_x(columns[view.x].values[i]), y = pixel_y(columns[view.y].values[i]);
      tip.style.left = Math.max(0, x > size.width / 2 ? x - tip.offsetWidth - 12 : x + 12) + 'px';
      tip.style.top = Math.max(0, Math.min(y - 10, size.height - tip.offsetHeight)) + 'px';
    }
    draw();
  }

  function nearest(x, y) {
    const across = columns[view.x].values, up = columns[view.y].values;
    let best = -1, least = kReach * kReach;
    for (let i = 0; i < data.rows; ++i) {
      if (group && !shown[group[i]]) continue;
      const a = pixel_x(across[i]) - x, b = pixel_y(up[i]) - y, far = a * a + b * b;
      if (far < least) { least = far; best = i; }
    }
    return best;
  }

  const place = (event) => {
    const edge = canvas.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  };
  const fingers = new Map();
  const between = () => {
    const [a, b] = [...fingers.values()];
    return {x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, far: Math.hypot(a[0] - b[0], a[1] - b[1])};
  };
  canvas.addEventListener('pointerdown', (event) => {
    fingers.set(event.pointerId, place(event));
    canvas.setPointerCapture(event.pointerId);
    point_at(nearest(...place(event)));
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId), now = place(event);
    if (!before) return point_at(nearest(...now));
    if (fingers.size === 2) {
      const old = between();
      fingers.set(event.pointerId, now);
      const pair = between();
      if (old.far > 0) zoom(pair.far / old.far, pair.x, pair.y);
      return;
    }
    fingers.set(event.pointerId, now);
    if (!zoomed()) return;
    point_at(-1);
    move(now[0] - before[0], now[1] - before[1]);
  });
  for (const end of ['pointerup', 'pointercancel'])
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener('pointerleave', () => point_at(-1));
  canvas.addEventListener('dblclick', (event) => zoom(2, ...place(event)));
  // The wheel scrolls the page until the plot was clicked on, or with Ctrl.
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    point_at(-1);
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...place(event));
  }, {passive: false});
  canvas.addEventListener('keydown', (event) => {
    const step = 40, actions = {
      '+': () => zoom(kZoom), '=': () => zoom(kZoom), '-': () => zoom(1 / kZoom), '0': reset, 'Escape': () => point_at(-1),
      'ArrowLeft': () => move(step, 0), 'ArrowRight': () => move(-step, 0),
      'ArrowUp': () => move(0, step), 'ArrowDown': () => move(0, -step)};
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  });

  function reset() {
    point_at(-1);
    show_all();
    draw();
  }
  const press = (id, action) => document.getElementById(id).addEventListener('click', action);
  press('scatter-in', () => zoom(kZoom));
  press('scatter-out', () => zoom(1 / kZoom));
  press('scatter-all', reset);

  for (const axis of ['x', 'y']) {
    columns.forEach((column, i) => choices[axis].add(new Option(column.title, String(i), false, view[axis] === i)));
    choices[axis].addEventListener('change', () => {
      view[axis] = Number(choices[axis].value);
      reset();
    });
  }

  data.classes.forEach((name, c) => {
    const item = document.createElement('li'), button = document.createElement('button'), sign = document.createElement('span');
    button.type = 'button';
    button.setAttribute('aria-pressed', 'true');
    sign.className = 'sign sign-' + c % kColours + ' shape-' + Math.floor(c / kColours) % 6;
    button.append(sign, document.createTextNode(name || '(none)'));
    button.addEventListener('click', () => {
      shown[c] = !shown[c];
      button.setAttribute('aria-pressed', String(shown[c]));
      point_at(-1);
      draw();
    });
    item.append(button);
    legend.append(item);
  });
  legend.hidden = data.classes.length === 0 || data.classes.length > kMostShown;

  // A row by its name or number, for those who do not point.
  document.getElementById('scatter-find').addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = document.getElementById('scatter-name').value.trim();
    let i = data.names ? data.names.indexOf(wanted) : -1;
    if (i < 0 && /^\d+$/.test(wanted)) i = (Number(wanted) - 1) / data.step;
    if (!Number.isInteger(i) || i < 0 || i >= data.rows) {
      point_at(-1);
      said.textContent = wanted ? 'No such row is in the plot.' : '';
      return;
    }
    show_all();
    const {name, group: of, facts} = facts_of(i);
    said.textContent = [name, of].filter(Boolean).concat(facts).join(', ');
    pointed = -1;
    point_at(i);
  });

  document.documentElement.classList.add('live');
  box.hidden = false;
  size = {width: canvas.clientWidth, height: canvas.clientHeight};
  show_all();
  take_theme();
  new ResizeObserver(() => { point_at(-1); draw(); }).observe(canvas);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', take_theme);
})();
