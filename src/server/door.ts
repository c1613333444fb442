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
  const host = request.headers.get("host") ?? "";
  if (!isOwnName(hostname(host), door, options)) {
    throw new HalyardError("forbidden", `this server is not called ${host || "by no name"}`);
  }
  const origin = request.headers.get("origin");
  if (origin === null || options.origins.includes(origin) || isSame(origin, host)) return;
  throw new HalyardError("forbidden", `pages of ${origin} may not call this server`);
}

/** Refuses a request without the token. */
export function requireToken(request: Request, door: Door, { token }: GuardOptions): void {
  if (door.isPrivate) return;
  const [, given = ""] = /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (token !== undefined && isEqual(given, token)) return;
  const how = "send it as `Authorization: Bearer …`";
  const what = given === "" ? "a token is needed" : "the token is wrong";
  throw new HalyardError("unauthorized", `${what}; ${how}`);
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
