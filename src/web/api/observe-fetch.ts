import type { LineStatus } from "../state/line-status.ts";

/** Returns a `fetch` that reports whether the server responds. Event streams also report their own start. */
export function observeFetch(
  status: LineStatus,
  send: typeof fetch = (...args) => fetch(...args),
): typeof fetch {
  return async (input, init) => {
    const isStream = new Headers(init?.headers).get("accept") === "text/event-stream";
    if (isStream) status.set("connecting");
    try {
      const response = await send(input, init);
      if (response.status === 401) status.set("signed-out");
      else if (isStream && response.ok) status.set("live");
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) status.set("offline");
      throw error;
    }
  };
}
