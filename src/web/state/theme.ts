import { createSource, type Source } from "./source.ts";

/** The page's colors. `auto` follows the system. */
export type ThemeName = "auto" | "dark" | "light";

/** The chosen colors, and a function that switches to the next choice. */
export interface Theme {
  readonly name: Source<ThemeName>;
  next(): void;
}

const names = ["auto", "dark", "light"] as const;

/** Applies the stored colors and returns the theme. Defaults to `auto`. */
export function openTheme({ document, localStorage }: Window): Theme {
  const stored = localStorage.getItem(KEY);
  const name = createSource<ThemeName>(names.find((one) => one === stored) ?? "auto");
  const apply = () => {
    document.documentElement.dataset.theme = name.get();
  };
  apply();
  return {
    name,
    next() {
      name.set(names[(names.indexOf(name.get()) + 1) % names.length] ?? "auto");
      localStorage.setItem(KEY, name.get());
      apply();
    },
  };
}

const KEY = "halyard.theme";
