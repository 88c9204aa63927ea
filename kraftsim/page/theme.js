// Light or dark: as the system has it, until a visitor chooses; the choice is kept.

const KEY = "kraftsim-theme";

const isDark = () =>
  (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a file, or a browser that keeps nothing
  }
}

export function restoreTheme() {
  const theme = stored();
  if (theme) document.documentElement.dataset.theme = theme;
}

export function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // kept until the page closes
  }
}
