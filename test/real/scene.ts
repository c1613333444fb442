import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Adapter } from "../../src/contracts/adapter.ts";
import type { Halyard, Session } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** A user with real runtimes and a scripted model. */
export interface Scene extends AsyncDisposable {
  /** The home of the user. Halyard's home is `halyard` below it. */
  readonly home: string;
  readonly cwd: string;
  readonly halyard: Halyard;
  readonly model: ScriptedModel;
}

/** The options of adapters for real programs. */
export interface ScenePaths {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtimesDir: string;
}

/** Opens a scene that closes when the test finishes. */
export async function openScene(...given: Parameters<typeof createScene>): Promise<Scene> {
  const scene = await createScene(...given);
  onTestFinished(() => scene[Symbol.asyncDispose]());
  return scene;
}

/** Opens a scene that the caller closes. */
export async function createScene(
  createAdapters: (places: ScenePaths) => readonly Adapter[],
  extra: Readonly<Record<string, string | undefined>> = {},
): Promise<Scene> {
  const home = await mkdtemp(join(tmpdir(), "halyard-"));
  const env = { PATH: process.env.PATH, HOME: home, ...extra };
  const adapters = createAdapters({ env, runtimesDir });
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
  const model = await startScriptedModel();
  const cwd = join(home, "work");
  await mkdir(cwd);
  return {
    home,
    cwd,
    halyard,
    model,
    async [Symbol.asyncDispose]() {
      await halyard[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
      await model.close();
    },
  };
}

/** Waits until the session is ready, and returns the pid of its runtime. */
export async function pidOf(session: Session): Promise<number> {
  await session.ready();
  for await (const event of session.events({ follow: false }))
    if (event.type === "system" && typeof event.data?.pid === "number") return event.data.pid;
  throw new Error("The session has no pid.");
}
