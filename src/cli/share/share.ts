import { renderUnicodeCompact } from "uqr";
import type { RunningDaemon } from "../../daemon/find.ts";
import { createShare, listShares, revokeShares, shareLink } from "../../daemon/sign-in.ts";
import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { type Console, openConsole } from "../console/console.ts";
import { reachableUrl } from "../daemon/exposed-link.ts";
import { requireDaemon } from "../daemon/require-daemon.ts";
import { openOwnDaemon } from "../open-daemon.ts";
import { table } from "../text/table.ts";

export interface ShareOptions {
  /** How long the link is valid, in milliseconds. */
  readonly for: number;
  readonly expose?: boolean;
  readonly revoke?: boolean;
}

/** Prints a link to a session, lists the links, or revokes them. */
export async function share(
  session: string | undefined,
  { for: lifetimeMs, expose = false, revoke = false }: ShareOptions,
): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  await using halyard = await openOwnDaemon(console);
  const daemon = await requireDaemon(console.env);
  if (session === undefined) return await printShares(daemon, console);
  const { id } = await findSession(halyard, session);
  if (revoke) {
    await revokeShares(daemon, id);
    await err.write(`All links to ${id} are revoked.\n`);
    return 0;
  }
  const { secret, url, expiresAt } = await createShare(daemon, id, { lifetimeMs, expose });
  const base = expose && url !== undefined ? reachableUrl(url) : url;
  if (base === undefined)
    throw new HalyardError(
      "unsupported",
      expose
        ? "This machine has no address that other machines can reach. Connect it to a network, or omit --expose."
        : 'The daemon has no port for the page. Run "halyard daemon stop", and try again.',
    );
  const link = shareLink(base, secret);
  if (expose && err.isTTY) await err.write(`${renderUnicodeCompact(link)}\n`);
  await out.write(`${link}\n`);
  const until = `Valid until ${expiresAt}. Run "halyard share ${id} --revoke" to revoke all links to the session.`;
  const plain = " The connection is not encrypted: use it only in a network that you trust.";
  await err.write(err.colors.dim(`${until}${expose ? plain : ""}\n`));
  return 0;
}

async function printShares(daemon: RunningDaemon, { out, err }: Console): Promise<number> {
  const shares = await listShares(daemon);
  if (shares.length === 0) await err.write("No session is shared.\n");
  const rows = shares.map(({ sessionId, expiresAt, exposed }) => [
    sessionId,
    `until ${expiresAt}`,
    exposed ? "network" : "this machine",
  ]);
  if (rows.length > 0) await out.write(`${table(rows).join("\n")}\n`);
  return 0;
}
