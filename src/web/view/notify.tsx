import { useEffect, useRef, useState } from "preact/hooks";
import { requestLine } from "../state/activity.ts";
import { titleOf } from "../state/board.ts";
import { hrefOf } from "../state/route.ts";
import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";

/**
 * Shows a button that enables browser notifications, or a note if they are enabled. Hidden if the browser does not
 * support notifications or the user has denied them.
 */
export function NotifyButton() {
  const [state, setState] = useState(() =>
    "Notification" in window ? Notification.permission : "denied",
  );
  if (state === "denied") return null;
  if (state === "granted") return <span class="faint">Notifications are on</span>;
  return (
    <button type="button" onClick={() => void Notification.requestPermission().then(setState)}>
      Notify me
    </button>
  );
}

/** Shows a browser notification for each new request while the page is hidden and notifications are allowed. */
export function Notifier() {
  const app = useApp();
  const entries = useSource(app.board.entries);
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    const open = [...entries.values()].flatMap(({ info }) =>
      info.openRequests.map((request) => ({ info, request })),
    );
    const before = known.current;
    known.current = new Set(open.map(({ request }) => request.requestId));
    if (!before || !document.hidden || !("Notification" in window)) return;
    if (Notification.permission !== "granted") return;
    for (const { info, request } of open) {
      if (before.has(request.requestId)) continue;
      const options = { body: requestLine(request), tag: request.requestId };
      const notification = new Notification(titleOf(info), options);
      notification.onclick = () => {
        window.focus();
        location.hash = hrefOf({ view: "session", id: info.id });
      };
    }
  }, [entries]);
  return null;
}
