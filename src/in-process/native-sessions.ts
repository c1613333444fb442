import { resolve } from "node:path";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { HalyardError } from "../errors/error.ts";
import { onOneMachine } from "../errors/on-one-machine.ts";
import { parseInput } from "../errors/parse-input.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { type NativeSession, NativeSessionQuery } from "../schema/runtimes/native-session.ts";
import { usableAdapter } from "./runtimes.ts";

/**
 * Lists the sessions that a runtime recorded without Halyard, newest first. Omits the sessions that Halyard started,
 * because some runtimes record them in the same directory. Rejects with `unsupported` if the runtime has no such list, or
 * if the query contains `accountDir` and the runtime supports only one account.
 */
export async function listNativeSessions(
  { adapters, hosts, store, secrets }: HalyardParts,
  runtime: RuntimeName,
  input: NativeSessionQuery,
): Promise<NativeSession[]> {
  const { cwd, accountDir, on, ...query } = parseInput(NativeSessionQuery, input);
  if (on !== undefined) throw onOneMachine(on, `runtime sessions ${runtime}`);
  const adapter = await usableAdapter(adapters, runtime);
  const { name, accountVariable } = adapter;
  const host = hosts.get("local");
  if (adapter.nativeSessions === undefined || host === undefined)
    throw new HalyardError(
      "unsupported",
      `${name} cannot list the sessions that were started without Halyard. Run "halyard runtime list" to find a runtime with the capability "native-sessions".`,
    );
  if (accountDir !== undefined && accountVariable === undefined)
    throw new HalyardError(
      "unsupported",
      `${name} does not support accountDir. Remove this option.`,
    );
  const env =
    accountDir !== undefined && accountVariable !== undefined
      ? { [accountVariable]: resolve(accountDir) }
      : {};
  const own = await store.list();
  const except = new Set(own.flatMap(({ info }) => info.runtimeSessionId ?? []));
  const listed = await adapter.nativeSessions({
    ...query,
    host,
    except,
    env,
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
  });
  const { redact } = createRedactor(secrets);
  return listed.map((session) =>
    session.title === undefined ? session : { ...session, title: redact(session.title) },
  );
}
