import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageApp } from "../state/app.ts";

/** The context that passes the page's state to its views. */
export const AppContext = createContext<PageApp | undefined>(undefined);

/** Returns the page's state. Throws outside `AppContext.Provider`. */
export function useApp(): PageApp {
  const app = useContext(AppContext);
  if (!app) throw new Error("useApp() was called outside AppContext.Provider.");
  return app;
}
