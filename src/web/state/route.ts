import { createSource, type Source } from "./source.ts";

/** What the page shows. */
export type PageRoute =
  | { readonly view: "board" }
  | { readonly view: "inbox" }
  | { readonly view: "usage" }
  | { readonly view: "session"; readonly id: string; readonly seq?: number };

/** Reads the route from the fragment of the address: `#/s/ses_…/120`. */
function parseRoute(hash: string): PageRoute {
  const [, name, id, seq] = hash.replace(/^#/, "").split("/");
  if (name === "inbox" || name === "usage") return { view: name };
  if (name !== "s" || id === undefined || !/^ses_[0-9a-z]{16}$/.test(id)) return { view: "board" };
  const place = Number(seq);
  return { view: "session", id, ...(Number.isInteger(place) && place > 0 && { seq: place }) };
}

/** Returns the address of a route. */
export function hrefOf(route: PageRoute): string {
  if (route.view === "board") return "#/";
  if (route.view !== "session") return `#/${route.view}`;
  return `#/s/${route.id}${route.seq === undefined ? "" : `/${route.seq}`}`;
}

/** Observes the route of the address bar. */
export function watchRoute(target: Window): Source<PageRoute> {
  const source = createSource(parseRoute(target.location.hash));
  target.addEventListener("hashchange", () => source.set(parseRoute(target.location.hash)));
  return source;
}
