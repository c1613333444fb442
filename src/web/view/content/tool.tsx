import type { ToolCallEvent, ToolResultEvent } from "../../../schema/event.ts";
import { useSource } from "../../state/source.ts";
import { cleanText, firstLine, visibleText } from "../../text/clean.ts";
import { type DiffFile, parseDiff } from "../../text/diff.ts";
import { editDiff } from "../../text/edit-diff.ts";
import { formatDuration, plural } from "../../text/format.ts";
import { mainArgument, verbOf } from "../../text/tool-summary.ts";
import { useApp } from "../context.ts";
import { FoldedDiff } from "./diff.tsx";
import { FoldedText } from "./folded-text.tsx";

interface Props {
  readonly call: ToolCallEvent;
  readonly result: ToolResultEvent | undefined;
  readonly startAt: string;
  readonly endAt: string | undefined;
  /** True if the call waits for an answer. */
  readonly isHeld: boolean;
}

/** Shows a tool call on one line, and its input and result when the user opens it. */
export function ToolView({ call, result, startAt, endAt, isHeld }: Props) {
  const subject = mainArgument(call.input);
  const lines = subject.trim().split("\n").length;
  const hasFailed = result?.isError === true;
  return (
    <details class={hasFailed ? "fold failed" : "fold"}>
      <summary>
        <span class="glyph" aria-hidden="true">
          →
        </span>
        <span class="verb">{verbOf(call)}</span>
        <span class="subject">{visibleText(firstLine(subject))}</span>
        <span class="facts">
          {lines > 1 && call.kind !== "edit" && <span>+{lines - 1} lines</span>}
          <ResultFacts result={result} call={call} />
          {endAt === undefined ? (
            !isHeld && <Since at={startAt} />
          ) : (
            <Took from={startAt} to={endAt} />
          )}
        </span>
      </summary>
      <div class="details">
        <ToolInput
          input={call.input}
          kind={call.kind}
          hasDiff={result?.diff !== undefined}
          isShort={subject.length < 60}
        />
        {result?.diff !== undefined && <DiffFiles files={parseDiff(result.diff)} />}
        {result && result.diff === undefined && result.output.trim() !== "" && (
          <FoldedText text={cleanText(result.output)} isError={hasFailed} />
        )}
      </div>
    </details>
  );
}

function DiffFiles({ files }: { files: readonly DiffFile[] }) {
  return (
    <>
      {files.map((file) => (
        <FoldedDiff key={file.path} file={file} />
      ))}
    </>
  );
}

/**
 * Shows a tool's input, with invisible characters as escapes. Shows an edit as a diff. If `hasDiff` is true, omits the
 * input of an edit, because the result contains the diff.
 */
export function ToolInput({
  input,
  kind,
  hasDiff = false,
  isShort = false,
}: {
  input: unknown;
  kind: ToolCallEvent["kind"];
  hasDiff?: boolean;
  /** True if the title already shows the most important field. A single field with one line is then omitted. */
  isShort?: boolean;
}) {
  if (typeof input !== "object" || input === null)
    return input === undefined || input === "" ? null : (
      <FoldedText text={visibleText(String(input))} />
    );
  const diff = kind === "edit" && !hasDiff ? editDiff(input) : undefined;
  const fields = Object.entries(input).filter(
    ([name, value]) => value !== undefined && value !== "" && !diff?.names.includes(name),
  );
  const [only] = fields;
  if (fields.length === 1 && only && typeof only[1] === "string" && kind === "execute")
    return <FoldedText text={visibleText(only[1])} isCommand />;
  if (hasDiff) return null;
  const isShown = isShort && fields.length === 1 && !String(only?.[1]).includes("\n");
  return (
    <>
      {!isShown && <Fields fields={fields} />}
      {diff && <DiffFiles files={diff.files} />}
    </>
  );
}

function Fields({ fields }: { fields: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <dl class="fields">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <FoldedText
              text={visibleText(textOf(value))}
              isCommand={name === "command" || name === "cmd"}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function ResultFacts({
  result,
  call,
}: {
  result: ToolResultEvent | undefined;
  call: ToolCallEvent;
}) {
  if (!result) return null;
  if (result.diff !== undefined) {
    const files = parseDiff(result.diff);
    const sum = (key: "insertions" | "deletions") =>
      files.reduce((total, file) => total + file[key], 0);
    return (
      <span>
        <span class="plus">+{sum("insertions")}</span>{" "}
        <span class="minus">−{sum("deletions")}</span>
      </span>
    );
  }
  const output = result.output.trim();
  const count = output === "" ? 0 : output.split("\n").length;
  const showsLines =
    count > 1 && (call.kind === "execute" || call.kind === "read" || call.kind === "search");
  return (
    <>
      {result.isError && (
        <span class="bad">
          {result.exitCode === undefined ? "failed" : `exit ${result.exitCode}`}
        </span>
      )}
      {showsLines && <span>{plural(count, "line")}</span>}
    </>
  );
}

function Took({ from, to }: { from: string; to: string }) {
  const ms = Date.parse(to) - Date.parse(from);
  return ms >= 100 ? <span>{formatDuration(ms)}</span> : null;
}

function Since({ at }: { at: string }) {
  const app = useApp();
  const now = useSource(app.now);
  if (app.isRecording) return null; // hidden, because time does not advance in an exported session
  const ms = now - Date.parse(at);
  return (
    <span class="running">
      {ms >= 1000 ? formatDuration(Math.floor(ms / 1000) * 1000).replace(".0", "") : "…"}
    </span>
  );
}
