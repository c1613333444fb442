import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { visibleText } from "../../text/clean.ts";
import type { DiffFile, DiffLine } from "../../text/diff.ts";
import { plural } from "../../text/format.ts";
import { memo } from "../memo.ts";

/** Connects a diff to the comments on its lines. */
export interface LineComments {
  /** Returns the content to show below a line. */
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

/** The number of lines that stay visible at the start and at the end of a long diff. */
const FIRST = 24;
const LAST = 12;

/** Shows only the first and last lines of a long diff, with the number of lines between them. */
export function FoldedDiff({ file }: { file: DiffFile }) {
  const [isOpen, setOpen] = useState(false);
  const { lines } = file;
  const hidden = lines.length - FIRST - LAST;
  if (isOpen || hidden <= 4) return <DiffLines file={file} />;
  return (
    <div class="folded">
      <DiffLines file={{ ...file, lines: lines.slice(0, FIRST) }} />
      <button type="button" class="unfold" onClick={() => setOpen(true)}>
        {plural(hidden, "more line")}
      </button>
      <DiffLines file={{ ...file, lines: lines.slice(-LAST) }} />
    </div>
  );
}

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
      <span class="diff-text">{withMarks(line)}</span>
    </div>
  );
}

function withMarks({ text, marks = [] }: DiffLine): ComponentChildren {
  let end = 0;
  const parts = marks.map(([start, stop]) => {
    const before = text.slice(end, start);
    end = stop;
    return (
      <>
        {visibleText(before)}
        <mark>{visibleText(text.slice(start, stop))}</mark>
      </>
    );
  });
  return [...parts, visibleText(text.slice(end))];
}
