import { join } from "node:path";
import { z } from "zod";
import { toTitle, type UserRecords } from "../../adapter-kit/records/user-records.ts";
import type { Environment } from "../../programs/environment.ts";
import type { NativeSession } from "../../schema/runtimes/native-session.ts";
import { userAgentDir } from "./agent-dir.ts";

/**
 * Describes where Pi stores session files in the user's own directory, in one folder per working directory, and how to
 * read them.
 */
export function piRecords(env: Environment): UserRecords {
  return {
    root: join(userAgentDir(env), "sessions"),
    depth: 1,
    idOf: (name) => /_([\w-]+)\.jsonl$/.exec(name)?.[1],
    describe,
  };
}

const Header = z.looseObject({
  type: z.literal("session"),
  cwd: z.string().optional().catch(undefined),
});

const Named = z.looseObject({ type: z.literal("session_info"), name: z.string() });

const UserMessage = z.looseObject({
  type: z.literal("message"),
  message: z.looseObject({
    role: z.literal("user"),
    content: z.union([
      z.string().transform((text) => [{ text }]),
      z.array(z.looseObject({ text: z.string().catch("") })),
    ]),
  }),
});

function describe(entries: readonly unknown[]): Pick<NativeSession, "title" | "cwd"> | undefined {
  const header = Header.safeParse(entries[0]).data;
  if (header === undefined) return undefined;
  const names = entries.flatMap((entry) => Named.safeParse(entry).data?.name ?? []);
  const messages = entries.flatMap((entry) => {
    const { data } = UserMessage.safeParse(entry);
    return data ? data.message.content.map(({ text }) => text).join("\n") : [];
  });
  const title = toTitle(names.at(-1)) ?? toTitle(messages[0]);
  const { cwd } = header;
  return { ...(title !== undefined && { title }), ...(cwd !== undefined && { cwd }) };
}
