import { titleOf } from "../state/board.ts";
import { hrefOf } from "../state/route.ts";
import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";
import { NotifyButton } from "./notify.tsx";
import { RequestCard } from "./request-card.tsx";
import { ViewHeader } from "./view-header.tsx";

/**
 * Lists the open requests by session, the least recently active session first. The shortcuts answer the first request.
 */
export function Inbox() {
  const app = useApp();
  const entries = [...useSource(app.board.entries).values()]
    .filter(({ info }) => info.openRequests.length > 0)
    .sort((a, b) => a.info.updatedAt.localeCompare(b.info.updatedAt));
  return (
    <div class="view">
      <ViewHeader title="Inbox">
        <NotifyButton />
      </ViewHeader>
      <div class="view-body">
        {entries.length === 0 && (
          <p class="nothing">
            <strong>All clear</strong>
            No session is waiting for an answer.
          </p>
        )}
        {entries.map(({ info }) => (
          <section class="inbox-group" key={info.id}>
            <h2>
              <a href={hrefOf({ view: "session", id: info.id })}>{titleOf(info)}</a>
              <span class="faint"> {info.runtime}</span>
            </h2>
            {info.openRequests.map((request) => (
              <RequestCard
                key={request.requestId}
                sessionId={info.id}
                request={request}
                response={undefined}
              />
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}
