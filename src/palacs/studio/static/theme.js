// Light or dark: as the system says, unless the person chose otherwise. Runs before the first
// paint, so that no page flashes white.
(() => {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const stored = () => {
    try { return localStorage.getItem("palacs-theme"); } catch { return null; }
  };
  const apply = () => {
    root.dataset.theme = stored() ?? (system.matches ? "dark" : "light");
  };
  apply();
  system.addEventListener("change", apply);
  window.addEventListener("storage", apply);
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-theme-toggle]")) return;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("palacs-theme", root.dataset.theme); } catch { /* not remembered */ }
  });
})();
