// Making and finding elements. Texts always become text nodes, never markup.

import { colourOf } from "./colours.js";

export { percent } from "./locale.js";

/** @import { Label } from "./shapes.js" */
/** @typedef {Node | string | null | undefined | false} Child Nothing is made of the last three. */
/** @typedef {Record<string, any> | null} Attributes */

const SVG = "http://www.w3.org/2000/svg";

/**
 * The element of a kind that the page's template promises.
 * @template {Element} T
 * @param {new () => T} kind
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {T}
 */
export function findA(kind, selector, within = document) {
  const element = within.querySelector(selector);
  if (!(element instanceof kind)) throw new Error(`This page has no ${kind.name} at ${selector}.`);
  return element;
}

/** @type {(selector: string, within?: ParentNode) => HTMLElement} */
export const find = (selector, within = document) => findA(HTMLElement, selector, within);

/**
 * @template {Element} T
 * @param {T} element
 * @param {Attributes | undefined} attributes
 * @param {(Child | Child[])[]} children
 * @returns {T}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 */
export const h = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 */
export const s = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/**
 * What paints on a canvas.
 * @param {HTMLCanvasElement} canvas
 */
export function brushOf(canvas) {
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("This browser paints on no canvas.");
  return brush;
}

/** @type {(classes: readonly Label[], label: Label) => HTMLSpanElement} */
export const named = (classes, label) =>
  h("span", { class: `name ${colourOf(classes, label)}` },
    h("span", { class: "dot", "aria-hidden": "true" }), h("span", {}, String(label)));

/** @type {(element: HTMLElement, text: string | null | undefined) => void} */
export const say = (element, text) => {
  element.textContent = text ?? "";
  element.hidden = !text;
};

/** @type {(element: HTMLElement, share: number) => void} */
export const setWidth = (element, share) => {
  element.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
};

/** @type {(event: Event) => boolean} */
export const typing = (event) =>
  event.target instanceof Element && event.target.closest("input:not([type=checkbox]), textarea, select") !== null;

/** @type {(element: Element) => string} What stays the same of a button or link when it is drawn again. */
const known = (element) =>
  (element.getAttribute("aria-label") ?? element.getAttribute("href") ?? element.textContent ?? "").replace(/^(Pause|Resume) /, "");

/**
 * Redrawing must not take the keyboard away from whoever is on a button or link.
 * @type {(parent: HTMLElement, ...children: HTMLElement[]) => void}
 */
export function keepingFocus(parent, ...children) {
  const active = document.activeElement;
  const label = active && active !== parent && parent.contains(active) ? known(active) : null;
  parent.replaceChildren(...children);
  if (label === null) return;
  /** @type {HTMLElement[]} */
  const others = [...parent.querySelectorAll("[aria-label], a, button")].filter((one) => one instanceof HTMLElement);
  // Whoever looks at another part of the page meanwhile goes on looking there.
  others.find((one) => known(one) === label)?.focus({ preventScroll: true });
}
