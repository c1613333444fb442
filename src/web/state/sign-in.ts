import type { Api } from "../api/api.ts";
import { hrefOf } from "./route.ts";

/**
 * Exchanges the one-time code in the address for a cookie. First removes the code from the address and the history, so
 * that the browser does not store the code. Has no effect if the address contains no code.
 */
export async function signInByAddress(api: Api, { location, history }: Window): Promise<void> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(undefined, "", location.pathname);
  await api.signIn(code);
}

/**
 * Reloads the page if a link with a code or a secret is opened in the same tab, because such a link changes only the
 * fragment.
 */
export function watchSignInLinks(target: Window): void {
  target.addEventListener("hashchange", () => {
    if (/^#(code|share)=/.test(target.location.hash)) target.location.reload();
  });
}

/** True if the address belongs to a shared session: the link itself, or the address that replaces it. */
export function isSharedAddress({ hash }: Location): boolean {
  return /^#(share=|\/shared\/)/.test(hash);
}

/**
 * Exchanges a link's secret for a cookie, and replaces the link with its session's address. Has no effect if the address
 * contains no secret.
 */
export async function openShareByAddress(api: Api, { location, history }: Window): Promise<void> {
  const secret = /^#share=([\w-]+)$/.exec(location.hash)?.[1];
  if (secret === undefined) return;
  history.replaceState(undefined, "", location.pathname);
  const { sessionId: id } = await api.openShare(secret);
  location.replace(hrefOf({ view: "session", id, isShared: true }));
}
