import { basename, join } from "node:path";
import { z } from "zod";
import { toTitle, type UserRecords } from "../../adapter-kit/records/user-records.ts";
import type { Environment } from "../../programs/environment.ts";
import type { NativeSession } from "../../schema/runtimes/native-session.ts";
import { userCodexHome } from "./model.ts";

/**
 * Describes where Codex stores rollouts (its records of sessions) in the user's own home, and how to read them:
 * `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`, and `archived_sessions/rollout-TIME-ID.jsonl` for an archived thread.
 * Halyard reads the files instead of calling `thread/list`, because an app server would write to the databases in this
 * home.
 */
export function codexRecords(env: Environment): UserRecords {
  const home = userCodexHome(env) ?? "/nonexistent";
  return {
    root: join(home, "sessions"),
    depth: 3,
    archive: { root: join(home, "archived_sessions"), depth: 0 },
    idOf: (name) =>
      /^rollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1],
    describe,
  };
}

/** Returns the path of a rollout in `sessions`. Codex derives the directories from the time in the name of the file. */
export function pathInSessions(path: string): string {
  const name = basename(path);
  const [, ...date] = /^rollout-(\d{4})-(\d{2})-(\d{2})T/.exec(name) ?? [];
  return date.length > 0 ? join(...date, name) : path;
}

const Meta = z.looseObject({
  type: z.literal("session_meta"),
  payload: z.looseObject({
    cwd: z.string().optional().catch(undefined),
    source: z.unknown().optional(),
  }),
});

const UserMessage = z.looseObject({
  type: z.literal("response_item"),
  payload: z.looseObject({
    type: z.literal("message"),
    role: z.literal("user"),
    content: z.array(z.looseObject({ text: z.string().catch("") })),
  }),
});

/** Describes a rollout. The rollout of a subagent, whose source is an object, is not a session of the user. */
function describe(entries: readonly unknown[]): Pick<NativeSession, "title" | "cwd"> | undefined {
  const meta = Meta.safeParse(entries[0]).data?.payload;
  if (meta === undefined || (typeof meta.source === "object" && meta.source !== null))
    return undefined;
  const messages = entries.flatMap((entry) => {
    const { data } = UserMessage.safeParse(entry);
    return data ? data.payload.content.map(({ text }) => text).join("\n") : [];
  });
  if (messages.length === 0) return undefined;
  const title = toTitle(messages.find(isTyped));
  return {
    ...(title !== undefined && { title }),
    ...(meta.cwd !== undefined && { cwd: meta.cwd }),
  };
}

/** True if a user typed the message. Codex records its context as messages in tags, or with the text of AGENTS.md. */
function isTyped(text: string): boolean {
  return !text.trimStart().startsWith("<") && !text.startsWith("# AGENTS.md instructions");
}
