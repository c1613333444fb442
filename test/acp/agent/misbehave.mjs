// @ts-nocheck: this agent imitates third-party JavaScript
import { setTimeout as sleep } from "node:timers/promises";
import { ask, write } from "./wire.mjs";

/** Misbehaves as the prompt requests. Returns the stop reason, or undefined if the turn has already received a response. */
export async function misbehave(session, id, script) {
  const [what, ...words] = script.split(" ");
  const { tell, id: sessionId } = session;
  const rest = words.join(" ");
  switch (what) {
    case "die":
      tell.piece("message", "m", "goodbye");
      process.stderr.write(`${rest}\n`);
      await sleep(20);
      process.exit(3);
      break;
    case "meta":
      tell.piece("message", "m", JSON.stringify(session.meta));
      return "end_turn";
    case "hang":
      tell.piece("message", "m", "let me think");
      await new Promise(() => {});
      break;
    case "garbage":
      process.stdout.write('Warning: this is no JSON\n{"cut":\n42\n');
      tell.update("hologram", { shape: "cube" });
      tell.update("_own_thing", {});
      tell.piece("message", "m", "sorry");
      return "end_turn";
    case "double-end":
      tell.piece("message", "m", "once");
      tell.over(id, "end_turn", session.usage);
      return "end_turn";
    case "late":
      tell.piece("message", "m", "in time");
      tell.over(id, "end_turn", session.usage);
      tell.piece("message", "m", "too late");
      return undefined;
    case "foreign":
      write({
        method: "session/update",
        params: {
          sessionId: "somebody-else",
          update: {
            sessionUpdate: "agent_message_chunk",
            messageId: "x",
            content: { type: "text", text: "psst" },
          },
        },
      });
      tell.piece("message", "m", "mine");
      return "end_turn";
    case "refuse":
      write({ id, error: { code: -32000, message: "Authentication required" } });
      return undefined;
    case "plan":
      tell.update(session.version === 1 ? "plan" : "plan_update", plan(session.version));
      return "end_turn";
    case "sideways": {
      const answer = await ask(rest.split(" ")[0], {
        sessionId,
        ...JSON.parse(words.slice(1).join(" ")),
      }).then(
        (result) => JSON.stringify(result),
        (error) => `refused: ${error.message}`,
      );
      tell.piece("message", "m", answer);
      return "end_turn";
    }
    default:
      throw new Error(`unknown misbehavior: ${what}`);
  }
}

function plan(version) {
  const entries = [
    { content: "look", priority: "high", status: "completed" },
    { content: "leap", priority: "low", status: "in_progress" },
  ];
  return version === 1 ? { entries } : { plan: { type: "items", planId: "p", entries } };
}
