import type { Driver, DriverParts } from "./driver.ts";

/** Creates the driver that writes JSON lines to Claude Code's stdin. */
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
    sendMessage: (uuid, content) =>
      write({ type: "user", message: { role: "user", content }, uuid }),
    reply: (nativeId, response) => respond({ subtype: "success", request_id: nativeId, response }),
    /** Responds with an error, so that Claude does not wait. A dialog needs no response, because Claude cancels it. */
    refuse({ request_id, request: { subtype } }) {
      if (subtype === "request_user_dialog") return;
      const error = `${subtype} is not supported`;
      void respond({ subtype: "error", request_id, error }).catch(() => {}); // fails only if the process has exited
    },
    close: () => {},
  };
}
