// Making and finding elements. Texts always become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

export const find = (selector, within = document) => within.querySelector(selector);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const s = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// The same colour for a class on every page: by its position among the campaign's classes.
export const colourOf = (classes, label) => {
  const place = classes.findIndex((one) => String(one) === String(label));
  return place < 0 ? "" : `c${place % 12}`;
};

export const named = (classes, label) =>
  h("span", { class: `name ${colourOf(classes, label)}` },
    h("span", { class: "dot", "aria-hidden": "true" }), h("span", {}, String(label)));

export const percent = (share, digits = 0) =>
  share === null || share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;

export const say = (element, text) => {
  element.textContent = text ?? "";
  element.hidden = !text;
};

export const setWidth = (element, share) => {
  element.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
};

export const typing = (event) =>
  event.target instanceof Element && event.target.closest("input:not([type=checkbox]), textarea, select") !== null;
