import type { AgentRuntime, SessionHandle } from "../../src/compat/gas-town/index.ts";
import type { Adapter } from "../../src/contracts/adapter.ts";
import { HalyardError } from "../../src/errors/error.ts";
import { SessionId } from "../../src/schema/id.ts";
import { type FacadeStage, until } from "../../src/testing/compat-suite/compat-stage.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";

/** Starts a session of the stage's runtime through the facade. */
export const start = (stage: FacadeStage, runtime: AgentRuntime, more = {}, context = {}) =>
  runtime.start({ workDir: stage.cwd, runtimeName: stage.runtime, ...more }, context);

/** Waits for the first completion of a session and returns its text. */
export async function lastWords(
  { halyard }: FacadeStage,
  { sessionID }: SessionHandle,
): Promise<string> {
  const events = halyard.events(SessionId.parse(sessionID));
  const end = await until(events, ({ type }) => type === "completion");
  return end.type === "completion" ? end.outcome.text : "";
}

/** Creates a runtime that never becomes ready. */
export function never(): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    name: "never",
    async connect(request) {
      const connection = await fake.connect(request);
      connection.ready = () => new Promise(() => {});
      return connection;
    },
  };
}

/** Creates a runtime that rejects the first `times` messages of each connection. */
export function busy(times: number, own: Partial<Adapter> = {}): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    name: "busy",
    ...own,
    async connect(request) {
      const connection = await fake.connect(request);
      const send = connection.send.bind(connection);
      let left = times;
      connection.send = async (input) => {
        if (left-- > 0) throw new HalyardError("delivery_failed", "busy");
        return send(input);
      };
      return connection;
    },
  };
}
