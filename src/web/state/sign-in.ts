import type { Api } from "../api/api.ts";

/**
 * Exchanges the one-time code of the address for a cookie, and removes the code from the address and the history first, so
 * that it stays nowhere.
 */
export async function signInByAddress(api: Api, { location, history }: Window): Promise<void> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(undefined, "", location.pathname);
  await api.signIn(code);
}
