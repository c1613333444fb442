import type { Driver, DriverParts } from "./driver.ts";

/** Speaks to Claude Code line by line. */
export function createStdioDriver(
  { control, write }: DriverParts,
  { appendSystemPrompt }: { appendSystemPrompt?: string | undefined },
): Driver {
  const respond = (response: Record<string, unknown>) =>
    write({ type: "control_response", response });
  return {
    initialize: () =>
      control.request({
        subtype: "initialize",
        ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
      }),
    say: (uuid, content) => write({ type: "user", message: { role: "user", content }, uuid }),
    reply: (nativeId, response) => respond({ subtype: "success", request_id: nativeId, response }),
    /** Claude must not wait for what nobody here can do; dialogs it takes back by itself. */
    refuse({ request_id, request: { subtype } }) {
      if (subtype === "request_user_dialog") return;
      const error = `${subtype} is not supported`;
      void respond({ subtype: "error", request_id, error }).catch(() => {}); // whoever is gone waits no more
    },
    close: () => {},
  };
}
