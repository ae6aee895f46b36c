// Home: the campaigns with their progress, to be searched and managed; the form is in create.js.

import { get, pathOf, post, problemOf } from "./api.js";
import { find, findA, h, keepingFocus, named, say } from "./dom.js";
import { day, whole } from "./locale.js";

/** @import { CampaignRow } from "./shapes.js" */

const REFRESH_MS = 2000;
const MOST_NAMES = 8;

const list = find("[data-campaigns]");
const search = findA(HTMLInputElement, "#search");
const archived = findA(HTMLInputElement, "#archived");
/** @type {CampaignRow[]} */
let rows = [];

/** @param {CampaignRow} row */
const underWay = (row) =>
  [row.pending && `${whole(row.pending)} pending`, row.awaiting && `${whole(row.awaiting)} awaiting data`].filter(Boolean);

/** @param {CampaignRow} row */
function progressOf(row) {
  const under = underWay(row);
  return h("span", { class: "tally" }, h("b", {}, whole(row.acquired)), row.budget ? ` of ${whole(row.budget)}` : " acquired",
    under.length ? h("span", { class: "unseen" }, `, ${under.join(", ")}`) : null);
}

/** @param {CampaignRow} row */
function entry(row) {
  const names = row.classes.slice(0, MOST_NAMES);
  const rest = row.n_classes - names.length;
  const link = h("a", { class: "campaign", href: pathOf(row.name) },
    h("strong", {}, row.title ?? row.name), progressOf(row),
    row.budget !== null && h("progress", { max: row.budget, value: Math.min(row.acquired, row.budget), "aria-label": "Part of the budget that is acquired" }),
    h("span", { class: "swatches" }, names.map((label) => named(row.classes, label)), rest > 0 && `and ${whole(rest)} more`),
    h("span", { class: "detail" }, row.error ?? [row.title && row.name, row.phase !== "open" && row.phase, row.strategy, `since ${day(row.created_at)}`, ...underWay(row)].filter(Boolean).join(" · ")));
  return h("li", {}, link, !row.error && h("button", { class: "button small", type: "button", "aria-label": `Manage ${row.name}`, onclick: () => manage(row) }, "Manage"));
}

/** @type {(row: CampaignRow, text: string) => boolean} */
const fits = (row, text) =>
  [row.name, row.title ?? "", row.strategy, row.phase, ...row.classes].some((one) => String(one).toLowerCase().includes(text));

function draw() {
  const text = search.value.trim().toLowerCase();
  const found = rows.filter((row) => fits(row, text));
  keepingFocus(list, ...found.map(entry));
  list.removeAttribute("aria-busy");
  find("[data-tools]").hidden = rows.length === 0 && !archived.checked;
  find("[data-empty]").hidden = rows.length > 0;
  say(find("[data-found]"), text ? `${whole(found.length)} of ${whole(rows.length)} campaigns.` : "");
}

let shown = "";
async function look() {
  try {
    /** @type {{ campaigns: CampaignRow[] }} */
    const { campaigns } = await get(`/campaigns?archived=${archived.checked}`);
    say(find("[data-notice]"), "");
    const state = JSON.stringify(campaigns);
    if (state === shown) return;
    shown = state;
    rows = campaigns.reverse();
    draw();
  } catch (caught) {
    say(find("[data-notice]"), problemOf(caught).message);
  }
}
search.addEventListener("input", draw);
archived.addEventListener("change", look);

// -- managing --------------------------------------------------------------------------

const dialog = findA(HTMLDialogElement, "[data-manage]");
const form = findA(HTMLFormElement, "form", dialog);
const [title, budget, why] = ["#manage-title", "#manage-budget", "#manage-why"].map((place) => findA(HTMLInputElement, place));
/** @type {CampaignRow | null} */
let managed = null;

/** @param {CampaignRow} row */
function manage(row) {
  managed = row;
  find("#manage-name").textContent = row.name;
  [title.value, budget.value, why.value] = [row.title ?? "", row.budget === null ? "" : String(row.budget), ""];
  for (const button of dialog.querySelectorAll("button")) {
    const { action } = button.dataset;
    button.hidden = (action === "reopen" && row.phase === "open") || (action === "archive" && row.phase === "archived") || (action === "change" && row.phase !== "open");
  }
  title.disabled = budget.disabled = row.phase !== "open";
  say(find("[data-error]", dialog), "");
  dialog.showModal();
}

/** @type {(row: CampaignRow) => object | string} What changes, or what is wrong with it. */
function changes(row) {
  const [called, most] = [title.value.trim() || null, budget.value.trim()];
  if (most && !/^[1-9]\d*$/.test(most)) return `“${most}” is not a whole number of at least 1.`;
  const limit = most ? Number(most) : null;
  const different = { ...(called !== row.title && { title: called }), ...(limit !== row.budget && { budget: limit }) };
  return Object.keys(different).length ? different : "Nothing is different.";
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter;
  const action = (button instanceof HTMLElement && button.dataset.action) || "change";
  if (!managed) return;
  const body = !why.value.trim() ? "Say why; it is kept in the record." : action === "change" ? changes(managed) : {};
  if (typeof body === "string") {
    say(find("[data-error]", dialog), body);
    return;
  }
  try {
    await post(`${pathOf(managed.name)}/${action}`, { ...body, reason: why.value.trim() });
    dialog.close();
    await look();
  } catch (caught) {
    say(find("[data-error]", dialog), problemOf(caught).message);
  }
});
find("[data-cancel]", dialog).addEventListener("click", () => dialog.close());

look();
setInterval(() => document.hidden || look(), REFRESH_MS);
