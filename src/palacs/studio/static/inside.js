// Look inside: the paper's Fig. 2, live, for one feature as curves and for two as fields.

import { get, pathOf } from "./api.js";
import { brief } from "./charts.js";
import { colourOf, find, h, named, say } from "./dom.js";
import { Curves, Field } from "./fields.js";
import { follow } from "./live.js";

const campaign = document.body.dataset.campaign;
const path = pathOf(campaign);
const panels = find("[data-panels]");
let charts = new Map();
let layout = "";

async function look() {
  const { status } = await get(path);
  const obstacle = obstacleOf(status);
  say(find("[data-message]"), obstacle);
  if (obstacle) {
    layout = "";
    panels.replaceChildren();
    return;
  }
  const seen = await get(`${path}/inside`);
  find("[data-summary]").textContent =
    `${seen.points.length} acquired · ${seen.strategy} · bandwidth ${brief(seen.bandwidth)}${seen.strategy === "pal-acs" ? "" : " · as PAL-ACS would see it"}`;
  const wanted = JSON.stringify([seen.n_features, seen.classes]);
  if (layout !== wanted) build(seen);
  layout = wanted;
  (seen.n_features === 1 ? drawCurves : drawFields)(seen);
  const chosen = seen.classes.reduce((best, label) => (seen.sums[label] > seen.sums[best] ? label : best), seen.classes[0]);
  for (const label of seen.classes) {
    const card = panels.querySelector(`[data-panel="class ${CSS.escape(String(label))}"]`);
    card.classList.toggle("chosen", label === chosen);
    find(".sum", card).replaceChildren(`Σ = ${brief(seen.sums[label])}`,
      label === chosen ? h("span", { class: "unseen" }, ", the highest") : "");
  }
}

function obstacleOf({ instances, n_features: features }) {
  if (features > 2) return `This campaign has ${features} features. Curves and fields can be drawn for one or two; the bench shows a map of any number.`;
  return instances ? "" : "There is something to see as soon as the first instance is told.";
}

function panel(key, title, make, extra = "") {
  const holder = h("div");
  const card = h("section", { class: `card ${extra}`, "data-panel": key }, h("h2", {}, title, h("span", { class: "sum" })), holder);
  group.append(card);
  charts.set(key, make(holder));
}

let group = panels;
function heading(text, narrow) {
  group = h("div", { class: `inside ${narrow ? "narrow" : ""}` });
  panels.append(h("h2", { class: "row-title" }, text), group);
}

function build(seen) {
  charts = new Map();
  panels.replaceChildren();
  const narrow = seen.n_features === 1;
  const chart = (label, height) => (holder) => (seen.n_features === 1 ? new Curves(holder, label, height) : new Field(holder, label));
  heading("What is known, and what one more label is worth there", narrow);
  if (seen.n_features === 1) {
    panel("density", "Density of each class", chart("Density of each class", 220));
    panel("gain", "Performance gain", chart("Performance gain, and weighted by the density", 180));
  } else {
    panel("density", "Density", chart("Overall density"));
    panel("gain", "Performance gain", chart("Performance gain"));
    panel("weighted", "Gain weighted by the density", chart("Gain weighted by the density"));
  }
  heading("What each class would contribute; the sum is its utility", narrow);
  for (const label of seen.classes) {
    panel(`class ${label}`, named(seen.classes, label), chart(`Contribution of ${label}`, 130), colourOf(seen.classes, label));
  }
}

const highest = (rows) => Math.max(...Object.values(rows).flat(2));

function drawCurves(seen) {
  const { xs, classes, points } = seen;
  charts.get("density").update(xs, [
    { name: "all classes", values: seen.density, area: "only" },
    ...classes.map((label) => ({ name: String(label), label, values: seen.densities[label] })),
  ], classes, { points, legend: true });
  charts.get("gain").update(xs, [
    { name: "gain weighted by the density", values: seen.weighted_gain, area: true },
    { name: "performance gain (dashed)", values: seen.gain, dashed: true },
  ], classes, { legend: true });
  // One scale for all classes: the areas then compare as the sums do.
  const top = highest(seen.contributions);
  for (const label of classes) {
    charts.get(`class ${label}`).update(xs, [{ name: String(label), label, values: seen.contributions[label], area: true }], classes, { top });
  }
}

function drawFields(seen) {
  const { xs, ys, classes, points } = seen;
  charts.get("density").update(xs, ys, seen.density, classes, { points });
  charts.get("gain").update(xs, ys, seen.gain, classes, {});
  charts.get("weighted").update(xs, ys, seen.weighted_gain, classes, {});
  const top = highest(seen.contributions);
  for (const label of classes) {
    const mine = points.filter((point) => point.label === label);
    charts.get(`class ${label}`).update(xs, ys, seen.contributions[label], classes, { label, points: mine, top });
  }
}

// The fields are painted in the colours of the theme.
new MutationObserver(() => { for (const chart of charts.values()) chart.frame.render(); })
  .observe(document.documentElement, { attributeFilter: ["data-theme"] });

follow(campaign, look);
