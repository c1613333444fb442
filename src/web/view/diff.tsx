import type { ComponentChildren } from "preact";
import { visibleText } from "../text/clean.ts";
import type { DiffFile, DiffLine } from "../text/diff.ts";
import { memo } from "./memo.ts";

/** Where a comment can be attached: a line of a file. */
export interface LineComments {
  /** Returns what is shown below a line. */
  below(line: DiffLine): ComponentChildren;
  /** Called when a line number is pressed. */
  onPick(line: DiffLine): void;
}

/** Shows the lines of a changed file, with the changed part of each line marked. */
export const DiffLines = memo(
  ({ file, comments }: { file: DiffFile; comments?: LineComments | undefined }) => (
    <div class="diff">
      {file.lines.map((line) => (
        <>
          <DiffRow line={line} onPick={comments?.onPick} />
          {comments?.below(line)}
        </>
      ))}
    </div>
  ),
);

function DiffRow({ line, onPick }: { line: DiffLine; onPick: LineComments["onPick"] | undefined }) {
  if (line.kind === "hunk")
    return <div class="diff-hunk">{line.text === "" ? "⋯" : line.text}</div>;
  const number = line.newNumber ?? line.oldNumber;
  return (
    <div class={`diff-line ${line.kind}`}>
      {onPick ? (
        <button
          type="button"
          class="diff-number"
          aria-label={`Comment on line ${number}`}
          onClick={() => onPick(line)}
        >
          {number}
        </button>
      ) : (
        <span class="diff-number">{number}</span>
      )}
      <span class="diff-sign" aria-hidden="true">
        {line.kind === "added" ? "+" : line.kind === "removed" ? "−" : ""}
      </span>
      <span class="diff-text">{withMark(line)}</span>
    </div>
  );
}

function withMark({ text, mark }: DiffLine): ComponentChildren {
  if (!mark || mark[0] === mark[1]) return visibleText(text);
  const [start, end] = mark;
  return (
    <>
      {visibleText(text.slice(0, start))}
      <mark>{visibleText(text.slice(start, end))}</mark>
      {visibleText(text.slice(end))}
    </>
  );
}
