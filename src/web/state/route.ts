import { createSource, type Source } from "./source.ts";

/** The view that the page shows. */
export type PageRoute =
  | { readonly view: "board" }
  | { readonly view: "inbox" }
  | { readonly view: "usage" }
  | { readonly view: "settings" }
  | {
      readonly view: "session";
      readonly id: string;
      /** The `seq` of the event to show. */
      readonly seq?: number;
      /** True for a session that a link shares with this browser. */
      readonly isShared?: boolean;
    };

/** Parses the fragment of an address, such as `#/s/ses_…/120`. Returns the board if the fragment names no other view. */
export function parseRoute(hash: string): PageRoute {
  const [, name, id, seq] = hash.replace(/^#/, "").split("/");
  if (name === "inbox" || name === "usage" || name === "settings") return { view: name };
  const isShared = name === "shared";
  if ((name !== "s" && !isShared) || id === undefined || !/^ses_[0-9a-z]{16}$/.test(id))
    return { view: "board" };
  const place = Number(seq);
  return {
    view: "session",
    id,
    ...(Number.isInteger(place) && place > 0 && { seq: place }),
    ...(isShared && { isShared }),
  };
}

/** Returns a route's address. */
export function hrefOf(route: PageRoute): string {
  if (route.view === "board") return "#/";
  if (route.view !== "session") return `#/${route.view}`;
  return `#/${route.isShared ? "shared" : "s"}/${route.id}${route.seq === undefined ? "" : `/${route.seq}`}`;
}

/** Observes the route in the address bar. */
export function watchRoute(target: Window): Source<PageRoute> {
  const source = createSource(parseRoute(target.location.hash));
  target.addEventListener("hashchange", () => source.set(parseRoute(target.location.hash)));
  return source;
}
