// When things happen: painting in step with the screen, waiting for a moment, and how this page's
// clock differs from the studio's. All times are seconds since 1970 by this page's clock.

/** @type {(at?: number) => number} Now, or the moment of a timestamp of this page. */
export const now = (at = performance.now()) => (performance.timeOrigin + at) / 1000;

/** @type {(ms: number) => Promise<void>} */
export const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** @returns {Promise<number>} When the next frame begins. */
const frame = () => new Promise((resolve) => {
  // A page that is not seen gets no frames, and must not hang.
  const timer = setTimeout(() => resolve(performance.now()), 500);
  requestAnimationFrame((at) => {
    clearTimeout(timer);
    resolve(at);
  });
});

/**
 * Changes the page at the beginning of a frame, and says when the next one began: by then the
 * change was handed to the screen.
 * @param {() => void} change
 */
export async function painted(change) {
  await frame();
  change();
  return now(await frame());
}

/** @type {(moment: number) => Promise<void>} Until one frame before, since painting takes one. */
export const until = (moment) => sleep(Math.max(0, 1000 * (moment - now()) - 17));

const KEPT = 20;
// How far two clocks run apart while so many comparisons are made, in seconds.
const APART_S = 0.02;

export class Clock {
  /** @param {() => Promise<{ at: number }>} ask The studio's time. */
  constructor(ask) {
    this.ask = ask;
    /** @type {{ offset: number, trip: number }[]} */
    this.trips = [];
    this.frame = 0;
  }

  /** @param {number} times */
  async compare(times) {
    const [first, second] = [await frame(), await frame()];
    this.frame = (second - first) / 1000;
    for (let time = 0; time < times; time += 1) {
      const sent = now();
      try {
        const { at } = await this.ask();
        const back = now();
        this.note({ offset: at - (sent + back) / 2, trip: back - sent });
      } catch { /* the others count */ }
    }
  }

  /** @param {{ offset: number, trip: number }} latest */
  note(latest) {
    // A clock that was set, or a computer that slept: what was measured before is over.
    /** @param {{ offset: number, trip: number }} one */
    const same = ({ offset, trip }) => Math.abs(offset - latest.offset) <= (trip + latest.trip) / 2 + APART_S;
    this.trips = [...this.trips.filter(same), latest].slice(-KEPT);
  }

  // The shortest trip says most about the moment in its middle.
  get best() {
    return this.trips.reduce((best, trip) => (trip.trip < best.trip ? trip : best), this.trips[0] ?? { offset: 0, trip: 0 });
  }

  /** What to add to a time of this page for the studio's. */
  get offset() {
    return this.best.offset;
  }

  /** How far a time of something painted may be off, but for what the screen itself takes. */
  get uncertainty() {
    return this.best.trip / 2 + this.frame;
  }
}
