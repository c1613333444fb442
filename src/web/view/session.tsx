import { useEffect, useMemo, useState } from "preact/hooks";
import type { Entry } from "../state/board.ts";
import type { LogWindow } from "../state/log-window.ts";
import { useSource } from "../state/source.ts";
import { ChangesPanel } from "./changes.tsx";
import { Composer } from "./composer.tsx";
import { useApp } from "./context.ts";
import { SessionHeader } from "./session-header.tsx";
import { Transcript } from "./transcript.tsx";

/** A session: its transcript, the composer, and its changes. */
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
  if (!entry) return <p class="empty">{problem ?? ""}</p>;
  return <Opened entry={entry} seq={seq} />;
}

function Opened({ entry, seq }: { entry: Entry; seq: number | undefined }) {
  const app = useApp();
  const { id } = entry.info;
  const log: LogWindow = useMemo(() => app.logOf(id), [app, id]);
  const [hasChanges, setChanges] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const opening = seq === undefined ? log.openEnd() : log.jump(seq);
    opening.catch((error) => app.fail(error));
  }, [app, log, seq]);
  return (
    <div class={hasChanges ? "session with-changes" : "session"}>
      <div class="talk">
        <SessionHeader
          entry={entry}
          hasChanges={hasChanges}
          onToggleChanges={() => setChanges(!hasChanges)}
        />
        <Transcript entry={entry} log={log} seq={seq} />
        {!app.isRecording && <Composer entry={entry} log={log} />}
      </div>
      {hasChanges && <ChangesPanel entry={entry} onClose={() => setChanges(false)} />}
    </div>
  );
}

/** The width from which the changes have their own column. */
const WIDE = "(min-width: 1280px)";
