import { useEffect } from "react";
import type { Theme } from "./generated/wire";

const KEPT = "collie-theme";

/**
 * Shows a theme, and keeps the choice for the first paint of the next start (public/theme.js). While there is none, what the
 * first paint showed stays.
 */
export function useTheme(choice: Theme | undefined): void {
  useEffect(() => {
    if (choice === undefined) return;
    try {
      localStorage.setItem(KEPT, choice);
    } catch {
      // Without storage the next start begins with the system's theme.
    }
    const system = matchMedia("(prefers-color-scheme: dark)");
    const show = () => {
      const dark = choice === "dark" || (choice !== "light" && system.matches);
      document.documentElement.dataset.theme = dark ? "dark" : "light";
    };
    show();
    system.addEventListener("change", show);
    return () => system.removeEventListener("change", show);
  }, [choice]);
}
