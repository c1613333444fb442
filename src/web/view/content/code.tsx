import { useState } from "preact/hooks";
import { highlight } from "../../text/highlight.ts";
import { memo } from "../memo.ts";

/** Shows a code block with a copy button. */
export const Code = memo(({ text, language }: { text: string; language: string }) => (
  <figure class="code">
    <div class="code-bar">
      <span>{language}</span>
      <CopyButton text={text} />
    </div>
    <pre>
      <code>
        {highlight(text, language).map(({ kind, text: part }) =>
          kind === undefined ? part : <span class={`hl-${kind}`}>{part}</span>,
        )}
      </code>
    </pre>
  </figure>
));

/** Shows a button that copies a text and confirms that the text was copied. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 1500);
      },
      () => setCopied(false), // the browser does not allow clipboard access
    );
  };
  return (
    <button type="button" class="quiet copy" onClick={copy}>
      {isCopied ? "Copied" : label}
    </button>
  );
}
