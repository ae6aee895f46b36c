// Keys that do something wherever the focus is: they can be switched off, for people who speak to
// their computer or hit keys by accident. The choice holds for all pages of this browser.

const KEPT = "palacs-shortcuts";

/** @type {() => boolean} */
export const shortcutsOn = () => {
  try { return localStorage.getItem(KEPT) !== "off"; } catch { return true; }
};

const show = () => document.documentElement.toggleAttribute("data-no-shortcuts", !shortcutsOn());

for (const box of document.querySelectorAll("[data-shortcuts]")) {
  if (!(box instanceof HTMLInputElement)) continue;
  box.checked = shortcutsOn();
  box.addEventListener("change", () => {
    try { localStorage.setItem(KEPT, box.checked ? "on" : "off"); } catch { /* for this page only */ }
    show();
  });
}
show();
