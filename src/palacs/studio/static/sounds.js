// A tone or a recorded sound with a cue, where sound is switched on.

export class Sounds {
  /** @param {HTMLInputElement} wanted */
  constructor(wanted) {
    this.wanted = wanted;
    /** @type {AudioContext | null} */
    this.audio = null;
  }

  /**
   * @param {number | string} sound A pitch, or an address.
   * @param {number} [length] Of a tone, in seconds.
   */
  async play(sound, length = 0.14) {
    // Browsers play nothing on a page that nobody has touched yet, and complain.
    if (!this.wanted.checked || navigator.userActivation?.hasBeenActive === false) return;
    if (typeof sound === "string") {
      await new Audio(sound).play().catch(() => {});
      return;
    }
    const audio = (this.audio ??= new AudioContext());
    audio.resume();
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = sound;
    volume.gain.setValueAtTime(0.0001, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.25, audio.currentTime + 0.015);
    volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + length);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + length);
  }
}
