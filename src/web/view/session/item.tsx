import { totalTokens } from "../../../schema/usage/usage.ts";
import type { Item } from "../../state/item.ts";
import { cleanText } from "../../text/clean.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatMoment,
  formatTime,
} from "../../text/format.ts";
import { Markdown } from "../content/markdown.tsx";
import { ToolView } from "../content/tool.tsx";
import { memo } from "../memo.ts";
import { RequestCard } from "../request-card.tsx";

/** Shows one entry in the transcript. */
export const ItemView = memo(({ item, sessionId }: { item: Item; sessionId: string }) => (
  <article class={`item ${item.kind}`} data-item={item.key} data-seq={item.seq}>
    {renderItem(item, sessionId)}
  </article>
));

function renderItem(item: Item, sessionId: string) {
  switch (item.kind) {
    case "user":
      return (
        <>
          <time dateTime={item.at} title={formatMoment(item.at)}>
            {item.isSteered ? "steered " : ""}
            {formatTime(item.at)}
          </time>
          <div class="said">{cleanText(item.text)}</div>
        </>
      );
    case "text":
      return <Markdown text={cleanText(item.text)} />;
    case "reasoning":
      return <Reasoning item={item} />;
    case "tool":
      return (
        <ToolView
          call={item.call}
          result={item.result}
          startAt={item.at}
          endAt={item.endAt}
          isHeld={item.isHeld === true}
        />
      );
    case "request":
      return <RequestCard sessionId={sessionId} request={item.request} response={item.response} />;
    case "end":
      return <End item={item} />;
    case "error":
      return <p class="problem">{cleanText(item.text)}</p>;
    case "note":
      return <p class={item.isWarning ? "note warning" : "note"}>{cleanText(item.text)}</p>;
  }
}

function Reasoning({ item }: { item: Extract<Item, { kind: "reasoning" }> }) {
  const ms = Date.parse(item.endAt) - Date.parse(item.at);
  const time = ms >= 1000 ? ` for ${formatDuration(ms)}` : "";
  return (
    <details class="fold">
      <summary>
        <span class="glyph" aria-hidden="true">
          ∴
        </span>
        {item.isDone ? `Thought${time}` : "Thinking"}
      </summary>
      <div class="thought">
        <Markdown text={cleanText(item.text)} />
      </div>
    </details>
  );
}

function End({ item: { outcome, at, problem } }: { item: Extract<Item, { kind: "end" }> }) {
  const tokens = totalTokens(outcome.usage);
  const facts = [
    formatDuration(outcome.durationMs),
    tokens > 0 ? `${formatCount(tokens)} tokens` : "",
    formatCost(outcome.usage.costUsd),
  ].filter(Boolean);
  return (
    <>
      {problem !== undefined && <p class="problem">{cleanText(problem)}</p>}
      <p class="turn-end" title={formatMoment(at)}>
        <span class={`mark-${outcome.status}`}>{marks[outcome.status]}</span> {facts.join(" · ")}
      </p>
    </>
  );
}

const marks = { completed: "✓", cancelled: "Interrupted", failed: "Failed" } as const;
