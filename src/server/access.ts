import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { HalyardError } from "../errors/error.ts";
import { hostOf, isSameOrigin } from "./headers.ts";
import { readCookie, requireOwnPage } from "./sign-in/cookie.ts";
import type { SignIns } from "./sign-in/sign-ins.ts";

/**
 * How clients can reach the address at which a request was received. Determines the credentials that the request needs.
 */
export interface Access {
  /** True for a socket that only the user can open. Its requests need no token. */
  readonly isPrivate: boolean;
  /** True if other machines can reach the address. */
  readonly isExposed: boolean;
  /** True if the address serves only the page and the sessions that are shared by a link. Defaults to false. */
  readonly isForShares?: boolean;
}

/** How requests to a non-private address are checked. */
export interface GuardOptions {
  readonly token: string | undefined;
  /** Host names that the server accepts besides those of the loopback interface. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may send requests. */
  readonly origins: readonly string[];
  /** The signed-in browsers and the links, if the server has a page. */
  readonly signIns?: SignIns | undefined;
}

/**
 * The access of requests that arrive through another server that mounts the app. Requires a token or a sign-in cookie,
 * and a loopback or allowed host name.
 */
export const untrustedAccess: Access = { isPrivate: false, isExposed: false };

/** Throws `forbidden` if the Host or Origin header of a request is not allowed. Accepts all requests on a private socket. */
export function requireOrigin(request: Request, access: Access, options: GuardOptions): void {
  if (access.isPrivate) return;
  const host = hostOf(request);
  if (!isOwnName(hostname(host), access, options)) {
    throw new HalyardError(
      "forbidden",
      `The Host header "${host}" is not allowed. Use a loopback address, or add the name to the option "hosts" of createServer.`,
    );
  }
  const origin = request.headers.get("origin");
  if (origin === null || options.origins.includes(origin) || isSameOrigin(request)) return;
  throw new HalyardError(
    "forbidden",
    `The Origin "${origin}" is not allowed. Add it to the option "origins" of createServer.`,
  );
}

/**
 * Returns true if the request has the token or the cookie of a signed-in browser, or needs neither. Returns false if it
 * has no valid credentials, and always on a port for shared sessions. Throws if it has an Authorization header without
 * the server's token, or if another page sent the cookie.
 */
export async function isAuthorized(
  request: Request,
  access: Access,
  { token, signIns }: GuardOptions,
): Promise<boolean> {
  if (access.isForShares) return false; // neither a token nor a sign-in grants access beyond the shared sessions
  if (access.isPrivate) return true;
  const header = request.headers.get("authorization");
  if (header !== null) {
    const [, given = ""] = /^Bearer +(.+)$/i.exec(header) ?? [];
    if (token !== undefined && isEqual(given, token)) return true;
    throw unauthorized(given === "" ? "The request has no token." : "The token is wrong.");
  }
  const cookie = signIns && readCookie(request);
  if (cookie === undefined || !(await signIns?.has(cookie))) return false;
  requireOwnPage(request);
  return true;
}

/** Returns the error for a request without valid credentials. */
export function unauthorized(problem: string): HalyardError {
  return new HalyardError(
    "unauthorized",
    `${problem} Send the server's token as "Authorization: Bearer TOKEN", or run "halyard open" to sign in a browser.`,
  );
}

/** True for a loopback name or address, which only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * True for a loopback name, an allowed name and, on an exposed address, any IP address. A web page can make its own
 * host name resolve to this server (DNS rebinding), but not an IP address or an allowed name.
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

/** Compares two secrets in constant time. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
