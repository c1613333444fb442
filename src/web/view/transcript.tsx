import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Entry } from "../state/board.ts";
import type { LogWindow } from "../state/log-window.ts";
import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";
import { ItemView } from "./item.tsx";
import { KeyOnly } from "./key-only.tsx";
import { Rail } from "./rail.tsx";
import { firstVisible, type ScrollAnchor, visibleRange } from "./scroll-anchor.ts";

/** Distance to the edge of the window at which more of the log is loaded. */
const NEAR_PX = 1200;

/** Distance to the bottom within which the transcript follows new output. */
const PINNED_PX = 48;

interface Props {
  readonly entry: Entry;
  readonly log: LogWindow;
  readonly seq: number | undefined;
}

/** The transcript: a window of the log that grows in both directions as it is scrolled. */
export function Transcript({ entry, log, seq }: Props) {
  const app = useApp();
  const { id } = entry.info;
  const view = useSource(log.view);
  const scroller = useRef<HTMLDivElement>(null);
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
    anchor.current = firstVisible(box);
    setAway(!isPinned.current);
    const [first, last] = visibleRange(box);
    setRange((known) => (known[0] === first && known[1] === last ? known : [first, last]));
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
      if (seq !== undefined) target?.classList.add("target");
      isPinned.current = false;
    } else if (isPinned.current) box.scrollTop = box.scrollHeight;
    else anchor.current?.restore(box);
    measure(box);
  }, [view]);

  // The composer and the window change the height; the end stays in view.
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
        <div class="items" role="log" aria-label="Transcript" aria-live="off">
          {view.after > 0 && (
            <div class="earlier">{view.after.toLocaleString("en-US")} earlier events</div>
          )}
          {view.items.map((item) => (
            <ItemView key={item.key} item={item} sessionId={id} />
          ))}
          {view.items.length === 0 && !view.isLoading && <p class="empty">No messages yet.</p>}
          {log.isAtEnd && <Working entry={entry} />}
        </div>
      </div>
      <Rail id={id} end={view.end} turns={entry.info.turns} range={range} onJump={jump} />
      {isAway && (
        <button type="button" class="to-end" data-key="G" onClick={toEnd}>
          ↓ Latest
        </button>
      )}
      <KeyOnly name="g" onPress={() => jump(1)} />
    </div>
  );
}

function distanceToEnd(box: HTMLElement): number {
  return box.scrollHeight - box.scrollTop - box.clientHeight;
}

/** Shows that the runtime works although nothing new is visible. */
function Working({ entry: { info } }: { entry: Entry }) {
  if (info.state !== "running" && info.state !== "starting") return null;
  return (
    <div class="pulse" role="img" aria-label="Working">
      <i />
      <i />
      <i />
    </div>
  );
}

/** Returns the last item that begins at or before the event. */
function itemAt(box: HTMLElement, seq: number): HTMLElement | undefined {
  let found: HTMLElement | undefined;
  for (const item of box.querySelectorAll<HTMLElement>("[data-seq]")) {
    if (Number(item.dataset.seq) > seq) break;
    found = item;
  }
  return found;
}
