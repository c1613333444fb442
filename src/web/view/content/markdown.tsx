import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { GrowingMarkdown } from "../../text/growing-markdown.ts";
import { type Inline, parseInline } from "../../text/inline.ts";
import type { MarkdownBlock } from "../../text/markdown.ts";
import { memo } from "../memo.ts";
import { Code } from "./code.tsx";

/** Shows a Markdown text. Model output becomes text nodes only, never markup. */
export const Markdown = memo(({ text }: { text: string }) => {
  const [parser] = useState(() => new GrowingMarkdown());
  return (
    <div class="prose">
      {parser.parse(text).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
});

/** Shows a block. Renders again only if the block has changed. In a growing text, only the last two blocks can change. */
const BlockView = memo(({ block }: { block: MarkdownBlock }) => <>{renderBlock(block)}</>);

function renderBlock(block: MarkdownBlock): ComponentChildren {
  switch (block.kind) {
    case "paragraph":
      return <p>{renderInline(parseInline(block.text))}</p>;
    case "heading":
      return (
        // Level 2, because the page has headings above a message's headings.
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

/**
 * The number of characters per text node. When a paragraph grows, the browser lays out only the changed nodes again.
 */
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
