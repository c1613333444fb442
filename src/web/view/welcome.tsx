import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";
import { Mark } from "./mark.tsx";

/** Shown if no session is selected. */
export function Welcome() {
  const app = useApp();
  const count = useSource(app.board.entries).size;
  return (
    <div class="welcome">
      <Mark size={44} />
      <p>{count === 0 ? "No sessions yet." : "Select a session, or start a new one."}</p>
      <div class="row">
        <button type="button" class="primary" onClick={() => app.dialog.set("new")}>
          New session
        </button>
        <button type="button" class="quiet" onClick={() => app.dialog.set("help")}>
          Keys <kbd>?</kbd>
        </button>
      </div>
    </div>
  );
}
