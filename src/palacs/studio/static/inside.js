// Look inside: the paper's Fig. 2, live, for one feature as curves and for two as fields.

import { campaignOfPage, get, pathOf } from "./api.js";
import { brief } from "./locale.js";
import { colourOf } from "./colours.js";
import { find, h, named, say } from "./dom.js";
import { Curves, Field } from "./fields.js";
import { follow } from "./live.js";

/** @import { Details, SeenOnLine, SeenOnPlane, Status } from "./shapes.js" */

const campaign = campaignOfPage();
const path = pathOf(campaign);
const panels = find("[data-panels]");
// By panel: curves for one feature, fields for two.
/** @type {Map<string, Curves>} */
const curves = new Map();
/** @type {Map<string, Field>} */
const fields = new Map();
let layout = "";

async function look() {
  /** @type {Details} */
  const { status } = await get(path);
  const obstacle = obstacleOf(status);
  say(find("[data-message]"), obstacle);
  if (obstacle) {
    layout = "";
    panels.replaceChildren();
    return;
  }
  /** @type {SeenOnLine | SeenOnPlane} */
  const seen = await get(`${path}/inside`);
  find("[data-summary]").textContent =
    `${seen.points.length} acquired · ${seen.strategy} · bandwidth ${brief(seen.bandwidth)}${seen.strategy === "pal-acs" ? "" : " · as PAL-ACS would see it"}`;
  const wanted = JSON.stringify([seen.n_features, seen.classes]);
  if (layout !== wanted) build(seen);
  layout = wanted;
  if (seen.n_features === 1) drawCurves(seen);
  else drawFields(seen);
  const chosen = seen.classes.reduce((best, label) => (seen.sums[label] > seen.sums[best] ? label : best), seen.classes[0]);
  for (const label of seen.classes) {
    const card = find(`[data-panel="class ${CSS.escape(String(label))}"]`, panels);
    card.classList.toggle("chosen", label === chosen);
    find(".sum", card).replaceChildren(`Σ = ${brief(seen.sums[label])}`,
      label === chosen ? h("span", { class: "unseen" }, ", the highest") : "");
  }
}

/** @type {(status: Status) => string} */
function obstacleOf({ instances, n_features: features }) {
  if (features > 2) return `This campaign has ${features} features. Curves and fields can be drawn for one or two; the bench shows a map of any number.`;
  return instances ? "" : "There is something to see as soon as the first instance is told.";
}

/** @type {(key: string, title: Node | string, extra: string) => HTMLElement} */
function panel(key, title, extra) {
  const holder = h("div");
  const card = h("section", { class: `card ${extra}`, "data-panel": key }, h("h2", {}, title, h("span", { class: "sum" })), holder);
  group.append(card);
  return holder;
}

let group = panels;
/** @type {(text: string, narrow: boolean) => void} */
function heading(text, narrow) {
  group = h("div", { class: `inside ${narrow ? "narrow" : ""}` });
  panels.append(h("h2", { class: "row-title" }, text), group);
}

/** @param {SeenOnLine | SeenOnPlane} seen */
function build(seen) {
  curves.clear();
  fields.clear();
  panels.replaceChildren();
  const narrow = seen.n_features === 1;
  /** @type {(key: string, title: Node | string, label: string, height: number, extra?: string) => void} */
  const chart = (key, title, label, height, extra = "") => {
    const holder = panel(key, title, extra);
    if (narrow) curves.set(key, new Curves(holder, label, height));
    else fields.set(key, new Field(holder, label));
  };
  heading("What is known, and what one more label is worth there", narrow);
  if (narrow) {
    chart("density", "Density of each class", "Density of each class", 220);
    chart("gain", "Performance gain", "Performance gain, and weighted by the density", 180);
  } else {
    chart("density", "Density", "Overall density", 0);
    chart("gain", "Performance gain", "Performance gain", 0);
    chart("weighted", "Gain weighted by the density", "Gain weighted by the density", 0);
  }
  heading("What each class would contribute; the sum is its utility", narrow);
  for (const label of seen.classes) {
    chart(`class ${label}`, named(seen.classes, label), `Contribution of ${label}`, 130, colourOf(seen.classes, label));
  }
}

/** @type {(rows: Record<string, number[] | number[][]>) => number} */
const highest = (rows) => Math.max(...Object.values(rows).flat(2));

/** @param {SeenOnLine} seen */
function drawCurves(seen) {
  const { xs, classes, points } = seen;
  curves.get("density")?.update(xs, [
    { name: "all classes", values: seen.density, area: "only" },
    ...classes.map((label) => ({ name: String(label), label, values: seen.densities[label] })),
  ], classes, { points, legend: true });
  curves.get("gain")?.update(xs, [
    { name: "gain weighted by the density", values: seen.weighted_gain, area: true },
    { name: "performance gain (dashed)", values: seen.gain, dashed: true },
  ], classes, { legend: true });
  // One scale for all classes: the areas then compare as the sums do.
  const top = highest(seen.contributions);
  for (const label of classes) {
    curves.get(`class ${label}`)?.update(xs, [{ name: String(label), label, values: seen.contributions[label], area: true }], classes, { top });
  }
}

/** @param {SeenOnPlane} seen */
function drawFields(seen) {
  const { xs, ys, classes, points } = seen;
  fields.get("density")?.update(xs, ys, seen.density, classes, { points });
  fields.get("gain")?.update(xs, ys, seen.gain, classes, {});
  fields.get("weighted")?.update(xs, ys, seen.weighted_gain, classes, {});
  const top = highest(seen.contributions);
  for (const label of classes) {
    const mine = points.filter((point) => point.label === label);
    fields.get(`class ${label}`)?.update(xs, ys, seen.contributions[label], classes, { label, points: mine, top });
  }
}

// The fields are painted in the colours of the theme.
new MutationObserver(() => { for (const chart of [...curves.values(), ...fields.values()]) chart.frame.render(); })
  .observe(document.documentElement, { attributeFilter: ["data-theme"] });

follow(campaign, look);
