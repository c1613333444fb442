import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { HalyardError } from "../core/error.ts";

/** The way a request came in, which says what it has to show. */
export interface Door {
  /** A socket that only the user can open: nothing more is asked of whoever does. */
  readonly isPrivate: boolean;
  /** Reachable from other machines. */
  readonly isExposed: boolean;
}

/** What a request from outside has to show. */
export interface GuardOptions {
  readonly token: string | undefined;
  /** Names this server may be called by, beside those of the loopback. */
  readonly hosts: readonly string[];
  /** Web pages that may call it. */
  readonly origins: readonly string[];
}

/** For requests that came by no door of ours: the strictest. */
export const unknownDoor: Door = { isPrivate: false, isExposed: false };

/** Refuses a request that a web page sent, unless it is one of those allowed, and one for a name that is not ours. */
export function requireOrigin(request: Request, door: Door, options: GuardOptions): void {
  if (door.isPrivate) return;
  const host = request.headers.get("host") ?? new URL(request.url).host; // a Request made by a program has no Host
  if (!isOwnName(hostname(host), door, options)) {
    throw new HalyardError(
      "forbidden",
      `The Host header "${host}" is not allowed. Add the name to the option "hosts".`,
    );
  }
  const origin = request.headers.get("origin");
  if (origin === null || options.origins.includes(origin) || isSame(origin, host)) return;
  throw new HalyardError(
    "forbidden",
    `The Origin "${origin}" is not allowed. Add it to the option "origins".`,
  );
}

/** Returns true if the request has the token or needs none, and false if it sent no credentials. Throws if they are wrong. */
export function checkToken(request: Request, door: Door, options: GuardOptions): boolean {
  if (!door.isPrivate && !request.headers.has("authorization")) return false;
  requireToken(request, door, options);
  return true;
}

/** Throws if the request does not have the token and needs it. */
export function requireToken(request: Request, door: Door, { token }: GuardOptions): void {
  if (door.isPrivate) return;
  const [, given = ""] = /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (token !== undefined && isEqual(given, token)) return;
  const what = given === "" ? "The request has no token." : "The token is wrong.";
  throw new HalyardError("unauthorized", `${what} Send it as "Authorization: Bearer TOKEN".`);
}

/** Whether the address is one that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A page can make a browser look up its own name here, but no address and no name of ours. */
function isOwnName(host: string, { isExposed }: Door, { hosts }: GuardOptions): boolean {
  return isLoopback(host) || hosts.includes(host) || (isExposed && isIP(host) !== 0);
}

function hostname(host: string): string {
  return host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
}

function isSame(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** In the same time whatever they are. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
