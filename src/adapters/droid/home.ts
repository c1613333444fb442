import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HalyardError } from "../../core/error.ts";
import { customModel, type ModelSource } from "./model.ts";
import { hideUserFiles, showUserFiles, type UserSettings } from "./user-files.ts";

/** Where Droid keeps all it writes about a session. */
export const droidHome = (stateDir: string): string => join(stateDir, "droid");

/** The variable that holds a model's key; its name is all that stands in a file. */
export const KEY_VARIABLE = "HALYARD_DROID_API_KEY";

interface HomeContent {
  readonly source: ModelSource;
  readonly effort: string | undefined;
  readonly user: UserSettings & { readonly directory: string };
}

/** A home for one session alone: with the model's endpoint, or with what the user has set up for Droid. */
export async function writeHome(
  home: string,
  { source, effort, user }: HomeContent,
): Promise<void> {
  const factory = join(home, ".factory");
  await mkdir(factory, { recursive: true, mode: 0o700 });
  await hideUserFiles(factory);
  const write = (name: string, settings: unknown) =>
    writeFile(join(factory, name), JSON.stringify(settings, undefined, 2), { mode: 0o600 });
  if (source.kind === "endpoint") {
    const model = customModel(source.endpoint, { effort, apiKey: `\${${KEY_VARIABLE}}` });
    return write("settings.json", { ...ownSettings, customModels: [model] });
  }
  await showUserFiles(user.directory, factory);
  await write("settings.local.json", user.saysSync ? {} : ownSettings);
}

/** Nothing is copied to Factory unless the user wants that; Droid would also wait for it when it ends. */
const ownSettings = { cloudSessionSync: false };

/** Droid's records are in a directory for each working directory, each in a file named after its session. */
export async function requireRecord(home: string, sessionId: string): Promise<void> {
  const sessions = join(home, ".factory", "sessions");
  const files = await readdir(sessions, { recursive: true, withFileTypes: true }).catch(() => []);
  if (files.some(({ name }) => name === `${sessionId}.jsonl`)) return;
  throw new HalyardError(
    "runtime_session_not_found",
    `Droid has no record of a session ${sessionId} in ${sessions}`,
  );
}
