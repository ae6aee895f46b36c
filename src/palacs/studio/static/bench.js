// The bench: everything the experimenter sees, drawn anew whenever the record changes.

import { campaignOfPage, get, pathOf, post, problemOf, sentence } from "./api.js";
import { Answer } from "./answer.js";
import { bars, brief, Lines, Matrix, Scatter } from "./charts.js";
import { colourOf, placeOf } from "./colours.js";
import { Course } from "./course.js";
import { find, findA, h, named, percent, say, setWidth } from "./dom.js";
import { History } from "./history.js";
import { follow } from "./live.js";
import { Notes } from "./notes.js";
import { Sitting } from "./sitting.js";

/** @import { Details, Insight, Label, Pending, Time } from "./shapes.js" */

const campaign = campaignOfPage();
const path = pathOf(campaign);
const notes = new Notes(campaign);
const answer = new Answer(path, () => refresh(), notes);
const history = new History(path, () => refresh());
const course = new Course(path, () => refresh());
const sitting = new Sitting(path);
const accuracy = new Lines(find("[data-accuracy]"), "Cross-validated accuracy and recall over acquisitions");
const map = new Scatter(find("[data-map]"), "Map of the collected instances");
const confusion = new Matrix(find("[data-confusion]"), "Confusion matrix");
const method = h("select", { "aria-label": "How the map is made" },
  h("option", { value: "auto" }, "PCA"), h("option", { value: "tsne" }, "t-SNE"));
method.addEventListener("change", () => refresh());

/** @type {Details | null} */
let details = null;
let drawn = "";

async function look() {
  /** @type {Details} */
  const known = (details ??= await get(path));
  /** @type {[Insight, void]} */
  const [insight] = await Promise.all([get(`${path}/insight?map=${method.value}`), history.look()]);
  const classes = insight.classes.map((row) => row.label);
  const state = JSON.stringify([insight, method.value]);
  if (state === drawn) return;
  drawn = state;
  summarise(insight);
  course.show(insight);
  notes.show(known);
  showWhatItIsOf(insight, known);
  answer.show(insight, classes);
  showUtilities(insight, classes);
  showClasses(insight, classes);
  showPending(insight, classes);
  history.show(classes);
  accuracy.update([
    ...classes.map((label) => ({
      name: `recall of ${label}`, colour: colourOf(classes, label),
      values: insight.accuracy.map((row) => ({ x: row.acquired, y: row.recall[label] })),
    })),
    { name: "accuracy", main: true, values: insight.accuracy.map((row) => ({ x: row.acquired, y: row.accuracy })) },
  ]);
  showMap(insight, classes);
  confusion.update(insight.confusion.labels, insight.confusion.matrix);
}

/** @type {(insight: Insight) => void} */
function summarise(insight) {
  const { budget } = insight;
  const acquired = insight.classes.reduce((sum, row) => sum + row.count, 0);
  const last = insight.accuracy.at(-1);
  find("[data-summary]").textContent = [
    `${acquired}${budget ? ` of ${budget}` : ""} acquired`, insight.strategy,
    insight.phase !== "open" && insight.phase,
    last && last.accuracy !== null && `accuracy ${percent(last.accuracy)}`,
  ].filter(Boolean).join(" · ");
}

/**
 * With groups the accuracy is that on a new one, such as a new subject.
 * @type {(insight: Insight, details: Details) => void}
 */
function showWhatItIsOf({ groups }, { settings }) {
  const by = settings.groups?.join(" and ");
  find("#accuracy-title").textContent = by ? `Accuracy on a new ${by}` : "Accuracy, cross-validated";
  const names = groups.names.slice(0, 8).join(", ") + (groups.names.length > 8 ? ", …" : "");
  say(find("[data-groups]"), groups.remark ? `${sentence(groups.remark)}.` : by && names ? `One is left out at a time: ${names}.` : "");
}

/** @type {(insight: Insight, classes: Label[]) => void} */
function showUtilities(insight, classes) {
  const known = Object.values(insight.utilities).filter((value) => value !== null);
  const highest = Math.max(...known, 0) || 1;
  const chosen = insight.asked?.label ?? insight.next;
  bars(find("[data-utilities]"), classes, insight.classes.map((row) => {
    const value = insight.utilities[row.label];
    const first = value === null && !row.paused && row.count === 0;
    return {
      label: row.label,
      share: value === null ? Number(first) : value / highest,
      text: value === null ? (row.paused ? "paused" : first ? "first" : "–") : brief(value),
      chosen: String(row.label) === String(chosen),
      faint: value === null && !first,
      title: first ? "It has no instance yet, so it comes before all others." : null,
    };
  }), "Utility of each class");
}

/** @type {(insight: Insight, classes: Label[]) => void} */
function showClasses(insight, classes) {
  const most = Math.max(...insight.classes.map((row) => row.share), 0) || 1;
  const rows = insight.classes.map((row) => {
    const bar = h("span", { class: "fill" });
    setWidth(bar, row.share / most);
    return h("tr", { class: `${colourOf(classes, row.label)} ${row.paused ? "paused" : ""}`, "data-class": String(row.label) },
      h("td", {}, named(classes, row.label)),
      h("td", { class: "number", "data-count": true }, String(row.count)),
      h("td", { class: "share" }, h("div", { class: "track", "aria-hidden": "true" }, bar), h("span", { class: "unseen" }, percent(row.share))),
      h("td", { class: "number" }, percent(row.share)),
      h("td", { class: "number" }, percent(row.recall)),
      h("td", {}, h("button", {
        class: "button small", type: "button", "aria-label": `${row.paused ? "Resume" : "Pause"} ${row.label}`,
        onclick: () => change(row.paused ? "resume" : "pause", row.label),
      }, row.paused ? "Resume" : "Pause")));
  });
  keepingFocus(find("[data-classes]"), h("table", { class: "classes-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "class"), h("th", { scope: "col", class: "number" }, "got"),
      h("th", { scope: "col" }, ""), h("th", { scope: "col", class: "number" }, "share"),
      h("th", { scope: "col", class: "number" }, "recall"), h("th", {}, h("span", { class: "unseen" }, "pause")))),
    h("tbody", {}, rows)));
}

/** @type {(action: "pause" | "resume" | "classes", label: Label) => Promise<void>} */
async function change(action, label) {
  try {
    await post(`${path}/${action}`, { label });
    say(find("[data-class-error]"), "");
    refresh();
  } catch (caught) {
    say(find("[data-class-error]"), problemOf(caught).message);
  }
}

find("[data-add-class]").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = findA(HTMLInputElement, "#new-class");
  const text = field.value.trim();
  const numeric = typeof details?.settings.classes[0] === "number" && /^-?\d+$/.test(text);
  await change("classes", numeric ? Number(text) : text);
  if (find("[data-class-error]").hidden) field.value = "";
});

/** @type {(insight: Insight, classes: Label[]) => void} */
function showMap(insight, classes) {
  const { method: used, points } = insight.map;
  const [across = "feature 1", up = "feature 2"] = details?.settings.features?.names ?? [];
  const axes = used === "identity" ? [across, up] : ["component 1", "component 2"];
  // One feature alone would lie on a line; the classes lie one above the other instead.
  const line = used === "identity" && points.every((point) => point.y === 0);
  const rows = points.map((point) => ({ ...point, y: placeOf(classes, point.label) }));
  map.update(line ? rows : points, classes, line ? [across, "class"] : axes, line);
  const projected = used !== "identity" && points.length > 0;
  if (projected && !method.isConnected) find("#map-title").after(h("label", { class: "check" }, "projected by", method));
  if (!projected) method.closest("label")?.remove();
}

/** @type {(insight: Insight, classes: Label[]) => void} */
function showPending(insight, classes) {
  const current = answer.current?.id;
  const items = insight.pending.map((request) => h("li", { class: request.id === current ? "current" : "", "data-request": request.id },
    h("span", { class: "what" }, named(classes, request.label), request.performed && h("span", { class: "chip good" }, "awaiting data"),
      answer.elsewhere(request) && h("span", { class: "chip" }, "on another page")),
    h("span", { class: "lease" }, `${request.id} · `, h("span", { "data-expires": request.expires_at ?? "" }, lease(request.expires_at))),
    h("span", { class: "actions" },
      request.expires_at && h("button", { class: "button small", type: "button", "aria-label": `Renew ${request.id}`, onclick: () => course.renew(request.id) }, "Renew"),
      h("button", { class: "button small", type: "button", "aria-label": `${answer.elsewhere(request) ? "Take over" : "Answer"} ${request.id}`, onclick: () => pick(request) },
        answer.elsewhere(request) ? "Take over" : "Answer"))));
  const list = find("[data-pending]");
  keepingFocus(list, ...(items.length ? items : [h("li", { class: "empty" }, "No request is waiting for its instance.")]));
}

/** @type {(request: Pending) => Promise<void>} */
async function pick(request) {
  try {
    await answer.pick(request);
    say(find(".next [data-error]"), "");
  } catch (caught) {
    say(find(".next [data-error]"), problemOf(caught).message);
  }
  drawn = "";
  await refresh();
  find("#numbers").focus();
}

/** @type {(expires: Time | null | undefined) => string} */
function lease(expires) {
  if (!expires) return "no lease";
  const seconds = Math.round((Date.parse(expires) - Date.now()) / 1000);
  if (seconds <= 0) return "lease ended";
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  /** @type {(value: number) => string} */
  const two = (value) => String(value).padStart(2, "0");
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)} left`;
}

/**
 * Redrawing must not take the keyboard away from whoever is on a button.
 * @type {(parent: HTMLElement, ...children: HTMLElement[]) => void}
 */
function keepingFocus(parent, ...children) {
  const active = document.activeElement;
  const label = active && parent.contains(active) ? active.getAttribute("aria-label") : null;
  parent.replaceChildren(...children);
  if (label === null) return;
  const twin = label.replace(/^(Pause|Resume) /, "");
  /** @type {HTMLElement[]} */
  const others = [...parent.querySelectorAll("[aria-label]")].filter((one) => one instanceof HTMLElement);
  others.find((one) => one.getAttribute("aria-label")?.endsWith(twin))?.focus();
}

setInterval(() => {
  let ended = false;
  for (const element of document.querySelectorAll("[data-expires]")) {
    const text = lease(element.getAttribute("data-expires"));
    ended ||= text === "lease ended" && element.textContent !== text;
    element.textContent = text;
  }
  if (ended) refresh();
}, 1000);

const refresh = follow(campaign, look, (news) => sitting.hear(news));
