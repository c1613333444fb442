import type { SessionInfo } from "../../../schema/session.ts";
import { type Entry, groupOf, titleOf } from "../../state/board.ts";
import { hrefOf } from "../../state/route.ts";
import { useSource } from "../../state/source.ts";
import { formatAge, formatCost } from "../../text/format.ts";
import { useApp } from "../context.ts";
import { RuntimeMark } from "../mark.tsx";
import { memo } from "../memo.ts";

/** Shows a session on the board: state, name, runtime, current activity, age and cost. */
export const SessionRow = memo(({ entry, isSelected }: { entry: Entry; isSelected: boolean }) => {
  const { info } = entry;
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
      <Now entry={entry} />
      {cost !== "" && <span class="cost">{cost}</span>}
    </a>
  );
});

/** Shows the session's current activity and, in a cluster, its machine. */
function Now({ entry: { info, activity } }: { entry: Entry }) {
  if (info.unreachable)
    return <span class="now error">{info.machine ?? "Its machine"} does not respond</span>;
  const text = activity.text || info.about || (info.state === "idle" ? "Ready" : info.state);
  return (
    <span class={activity.isError ? "now error" : "now"} title={activity.text}>
      {info.machine !== undefined && <span class="machine">{info.machine}</span>}
      {text}
      {activity.since !== undefined && groupOf(info) === "working" && (
        <Elapsed since={activity.since} />
      )}
    </span>
  );
}

/** Shows the seconds since a time. Hidden during the first two seconds. */
function Elapsed({ since }: { since: string }) {
  const seconds = Math.floor((useSource(useApp().now) - Date.parse(since)) / 1000);
  return seconds < 2 ? null : <> {seconds} s</>;
}

/** Shows the session's state by the shape and color of a dot. */
export function StateDot({ entry: { info } }: { entry: Entry }) {
  const name = dotOf(info);
  return <i class={`state ${name}`} role="img" aria-label={labels[name]} title={labels[name]} />;
}

function dotOf(info: SessionInfo): keyof typeof labels {
  const group = groupOf(info);
  if (info.unreachable) return "unreachable";
  if (group === "working" && info.waiting) return "paused";
  if (group !== "done") return group;
  const { state, lastOutcome } = info;
  if (state === "failed" || state === "lost" || lastOutcome === "failed") return "failed";
  return state === "idle" ? "idle" : "ended";
}

const labels = {
  needs: "Needs you",
  working: "Working",
  paused: "Waiting for a usage limit",
  unreachable: "Does not respond",
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
