import type { FollowOptions } from "../contracts/read-log.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { Follow, HttpConnection } from "./connection.ts";

/** Yields a session's events in batches as they are received. */
export async function* followEvents(
  connection: HttpConnection,
  id: SessionId,
  options: FollowOptions,
): AsyncGenerator<readonly StreamEvent[]> {
  const path = `/v1/sessions/${id}/events`;
  for await (const messages of connection.follow(path, toFollow(options))) {
    yield messages.map(({ data }) => JSON.parse(data) as StreamEvent);
  }
}

/** Converts options to the argument of `HttpConnection.follow`. By default, follows all events from the first one. */
export function toFollow({ after = 0, follow = true, signal }: FollowOptions): Follow {
  return {
    after,
    query: { follow: String(follow) },
    signal: signal ?? new AbortController().signal,
  };
}
