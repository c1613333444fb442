import { renderUnicodeCompact } from "uqr";
import type { DaemonRecord } from "../../daemon/record.ts";
import { createSignInCode, signInUrl } from "../../daemon/sign-in.ts";
import { reachableUrl } from "../../server/reachable-url.ts";
import type { Sink } from "../output/sink.ts";

/**
 * Prints a link that opens the page on a phone in the same network. On a console, also prints the QR code of the
 * link. The link signs in only one browser. Prints nothing if this machine has no address that other machines can reach.
 */
export async function printExposedLink(
  { socketPath, url, ...daemon }: DaemonRecord,
  err: Sink,
): Promise<void> {
  const base = url === undefined ? undefined : reachableUrl(url);
  if (socketPath === undefined || base === undefined) return;
  const { code } = await createSignInCode({ ...daemon, socketPath }, { lifetimeMs: LIFETIME_MS });
  const link = signInUrl(base, code);
  if (err.isTTY) await err.write(`${renderUnicodeCompact(link)}\n`);
  await err.write(`${link}\n`);
  const notice =
    "The link signs in one browser within 10 minutes. The connection is not encrypted: use it only in a network that you trust.";
  await err.write(err.colors.dim(`${notice}\n`));
}

/** The lifetime of the sign-in code in milliseconds, long enough to scan it with a phone. */
const LIFETIME_MS = 600_000;
