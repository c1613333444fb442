import { type Entry, groupOf, titleOf } from "../state/board.ts";
import { hrefOf } from "../state/route.ts";
import { useSource } from "../state/source.ts";
import { formatAge, formatCost } from "../text/format.ts";
import { useApp } from "./context.ts";
import { RuntimeMark } from "./mark.tsx";
import { memo } from "./memo.ts";

/** A session on the board: state, name, runtime, what it does now, time, cost. */
export const SessionRow = memo(({ entry, isSelected }: { entry: Entry; isSelected: boolean }) => {
  const { info, activity } = entry;
  const cost = formatCost(info.usage.costUsd);
  return (
    <a
      class={`session-row ${isSelected ? "selected" : ""}`}
      href={hrefOf({ view: "session", id: info.id })}
      aria-current={isSelected ? "page" : undefined}
    >
      <StateDot entry={entry} />
      <span class="name">{titleOf(info)}</span>
      <RuntimeMark name={info.runtime} />
      <Age at={info.updatedAt} />
      <span class={activity.isError ? "now error" : "now"}>{activity.text || info.about}</span>
      {cost !== "" && <span class="cost">{cost}</span>}
    </a>
  );
});

/** A dot whose shape and color show the state. */
export function StateDot({ entry: { info } }: { entry: Entry }) {
  const group = groupOf(info);
  const hasFailed =
    info.state === "failed" || info.state === "lost" || info.lastOutcome === "failed";
  const name =
    group !== "done" ? group : hasFailed ? "failed" : info.state === "idle" ? "idle" : "ended";
  return <i class={`state ${name}`} role="img" aria-label={labels[name]} title={info.state} />;
}

const labels = {
  needs: "Needs you",
  working: "Working",
  failed: "Failed",
  idle: "Idle",
  ended: "Ended",
} as const;

function Age({ at }: { at: string }) {
  const now = useSource(useApp().now);
  return (
    <time class="age" dateTime={at}>
      {formatAge(now - Date.parse(at))}
    </time>
  );
}
