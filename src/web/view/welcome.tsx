import { groupOf } from "../state/board.ts";
import { hrefOf } from "../state/route.ts";
import { useSource } from "../state/source.ts";
import { plural } from "../text/format.ts";
import { useApp } from "./context.ts";
import { Mark } from "./mark.tsx";

/** Shows how many sessions need the user or are working. Shown if no session is selected. */
export function Welcome() {
  const app = useApp();
  const entries = [...useSource(app.board.entries).values()];
  const count = (group: string) => entries.filter(({ info }) => groupOf(info) === group).length;
  const [needs, working] = [count("needs"), count("working")];
  return (
    <div class="welcome">
      <Mark size={44} />
      <h1>{headline(entries.length, needs, working)}</h1>
      <p>
        {entries.length === 0
          ? "Start one here, or run halyard start in a project."
          : working > 0 && needs > 0
            ? `${plural(working, "session")} at work.`
            : "Select a session, or start a new one."}
      </p>
      <div class="row">
        {needs > 0 ? (
          <a class="button primary" href={hrefOf({ view: "inbox" })}>
            Open the inbox <kbd>i</kbd>
          </a>
        ) : (
          <button type="button" class="primary" onClick={() => app.dialog.set("new")}>
            New session <kbd>n</kbd>
          </button>
        )}
        <button type="button" class="quiet" onClick={() => app.dialog.set("help")}>
          Keys <kbd>?</kbd>
        </button>
      </div>
    </div>
  );
}

function headline(all: number, needs: number, working: number): string {
  if (all === 0) return "No sessions yet";
  if (needs > 0) return needs === 1 ? "One session needs you" : `${needs} sessions need you`;
  return working > 0 ? `${plural(working, "session")} at work` : "All quiet";
}
