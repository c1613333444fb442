import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Entry } from "../../state/board.ts";
import type { LogWindow, WindowView } from "../../state/log-window.ts";
import { useSource } from "../../state/source.ts";
import { formatLeft, formatResetTime } from "../../text/format.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { KeyOnly } from "../key-only.tsx";
import { ItemView } from "./item.tsx";
import { ItemActions } from "./item-actions.tsx";
import { Rail } from "./rail.tsx";
import { itemsInView, type ScrollAnchor } from "./scroll-anchor.ts";

/** The distance to the edge of the window at which more of the log is loaded, in pixels. */
const NEAR_PX = 1200;

/** The distance to the bottom within which the transcript follows new output, in pixels. */
const PINNED_PX = 48;

interface Props {
  readonly entry: Entry;
  readonly log: LogWindow;
  readonly seq: number | undefined;
}

/** Shows the transcript: a window on the log that grows in both directions as the user scrolls. */
export function Transcript({ entry, log, seq }: Props) {
  const app = useApp();
  const { id } = entry.info;
  const view = useSource(log.view);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const isPinned = useRef(seq === undefined);
  const anchor = useRef<ScrollAnchor | undefined>(undefined);
  const wanted = useRef<number | undefined>(seq);
  const lastSeq = useRef(seq);
  if (lastSeq.current !== seq) {
    lastSeq.current = seq;
    wanted.current = seq;
    isPinned.current = seq === undefined;
  }
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const [isAway, setAway] = useState(false);

  const measure = (box: HTMLElement) => {
    const seen = itemsInView(box);
    anchor.current = seen.anchor;
    setAway(!isPinned.current);
    const shown = shownRange(seen.range, log.view.get());
    setRange((known) => (known.join() === shown.join() ? known : shown));
  };
  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    if (log.view.get().isLoading) return;
    const left = distanceToEnd(box);
    isPinned.current = left < PINNED_PX && log.isAtEnd;
    measure(box);
    if (box.scrollTop < NEAR_PX && view.after > 0) log.older().catch((error) => app.fail(error));
    else if (left < NEAR_PX && !log.isAtEnd) log.newer().catch((error) => app.fail(error));
  };

  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const place = wanted.current;
    if (place !== undefined && view.after < place && place <= view.last) {
      const target = itemAt(box, place);
      wanted.current = undefined;
      target?.scrollIntoView({ block: "start" });
      for (const old of box.querySelectorAll(".target")) old.classList.remove("target");
      if (seq !== undefined) target?.classList.add("target");
      isPinned.current = false;
    } else if (isPinned.current) box.scrollTop = box.scrollHeight;
    else anchor.current?.restore(box);
    measure(box);
    // Load more items if the first ones do not fill a tall screen. Otherwise, the transcript could not be scrolled.
    const isFilled = box.scrollHeight > box.clientHeight + NEAR_PX;
    if (!isFilled && view.after > 0 && !view.isLoading)
      log.older().catch((error) => app.fail(error));
  }, [view]);

  // Keeps the end visible when the composer or the window changes its height.
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const observer = new ResizeObserver(() => {
      if (isPinned.current) box.scrollTop = box.scrollHeight;
    });
    observer.observe(box);
    if (box.firstElementChild) observer.observe(box.firstElementChild);
    return () => observer.disconnect();
  }, []);

  const toEnd = () => {
    isPinned.current = true;
    if (log.isAtEnd) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    else log.openEnd().catch((error) => app.fail(error));
  };
  const jump = (to: number) => {
    wanted.current = to;
    isPinned.current = false;
    log.jump(to).catch((error) => app.fail(error));
  };

  return (
    <div class="transcript-place">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area needs the focus for the arrow keys */}
      <div class="transcript" ref={scroller} onScroll={onScroll} tabIndex={0}>
        <div class="items" role="log" aria-label="Transcript" aria-live="off" ref={list}>
          {view.after > 0 && (
            <div class="earlier">{view.after.toLocaleString("en-US")} earlier events</div>
          )}
          {view.items.map((item) => (
            <ItemView key={item.key} item={item} sessionId={id} />
          ))}
          {view.items.length === 0 && !view.isLoading && (
            <p class="nothing">
              <strong>No messages yet</strong>
              {app.isReadOnly ? "" : "Write one below."}
            </p>
          )}
          {log.isAtEnd && !app.isRecording && <Working entry={entry} />}
          <ItemActions sessionId={id} items={view.items} place={list} />
        </div>
      </div>
      <Rail id={id} end={view.end} turns={entry.info.turns} range={range} onJump={jump} />
      {isAway && (
        <button type="button" class="to-end" data-key="G" onClick={toEnd}>
          <Icon name="down" /> Latest
        </button>
      )}
      <KeyOnly name="g" onPress={() => jump(1)} />
    </div>
  );
}

/**
 * Returns the part of the log that is in view. It includes the events before the first item that have no item, and the
 * deltas of the last item.
 */
function shownRange(
  [first, last]: readonly [number, number],
  { items, after, last: loaded }: WindowView,
): readonly [number, number] {
  return [
    first === items[0]?.seq && after === 0 ? 0 : first,
    last === items.at(-1)?.seq ? loaded : last,
  ];
}

function distanceToEnd(box: HTMLElement): number {
  return box.scrollHeight - box.scrollTop - box.clientHeight;
}

/**
 * Shows below the last item that the machine does not respond, that the turn waits for a usage limit, or that the
 * runtime is working.
 */
function Working({ entry: { info } }: { entry: Entry }) {
  if (info.unreachable)
    return (
      <p class="note warning">
        {info.machine ?? "The session's machine"} does not respond. The agent may still be running
        there.
      </p>
    );
  if (info.waiting?.until !== undefined) return <Countdown until={info.waiting.until} />;
  if (info.state !== "running" && info.state !== "starting") return null;
  return (
    <div class="pulse" role="img" aria-label="Working">
      <i />
      <i />
      <i />
    </div>
  );
}

/** Shows when a turn that waits for a usage limit continues. */
function Countdown({ until }: { until: string }) {
  const now = useSource(useApp().now);
  return (
    <p class="countdown">
      Continues at <time dateTime={until}>{formatResetTime(until, now)}</time>, in{" "}
      {formatLeft(Date.parse(until) - now)}
    </p>
  );
}

/** Returns the last item that starts at or before the event. */
function itemAt(box: HTMLElement, seq: number): HTMLElement | undefined {
  let found: HTMLElement | undefined;
  for (const item of box.querySelectorAll<HTMLElement>("[data-seq]")) {
    if (Number(item.dataset.seq) > seq) break;
    found = item;
  }
  return found;
}
