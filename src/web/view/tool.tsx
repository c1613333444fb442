import type { ToolCallEvent, ToolResultEvent } from "../../schema/event.ts";
import { useSource } from "../state/source.ts";
import { cleanText, firstLine, visibleText } from "../text/clean.ts";
import { parseDiff } from "../text/diff.ts";
import { formatDuration, plural } from "../text/format.ts";
import { mainArgument, verbOf } from "../text/tool-summary.ts";
import { useApp } from "./context.ts";
import { DiffLines } from "./diff.tsx";
import { FoldedText } from "./folded-text.tsx";

interface Props {
  readonly call: ToolCallEvent;
  readonly result: ToolResultEvent | undefined;
  readonly startAt: string;
  readonly endAt: string | undefined;
}

/** A tool call on one line, with its input and result below when it is opened. */
export function ToolView({ call, result, startAt, endAt }: Props) {
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
          {endAt === undefined ? <Since at={startAt} /> : <Took from={startAt} to={endAt} />}
        </span>
      </summary>
      <div class="details">
        <ToolInput
          input={call.input}
          kind={call.kind}
          hasDiff={result?.diff !== undefined}
          isShort={subject.length < 60}
        />
        {result?.diff !== undefined && <DiffFiles diff={result.diff} />}
        {result && result.diff === undefined && result.output.trim() !== "" && (
          <FoldedText text={cleanText(result.output)} isError={hasFailed} />
        )}
      </div>
    </details>
  );
}

/** Shows the files of a unified diff. */
function DiffFiles({ diff }: { diff: string }) {
  return (
    <>
      {parseDiff(diff).map((file) => (
        <DiffLines key={file.path} file={file} />
      ))}
    </>
  );
}

/** Shows the complete input of a tool, with invisible characters as escapes. */
export function ToolInput({
  input,
  kind,
  hasDiff = false,
  isShort = false,
}: {
  input: unknown;
  kind: ToolCallEvent["kind"];
  hasDiff?: boolean;
  /** True if the summary shows the first line of the most important field. */
  isShort?: boolean;
}) {
  if (typeof input !== "object" || input === null)
    return input === undefined || input === "" ? null : (
      <FoldedText text={visibleText(String(input))} />
    );
  const fields = Object.entries(input).filter(([, value]) => value !== undefined && value !== "");
  const [only] = fields;
  if (fields.length === 1 && only && typeof only[1] === "string" && kind === "execute")
    return <FoldedText text={visibleText(only[1])} isCommand />;
  if (hasDiff || (isShort && fields.length === 1 && !String(only?.[1]).includes("\n"))) return null;
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
  const now = useSource(useApp().now);
  const ms = now - Date.parse(at);
  return (
    <span class="running">
      {ms >= 1000 ? formatDuration(Math.floor(ms / 1000) * 1000).replace(".0", "") : "…"}
    </span>
  );
}
