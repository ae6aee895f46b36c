// Home: the campaigns with their progress, and the form that creates one.

import { get, pathOf, post } from "./api.js";
import { find, h, named, say } from "./dom.js";

const REFRESH_MS = 2000;
const MOST_NAMES = 8;

const list = find("[data-campaigns]");

function progressOf(row) {
  const under = [row.pending && `${row.pending} pending`, row.awaiting && `${row.awaiting} awaiting data`].filter(Boolean);
  return h("span", { class: "tally" }, h("b", {}, String(row.acquired)), row.budget ? ` of ${row.budget}` : " acquired",
    under.length ? h("span", { class: "unseen" }, `, ${under.join(", ")}`) : null);
}

function entry(row) {
  const rest = row.classes.length - MOST_NAMES;
  const under = [row.pending && `${row.pending} pending`, row.awaiting && `${row.awaiting} awaiting data`].filter(Boolean);
  const made = new Date(row.created_at).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
  return h("li", {}, h("a", { class: "campaign", href: pathOf(row.name) },
    h("strong", {}, row.name), progressOf(row),
    row.budget && h("progress", { max: row.budget, value: Math.min(row.acquired, row.budget), "aria-label": "Part of the budget that is acquired" }),
    h("span", { class: "swatches" }, row.classes.slice(0, MOST_NAMES).map((label) => named(row.classes, label)), rest > 0 && `and ${rest} more`),
    h("span", { class: "detail" }, row.error ?? [row.strategy, `since ${made}`, ...under].join(" · "))));
}

let shown = "";
async function look() {
  try {
    const { campaigns } = await get("/campaigns");
    say(find("[data-notice]"), "");
    const state = JSON.stringify(campaigns);
    if (state !== shown) {
      shown = state;
      list.replaceChildren(...campaigns.reverse().map(entry));
      list.removeAttribute("aria-busy");
      find("[data-empty]").hidden = campaigns.length > 0;
    }
  } catch (error) {
    say(find("[data-notice]"), error.message);
  }
}

// -- creating --------------------------------------------------------------------------

const form = find("[data-create]");

class Mistake extends Error {
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

function number(field, whole) {
  const text = form.elements[field].value.trim();
  if (!text) return null;
  const value = Number(text);
  if (!Number.isFinite(value) || (whole && (!Number.isInteger(value) || value < 1))) {
    throw new Mistake(`“${text}” is not ${whole ? "a whole number of at least 1" : "a number"}.`, field);
  }
  return value;
}

function wanted() {
  const name = form.elements.name.value.trim();
  if (!name) throw new Mistake("Give the campaign a name.", "name");
  const classes = form.elements.classes.value.split(",").map((label) => label.trim()).filter(Boolean);
  if (classes.length < 2) throw new Mistake("Name at least two classes, separated by commas.", "classes");
  const [features, low, high] = [number("features", true), number("low"), number("high")];
  if ((low === null) !== (high === null)) throw new Mistake("Give both ends of the range, or neither.", low === null ? "low" : "high");
  if (features !== null && low === null) throw new Mistake("Give the range of the features too, or leave their number out.", "low");
  const bounds = low === null ? null : [[low, high]];
  return { name, classes, strategy: form.elements.strategy.value, budget: number("budget", true), n_features: features, bounds };
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const field of form.elements) field.removeAttribute("aria-invalid");
  say(find("[data-error]"), "");
  try {
    const body = wanted();
    await post("/campaigns", body);
    location.assign(pathOf(body.name));
  } catch (error) {
    say(find("[data-error]"), error.message);
    const field = form.elements[error.field ?? (error.kind === "campaign-exists" ? "name" : "")];
    field?.setAttribute("aria-invalid", "true");
    field?.focus();
  }
});

const strategy = form.elements.strategy;
const summarise = () => {
  const summary = strategy.selectedOptions[0].dataset.summary;
  find("#strategy-help").textContent = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
};
strategy.addEventListener("change", summarise);
summarise();

look();
setInterval(() => document.hidden || look(), REFRESH_MS);
