// Recordings that wait on the bench: what was brought without features that could be made of it,
// and what is missing.

import { post, problemOf } from "./api.js";
import { find, findA, h, keepingFocus, named, say } from "./dom.js";
import { whole } from "./locale.js";

/** @import { Recorded, Standing } from "./shapes.js" */

export class Waiting {
  /**
   * @param {string} path Of the campaign.
   * @param {() => Promise<void>} refresh
   */
  constructor(path, refresh) {
    this.path = path;
    this.refresh = refresh;
    /** @type {Recorded[]} */
    this.shown = [];
    this.all = findA(HTMLButtonElement, "[data-extract-all]");
    this.all.addEventListener("click", () => this.extract(this.shown));
  }

  /** @param {Standing} now */
  show({ recorded, n_recorded: n, extractor, labels }) {
    this.shown = recorded;
    find("[data-recorded]").hidden = !n;
    if (!n) return;
    const waits = `${whole(n)} ${n === 1 ? "recording waits" : "recordings wait"} for features`;
    say(find("[data-recorded-note]"), extractor
      ? `${waits}. The extractor in force is ${extractor}.`
      : `${waits}, and no extractor is in force. Set one with palacs campaign extract, or in Python with campaign.extract; or answer with numbers of your own.`);
    this.all.hidden = !extractor || n < 2;
    const items = recorded.map((one) => h("li", { "data-recorded-request": one.id },
      h("span", { class: "what" }, named(labels, one.label)),
      h("span", { class: "lease" }, `${one.id} · ${one.file}`, one.why && ` · ${one.why}`),
      h("span", { class: "actions" }, extractor && h("button", {
        class: "button small", type: "button", "aria-label": `Extract ${one.id}`, onclick: () => this.extract([one]),
      }, "Extract"))));
    if (n > recorded.length) items.push(h("li", { class: "empty" }, `and ${whole(n - recorded.length)} more`));
    keepingFocus(find("[data-recorded-list]"), ...items);
  }

  /** @param {Recorded[]} some */
  async extract(some) {
    const [told, error] = [find("[data-recorded-told]"), find("[data-recorded-error]")];
    say(error, "");
    let done = 0;
    /** @type {string[]} */
    const failed = [];
    for (const { id } of some) {
      say(told, `Extracting ${id} …`);
      try {
        await post(`${this.path}/tell`, { id });
        done += 1;
      } catch (caught) {
        failed.push(`${id}: ${problemOf(caught).message}`);
      }
    }
    const all = failed.length > 1 ? `${whole(failed.length)} could not be extracted. The first, ` : "";
    say(error, failed.length ? `${all}${failed[0]}` : "");
    say(told, done ? `${whole(done)} ${done === 1 ? "instance" : "instances"} recorded.` : "");
    await this.refresh();
  }
}
