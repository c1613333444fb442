import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Adapter } from "../../src/core/adapter.ts";
import type { Halyard, Session } from "../../src/core/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** A user with real runtimes and a scripted model, for one test. */
export interface Scene {
  /** The user's; Halyard's own is `halyard` in it. */
  readonly home: string;
  readonly cwd: string;
  readonly halyard: Halyard;
  readonly model: ScriptedModel;
}

/** What adapters of real programs are made with. */
export interface Places {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtimesDir: string;
}

export async function openScene(
  createAdapters: (places: Places) => readonly Adapter[],
  extra: Readonly<Record<string, string | undefined>> = {},
): Promise<Scene> {
  const home = await temporaryDirectory();
  const env = { PATH: process.env.PATH, HOME: home, ...extra };
  const adapters = createAdapters({ env, runtimesDir });
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
  const model = await startScriptedModel();
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const cwd = join(home, "work");
  await mkdir(cwd);
  return { home, cwd, halyard, model };
}

/** The process that the session's runtime is, once it is ready. */
export async function pidOf(session: Session): Promise<number> {
  await session.ready();
  for await (const event of session.events({ follow: false }))
    if (event.type === "system" && typeof event.data?.pid === "number") return event.data.pid;
  throw new Error("no pid");
}
