// The colour of a class, the same on every page: by its place among the campaign's classes.

/** @import { Label } from "./shapes.js" */

// As many as studio.css defines.
const COLOURS = 12;

/** @type {(classes: readonly Label[], label: Label) => number} */
export const placeOf = (classes, label) => classes.findIndex((one) => String(one) === String(label));

/**
 * The CSS class that colours what belongs to a class.
 * @type {(classes: readonly Label[], label: Label | undefined) => string}
 */
export const colourOf = (classes, label) => {
  const place = label === undefined ? -1 : placeOf(classes, label);
  return place < 0 ? "" : `c${place % COLOURS}`;
};

/**
 * The same colour as a value, for what CSS cannot reach; that of the text without a class.
 * @type {(classes: readonly Label[], label: Label | undefined) => string}
 */
export const paintOf = (classes, label) => {
  const colour = colourOf(classes, label);
  const name = colour ? `--class-${colour.slice(1)}` : "--ink";
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
};
