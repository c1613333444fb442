import { useRef } from "preact/hooks";
import type { DiffLine } from "../../text/diff.ts";

/** A comment on a diff line. */
export interface Comment {
  readonly path: string;
  readonly line: DiffLine;
  readonly text: string;
}

/** True if both are the same line. A diff that is read again has new lines with the same numbers and texts. */
export function isSameLine(a: DiffLine, b: DiffLine): boolean {
  return (
    a.kind === b.kind &&
    a.text === b.text &&
    a.oldNumber === b.oldNumber &&
    a.newNumber === b.newNumber
  );
}

/** Stores a session's unsent comments while other sessions are shown. */
export function unsentComments(id: string) {
  const key = `halyard.comments.${id}`;
  return {
    read: (): readonly Comment[] => JSON.parse(sessionStorage.getItem(key) ?? "[]"),
    write: (comments: readonly Comment[]) =>
      comments.length === 0
        ? sessionStorage.removeItem(key)
        : sessionStorage.setItem(key, JSON.stringify(comments)),
  };
}

/** Returns one message with all comments, each with its file, line and the line's text. */
export function toCommentMessage(comments: readonly Comment[]): string {
  const parts = comments.map(({ path, line, text }) => {
    const number = line.newNumber ?? line.oldNumber;
    const removed = line.kind === "removed" ? " (removed line)" : "";
    return `${path}:${number}${removed}\n> ${line.text}\n${text}`;
  });
  const count = comments.length === 1 ? "a comment" : `${comments.length} comments`;
  return `I have ${count} on your changes:\n\n${parts.join("\n\n")}`;
}

/** Shows an input field for a comment. Enter adds the comment, Escape discards it. */
export function CommentField({
  onSubmit,
  onCancel,
}: {
  onSubmit(text: string): void;
  onCancel(): void;
}) {
  const field = useRef<HTMLTextAreaElement | null>(null);
  const submit = () => {
    const text = field.current?.value.trim() ?? "";
    if (text === "") onCancel();
    else onSubmit(text);
  };
  return (
    <div class="comment-field">
      <textarea
        ref={(element) => {
          if (element && field.current !== element) element.focus();
          field.current = element;
        }}
        rows={2}
        aria-label="Comment"
        placeholder="Comment"
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            onCancel();
          } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            submit();
          }
        }}
      />
      <div class="row end">
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="primary" onClick={submit}>
          Add comment
        </button>
      </div>
    </div>
  );
}
