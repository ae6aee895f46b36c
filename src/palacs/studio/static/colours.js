// How a class looks, the same on every page and in the pictures of palacs.plots: a colour and a
// shape, by its place among the campaign's classes. Twelve colours and seven shapes have no common
// divisor, so that 84 classes differ, and nobody needs to see colours.

/** @import { Label } from "./shapes.js" */

// As many as studio.css defines.
const COLOURS = 12;
const SHAPES = 7;
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "14 4"];

/** @type {WeakMap<readonly Label[], Map<string, number>>} */
const places = new WeakMap();

/** @type {(classes: readonly Label[], label: Label) => number} -1 where it is none of them. */
export function placeOf(classes, label) {
  let known = places.get(classes);
  if (!known || known.size !== classes.length) {
    known = new Map(classes.map((one, place) => [String(one), place]));
    places.set(classes, known);
  }
  return known.get(String(label)) ?? -1;
}

/**
 * The CSS classes that give what belongs to a class its colour and shape.
 * @type {(classes: readonly Label[], label: Label | undefined) => string}
 */
export const colourOf = (classes, label) => {
  const place = label === undefined ? -1 : placeOf(classes, label);
  return place < 0 ? "" : `c${place % COLOURS} s${place % SHAPES}`;
};

/**
 * The same colour as a value, for what CSS cannot reach; that of the text without a class.
 * @type {(classes: readonly Label[], label: Label | undefined) => string}
 */
export const paintOf = (classes, label) => {
  const place = label === undefined ? -1 : placeOf(classes, label);
  const name = place < 0 ? "--ink" : `--class-${place % COLOURS}`;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
};

/** @type {(place: number) => string | null} How the line of a class is broken, as SVG writes it. */
export const dashOf = (place) => (place < 0 ? null : DASHES[place % DASHES.length] || null);

/** @type {[number, number][][]} Corners around (0, 0), all of about the same area; a circle has none. */
const CORNERS = [
  [],
  [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  [[0, -1.15], [1.15, 0.9], [-1.15, 0.9]],
  [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  [[-1.15, -0.9], [1.15, -0.9], [0, 1.15]],
  [[-0.4, -1.15], [0.4, -1.15], [0.4, -0.4], [1.15, -0.4], [1.15, 0.4], [0.4, 0.4], [0.4, 1.15], [-0.4, 1.15], [-0.4, 0.4], [-1.15, 0.4], [-1.15, -0.4], [-0.4, -0.4]],
  [[-1.1, -0.55], [-0.55, -1.1], [0, -0.55], [0.55, -1.1], [1.1, -0.55], [0.55, 0], [1.1, 0.55], [0.55, 1.1], [0, 0.55], [-0.55, 1.1], [-1.1, 0.55], [-0.55, 0]],
];

/**
 * The shape of a class as the path of an SVG, or of a canvas by Path2D.
 * @type {(place: number, x: number, y: number, size: number) => string}
 */
export function shapeAt(place, x, y, size) {
  const corners = CORNERS[Math.max(0, place) % SHAPES];
  if (!corners.length) return `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
  return `M${corners.map(([right, down]) => `${(x + size * right).toFixed(1)} ${(y + size * down).toFixed(1)}`).join("L")}Z`;
}
