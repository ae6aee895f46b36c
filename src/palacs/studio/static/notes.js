// What is noted with every instance on the bench: who sits here, the subject, the session. Kept for
// this tab only, until it is closed.

import { personHere } from "./api.js";
import { findA, h } from "./dom.js";

/** @import { Details } from "./shapes.js" */

export class Notes {
  /** @param {string} campaign */
  constructor(campaign) {
    this.key = `palacs notes ${campaign}`;
    this.form = findA(HTMLFormElement, "[data-notes]");
    this.person = findA(HTMLInputElement, "[name=person]", this.form);
    // Whoever came by a link is who it was made for.
    const { person } = document.body.dataset;
    this.person.value = person ?? personHere();
    this.person.disabled = person !== undefined;
    for (const [name, value] of Object.entries(this.kept())) this.field(name).value = value;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.keep());
  }

  /**
   * Every attribute that says what an instance belongs to has a field of its own.
   * @param {Details} details
   */
  show({ settings: { groups, attrs } }) {
    for (const name of groups ?? []) {
      const field = this.field(name);
      field.required = attrs?.[name] === undefined;
    }
    for (const field of this.fields()) field.placeholder = String(attrs?.[field.dataset.attr ?? ""] ?? "");
  }

  /** @returns {Record<string, string>} What to note, without what was left empty. */
  attrs() {
    return Object.fromEntries(this.fields().map((field) => [field.dataset.attr ?? "", field.value.trim()]).filter(([, value]) => value));
  }

  fields() {
    return [...this.form.querySelectorAll("[data-attr]")].filter((one) => one instanceof HTMLInputElement);
  }

  /** @param {string} name */
  field(name) {
    const known = this.fields().find((one) => one.dataset.attr === name);
    if (known) return known;
    const input = h("input", { id: `note-${this.fields().length}`, "data-attr": name, maxlength: 200, autocomplete: "off" });
    this.form.append(h("div", { class: "field compact" }, h("label", { for: input.id }, name), input));
    return input;
  }

  /** @returns {Record<string, string>} */
  kept() {
    return JSON.parse(sessionStorage.getItem(this.key) ?? "{}");
  }

  keep() {
    personHere(this.person.value.trim());
    sessionStorage.setItem(this.key, JSON.stringify(this.attrs()));
  }
}
