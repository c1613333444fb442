import { HalyardError } from "../../errors/error.ts";
import type { SessionId } from "../../schema/id.ts";
import { hostOf, isSameOrigin } from "../headers.ts";
import { BROWSER_MS } from "./sign-ins.ts";

/**
 * Returns the secret in the sign-in cookie, or in the cookie of a link to the session `sessionId`. Returns undefined if
 * the request has no such cookie.
 */
export function readCookie(request: Request, sessionId?: SessionId): string | undefined {
  const name = cookieName(request, sessionId);
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** Options of `writeCookie`. */
export interface CookieOptions {
  /** The path prefix of the server. */
  readonly basePath: string;
  /** The lifetime of the cookie in milliseconds. Defaults to the lifetime of a sign-in. */
  readonly lifetimeMs?: number;
  /** The session of a link. Each link has a cookie of its own. Defaults to the sign-in cookie. */
  readonly sessionId?: SessionId;
}

/**
 * Returns the `Set-Cookie` header that stores a secret in the browser. If `secret` is undefined, the header removes the
 * cookie.
 */
export function writeCookie(
  request: Request,
  secret: string | undefined,
  { basePath, lifetimeMs = BROWSER_MS, sessionId }: CookieOptions,
): string {
  const isSecure = request.headers.get("origin")?.startsWith("https:") === true;
  return [
    `${cookieName(request, sessionId)}=${secret ?? ""}`,
    `Path=${basePath}/v1`,
    `Max-Age=${secret === undefined ? 0 : Math.floor(lifetimeMs / 1000)}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

/**
 * Rejects a request that another web page sent with this page's cookie. `SameSite` is not sufficient, because it
 * ignores ports: all pages that this machine serves are the same site.
 */
export function requireOwnPage(request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  const isRead = request.method === "GET" || request.method === "HEAD";
  const origin = request.headers.get("origin");
  const isOwn = origin === null ? isRead : isSameOrigin(request);
  const isOwnSite = site === null || site === "same-origin" || (isRead && site === "none");
  if (isOwn && isOwnSite) return;
  throw new HalyardError(
    "forbidden",
    "A browser's cookie is accepted only from Halyard's own page, with its Origin header. Send a token instead.",
  );
}

/**
 * Returns a name that contains the port, if the Host header has one. Browsers send a cookie to all ports of a host, so
 * two servers on one machine would otherwise overwrite each other's cookies.
 */
function cookieName(request: Request, sessionId?: SessionId): string {
  const [, port] = /:(\d+)$/.exec(hostOf(request)) ?? [];
  return ["halyard", port, sessionId].filter(Boolean).join("-");
}
