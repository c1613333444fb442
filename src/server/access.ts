import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { HalyardError } from "../errors/error.ts";

/**
 * How clients can reach the address that a request was received on. Determines the credentials that the request needs.
 */
export interface Access {
  /** True for a socket that only the user can open. Its requests need no token. */
  readonly isPrivate: boolean;
  /** True if other machines can reach the address. */
  readonly isExposed: boolean;
}

/** The checks of a request on an address that is not private. */
export interface GuardOptions {
  readonly token: string | undefined;
  /** Host names that the server accepts besides those of the loopback interface. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may send requests. */
  readonly origins: readonly string[];
}

/** For requests that were not received by a listener of this server: token required, loopback names only. */
export const untrustedAccess: Access = { isPrivate: false, isExposed: false };

/** Rejects a request whose Host or Origin header is not allowed. */
export function requireOrigin(request: Request, access: Access, options: GuardOptions): void {
  if (access.isPrivate) return;
  const host = request.headers.get("host") ?? new URL(request.url).host; // a Request that a program created has no Host header
  if (!isOwnName(hostname(host), access, options)) {
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

/**
 * Returns true if the request has the token or needs none, and false if it sent no credentials. Throws if they are
 * wrong.
 */
export function checkToken(request: Request, access: Access, options: GuardOptions): boolean {
  if (!access.isPrivate && !request.headers.has("authorization")) return false;
  requireToken(request, access, options);
  return true;
}

/** Throws if the request does not have the token and needs it. */
export function requireToken(request: Request, access: Access, { token }: GuardOptions): void {
  if (access.isPrivate) return;
  const [, given = ""] = /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (token !== undefined && isEqual(given, token)) return;
  const what = given === "" ? "The request has no token." : "The token is wrong.";
  throw new HalyardError("unauthorized", `${what} Send it as "Authorization: Bearer TOKEN".`);
}

/** True if only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * True for allowed names and IP addresses. A web page can point its own host name at this server (DNS rebinding), but
 * not an IP address or an allowed name.
 */
function isOwnName(host: string, { isExposed }: Access, { hosts }: GuardOptions): boolean {
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

/** Compares in constant time. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
