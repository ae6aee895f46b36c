// The reader asks for classes beside recorded strategies; decisions and errors are computed here.
(() => {
  const data = JSON.parse(document.getElementById("asking-data").textContent);
  const root = document.getElementById("asking");
  const find = (selector, inside = root) => inside.querySelector(selector);
  const YOU = "You";
  const CELLS = 60;
  const sides = [...root.querySelectorAll("[data-side]")].map((panel) => ({
    panel, who: find("select", panel), canvas: find("canvas", panel), error: find(".error", panel), counts: find(".counts", panel),
  }));
  const problem = find("[data-problem]"), sample = find("[data-sample]"), slide = find("[data-slide]");
  const yours = {};

  const option = (select, values) => select.replaceChildren(...values.map((value) => new Option(value)));
  const now = () => data.problems[problem.value];
  const trial = () => now().samples[sample.selectedIndex];
  const own = () => (yours[`${problem.value} ${sample.value}`] ??= []);
  const askedBy = (who) => (who === YOU ? own() : trial().asked[who]);
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const near = (a, b) => Math.exp(-((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / (2 * data.width ** 2));
  const largest = (scores) => {
    const best = scores.indexOf(Math.max(...scores));
    return scores[best] > 0 ? best : -1;
  };

  /** What was acquired, in order: the first instance of every class, then what was asked for. */
  function acquired(asked, steps) {
    const taken = trial().queues.map(() => 0);
    return [...trial().start, ...asked.slice(0, steps)].map((code) => {
      const queue = trial().queues[code];
      return { code, x: queue[taken[code]++ % queue.length] };
    });
  }

  /** The error with the first instances, then after each that was asked for. */
  function errors(asked) {
    const { test, truth, start } = trial();
    const scores = test.map(() => start.map(() => 0));
    const found = [];
    acquired(asked, asked.length).forEach(({ code, x }, place) => {
      test.forEach((one, i) => { scores[i][code] += near(one, x); });
      if (place < start.length - 1) return;
      const wrong = scores.map((of, i) => { const said = largest(of); return said < 0 ? 1 - 1 / start.length : Number(said !== truth[i]); });
      found.push(wrong.reduce((a, b) => a + b) / wrong.length);
    });
    return found;
  }

  function shape(ctx, code, x, y, r) {
    ctx.beginPath();
    if (code === 0) ctx.arc(x, y, r, 0, 7);
    else if (code === 1) ctx.rect(x - r, y - r, 2 * r, 2 * r);
    else { ctx.moveTo(x, y - 1.3 * r); ctx.lineTo(x + 1.2 * r, y + r); ctx.lineTo(x - 1.2 * r, y + r); ctx.closePath(); }
    ctx.fill();
    ctx.stroke();
  }

  function paint(canvas, instances) {
    const ctx = canvas.getContext("2d"), size = canvas.width, cell = size / CELLS;
    const at = (value) => 0.03 * size + 0.94 * size * value;
    ctx.fillStyle = "#fff";
    ctx.fillRect(0, 0, size, size);
    ctx.globalAlpha = 0.28;
    for (let i = 0; i < CELLS; i++) for (let j = 0; j < CELLS; j++) {
      const place = [((i + 0.5) / CELLS - 0.03) / 0.94, ((j + 0.5) / CELLS - 0.03) / 0.94];
      const scores = trial().start.map(() => 0);
      for (const { code, x } of instances) scores[code] += near(place, x);
      const said = largest(scores);
      if (said < 0) continue;
      ctx.fillStyle = data.colours[said];
      ctx.fillRect(i * cell, size - (j + 1) * cell, cell, cell);
    }
    ctx.globalAlpha = 1;
    ctx.strokeStyle = "#111";
    ctx.lineWidth = 1;
    for (const { code, x } of instances) {
      ctx.fillStyle = data.colours[code];
      shape(ctx, code, at(x[0]), size - at(x[1]), 4.5);
    }
  }

  function curves(drawn) {
    const svg = find("[data-curves]"), budget = now().budget, wide = Math.max(260, svg.clientWidth);
    svg.setAttribute("viewBox", `0 0 ${wide} 212`);
    const top = Math.max(0.1, ...drawn.flatMap(({ values }) => values)) * 1.05, right = wide - 8;
    const x = (step) => 52 + (step / budget) * (right - 52), y = (share) => 145 - (share / top) * 130;
    const tick = (share) => `<text x="46" y="${y(share) + 4}" text-anchor="end">${percent(share)}</text><path d="M52 ${y(share)}H${right}" stroke="currentColor" stroke-opacity=".25"/>`;
    const lines = drawn.map(({ values, dash }) =>
      `<polyline fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="${dash}" points="${values.map((v, i) => `${x(i)},${y(v)}`).join(" ")}"/>`);
    const step = Number(slide.value);
    svg.innerHTML = `<g fill="currentColor" font-size="12">${[0, top / 2.1, top / 1.05].map(tick).join("")}${lines.join("")}
      <path d="M${x(step)} 8V145" stroke="currentColor"/>
      <text x="52" y="165">0</text><text x="${right}" y="165" text-anchor="end">${budget} acquired</text>
      ${drawn.map(({ title, dash }, place) => `<text x="52" y="${187 + 17 * place}">error of ${title}: ${dash ? "dashed" : "solid"}</text>`).join("")}</g>`;
    svg.setAttribute("aria-label", drawn.map(({ title, values }) => `${title}: from ${percent(values[0])} to ${percent(values.at(-1))}`).join("; "));
  }

  function show() {
    const step = Number(slide.value), { classes, budget } = now();
    find("[data-step]").textContent = `${step} of ${budget}`;
    slide.setAttribute("aria-valuetext", `${step} of ${budget}`);
    const drawn = sides.map(({ who, canvas, error, counts }, place) => {
      const asked = askedBy(who.value), values = errors(asked), reached = Math.min(step, asked.length);
      const instances = acquired(asked, reached);
      const many = classes.map((_, code) => instances.filter((one) => one.code === code).length);
      paint(canvas, instances);
      error.textContent = percent(values[reached]);
      counts.replaceChildren(...classes.map((name, code) => {
        const item = document.createElement("li");
        item.textContent = `${"●■▲"[code]} ${name}: ${many[code]}`;
        return item;
      }));
      canvas.setAttribute("aria-label", `${who.value}: ${classes.map((name, code) => `${many[code]} of ${name}`).join(", ")}; the ground shows which class each place is taken for`);
      return { title: who.value, values, dash: place ? "6 4" : "", reached };
    });
    curves(drawn);
    const playing = sides.some(({ who }) => who.value === YOU);
    find("[data-yours]").hidden = !playing;
    for (const button of find("[data-classes]").children) button.disabled = own().length >= budget;
    find("[data-undo]").disabled = own().length === 0;
    const [a, b] = drawn.map(({ title, values, reached }) => ({ title, error: values[reached], reached }));
    const same = a.reached === b.reached;
    const ahead = a.error === b.error ? "Both are wrong equally often." : `${a.error < b.error ? a.title : b.title} ${(a.error < b.error ? a : b).title === YOU ? "are" : "is"} ahead.`;
    find("[data-says]").textContent = `${a.title} ${percent(a.error)}, ${b.title} ${percent(b.error)} after ${step} ${step === 1 ? "instance" : "instances"}. ${same ? ahead : "Not as many were asked for on both sides."}`;
  }

  function load() {
    const { budget, classes } = now();
    slide.max = String(budget);
    slide.value = String(Math.min(Number(slide.value), budget));
    find("[data-classes]").replaceChildren(...classes.map((name, code) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${"●■▲"[code]} Ask for ${name} (key ${code + 1})`;
      button.addEventListener("click", () => ask(code));
      return button;
    }));
    show();
  }

  function ask(code) {
    if (own().length >= now().budget) return;
    own().push(code);
    slide.value = String(own().length);
    show();
  }

  function back() {
    own().pop();
    slide.value = String(own().length);
    show();
  }

  option(problem, Object.keys(data.problems));
  option(sample, now().samples.map((_, place) => String(place + 1)));
  const askers = [...Object.keys(trial().asked), YOU];
  sides.forEach(({ who }, place) => { option(who, askers); who.value = askers[place ? 2 : 0]; });
  for (const select of [problem, sample]) select.addEventListener("change", load);
  for (const { who } of sides) who.addEventListener("change", () => {
    if (who.value === YOU) slide.value = String(own().length);
    show();
  });
  slide.addEventListener("input", show);
  find("[data-undo]").addEventListener("click", back);
  // Wherever the reader is, but not where a digit means something else already.
  const elsewhere = (target) => target === problem || target === sample || target.matches("textarea, input:not([type=range])");
  document.addEventListener("keydown", (event) => {
    const code = Number(event.key) - 1;
    const playing = sides.some(({ who }) => who.value === YOU);
    if (event.ctrlKey || event.altKey || event.metaKey || elsewhere(event.target)) return;
    if (playing && code in now().classes) ask(code);
  });
  window.addEventListener("resize", show);
  slide.value = "0";
  load();
})();
