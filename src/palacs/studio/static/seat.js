// The seat of this window: an id by which its requests are its own, in the record too. A window
// that is closed leaves its seat, with the request it had, to the next one of this browser; two
// windows that are open never share one. Whoever came by a link has the link's id in front.

const { link } = document.body.dataset;
const [SEAT, SEATS] = [`palacs seat${link ?? ""}`, `palacs seats${link ?? ""}`];
const MOST = 50;
const PATIENCE_MS = 500;
const BEAT_MS = 2000;
const GONE_MS = 7000;
const SETTLE_MS = 80;

export const newId = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");

/**
 * Takes a seat for as long as this page is open, unless another page has it.
 * @type {(id: string, options: LockOptions) => Promise<boolean>}
 */
const sit = (id, options) => new Promise((resolve) => {
  navigator.locks.request(`palacs seat ${id}`, options, (lock) => {
    resolve(lock !== null);
    return lock && new Promise(() => {});
  }).catch(() => resolve(false));
});

const tab = newId();

/**
 * The same where browsers give no locks, which they do for safe addresses only: whoever sits there
 * says so again and again. A phone lets pages sleep, so one that wakes looks who sits there now.
 * @type {(id: string) => Promise<boolean>}
 */
async function sitByClock(id) {
  const place = `palacs seat ${id}`;
  /** @type {() => { tab: string, at: number } | null} */
  const there = () => JSON.parse(localStorage.getItem(place) ?? "null");
  const say = () => localStorage.setItem(place, JSON.stringify({ tab, at: Date.now() }));
  const seen = there();
  if (seen && seen.tab !== tab && Date.now() - seen.at < GONE_MS) return false;
  say();
  await new Promise((resolve) => { setTimeout(resolve, SETTLE_MS); });
  if (there()?.tab !== tab) return false;
  let leaving = false;
  const beat = () => {
    if (leaving) return;
    if ((there() ?? { tab }).tab === tab) say();
    else location.reload();
  };
  setInterval(beat, BEAT_MS);
  document.addEventListener("visibilitychange", () => document.hidden || beat());
  window.addEventListener("pagehide", () => {
    leaving = true;
    if (there()?.tab === tab) localStorage.removeItem(place);
  });
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  return true;
}

/** @type {(id: string) => Promise<boolean>} */
const sitDown = (id) => (navigator.locks ? sit(id, { ifAvailable: true }) : sitByClock(id));

/** @returns {Promise<string>} */
async function takeSeat() {
  const mine = sessionStorage.getItem(SEAT);
  // A page that was loaded again may find its former self about to leave.
  if (mine && await (navigator.locks ? sit(mine, { signal: AbortSignal.timeout(PATIENCE_MS) }) : sitByClock(mine))) return mine;
  /** @type {string[]} */
  const known = JSON.parse(localStorage.getItem(SEATS) ?? "[]");
  for (const id of known) if (id !== mine && await sitDown(id)) return id;
  const id = newId();
  await sitDown(id);
  localStorage.setItem(SEATS, JSON.stringify([id, ...known].slice(0, MOST)));
  return id;
}

/** @type {Promise<string>} The seat of this window. */
export const seat = takeSeat().catch(newId).then((id) => {
  try { sessionStorage.setItem(SEAT, id); } catch { /* for as long as this page is open */ }
  return link ? `${link}.${id}` : id;
});
