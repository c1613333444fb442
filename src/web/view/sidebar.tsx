import { useMemo, useState } from "preact/hooks";
import { type Entry, type Group, groupOf, groups, titleOf } from "../state/board.ts";
import type { LineState } from "../state/line-status.ts";
import { hrefOf } from "../state/route.ts";
import { useSource } from "../state/source.ts";
import type { Theme } from "../state/theme.ts";
import { useApp } from "./context.ts";
import { KeyOnly } from "./key-only.tsx";
import { Mark } from "./mark.tsx";
import { SearchHits } from "./search-hits.tsx";
import { SessionRow } from "./session-row.tsx";

/** The board: all sessions in three groups, with a filter. */
export function Sidebar({ theme }: { theme: Theme }) {
  const app = useApp();
  const entries = useSource(app.board.entries);
  const route = useSource(app.route);
  const [filter, setFilter] = useState("");
  const board = useMemo(() => arrange(entries, filter), [entries, filter]);
  const selected = route.view === "session" ? route.id : undefined;
  const order = groups.flatMap((group) => board[group]);
  const move = (step: number) => {
    const at = order.findIndex(({ info }) => info.id === selected);
    const next = order[at < 0 ? 0 : Math.min(order.length - 1, Math.max(0, at + step))];
    if (next) app.go({ view: "session", id: next.info.id });
  };
  return (
    <nav class="sidebar" aria-label="Sessions">
      <header class="brand">
        <a href="#/" data-key={selected === undefined ? undefined : "esc"}>
          <Mark />
          <span>Halyard</span>
        </a>
        <Line />
      </header>
      <div class="filter">
        <input
          type="search"
          placeholder="Search"
          aria-label="Search sessions"
          data-key="/"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <kbd>/</kbd>
      </div>
      <div class="list">
        {groups.map((group) => (
          <GroupView key={group} group={group} entries={board[group]} selected={selected} />
        ))}
        {order.length === 0 && (
          <p class="empty">{filter === "" ? "No sessions" : "No session matches"}</p>
        )}
        <SearchHits words={filter} />
      </div>
      <footer class="tools">
        <button type="button" class="primary" data-key="n" onClick={() => app.dialog.set("new")}>
          New session
        </button>
        <a class="quiet" href={hrefOf({ view: "usage" })} data-key="u">
          Usage
        </a>
        <ThemeButton theme={theme} />
        <button
          type="button"
          class="quiet"
          aria-label="Keys"
          data-key="?"
          onClick={() => app.dialog.set("help")}
        >
          ?
        </button>
        <KeyOnly name="j" onPress={() => move(1)} />
        <KeyOnly name="k" onPress={() => move(-1)} />
      </footer>
    </nav>
  );
}

function GroupView({
  group,
  entries,
  selected,
}: {
  group: Group;
  entries: readonly Entry[];
  selected: string | undefined;
}) {
  const app = useApp();
  const listed = useSource(app.listed);
  if (entries.length === 0) return null;
  const isFull = group === "done" && app.board.entries.get().size >= listed;
  return (
    <section class={`group group-${group}`}>
      <h2>
        {group === "needs" ? (
          <a href={hrefOf({ view: "inbox" })} data-key="i">
            {titles[group]} <span class="count">{entries.length}</span>
          </a>
        ) : (
          <>
            {titles[group]} <span class="count">{entries.length}</span>
          </>
        )}
      </h2>
      {entries.map((entry) => (
        <SessionRow key={entry.info.id} entry={entry} isSelected={entry.info.id === selected} />
      ))}
      {isFull && (
        <button type="button" class="quiet more" onClick={() => void app.listMore()}>
          Show older sessions
        </button>
      )}
    </section>
  );
}

const titles: Record<Group, string> = { needs: "Needs you", working: "Working", done: "Done" };

function arrange(
  entries: ReadonlyMap<string, Entry>,
  filter: string,
): Record<Group, readonly Entry[]> {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const board: Record<Group, Entry[]> = { needs: [], working: [], done: [] };
  for (const entry of entries.values()) {
    if (words.length > 0 && !matches(entry, words)) continue;
    board[groupOf(entry.info)].push(entry);
  }
  // Running sessions keep their place; the others move up when something happens.
  board.working.sort((a, b) => b.info.createdAt.localeCompare(a.info.createdAt));
  for (const group of [board.needs, board.done])
    group.sort((a, b) => b.info.updatedAt.localeCompare(a.info.updatedAt));
  return board;
}

function matches({ info, activity }: Entry, words: readonly string[]): boolean {
  const labels = Object.values(info.labels).join(" ");
  const { runtime, host, cwd, state, project = "", id } = info;
  const text = [
    titleOf(info),
    info.about,
    activity.text,
    runtime,
    host,
    cwd,
    state,
    project,
    id,
    labels,
  ]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function Line() {
  const status = useSource(useApp().status);
  return (
    <span class={`line ${status}`} role="status">
      <i class="dot" />
      {lineTexts[status]}
    </span>
  );
}

const lineTexts: Record<LineState, string> = {
  connecting: "connecting",
  live: "live",
  offline: "offline",
  "signed-out": "signed out",
};

function ThemeButton({ theme }: { theme: Theme }) {
  const name = useSource(theme.name);
  return (
    <button
      type="button"
      class="quiet"
      data-key="t"
      title={`Colors: ${name}`}
      aria-label={`Colors: ${name}. Change`}
      onClick={theme.next}
    >
      {name === "auto" ? "◐" : name === "dark" ? "☾" : "☀"}
    </button>
  );
}
