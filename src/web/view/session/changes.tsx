import { useEffect, useMemo, useState } from "preact/hooks";
import { loadChanges, type ReadChanges } from "../../state/read-changes.ts";
import { type DiffFile, type DiffLine, parseDiff } from "../../text/diff.ts";
import { plural } from "../../text/format.ts";
import { DiffLines } from "../content/diff.tsx";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { memo } from "../memo.ts";
import {
  type Comment,
  CommentField,
  isSameLine,
  toCommentMessage,
  unsentComments,
} from "./comments.tsx";

interface Props {
  readonly id: string;
  /** The number of turns that have ended. */
  readonly turns: number;
  /** The `seq` of the last event after which the files may have changed. */
  readonly lastSeq: number;
  onClose(): void;
}

/** Shows a session's changes: files, diffs, comments on lines, and rewind. */
export const ChangesPanel = memo(({ id, turns, lastSeq, onClose }: Props) => {
  const app = useApp();
  const [turnIds, setTurnIds] = useState<readonly string[]>([]);
  const [turnId, setTurnId] = useState<string>();
  const [read, setRead] = useState<ReadChanges>();
  const [comments, setComments] = useState(() => unsentComments(id).read());
  useEffect(() => unsentComments(id).write(comments), [id, comments]);
  useEffect(() => {
    let isCurrent = true;
    loadChanges(app.api, { id, turnId, lastSeq }).then(
      (found) => isCurrent && setRead(found),
      (error) => isCurrent && app.fail(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [app, id, turnId, turns, lastSeq]);
  useEffect(() => {
    app.api
      .completions(id, 0)
      .then((ends) => setTurnIds(ends.flatMap(({ turnId }) => turnId ?? [])))
      .catch(() => {}); // ignored, because the changes of all turns are still shown
  }, [app, id, turns]);
  const files = useMemo(() => parseDiff(read?.changes.diff ?? ""), [read]);
  const send = async () => {
    await app.send(id, toCommentMessage(comments));
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
          <Icon name="close" />
        </button>
      </header>
      <div class="changes-body">
        {isEmpty && <p class="nothing">No files changed.</p>}
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
        {changes?.truncated && <p class="note">The diff is too long and was truncated.</p>}
      </div>
      <footer>
        {comments.length > 0 && (
          <button type="button" class="primary" onClick={() => void send()}>
            Send {plural(comments.length, "comment")}
          </button>
        )}
        {read?.source === "checkpoints" && turnId !== undefined && !app.isReadOnly && (
          <button
            type="button"
            onClick={() =>
              void app.attempt(async () => {
                await app.api.rewind(id, turnId);
                app.say("The files were restored to their state at the end of the turn.");
              })
            }
          >
            Rewind files to this turn
          </button>
        )}
      </footer>
    </aside>
  );
});

interface FileProps {
  readonly path: string;
  readonly counts: { readonly insertions: number; readonly deletions: number };
  readonly diffs: readonly DiffFile[];
  readonly comments: readonly Comment[];
  onComments(comments: readonly Comment[]): void;
}

/** The number of changed lines above which a file is initially folded. */
const MANY_LINES = 400;

function FileView({ path, counts, diffs, comments, onComments }: FileProps) {
  const app = useApp();
  const [picked, setPicked] = useState<DiffLine>();
  const isLong = counts.insertions + counts.deletions > MANY_LINES;
  const below = (line: DiffLine) => {
    const own = comments.filter(
      (comment) => comment.path === path && isSameLine(comment.line, line),
    );
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
        {picked && isSameLine(picked, line) && (
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
        <DiffLines
          key={index}
          file={file}
          comments={app.isReadOnly ? undefined : { below, onPick: setPicked }}
        />
      ))}
    </details>
  );
}
