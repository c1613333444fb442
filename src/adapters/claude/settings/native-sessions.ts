import { z } from "zod";
import { toTitle, type UserRecords } from "../../../adapter-kit/records/user-records.ts";
import type { Environment } from "../../../programs/environment.ts";
import type { NativeSession } from "../../../schema/runtimes/native-session.ts";
import { promptIn } from "../screen/transcript.ts";
import { projectsIn } from "./sign-in.ts";

/**
 * Describes where Claude Code stores transcripts in the user's own directory, in one folder per working directory, and
 * how to read them.
 */
export function claudeRecords(env: Environment): UserRecords {
  return {
    root: projectsIn(env),
    depth: 1,
    idOf: (name) => /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1],
    mayContain: (folder, cwd) => folder.startsWith(folderOf(cwd)),
    describe,
  };
}

/** The length to which Claude Code shortens the name of a folder before it appends a hash. */
const MAX_FOLDER = 200;

/** Returns the beginning of the name of the folder that contains the transcripts of a working directory. */
function folderOf(cwd: string): string {
  return cwd.replaceAll(/[^a-zA-Z0-9]/g, "-").slice(0, MAX_FOLDER);
}

const Entry = z.looseObject({
  cwd: z.string().optional().catch(undefined),
  customTitle: z.string().optional().catch(undefined),
  aiTitle: z.string().optional().catch(undefined),
});

type Entry = z.infer<typeof Entry>;

/** Describes a transcript. A transcript without a prompt, such as that of a subagent, is not a session of the user. */
function describe(entries: readonly unknown[]): Pick<NativeSession, "title" | "cwd"> | undefined {
  const fields = entries.map((entry): Entry => Entry.safeParse(entry).data ?? {});
  const prompts = entries.flatMap((entry) => promptIn(entry) ?? []);
  if (prompts.length === 0) return undefined;
  const cwd = fields.find((one) => one.cwd !== undefined)?.cwd;
  const named = fields.findLast((one) => one.customTitle !== undefined)?.customTitle;
  const generated = fields.findLast((one) => one.aiTitle !== undefined)?.aiTitle;
  // Claude Code records its own notes, such as the output of a slash command, as messages in tags.
  const typed = prompts.find((prompt) => !prompt.trimStart().startsWith("<"));
  const title = toTitle(named) ?? toTitle(generated) ?? toTitle(typed);
  return { ...(title !== undefined && { title }), ...(cwd !== undefined && { cwd }) };
}
