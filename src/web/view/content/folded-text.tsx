import { useState } from "preact/hooks";
import { plural } from "../../text/format.ts";

/** The number of lines that stay visible at the start and at the end of a long text. */
const FIRST = 8;
const LAST = 6;

/** Shows only the first and last lines of a long text, with the number of lines between them. */
export function FoldedText({
  text,
  isError = false,
  isCommand = false,
}: {
  text: string;
  isError?: boolean;
  isCommand?: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.replace(/^\s*\n|\n+$/g, "").split("\n");
  const hidden = lines.length - FIRST - LAST;
  const kind = `output ${isError ? "bad" : ""} ${isCommand ? "command" : ""}`;
  if (isOpen || hidden <= 2) return <pre class={kind}>{lines.join("\n")}</pre>;
  return (
    <div class={isError ? "folded bad" : "folded"}>
      <pre class={kind}>{lines.slice(0, FIRST).join("\n")}</pre>
      <button type="button" class="unfold" onClick={() => setOpen(true)}>
        {plural(hidden, "more line")}
      </button>
      <pre class={kind}>{lines.slice(-LAST).join("\n")}</pre>
    </div>
  );
}
