import { useMemo, useState } from "preact/hooks";
import { type Entry, titleOf } from "../../state/board.ts";
import { arrange, type BoardGroup, type Grouping, groupings } from "../../state/grouping.ts";
import { hrefOf } from "../../state/route.ts";
import { useSource } from "../../state/source.ts";
import type { Theme } from "../../state/theme.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { KeyOnly } from "../key-only.tsx";
import { Mark } from "../mark.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { SearchHits } from "./search-hits.tsx";
import { SessionRow } from "./session-row.tsx";

/** Shows the board: all sessions in groups, with a filter. */
export function Sidebar({ theme }: { theme: Theme }) {
  const app = useApp();
  const entries = useSource(app.board.entries);
  const route = useSource(app.route);
  const [filter, setFilter] = useState("");
  const [grouping, setGrouping] = useState(readGrouping);
  const groups = useMemo(
    () => arrange(filtered(entries, filter), grouping),
    [entries, filter, grouping],
  );
  const selected = route.view === "session" ? route.id : undefined;
  const order = groups.flatMap((group) => group.entries);
  const move = (step: number) => {
    const at = order.findIndex(({ info }) => info.id === selected);
    const next = order[at < 0 ? 0 : Math.min(order.length - 1, Math.max(0, at + step))];
    if (next) app.go({ view: "session", id: next.info.id });
  };
  return (
    <nav class="sidebar" aria-label="Sessions">
      <header class="brand">
        <a href="#/" data-key={route.view === "board" ? undefined : "esc"}>
          <Mark />
          <span>Halyard</span>
        </a>
        <ConnectionState />
      </header>
      <div class="filter">
        <div class="filter-words">
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
        <select
          aria-label="Group by"
          title="Group by"
          value={grouping}
          onChange={({ currentTarget }) => {
            const chosen = groupings.find((one) => one === currentTarget.value) ?? "state";
            localStorage.setItem(GROUPING, chosen);
            setGrouping(chosen);
          }}
        >
          {groupings.map((name) => (
            <option key={name} value={name}>
              {labels[name]}
            </option>
          ))}
        </select>
      </div>
      <div class="list">
        {groups.map((group) => (
          <GroupView
            key={group.key}
            group={group}
            selected={selected}
            isLast={group === groups.at(-1)}
          />
        ))}
        {order.length === 0 && (
          <p class="empty">{filter === "" ? "No sessions yet" : "No session matches"}</p>
        )}
        <SearchHits words={filter} />
      </div>
      <footer class="tools">
        <button type="button" class="primary" data-key="n" onClick={() => app.dialog.set("new")}>
          New session
        </button>
        <a
          class="quiet icon"
          href={hrefOf({ view: "usage" })}
          data-key="u"
          aria-label="Usage"
          title="Usage (u)"
        >
          <Icon name="usage" />
        </a>
        <a
          class="quiet icon"
          href={hrefOf({ view: "settings" })}
          data-key=","
          aria-label="Settings"
          title="Settings (,)"
        >
          <Icon name="settings" />
        </a>
        <ThemeButton theme={theme} />
        <button
          type="button"
          class="quiet icon"
          aria-label="Keys"
          title="Keys (?)"
          data-key="?"
          onClick={() => app.dialog.set("help")}
        >
          <Icon name="help" />
        </button>
        <KeyOnly name="j" onPress={() => move(1)} />
        <KeyOnly name="k" onPress={() => move(-1)} />
        <KeyOnly name="i" onPress={() => app.go({ view: "inbox" })} />
      </footer>
    </nav>
  );
}

const GROUPING = "halyard.grouping";

const labels: Record<Grouping, string> = {
  state: "State",
  project: "Project",
  runtime: "Runtime",
  host: "Host",
  machine: "Machine",
};

function readGrouping(): Grouping {
  const stored = localStorage.getItem(GROUPING);
  return groupings.find((one) => one === stored) ?? "state";
}

interface GroupProps {
  readonly group: BoardGroup;
  readonly selected: string | undefined;
  /** True for the group at the end of the list, below which older sessions can be loaded. */
  readonly isLast: boolean;
}

function GroupView({ group, selected, isLast }: GroupProps) {
  const app = useApp();
  const listed = useSource(app.listed);
  const isFull = isLast && app.board.entries.get().size >= listed;
  const title = (
    <>
      {group.title} <span class="count">{group.entries.length}</span>
    </>
  );
  return (
    <section class={`group group-${group.kind}`}>
      <h2 title={group.hint}>
        {group.kind === "needs" ? <a href={hrefOf({ view: "inbox" })}>{title}</a> : title}
      </h2>
      {group.entries.map((entry) => (
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

function filtered(entries: ReadonlyMap<string, Entry>, filter: string): Entry[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...entries.values()];
  return words.length === 0 ? all : all.filter((entry) => matches(entry, words));
}

function matches({ info, activity }: Entry, words: readonly string[]): boolean {
  const { runtime, host, cwd, state, project = "", id, about } = info;
  const marks = Object.values(info.labels);
  const text = [titleOf(info), about, activity.text, runtime, host, cwd, state, project, id, marks]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function ThemeButton({ theme }: { theme: Theme }) {
  const name = useSource(theme.name);
  return (
    <button
      type="button"
      class="quiet icon"
      data-key="t"
      title={`Colors: ${name} (t)`}
      aria-label={`Colors: ${name}. Change`}
      onClick={theme.next}
    >
      <Icon name={`theme-${name}`} />
    </button>
  );
}
