// Sets the theme before the first paint, from what the app kept of it (ui/src/theme.ts).
(function () {
  var kept = null;
  try {
    kept = localStorage.getItem("collie-theme");
  } catch (error) {
    kept = null;
  }
  var dark = kept === "dark" || (kept !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
