import { join } from "node:path";
import { z } from "zod";
import { HalyardError } from "../../../errors/error.ts";
import type { ReasoningLevel } from "../../../schema/model.ts";
import { customId, customModel, effortAt, effortField, type ModelSource } from "../model.ts";
import { listFactoryFiles, readFactoryFile, writeFactoryFile } from "./factory-files.ts";
import type { ListedFields } from "./listed-models.ts";
import { linkUserFiles, type UserSettings, unlinkUserFiles } from "./user-files.ts";

/** Returns the home directory that Droid uses for one session. */
export const droidHome = (stateDir: string): string => join(stateDir, "droid");

/** The environment variable that contains the model key. Files contain only the variable's name. */
export const KEY_VARIABLE = "HALYARD_DROID_API_KEY";

interface HomeContent {
  readonly source: ModelSource;
  readonly effort: string | undefined;
  readonly user: UserSettings & { readonly directory: string };
  /** The name and output limit of the session's model. */
  readonly listed?: ListedFields;
  /** Model list entries in addition to the session's model. */
  readonly others?: readonly Readonly<Record<string, unknown>>[];
}

/** Writes one session's Droid home, with the model endpoint or with links to the user's Droid files. */
export async function writeHome(
  home: string,
  { source, effort, user, listed = {}, others = [] }: HomeContent,
): Promise<void> {
  unlinkUserFiles(home);
  const write = (name: string, settings: unknown) =>
    writeFactoryFile(home, name, JSON.stringify(settings, undefined, 2));
  if (source.kind === "endpoint") {
    const apiKey = `\${${KEY_VARIABLE}}`;
    const model = { ...customModel(source.endpoint, { effort, apiKey }), ...listed };
    return write("settings.json", { ...ownSettings, ...noSync, customModels: [model, ...others] });
  }
  await linkUserFiles(user.directory, home);
  write("settings.local.json", {
    ...ownSettings,
    ...(!user.setsSync && noSync),
    // This list replaces the list in the user's settings.json, so it also contains the user's models.
    ...(others.length > 0 && { customModels: [...others, ...user.models] }),
  });
}

const CustomModel = z.looseObject({ model: z.string(), reasoningEffort: z.unknown().optional() });
const OwnHome = z.looseObject({ customModels: z.tuple([CustomModel], CustomModel) });

/**
 * Writes another model, or another reasoning effort, to the settings of a running session that uses a model endpoint.
 * Returns the id and effort to select, or undefined if the session uses the user's own settings.
 */
export async function offerModel(
  home: string,
  wanted: string | undefined,
  reasoning: ReasoningLevel | undefined,
): Promise<{ id: string; effort: string } | undefined> {
  const text = readFactoryFile(home, "settings.json");
  if (text === undefined) return undefined; // the settings are a link to the user's file
  const settings = OwnHome.parse(JSON.parse(text));
  const [selected, ...others] = settings.customModels;
  const { reasoningEffort: _, ...endpoint } = selected;
  const id = wanted ?? endpoint.model;
  const effort = effortAt(reasoning);
  const model = { ...endpoint, model: id, displayName: id, ...effortField(effort) };
  const changed = { ...settings, customModels: [model, ...others] };
  writeFactoryFile(home, "settings.json", JSON.stringify(changed, undefined, 2));
  return { id: customId(id), effort };
}

/**
 * Disables the upload of sessions to Factory, for which Droid would also wait when it exits. Not used if Droid reads the
 * user's settings and these settings enable or disable the upload.
 */
const noSync = { cloudSessionSync: false };

/**
 * The denylist contains commands that Droid would otherwise run without a permission request. Even `git status` runs
 * programs that a repository's git configuration names. Droid's list of allowed commands cannot be shortened, but
 * commands that are also on the denylist need permission.
 */
const ownSettings = {
  commandDenylist: [
    ...["ls", "pwd", "dir", "git status", "git diff", "git log", "git show", "git blame"],
    ...["git ls-files"],
  ],
};

/**
 * Throws `runtime_session_not_found` if Droid has no record of a session. Records are files `<session id>.jsonl` in
 * `sessions` or in `sessions/<working directory>`.
 */
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
    `Droid has no record of session ${sessionId} in ${sessions}. Start a new session.`,
  );
}
