import { join } from "node:path";
import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import { listFactoryFiles, readFactoryFile, writeFactoryFile } from "./factory-files.ts";
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
  hideUserFiles(home);
  const write = (name: string, settings: unknown) =>
    writeFactoryFile(home, name, JSON.stringify(settings, undefined, 2));
  if (source.kind === "endpoint") {
    const model = customModel(source.endpoint, { effort, apiKey: `\${${KEY_VARIABLE}}` });
    return write("settings.json", { ...ownSettings, ...noSync, customModels: [model, ...others] });
  }
  await showUserFiles(user.directory, home);
  write("settings.local.json", {
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
  const text = readFactoryFile(home, "settings.json");
  if (text === undefined) return undefined; // a link to the user's own
  const settings = OwnHome.parse(JSON.parse(text));
  const [selected, ...others] = settings.customModels;
  const { reasoningEffort: _, ...endpoint } = selected;
  const id = wanted ?? endpoint.model;
  const effort = effortAt(reasoning);
  const model = { ...endpoint, model: id, displayName: id, ...toldEffort(effort) };
  const changed = { ...settings, customModels: [model, ...others] };
  writeFactoryFile(home, "settings.json", JSON.stringify(changed, undefined, 2));
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
  const record = `${sessionId}.jsonl`;
  const entries = listFactoryFiles(home, "sessions");
  const files = entries.flatMap(({ name, isDirectory }) =>
    isDirectory ? listFactoryFiles(home, join("sessions", name)) : [{ name }],
  );
  if (files.some(({ name }) => name === record)) return;
  throw new HalyardError(
    "runtime_session_not_found",
    `Droid has no record of a session ${sessionId} in ${sessions}`,
  );
}
