// Look inside: the paper's Fig. 2, live, for one feature as curves and for two as fields. More are
// seen two at a time, or along their principal components.

import { campaignOfPage, get, pathOf } from "./api.js";
import { colourOf } from "./colours.js";
import { find, findA, h, named, say } from "./dom.js";
import { Curves, Field } from "./fields.js";
import { follow } from "./live.js";
import { brief, whole } from "./locale.js";

/** @import { Details, Label, SeenOnLine, SeenOnPlane, Status } from "./shapes.js" */

const campaign = campaignOfPage();
const path = pathOf(campaign);
const panels = find("[data-panels]");
// By panel: curves for one feature, fields for two.
/** @type {Map<string, Curves>} */
const curves = new Map();
/** @type {Map<string, Field>} */
const fields = new Map();
let layout = "";
const along = findA(HTMLSelectElement, "#along");
const [across, up] = [findA(HTMLInputElement, "#across"), findA(HTMLInputElement, "#up")];
/** @type {Label[]} All classes, for their looks. */
let labels = [];

for (const field of [along, across, up]) field.addEventListener("change", () => refresh());

/** @type {() => string} */
function wanted() {
  if (find("[data-view]").hidden || along.value !== "pair") return "";
  return `?across=${Number(across.value) - 1}&up=${Number(up.value) - 1}`;
}

/** @param {Details} details */
function offer({ settings, status }) {
  const many = status.n_features > 2;
  find("[data-view]").hidden = !many;
  for (const field of [across, up]) field.max = String(status.n_features ?? 2);
  for (const field of document.querySelectorAll("[data-pair]")) if (field instanceof HTMLElement) field.hidden = along.value !== "pair";
  const names = settings.features?.names ?? settings.named;
  say(find("[data-names]"), many && along.value === "pair" && names ? names.slice(0, 20).map((name, place) => `${place + 1} ${name}`).join(", ") + (names.length > 20 ? " …" : "") : "");
}

async function look() {
  /** @type {Details} */
  const details = await get(path);
  const { status } = details;
  labels = status.classes.map((row) => row.label);
  offer(details);
  const obstacle = obstacleOf(status) || noPair(status);
  say(find("[data-message]"), obstacle);
  if (obstacle) {
    layout = "";
    panels.replaceChildren();
    return;
  }
  if (!layout) say(find("[data-message]"), "Working it out …");
  /** @type {SeenOnLine | SeenOnPlane} */
  const seen = await get(`${path}/inside${wanted()}`);
  say(find("[data-message]"), "");
  find("[data-summary]").textContent = [
    `${whole(status.instances)} acquired`, seen.strategy, `bandwidth ${brief(seen.bandwidth)}`, seen.strategy !== "pal-acs" && "as PAL-ACS would see it",
  ].filter(Boolean).join(" · ");
  say(find("[data-what]"), whatItIs(seen));
  const arranged = JSON.stringify([seen.n_features, seen.classes]);
  if (layout !== arranged) build(seen);
  layout = arranged;
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
const obstacleOf = ({ instances }) => (instances ? "" : "There is something to see as soon as the first instance is told.");

/** @type {(status: Status) => string} People count features from 1. */
function noPair({ n_features: all }) {
  if (!wanted()) return "";
  const places = [Number(across.value), Number(up.value)];
  const fits = places.every((place) => Number.isInteger(place) && place >= 1 && place <= all);
  return fits && places[0] !== places[1] ? "" : `Choose two different features, from 1 to ${whole(all)}.`;
}

/** @param {SeenOnLine | SeenOnPlane} seen */
function whatItIs({ projected, of_features: features, names, classes, n_classes: all }) {
  const two = projected === "pca" ? "the first two principal components" : `${names[0]} (across) and ${names[1]} (up)`;
  return [
    projected && `Of ${whole(features)} features these are ${two}, looked at as if there were no others: it shows how utilities come about, not those that decide.`,
    classes.length < all && `Of ${whole(all)} classes the ${classes.length} of the highest utility are shown.`,
  ].filter(Boolean).join(" ");
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
    chart(`class ${label}`, named(labels, label), `Contribution of ${label}`, 130, colourOf(labels, label));
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
  ], labels, { points, legend: true });
  curves.get("gain")?.update(xs, [
    { name: "gain weighted by the density", values: seen.weighted_gain, area: true },
    { name: "performance gain (dashed)", values: seen.gain, dashed: true },
  ], labels, { legend: true });
  // One scale for all classes: the areas then compare as the sums do.
  const top = highest(seen.contributions);
  for (const label of classes) {
    curves.get(`class ${label}`)?.update(xs, [{ name: String(label), label, values: seen.contributions[label], area: true }], labels, { top });
  }
}

/** @param {SeenOnPlane} seen */
function drawFields(seen) {
  const { xs, ys, classes, points } = seen;
  fields.get("density")?.update(xs, ys, seen.density, labels, { points });
  fields.get("gain")?.update(xs, ys, seen.gain, labels, {});
  fields.get("weighted")?.update(xs, ys, seen.weighted_gain, labels, {});
  const top = highest(seen.contributions);
  for (const label of classes) {
    const mine = points.filter((point) => point.label === label);
    fields.get(`class ${label}`)?.update(xs, ys, seen.contributions[label], labels, { label, points: mine, top });
  }
}

// The fields are painted in the colours of the theme.
new MutationObserver(() => { for (const chart of [...curves.values(), ...fields.values()]) chart.frame.render(); })
  .observe(document.documentElement, { attributeFilter: ["data-theme"] });

const refresh = follow(campaign, look);
