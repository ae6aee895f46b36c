// The seat of this window: an id by which its requests are its own, in the record too. A window
// that is closed leaves its seat, with the request it had, to the next one of this browser; two
// windows that are open never share one.

const [SEAT, SEATS] = ["palacs seat", "palacs seats"];
const MOST = 50;
const PATIENCE_MS = 500;

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

/** @returns {Promise<string>} */
async function takeSeat() {
  const mine = sessionStorage.getItem(SEAT);
  // Without locks, which browsers give to safe addresses only, every tab has its own for good.
  if (!navigator.locks) return mine ?? newId();
  // A page that was loaded again may find its former self about to leave.
  if (mine && await sit(mine, { signal: AbortSignal.timeout(PATIENCE_MS) })) return mine;
  /** @type {string[]} */
  const known = JSON.parse(localStorage.getItem(SEATS) ?? "[]");
  for (const id of known) if (id !== mine && await sit(id, { ifAvailable: true })) return id;
  const id = newId();
  await sit(id, {});
  localStorage.setItem(SEATS, JSON.stringify([id, ...known].slice(0, MOST)));
  return id;
}

/** @type {Promise<string>} The seat of this window. */
export const seat = takeSeat().catch(newId).then((id) => {
  try { sessionStorage.setItem(SEAT, id); } catch { /* for as long as this page is open */ }
  return id;
});
