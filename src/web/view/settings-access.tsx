import { useEffect, useState } from "preact/hooks";
import type { Share } from "../../schema/page/share.ts";
import { titleOf } from "../state/board.ts";
import { hrefOf } from "../state/route.ts";
import { useSource } from "../state/source.ts";
import { formatMoment } from "../text/format.ts";
import { useApp } from "./context.ts";
import { NotifyButton } from "./notify.tsx";

/** Lists the valid links, and offers to revoke them and to sign out browsers. */
export function AccessSettings() {
  const app = useApp();
  const entries = useSource(app.board.entries);
  const [shares, setShares] = useState<readonly Share[]>([]);
  const load = () => app.attempt(async () => setShares(await app.api.shares()));
  useEffect(() => void load(), [app]);
  const revoke = async (id: string) => {
    await app.attempt(() => app.api.unshare(id));
    await load();
  };
  const leave = (all: boolean) =>
    void app.attempt(async () => {
      await app.api.signOut({ all });
      app.status.set("signed-out");
    });
  return (
    <section>
      <h2>Access</h2>
      {shares.length === 0 && <p class="note">No session is shared by a link.</p>}
      <ul class="rows">
        {shares.map(({ sessionId, expiresAt, exposed }) => {
          const info = entries.get(sessionId)?.info;
          return (
            <li key={`${sessionId}${expiresAt}`} class="setting-row">
              <i class="state idle" aria-hidden="true" />
              <a class="name" href={hrefOf({ view: "session", id: sessionId })}>
                {info ? titleOf(info) : sessionId}
              </a>
              <span class="by">
                {exposed ? "network" : "this machine"}, until {formatMoment(expiresAt)}
              </span>
              <button type="button" class="quiet" onClick={() => void revoke(sessionId)}>
                Revoke
              </button>
            </li>
          );
        })}
      </ul>
      <div class="row wrap">
        <NotifyButton />
        <button type="button" onClick={() => leave(false)}>
          Sign out this browser
        </button>
        <button type="button" onClick={() => leave(true)}>
          Sign out all browsers and links
        </button>
      </div>
    </section>
  );
}
