import type { LineStatus } from "../state/line-status.ts";

/**
 * Returns a `fetch` that records the state of the connection in `status`. Each chunk of an event stream sets `live`
 * again, so that one failed request does not hide a live stream.
 */
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
      if (!isStream || !response.ok) return response;
      status.set("live");
      return observeBody(response, () => status.set("live"));
    } catch (error) {
      if (!init?.signal?.aborted) status.set("offline");
      throw error;
    }
  };
}

function observeBody(response: Response, onPiece: () => void): Response {
  const observer = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      onPiece();
      out.enqueue(piece);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body?.pipeThrough(observer), { status, statusText, headers });
}
