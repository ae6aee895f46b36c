// The history of a campaign, newest first; an instance can be taken out again, with a reason.

import { get, post, problemOf } from "./api.js";
import { find, findA, h, keepingFocus, named, say } from "./dom.js";
import { brief, clock, exact, several, whole } from "./locale.js";

/** @import { HistoryRow, Label } from "./shapes.js" */

const PAGE = 12;
const VALUES = 4;
/** @type {Record<string, string>} */
const TONES = { delivered: "good", failed: "bad", expired: "bad" };

/** @type {(attrs: Record<string, any>) => string} */
const written = (attrs) =>
  Object.entries(attrs).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`).join(" · ");

export class History {
  /**
   * @param {string} path Of the campaign.
   * @param {() => Promise<void>} refresh
   */
  constructor(path, refresh) {
    this.path = path;
    this.refresh = refresh;
    this.limit = PAGE;
    /** @type {Label[]} */
    this.classes = [];
    /** @type {HistoryRow[]} */
    this.rows = [];
    this.chosen = "";
    this.total = 0;
    find("[data-more]").addEventListener("click", () => {
      this.limit += 4 * PAGE;
      this.look().then(() => this.show(this.classes));
    });
    this.dialog = findA(HTMLDialogElement, "[data-retract]");
    this.dialog.addEventListener("close", () => this.closed());
  }

  async look() {
    const { rows, total } = await get(`${this.path}/history?newest=true&limit=${this.limit}&values=${VALUES}`);
    Object.assign(this, { rows, total });
  }

  /** @param {Label[]} classes */
  show(classes) {
    this.classes = classes;
    const heads = ["when", "asked for", "got", "state", "values", "utility", "id", "noted", "by", ""];
    keepingFocus(find("[data-history]"), this.rows.length
      ? h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: head === "utility" ? "number" : null }, head || h("span", { class: "unseen" }, "retract"))))),
        h("tbody", {}, this.rows.map((row) => this.row(row))))
      : h("p", { class: "empty" }, "Nothing was asked for yet."));
    find("[data-more]").hidden = this.rows.length >= this.total;
  }

  /** @param {HistoryRow} row */
  row(row) {
    const at = row.retracted_at ?? row.failed_at ?? row.told_at ?? row.performed_at ?? row.asked_at ?? "";
    const state = row.state === "pending" && row.performed_at ? "awaiting data" : row.state;
    const tone = TONES[row.state] ?? "";
    return h("tr", { class: row.state, "data-row": row.id },
      h("td", {}, h("time", { datetime: at }, clock(at))),
      h("td", {}, row.asked === null ? "unsolicited" : named(this.classes, row.asked)),
      h("td", {}, row.label === null ? "–" : named(this.classes, row.label)),
      h("td", {}, h("span", { class: `chip ${tone}` }, state), row.reason && h("span", { class: "reason" }, ` ${row.reason}`)),
      h("td", { class: "values" }, this.values(row)),
      h("td", { class: "number" }, row.utility === null ? "–" : brief(row.utility)),
      h("td", {}, row.id),
      h("td", { class: "noted", title: row.recording && `Recording: ${row.recording}` }, written(row.attrs)),
      h("td", {}, row.told_by ?? row.asked_by ?? "–"),
      h("td", {}, row.state === "delivered" && h("button", {
        class: "button small", type: "button", "aria-label": `Retract ${row.id}`, onclick: () => this.open(row),
      }, "Retract")));
  }

  /** @param {HistoryRow} row */
  values({ id, x, n_features: features }) {
    if (!x || !features) return "–";
    const first = several(x, VALUES);
    if (features <= VALUES) return first;
    return h("button", { class: "link", type: "button", "aria-label": `All ${whole(features)} values of ${id}`, onclick: () => this.showValues(id) }, `${first} …`);
  }

  /** @param {string} id */
  async showValues(id) {
    try {
      /** @type {{ instance: { x: number[] } }} */
      const { instance } = await get(`${this.path}/instance?id=${encodeURIComponent(id)}`);
      find("#values-title").textContent = `${whole(instance.x.length)} values of ${id}`;
      find("[data-all-values]").textContent = several(instance.x, instance.x.length, exact);
      findA(HTMLDialogElement, "[data-values]").showModal();
    } catch (caught) {
      say(find("[data-history-error]"), problemOf(caught).message);
    }
  }

  /** @param {HistoryRow} row */
  open(row) {
    this.chosen = row.id;
    find("[data-retract-what]", this.dialog).textContent = `${row.label} (${row.id}) leaves the labelled set. The history keeps it.`;
    this.dialog.returnValue = "";
    this.dialog.showModal();
  }

  async closed() {
    if (this.dialog.returnValue !== "retract") return;
    const field = findA(HTMLInputElement, "#reason");
    try {
      await post(`${this.path}/retract`, { id: this.chosen, reason: field.value.trim() });
      say(find("[data-history-error]"), "");
      find("[data-history]").focus(); // the button that had it is going to be gone
      this.refresh();
    } catch (caught) {
      say(find("[data-history-error]"), problemOf(caught).message);
    }
    field.value = "";
  }
}
