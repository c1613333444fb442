import { useEffect, useMemo, useState } from "preact/hooks";
import type { Entry } from "../state/board.ts";
import { loadChanges, type ReadChanges } from "../state/read-changes.ts";
import { type DiffFile, type DiffLine, parseDiff } from "../text/diff.ts";
import { plural } from "../text/format.ts";
import { type Comment, CommentField, toMessage } from "./comments.tsx";
import { useApp } from "./context.ts";
import { DiffLines } from "./diff.tsx";

/** What a session changed: files, diffs, comments on lines, and a way back. */
export function ChangesPanel({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const app = useApp();
  const { id, turn, turns, lastSeq } = entry.info;
  // A checkpoint follows the end of a turn, and a rewind.
  const state = turn ? turns : lastSeq;
  const [turnIds, setTurnIds] = useState<readonly string[]>([]);
  const [turnId, setTurnId] = useState<string>();
  const [read, setRead] = useState<ReadChanges>();
  const [comments, setComments] = useState<readonly Comment[]>([]);
  useEffect(() => {
    let isCurrent = true;
    loadChanges(app.api, { id, turnId, lastSeq }).then(
      (found) => isCurrent && setRead(found),
      (error) => isCurrent && app.fail(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [app, id, turnId, state]);
  useEffect(() => {
    app.api
      .window(id, { after: 0, limit: 200, types: "completion" })
      .then(({ events }) => setTurnIds(events.flatMap((event) => event.turnId ?? [])))
      .catch(() => {}); // the total remains
  }, [app, id, turns]);
  const files = useMemo(() => parseDiff(read?.changes.diff ?? ""), [read]);
  const send = async () => {
    await app.send(id, toMessage(comments));
    setComments([]);
  };
  const { changes } = read ?? {};
  const isEmpty = changes !== undefined && changes.files.length === 0;
  return (
    <aside class="changes" aria-label="Changes">
      <header>
        <h2>Changes</h2>
        {changes && !isEmpty && (
          <span class="facts">
            <span class="plus">+{changes.insertions}</span>{" "}
            <span class="minus">−{changes.deletions}</span>
          </span>
        )}
        <span class="spacer" />
        {turnIds.length > 0 && (
          <select
            aria-label="Turn"
            value={turnId ?? ""}
            onChange={({ currentTarget }) => setTurnId(currentTarget.value || undefined)}
          >
            <option value="">All turns</option>
            {turnIds.map((one, index) => (
              <option key={one} value={one}>
                Turn {index + 1}
              </option>
            ))}
          </select>
        )}
        <button
          type="button"
          class="quiet icon narrow-only"
          aria-label="Close the changes"
          onClick={onClose}
        >
          ✕
        </button>
      </header>
      <div class="changes-body">
        {isEmpty && <p class="empty">No files changed.</p>}
        {changes?.files.map((file) => (
          <FileView
            key={file.path}
            path={file.path}
            counts={file}
            diffs={files.filter(({ path }) => path === file.path)}
            comments={comments}
            onComments={setComments}
          />
        ))}
        {changes?.truncated && <p class="note">The diff is too long and was cut.</p>}
      </div>
      <footer>
        {comments.length > 0 && (
          <button type="button" class="primary" onClick={() => void send()}>
            Send {plural(comments.length, "comment")}
          </button>
        )}
        {read?.source === "checkpoints" && turnId !== undefined && (
          <button
            type="button"
            onClick={() =>
              void app.attempt(async () => {
                await app.api.rewind(id, turnId);
                app.say("The files are as they were at the end of the turn.");
              })
            }
          >
            Rewind files to this turn
          </button>
        )}
      </footer>
    </aside>
  );
}

interface FileProps {
  readonly path: string;
  readonly counts: { readonly insertions: number; readonly deletions: number };
  readonly diffs: readonly DiffFile[];
  readonly comments: readonly Comment[];
  onComments(comments: readonly Comment[]): void;
}

/** Files with more changed lines are folded at first. */
const MANY_LINES = 400;

function FileView({ path, counts, diffs, comments, onComments }: FileProps) {
  const [picked, setPicked] = useState<DiffLine>();
  const isLong = counts.insertions + counts.deletions > MANY_LINES;
  const below = (line: DiffLine) => {
    const own = comments.filter((comment) => comment.line === line);
    return (
      <>
        {own.map((comment) => (
          <div class="comment" key={comment.text}>
            <p>{comment.text}</p>
            <button
              type="button"
              class="quiet"
              onClick={() => onComments(comments.filter((one) => one !== comment))}
            >
              Remove
            </button>
          </div>
        ))}
        {picked === line && (
          <CommentField
            onCancel={() => setPicked(undefined)}
            onSubmit={(text) => {
              onComments([...comments, { path, line, text }]);
              setPicked(undefined);
            }}
          />
        )}
      </>
    );
  };
  const slash = path.lastIndexOf("/") + 1;
  return (
    <details class="file" open={!isLong}>
      <summary>
        <span class="path">
          <span class="faint">{path.slice(0, slash)}</span>
          {path.slice(slash)}
        </span>
        <span class="facts">
          <span class="plus">+{counts.insertions}</span>{" "}
          <span class="minus">−{counts.deletions}</span>
        </span>
      </summary>
      {diffs.map((file, index) => (
        <DiffLines key={index} file={file} comments={{ below, onPick: setPicked }} />
      ))}
    </details>
  );
}
