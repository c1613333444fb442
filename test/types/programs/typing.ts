/** A program that must compile: with `tsc` of this repository, and in `declarations.system.test.ts`. */
import { createHalyard, type Halyard, type SessionId, type StartRequest } from "halyard";
import { connectHalyard } from "halyard/client";

export async function startSessions(halyard: Halyard, name: string): Promise<void> {
  await halyard.start({ runtime: "claude", cwd: ".", options: { settings: { model: "opus" } } });
  await halyard.start({ runtime: "gemini", cwd: ".", options: { passEnv: ["GEMINI_API_KEY"] } });
  await halyard.start({ runtime: "my-own", cwd: ".", options: { anything: { goes: true } } });
  await halyard.start({ runtime: name, cwd: ".", options: { anything: { goes: true } } });
  await halyard.start({ cwd: ".", options: { anything: { goes: true } } });
  const request: StartRequest = { runtime: name, cwd: ".", options: { anything: 1 } };
  await halyard.start(request);
  const codex: StartRequest<"codex"> = { runtime: "codex", cwd: ".", options: { config: {} } };
  await halyard.start(codex);

  // @ts-expect-error: the name of the option is wrong
  await halyard.start({ runtime: "claude", cwd: ".", options: { setings: {} } });
  // @ts-expect-error: the value of the option is wrong
  await halyard.start({ runtime: "codex", cwd: ".", options: { config: "fast" } });
  // @ts-expect-error: an option of another runtime
  await halyard.start({ runtime: "pi", cwd: ".", options: { passEnv: [] } });
  // @ts-expect-error: the name of the field is wrong
  await halyard.start({ runtime: "claude", cwd: ".", permisions: "ask" });
}

export async function passPlainIds(id: string, halyard: Halyard): Promise<SessionId> {
  const session = await halyard.resume(id);
  await halyard.session(id);
  await halyard.stop(id);
  await halyard.find(id);
  await halyard.update(id, { name: "x" });
  await halyard.remove(id);
  await halyard.sessions({ parent: id });
  await halyard.start({ id, parent: id, cwd: "." });
  for await (const event of halyard.events(id)) console.log(event.seq);
  for await (const batch of halyard.batches(id)) console.log(batch.length);
  session.send("Hello", { id });
  await session.interrupt({ turnId: id });
  await session.answer(id, { decision: "allow" });
  return session.id;
}

export async function passUndefined(halyard: Halyard): Promise<void> {
  const signal = undefined;
  const session = await halyard.start({
    id: undefined,
    runtime: undefined,
    cwd: ".",
    model: {
      id: undefined,
      baseUrl: undefined,
      api: undefined,
      apiKey: undefined,
      from: undefined,
    },
    tools: { enabled: undefined, disabled: undefined },
    container: { image: undefined, memoryMb: undefined },
    limits: { turnMs: undefined },
    options: undefined,
  });
  session.send("Hello", { id: undefined, delivery: undefined, timeoutMs: undefined, signal });
  session.events({ after: undefined, follow: undefined, signal });
  await session.interrupt({ turnId: undefined, reason: undefined });
  await halyard.update(session.id, { name: undefined, labels: undefined, revoke: undefined });
  await halyard.resume(session.id, { model: undefined, env: undefined, trust: undefined });
  await halyard.sessions({ states: undefined, runtime: undefined, limit: undefined });
  await connectHalyard("http://127.0.0.1:4747", { token: undefined, fetch: undefined });
  await createHalyard({ home: undefined, env: undefined, adapters: undefined, config: undefined });
}
