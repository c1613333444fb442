import type { Turn } from "../contracts/turn.ts";
import { HalyardError } from "../errors/error.ts";
import { refusedTurn } from "../halyard/refused-turn.ts";
import type { SentTurn } from "../schema/http/http.ts";
import type { TurnId } from "../schema/id.ts";
import type { RemoteTurn } from "./remote-turn.ts";

/**
 * Returns a handle for a steer message. It represents `running` until the server responds, and then the turn that
 * received the message, or a failed turn if the message could not be sent.
 */
export function steeringTurn(
  running: RemoteTurn,
  sent: Promise<SentTurn>,
  turnOf: (id: TurnId) => RemoteTurn,
): Turn {
  let target: Turn = running;
  const resolved = sent.then(
    (answer) => {
      const turn = answer.id === running.id ? running : turnOf(answer.id);
      if (turn !== running) turn.onSent(answer);
      target = turn;
      return { turn: target, accepted: answer.receipt };
    },
    async (error) => {
      const reason =
        error instanceof HalyardError ? error : new HalyardError("internal", `${error}`);
      target = refusedTurn(reason);
      return { turn: target, accepted: await target.accepted };
    },
  );
  return {
    get id() {
      return target.id;
    },
    accepted: resolved.then(({ accepted }) => accepted),
    outcome: resolved.then(({ turn }) => turn.outcome),
    cancel: async (reason) => (await resolved).turn.cancel(reason),
    async *[Symbol.asyncIterator]() {
      yield* (await resolved).turn;
    },
  };
}
