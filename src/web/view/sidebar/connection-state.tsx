import type { LineState } from "../../state/line-status.ts";
import { useSource } from "../../state/source.ts";
import { useApp } from "../context.ts";

/** Shows whether the page receives events. */
export function ConnectionState() {
  const status = useSource(useApp().status);
  return (
    <span class={`line ${status}`} role="status" title={hints[status]}>
      <i class="dot" />
      {texts[status]}
    </span>
  );
}

const hints: Partial<Record<LineState, string>> = {
  offline: 'The server does not respond. Run "halyard open" to start it.',
};

const texts: Record<LineState, string> = {
  connecting: "connecting",
  live: "live",
  offline: "offline",
  "signed-out": "signed out",
};
