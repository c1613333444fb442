import { useEffect, useRef, useState } from "preact/hooks";
import type { Delivery } from "../../../schema/delivery.ts";
import type { Entry } from "../../state/board.ts";
import type { LogWindow } from "../../state/log-window.ts";
import { useSource } from "../../state/source.ts";
import { useApp } from "../context.ts";
import { SettingsRow } from "../settings-row.tsx";

const ended: readonly string[] = ["stopped", "failed", "lost", "detached"];

/**
 * Shows the input field for messages. Offers only the deliveries that the runtime supports: queue, steer, interrupt.
 */
export function Composer({ entry, log }: { entry: Entry; log: LogWindow }) {
  const app = useApp();
  const { info } = entry;
  const runtimes = useSource(app.runtimes);
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => drafts(info.id).read());
  const [delivery, setDelivery] = useState<Delivery>("queue");
  const runtime = runtimes.find(({ name }) => name === info.runtime);
  const isBusy = info.turn !== undefined;
  const hasEnded = ended.includes(info.state);
  useEffect(() => {
    drafts(info.id).write(text);
    const area = field.current;
    if (!area) return;
    area.style.setProperty("height", "auto");
    area.style.setProperty("height", `${Math.min(area.scrollHeight, MAX_PX)}px`);
  }, [text, info.id]);

  const ways: Delivery[] = ["queue"];
  if (runtime?.capabilities.includes("steer")) ways.push("steer");
  if (runtime?.capabilities.includes("cancel")) ways.push("interrupt");
  const send = async () => {
    const message = text.trim();
    if (message === "") return;
    setText("");
    if (!log.isAtEnd) void log.openEnd().catch((error) => app.fail(error));
    if (hasEnded && !(await app.attempt(() => app.api.resume(info.id)))) return setText(message);
    await app.send(info.id, message, isBusy ? delivery : undefined);
  };
  if (hasEnded && !info.resumable)
    return (
      <footer class="composer ended">
        <p class="faint">{info.reason ?? "This session has ended"}</p>
      </footer>
    );
  return (
    <footer class="composer">
      <Waiting id={info.id} log={log} />
      <form
        class={isBusy ? "field busy" : "field"}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <textarea
          ref={field}
          rows={1}
          value={text}
          data-key="enter"
          aria-label="Message"
          placeholder={
            hasEnded ? "Message (resumes the session)" : isBusy ? placeholders[delivery] : "Message"
          }
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            if (isTouch() && !event.metaKey && !event.ctrlKey) return;
            event.preventDefault();
            void send();
          }}
        />
        <div class="row">
          <SettingsRow entry={entry} runtime={runtime} />
          <span class="spacer" />
          {isBusy && ways.length > 1 && (
            <select
              aria-label="Delivery during the running turn"
              value={delivery}
              onChange={({ currentTarget }) =>
                setDelivery(ways.find((way) => way === currentTarget.value) ?? "queue")
              }
            >
              {ways.map((way) => (
                <option key={way} value={way}>
                  {wayNames[way]}
                </option>
              ))}
            </select>
          )}
          <button type="submit" class="primary" disabled={text.trim() === ""}>
            Send <kbd>↵</kbd>
          </button>
        </div>
      </form>
    </footer>
  );
}

const MAX_PX = 240;

const wayNames: Record<Delivery, string> = {
  queue: "Queue",
  steer: "Steer",
  interrupt: "Interrupt",
};

const placeholders: Record<Delivery, string> = {
  queue: "Message (sent when the turn ends)",
  steer: "Message (added to the running turn)",
  interrupt: "Message (cancels the running turn)",
};

/** Shows the messages that wait for their turn or that the server has not confirmed. */
function Waiting({ id, log }: { id: string; log: LogWindow }) {
  const app = useApp();
  const { queued } = useSource(log.view);
  const pending = [...useSource(app.pending)].filter(([, { sessionId }]) => sessionId === id);
  if (queued.size === 0 && pending.length === 0) return null;
  return (
    <ul class="waiting">
      {[...queued].map(([turnId, text]) => (
        <li key={turnId}>
          <span class="tag">queued</span>
          <span class="words">{text}</span>
        </li>
      ))}
      {pending.map(([turnId, { text, error }]) => (
        <li key={turnId} class={error === undefined ? "" : "bad"}>
          <span class="tag">{error === undefined ? "sending" : "not sent"}</span>
          <span class="words" title={error}>
            {error === undefined ? text : `${text} — ${error}`}
          </span>
          {error !== undefined && (
            <button type="button" class="quiet" onClick={() => app.dismiss(turnId)}>
              Dismiss
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Stores a session's unsent message while other sessions are shown. */
function drafts(id: string) {
  const key = `halyard.draft.${id}`;
  return {
    read: () => sessionStorage.getItem(key) ?? "",
    write: (text: string) =>
      text === "" ? sessionStorage.removeItem(key) : sessionStorage.setItem(key, text),
  };
}

function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}
