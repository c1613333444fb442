import { HalyardError } from "../../errors/error.ts";
import { hostOf, isSameOrigin } from "../headers.ts";
import { BROWSER_MS } from "./sign-ins.ts";

/** Returns the secret that the browser sent, or undefined if it sent none. */
export function readCookie(request: Request): string | undefined {
  const name = cookieName(request);
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** Returns the `Set-Cookie` header that stores a secret in the browser, or removes it. */
export function writeCookie(
  request: Request,
  secret: string | undefined,
  basePath: string,
): string {
  const isSecure = request.headers.get("origin")?.startsWith("https:") === true;
  return [
    `${cookieName(request)}=${secret ?? ""}`,
    `Path=${basePath}/v1`,
    `Max-Age=${secret === undefined ? 0 : BROWSER_MS / 1000}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

/**
 * Rejects a request that another web page sent with the cookie of this one. `SameSite` does not suffice: it ignores ports,
 * so every page of this machine is the same site.
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
    "The cookie of a browser is accepted only from Halyard's own page, with its Origin header. Programs send a token.",
  );
}

/**
 * Browsers send a cookie to all ports of a host, so that the name contains the port: two servers on one machine keep their
 * own cookies.
 */
function cookieName(request: Request): string {
  const [, port] = /:(\d+)$/.exec(hostOf(request)) ?? [];
  return port === undefined ? "halyard" : `halyard-${port}`;
}
