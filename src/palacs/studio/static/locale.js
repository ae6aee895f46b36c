// Numbers, shares, dates and times as the reader's language writes them: the one place that does.
// What is typed into a field is read the same way, with a decimal comma where the language has one.

/** @import { Time } from "./shapes.js" */

const MISSING = "–";
/** @type {Record<string, string>} */
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** @type {Map<string, Intl.NumberFormat>} Making one takes longer than using it. */
const formats = new Map();

/** @type {(options: Intl.NumberFormatOptions) => Intl.NumberFormat} */
function format(options) {
  const key = JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.NumberFormat(undefined, options);
  formats.set(key, known);
  return known;
}

const DECIMAL = format({}).formatToParts(1.5).find((part) => part.type === "decimal")?.value ?? ".";

/** @type {(value: number) => string} A whole number. */
export const whole = (value) => format({ maximumFractionDigits: 0 }).format(value);

/** @type {(value: number, digits: number) => string} With so many decimals. */
export const fixed = (value, digits) =>
  // What is rounded to zero has no sign.
  format({ minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }).format(Number(value.toFixed(digits)) || 0);

/** @type {(value: number) => string} To three digits that count. */
export function brief(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e5 && size >= 1e-3) return format({ maximumSignificantDigits: 3, useGrouping: false }).format(value);
  const [digits, power] = value.toExponential(1).split("e");
  return `${fixed(Number(digits), 1)} × 10${[...String(Number(power))].map((sign) => RAISED[sign]).join("")}`;
}

/** @type {(value: number) => string} Every digit. */
export const exact = (value) => format({ maximumSignificantDigits: 17, useGrouping: false }).format(value);

/**
 * Several numbers; where commas are part of a number something else stands between.
 * @type {(values: number[], most: number, how?: (value: number) => string) => string}
 */
export const several = (values, most, how = brief) =>
  values.slice(0, most).map(how).join(DECIMAL === "," ? "; " : ", ") + (values.length > most ? " …" : "");

/** @type {(share: number | null | undefined, digits?: number) => string} */
export const percent = (share, digits = 0) =>
  share === null || share === undefined ? MISSING
    : format({ style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(share);

// 1.000 is a thousand to those who write 1,5, and one to everybody else.
const THOUSANDS = /^[+-]?[1-9]\d{0,2}(\.\d{3})+$/;

/** @type {(text: string) => number} What was typed; NaN where it is no number, or may be two. */
export function parsed(text) {
  const typed = text.trim();
  if (DECIMAL !== ",") return Number(typed);
  return THOUSANDS.test(typed) ? Number.NaN : Number(typed.replace(",", "."));
}

/** @type {(at: Time) => string} */
export const day = (at) => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });

/** @type {(at: Time) => string} */
export const moment = (at) => new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** @type {(at: Time) => string} The time, and the day unless it is today. */
export function clock(at) {
  const [then, today] = [new Date(at), new Date()];
  const time = then.toLocaleTimeString(undefined, { timeStyle: "medium" });
  return then.toDateString() === today.toDateString() ? time : `${then.toLocaleDateString(undefined, { dateStyle: "short" })} ${time}`;
}

/** @type {[string, number][]} */
const UNITS = [["d", 86_400], ["h", 3600], ["min", 60]];

/** @type {(seconds: number) => string} Such as "2 s ago". */
export function ago(seconds) {
  const [unit, size] = UNITS.find(([, long]) => seconds >= long) ?? ["s", 1];
  return `${whole(Math.max(0, Math.floor(seconds / size)))} ${unit} ago`;
}
