import { z } from "zod";
import { PermissionPolicy } from "../schema/permission.ts";
import { RuntimeName } from "../schema/runtime.ts";
import { type JsonFile, readJsonFile } from "./json-file.ts";
import { projectSettingsFiles, userSettingsFile } from "./paths.ts";

/** What holds where a request does not say otherwise: `halyard.json` of a project, `config.json` of the user. */
const Settings = z.strictObject({
  $schema: z.string().optional(),
  runtime: RuntimeName.optional(),
  /** A name out of `models.json`, or a model's own. */
  model: z.string().min(1).optional(),
  permissions: PermissionPolicy.optional(),
});
type Settings = z.infer<typeof Settings>;

export interface EffectiveSettings {
  readonly runtime: string;
  readonly model?: string;
  readonly permissions?: PermissionPolicy;
  readonly warnings: readonly string[];
}

/** The project's settings before the user's before the built-in ones, each key for itself. */
export async function readSettings(home: string, cwd: string): Promise<EffectiveSettings> {
  const project = await readFirst(projectSettingsFiles(cwd));
  const user = await readJsonFile(userSettingsFile(home), Settings);
  const { runtime = "pi", model, permissions } = { ...user?.value, ...project?.value };
  return {
    runtime,
    ...(model !== undefined && { model }),
    ...(permissions !== undefined && { permissions }),
    warnings: [...warningsOf(project), ...warningsOf(user), ...loosened(project, user)],
  };
}

async function readFirst(paths: readonly string[]): Promise<JsonFile<Settings> | undefined> {
  for (const path of paths) {
    const file = await readJsonFile(path, Settings);
    if (file) return file;
  }
  return undefined;
}

const warningsOf = (file: JsonFile<Settings> | undefined): readonly string[] =>
  file?.warnings ?? [];

/** A project comes from anybody: what it allows beyond what the user does must not pass unseen. */
function loosened(
  project: JsonFile<Settings> | undefined,
  user: JsonFile<Settings> | undefined,
): string[] {
  const policy = project?.value.permissions;
  if (policy === undefined || policy === user?.value.permissions) return [];
  if (policy !== "allow-all" && policy !== "allow-edits") return [];
  return [`${project?.path} sets the permissions to ${policy}`];
}
