import type { FollowOptions } from "../core/halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { Connection, Follow } from "./connection.ts";

/** A session's events in batches of what came at once. */
export async function* followEvents(
  connection: Connection,
  id: SessionId,
  options: FollowOptions,
): AsyncGenerator<readonly StreamEvent[]> {
  const path = `/v1/sessions/${id}/events`;
  for await (const messages of connection.follow(path, toFollow(options))) {
    yield messages.map(({ data }) => JSON.parse(data) as StreamEvent);
  }
}

/** As the server is asked for it. */
export function toFollow({ after = 0, follow = true, signal }: FollowOptions): Follow {
  return {
    after,
    query: { follow: String(follow) },
    signal: signal ?? new AbortController().signal,
  };
}
