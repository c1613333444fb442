import type { ComponentChildren } from "preact";
import { type Inline, parseInline } from "../text/inline.ts";
import { type MarkdownBlock, parseBlocks } from "../text/markdown.ts";
import { Code } from "./code.tsx";
import { memo } from "./memo.ts";

/** Shows a Markdown text. Model output becomes text nodes only, never markup. */
export const Markdown = memo(({ text }: { text: string }) => (
  <div class="prose">
    {parseBlocks(text).map((block, index) => (
      <BlockView key={index} source={JSON.stringify(block)} block={block} />
    ))}
  </div>
));

/** Renders again only if the block has changed: of a growing text, that is the last one. */
const BlockView = memo(
  ({ block }: { block: MarkdownBlock; source: string }) => <>{renderBlock(block)}</>,
  (a, b) => a.source === b.source,
);

function renderBlock(block: MarkdownBlock): ComponentChildren {
  switch (block.kind) {
    case "paragraph":
      return <p>{renderInline(parseInline(block.text))}</p>;
    case "heading":
      return (
        // The page has headings of its own above those of a message.
        <h2 class={`heading h${block.level}`}>{renderInline(parseInline(block.text))}</h2>
      );
    case "code":
      return <Code text={block.text} language={block.language} />;
    case "quote":
      return <blockquote>{block.blocks.map(renderBlock)}</blockquote>;
    case "rule":
      return <hr />;
    case "table":
      return renderTable(block.rows);
    case "list": {
      const items = block.items.map(({ blocks, isChecked }) => (
        <li class={isChecked === undefined ? undefined : "task"}>
          {isChecked !== undefined && <span class="check">{isChecked ? "☑" : "☐"}</span>}
          {blocks.map((inner) =>
            inner.kind === "paragraph" ? (
              <span>{renderInline(parseInline(inner.text))}</span>
            ) : (
              renderBlock(inner)
            ),
          )}
        </li>
      ));
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
  }
}

function renderTable([head = [], ...rows]: readonly (readonly string[])[]): ComponentChildren {
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th>{renderInline(parseInline(cell))}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>{renderInline(parseInline(cell))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInline(parts: readonly Inline[]): ComponentChildren {
  return parts.map(renderPart);
}

/** Characters per text node. The browser lays out again only the nodes of a growing paragraph that change. */
const PIECE = 1024;

function pieces(text: string): string[] {
  const count = Math.ceil(text.length / PIECE);
  return [...Array(count).keys()].map((at) => text.slice(at * PIECE, (at + 1) * PIECE));
}

function renderPart(part: Inline): ComponentChildren {
  switch (part.kind) {
    case "text":
      return part.text.length > PIECE ? pieces(part.text) : part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return <strong>{renderInline(part.parts)}</strong>;
    case "emphasis":
      return <em>{renderInline(part.parts)}</em>;
    case "strike":
      return <s>{renderInline(part.parts)}</s>;
    case "link":
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          {renderInline(part.parts)}
        </a>
      );
  }
}
