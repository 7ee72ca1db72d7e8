// The theme of the page: that of the system, light or dark. The button names it, and `playground.css` has its colours.
import { byId } from "./dom.js";

const THEMES = ["system", "light", "dark"];

/** Sets the theme to one of `THEMES`, or to that of the system if the name is not known. */
function setTheme(theme) {
  const known = THEMES.includes(theme) ? theme : "system";
  document.documentElement.dataset.theme = known;
  byId("theme").textContent = `Theme: ${known}`;
}

/** Sets the theme after this one, and stores it. */
export function nextTheme() {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  setTheme(next);
  // Pages from files, and visitors who block storage, have none.
  try {
    localStorage.setItem("neuroscript-theme", next);
  } catch {}
}

/** Sets the theme that the visitor chose last. */
export function restoreTheme() {
  try {
    setTheme(localStorage.getItem("neuroscript-theme"));
  } catch {
    setTheme("system");
  }
}
