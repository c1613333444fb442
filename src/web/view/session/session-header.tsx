import { totalTokens } from "../../../schema/usage/usage.ts";
import { type Entry, titleOf } from "../../state/board.ts";
import { useSource } from "../../state/source.ts";
import { formatCost, formatCount } from "../../text/format.ts";
import { BackLink } from "../back-link.tsx";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { ConnectionState } from "../sidebar/connection-state.tsx";
import { StateDot } from "../sidebar/session-row.tsx";
import { SessionMenu } from "./session-menu.tsx";

/** The parts of a session that can be shown or hidden. */
export interface ShownParts {
  readonly changes: boolean;
  readonly find: boolean;
  readonly screen: boolean;
}

interface Props {
  readonly entry: Entry;
  readonly shown: ShownParts;
  onToggle(part: keyof ShownParts): void;
}

/** Shows a session's name, settings and actions. */
export function SessionHeader({ entry, shown, onToggle }: Props) {
  const app = useApp();
  const { info } = entry;
  const runtimes = useSource(app.runtimes);
  const runtime = runtimes.find(({ name }) => name === info.runtime)?.displayName ?? info.runtime;
  const tokens = totalTokens(info.usage);
  const facts = [
    runtime,
    app.isReadOnly ? "read-only" : undefined,
    info.model?.id,
    info.plan ? "plan" : info.permissions,
    info.host === "local" ? undefined : info.host,
    info.machine,
    info.worktree?.branch,
    tokens > 0 ? `${formatCount(tokens)} tokens` : undefined,
    formatCost(info.usage.costUsd),
  ].filter(Boolean);
  return (
    <header class="session-header">
      {!app.isReadOnly && <BackLink />}
      <StateDot entry={entry} />
      <div class="who">
        <h1 title={info.cwd}>{titleOf(info)}</h1>
        <p title={facts.join(" · ")}>{facts.join(" · ")}</p>
      </div>
      {!app.isRecording && <ConnectionState />}
      <div class="row actions">
        {info.turn && !app.isReadOnly && (
          <button
            type="button"
            data-key="s"
            aria-label="Interrupt"
            title="Interrupt the turn (s)"
            onClick={() => void app.attempt(() => app.api.interrupt(info.id))}
          >
            <span class="stop-mark" aria-hidden="true" />
            <span class="label">Interrupt</span>
          </button>
        )}
        <button
          type="button"
          class="quiet icon"
          data-key="f"
          aria-label="Find"
          title="Find in the session (f)"
          aria-pressed={shown.find}
          onClick={() => onToggle("find")}
        >
          <Icon name="find" />
        </button>
        {info.host === "tmux" && !app.isReadOnly && (
          <button
            type="button"
            class="quiet icon"
            data-key="v"
            aria-label="Screen"
            title="Screen (v)"
            aria-pressed={shown.screen}
            onClick={() => onToggle("screen")}
          >
            <Icon name="screen" />
          </button>
        )}
        <button
          type="button"
          class="quiet icon"
          data-key="c"
          aria-label="Changes"
          aria-pressed={shown.changes}
          title="Changes (c)"
          onClick={() => onToggle("changes")}
        >
          <Icon name="changes" />
        </button>
        {!app.isReadOnly && <SessionMenu info={info} />}
      </div>
    </header>
  );
}
