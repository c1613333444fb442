import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import { writeWhole } from "../../core/write-whole.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import { customId, customModel, effortAt, type ModelSource, toldEffort } from "./model.ts";
import { hideUserFiles, showUserFiles, type UserSettings } from "./user-files.ts";

/** Where Droid keeps all it writes about a session. */
export const droidHome = (stateDir: string): string => join(stateDir, "droid");

/** The variable that holds a model's key; its name is all that stands in a file. */
export const KEY_VARIABLE = "HALYARD_DROID_API_KEY";

interface HomeContent {
  readonly source: ModelSource;
  readonly effort: string | undefined;
  readonly user: UserSettings & { readonly directory: string };
  /** Entries for the list of models, beside the session's own. */
  readonly others?: readonly Readonly<Record<string, unknown>>[];
}

/** A home for one session alone: with the model's endpoint, or with what the user has set up for Droid. */
export async function writeHome(
  home: string,
  { source, effort, user, others = [] }: HomeContent,
): Promise<void> {
  const factory = join(home, ".factory");
  await mkdir(factory, { recursive: true, mode: 0o700 });
  await hideUserFiles(factory);
  const write = (name: string, settings: unknown) =>
    writeFile(join(factory, name), JSON.stringify(settings, undefined, 2), { mode: 0o600 });
  if (source.kind === "endpoint") {
    const model = customModel(source.endpoint, { effort, apiKey: `\${${KEY_VARIABLE}}` });
    return write("settings.json", { ...ownSettings, ...noSync, customModels: [model, ...others] });
  }
  await showUserFiles(user.directory, factory);
  await write("settings.local.json", {
    ...ownSettings,
    ...(!user.saysSync && noSync),
    // This list replaces the one in the user's settings.json, so it contains the user's models too.
    ...(others.length > 0 && { customModels: [...others, ...user.models] }),
  });
}

const CustomModel = z.looseObject({ model: z.string(), reasoningEffort: z.unknown().optional() });
const OwnHome = z.looseObject({ customModels: z.tuple([CustomModel], CustomModel) });

/**
 * Has Droid find another model at the endpoint of a session that runs, or the same one as one that thinks otherwise,
 * and says how to ask for it; undefined where the models are not of our making.
 */
export async function offerModel(
  home: string,
  wanted: string | undefined,
  reasoning: ReasoningLevel | undefined,
): Promise<{ id: string; effort: string } | undefined> {
  const file = join(home, ".factory", "settings.json");
  const isOurs = await lstat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isOurs) return undefined;
  const settings = OwnHome.parse(JSON.parse(await readFile(file, "utf8")));
  const [selected, ...others] = settings.customModels;
  const { reasoningEffort: _, ...endpoint } = selected;
  const id = wanted ?? endpoint.model;
  const effort = effortAt(reasoning);
  const model = { ...endpoint, model: id, displayName: id, ...toldEffort(effort) };
  await writeWhole(
    file,
    JSON.stringify({ ...settings, customModels: [model, ...others] }, undefined, 2),
  );
  return { id: customId(id), effort };
}

/** Nothing is copied to Factory unless the user wants that; Droid would also wait for it when it ends. */
const noSync = { cloudSessionSync: false };

/**
 * Droid runs these unasked. `git status` alone runs programs that a repository's configuration names. The list of
 * allowed commands can only be added to, but what is on the other list as well is asked for.
 */
const ownSettings = {
  commandDenylist: [
    ...["ls", "pwd", "dir", "git status", "git diff", "git log", "git show", "git blame"],
    ...["git ls-files"],
  ],
};

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
