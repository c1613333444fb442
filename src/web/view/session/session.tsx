import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Entry } from "../../state/board.ts";
import type { LogWindow } from "../../state/log-window.ts";
import { useSource } from "../../state/source.ts";
import { BackLink } from "../back-link.tsx";
import { useApp } from "../context.ts";
import { lazy } from "../lazy.tsx";
import { ConnectionState } from "../sidebar/connection-state.tsx";
import { ChangesPanel } from "./changes.tsx";
import { Composer } from "./composer.tsx";
import { FindBar } from "./find-bar.tsx";
import { SessionHeader, type ShownParts } from "./session-header.tsx";
import { Transcript } from "./transcript.tsx";

const Screen = lazy(() => import("./screen.tsx").then(({ ScreenView }) => ScreenView));

/** Shows a session: its transcript, the composer, and its changes. */
export function SessionView({ id, seq }: { id: string; seq?: number | undefined }) {
  const app = useApp();
  const entry = useSource(app.board.entries).get(id);
  const [problem, setProblem] = useState<string>();
  const isKnown = entry !== undefined;
  useEffect(() => {
    if (isKnown) return;
    app.api.find(id).then(
      (info) => app.board.adopt([info]),
      (error) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [id, isKnown, app]);
  if (!entry) return <Unknown problem={problem} />;
  return <Opened entry={entry} seq={seq} />;
}

/** Shows a placeholder for a session that the page has not received yet, or the error if it cannot be read. */
function Unknown({ problem = "" }: { problem: string | undefined }) {
  const { isReadOnly } = useApp();
  return (
    <div class="view">
      <header class="session-header">
        {!isReadOnly && <BackLink />}
        <ConnectionState />
      </header>
      <p class="empty">{problem}</p>
    </div>
  );
}

function Opened({ entry, seq }: { entry: Entry; seq: number | undefined }) {
  const app = useApp();
  const { id, turn, lastSeq } = entry.info;
  // The changes panel ignores the events in a running turn, because the recorded changes are updated only by a
  // checkpoint, which follows the end of a turn, or by a rewind.
  const lastSettled = useRef(lastSeq);
  if (!turn) lastSettled.current = lastSeq;
  const log: LogWindow = useMemo(() => app.logOf(id), [app, id]);
  const [shown, setShown] = useState<ShownParts>(() => ({
    changes: matchMedia(WIDE).matches,
    find: false,
    screen: false,
  }));
  const toggle = (part: keyof ShownParts) => setShown((now) => ({ ...now, [part]: !now[part] }));
  const closeChanges = useCallback(() => setShown((now) => ({ ...now, changes: false })), []);
  useEffect(() => {
    const opening = seq === undefined ? log.openEnd() : log.jump(seq);
    opening.catch((error) => app.fail(error));
  }, [app, log, seq]);
  return (
    <div class={shown.changes ? "session with-changes" : "session"}>
      <div class="talk">
        <SessionHeader entry={entry} shown={shown} onToggle={toggle} />
        {shown.find && <FindBar id={id} onClose={() => toggle("find")} />}
        {shown.screen ? <Screen id={id} /> : <Transcript entry={entry} log={log} seq={seq} />}
        {!app.isReadOnly && <Composer entry={entry} log={log} />}
      </div>
      {shown.changes && (
        <ChangesPanel
          id={id}
          turns={entry.info.turns}
          lastSeq={lastSettled.current}
          onClose={closeChanges}
        />
      )}
    </div>
  );
}

/** The minimum width at which the changes have their own column. */
const WIDE = "(min-width: 1280px)";
