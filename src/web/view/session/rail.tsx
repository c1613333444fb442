import { useEffect, useRef, useState } from "preact/hooks";
import { totalTokens } from "../../../schema/usage/usage.ts";
import type { TurnCompletion } from "../../api/api.ts";
import { formatCost, formatCount, formatMoment } from "../../text/format.ts";
import { useApp } from "../context.ts";

interface Props {
  readonly id: string;
  readonly end: number;
  /** The number of ended turns. The rail has a mark for each of them. */
  readonly turns: number;
  /** The range of events in view. */
  readonly range: readonly [number, number];
  onJump(seq: number): void;
}

/** The end of a turn, with the totals up to that point. */
interface TurnMark {
  readonly seq: number;
  readonly at: string;
  readonly number: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** The minimum delay between two jumps while the user drags along the rail, in milliseconds. */
const JUMP_MS = 90;

/**
 * Shows a thin timeline of the session: a mark per turn, and the visible part of the log. Dragging along the timeline
 * scrolls through the log.
 */
export function Rail({ id, end, turns, range, onJump }: Props) {
  const app = useApp();
  const rail = useRef<HTMLDivElement>(null);
  const [marks, setMarks] = useState<readonly TurnMark[]>([]);
  const [scrub, setScrub] = useState<number>();
  const lastJump = useRef(0);
  useEffect(() => {
    if (turns === 0) return;
    const known = marks.at(-1)?.seq ?? 0;
    app.api
      .completions(id, known)
      .then((ends) => setMarks((before) => addMarks(before, ends)))
      .catch(() => {}); // ignored, because the rail works without marks
  }, [app, id, turns]);

  const seqAt = (clientY: number): number => {
    const { top = 0, height = 1 } = rail.current?.getBoundingClientRect() ?? {};
    const share = Math.min(1, Math.max(0, (clientY - top) / height));
    return Math.max(1, Math.round(share * end));
  };
  const move = (event: PointerEvent, isLast: boolean) => {
    const seq = seqAt(event.clientY);
    setScrub(isLast ? undefined : seq);
    if (!isLast && event.timeStamp - lastJump.current < JUMP_MS) return;
    lastJump.current = event.timeStamp;
    onJump(seq);
  };
  const step = (key: string) => {
    const [first] = range;
    const seqs = marks.map(({ seq }) => seq);
    if (key === "ArrowUp") return seqs.findLast((seq) => seq < first - 1) ?? 1;
    if (key === "ArrowDown") return seqs.find((seq) => seq > first) ?? end;
    return key === "Home" ? 1 : key === "End" ? end : undefined;
  };
  if (end < 12) return null;
  const [first, last] = range;
  return (
    <div
      class={scrub === undefined ? "rail" : "rail scrubbing"}
      ref={rail}
      role="slider"
      tabIndex={0}
      aria-label="Replay"
      aria-orientation="vertical"
      aria-valuemin={1}
      aria-valuemax={end}
      aria-valuenow={Math.max(1, first)}
      aria-valuetext={describe(marks, first)}
      onKeyDown={(event) => {
        const to = step(event.key);
        if (to === undefined) return;
        event.preventDefault();
        onJump(to);
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event, false);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) move(event, false);
      }}
      onPointerUp={(event) => move(event, true)}
    >
      <svg class="rail-marks" preserveAspectRatio="none" viewBox="0 0 1 1000" aria-hidden="true">
        <rect
          class="rail-view"
          x="0"
          width="1"
          y={(first / end) * 1000}
          height={Math.max(8, ((last - first) / end) * 1000)}
        />
        {marks.map(({ seq }) => (
          <rect key={seq} class="rail-turn" x="0" width="1" y={(seq / end) * 1000} height="1.5" />
        ))}
      </svg>
      {scrub !== undefined && <Tip text={describe(marks, scrub)} share={scrub / end} />}
    </div>
  );
}

function Tip({ text, share }: { text: string; share: number }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Sets a property of the element, because a style attribute would violate the content security policy.
    place.current?.style.setProperty("top", `${share * 100}%`);
  }, [share]);
  return (
    <div class="rail-tip" ref={place}>
      {text}
    </div>
  );
}

function addMarks(before: readonly TurnMark[], ends: readonly TurnCompletion[]): TurnMark[] {
  const marks = [...before];
  for (const { seq, at, outcome } of ends) {
    const last = marks.at(-1);
    if (seq <= (last?.seq ?? 0)) continue;
    const { usage } = outcome;
    marks.push({
      seq,
      at,
      number: (last?.number ?? 0) + 1,
      tokens: (last?.tokens ?? 0) + totalTokens(usage),
      costUsd: (last?.costUsd ?? 0) + (usage.costUsd ?? 0),
    });
  }
  return marks;
}

/** Describes a position in the log: its turn, its time, and the tokens and cost up to that point. */
function describe(marks: readonly TurnMark[], seq: number): string {
  const done = marks.findLast((mark) => mark.seq <= seq);
  const turn = `Turn ${(done?.number ?? 0) + (marks.some((mark) => mark.seq > seq) ? 1 : 0) || 1}`;
  if (!done) return `${turn} · event ${seq}`;
  const parts = [
    turn,
    formatMoment(done.at),
    `${formatCount(done.tokens)} tokens`,
    formatCost(done.costUsd),
  ];
  return parts.filter(Boolean).join(" · ");
}
