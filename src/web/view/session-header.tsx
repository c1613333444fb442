import { useState } from "preact/hooks";
import { type Entry, titleOf } from "../state/board.ts";
import { useSource } from "../state/source.ts";
import { formatCost, formatCount, tokensOf } from "../text/format.ts";
import { useApp } from "./context.ts";
import { StateDot } from "./session-row.tsx";

interface Props {
  readonly entry: Entry;
  readonly hasChanges: boolean;
  onToggleChanges(): void;
}

/** The name of a session, its settings, and what can be done with it. */
export function SessionHeader({ entry, hasChanges, onToggleChanges }: Props) {
  const app = useApp();
  const { info } = entry;
  const runtimes = useSource(app.runtimes);
  const runtime = runtimes.find(({ name }) => name === info.runtime)?.displayName ?? info.runtime;
  const tokens = tokensOf(info.usage);
  const facts = [
    runtime,
    info.model?.id,
    info.plan ? "plan" : info.permissions,
    info.host === "local" ? undefined : info.host,
    tokens > 0 ? `${formatCount(tokens)} tokens` : undefined,
    formatCost(info.usage.costUsd),
  ].filter(Boolean);
  return (
    <header class="session-header">
      {!app.isRecording && (
        <a class="quiet icon back" href="#/" aria-label="All sessions">
          ←
        </a>
      )}
      <StateDot entry={entry} />
      <div class="who">
        <h1 title={info.cwd}>{titleOf(info)}</h1>
        <p>{facts.join(" · ")}</p>
      </div>
      <div class="row actions">
        {info.turn && !app.isRecording && (
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
          class="quiet"
          data-key="c"
          aria-pressed={hasChanges}
          title="Changes (c)"
          onClick={onToggleChanges}
        >
          Changes
        </button>
        {!app.isRecording && <Menu entry={entry} />}
      </div>
    </header>
  );
}

function Menu({ entry: { info } }: { entry: Entry }) {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const act = (work: () => Promise<unknown>) => {
    setOpen(false);
    void app.attempt(work);
  };
  const hasEnded = ["stopped", "failed", "lost"].includes(info.state);
  return (
    <div class="menu">
      <button
        type="button"
        class="quiet icon"
        aria-label="More"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        ⋯
      </button>
      {isOpen && (
        <>
          <button
            type="button"
            class="scrim"
            aria-label="Close the menu"
            onClick={() => setOpen(false)}
          />
          <div class="menu-list">
            {!hasEnded && (
              <button type="button" onClick={() => act(() => app.api.stop(info.id))}>
                Stop the session
              </button>
            )}
            {(hasEnded || info.state === "detached") && info.resumable && (
              <button type="button" onClick={() => act(() => app.api.resume(info.id))}>
                Resume the session
              </button>
            )}
            <button
              type="button"
              onClick={() =>
                act(async () => {
                  await navigator.clipboard.writeText(info.id);
                  app.say("The id of the session was copied.");
                })
              }
            >
              Copy the id
            </button>
            <a
              href={new URL(`v1/sessions/${info.id}/export`, app.api.base).href}
              download={`${info.id}.jsonl`}
              onClick={() => setOpen(false)}
            >
              Download the log
            </a>
          </div>
        </>
      )}
    </div>
  );
}
