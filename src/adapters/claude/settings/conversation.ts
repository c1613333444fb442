import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { copyStateFiles } from "../../../adapter-kit/records/state-files.ts";
import type { ConversationCopy } from "../../../contracts/conversation.ts";
import { type Environment, homeIn } from "../../../programs/environment.ts";
import { writeUserFile } from "./user-file.ts";

/**
 * Creates the functions that read and write copies of Claude's transcripts. The transcripts are in the session's own
 * directory, or in the user's directory if the session uses the user's login. The path of a copied file starts with
 * `own` or `user`, which identifies the directory.
 */
export function claudeConversation(env: Environment): ConversationCopy {
  const copy = copyStateFiles({
    directory: "projects",
    isRecord: (path, id) => path.endsWith(`/${id}.jsonl`) || path.includes(`/${id}/`),
  });
  const userDir = (accountDir: string | undefined) =>
    accountDir ?? env.CLAUDE_CONFIG_DIR ?? join(homeIn(env), ".claude");
  const ownDir = (stateDir: string) => join(stateDir, "claude");
  return {
    async read(paths) {
      const user = userDir(paths.accountDir);
      const directories = {
        own: ownDir(paths.stateDir),
        user: await realpath(user).catch(() => user), // the directory may be a link
      };
      for (const [name, stateDir] of Object.entries(directories)) {
        const found = await copy.read({ ...paths, stateDir });
        if (found.length > 0)
          return found.map(({ path, content }) => ({ path: `${name}/${path}`, content }));
      }
      return [];
    },
    async write(paths, files) {
      const inside = (name: string) =>
        files.flatMap(({ path, content }) =>
          path.startsWith(`${name}/`) ? [{ path: path.slice(name.length + 1), content }] : [],
        );
      await copy.write({ ...paths, stateDir: ownDir(paths.stateDir) }, inside("own"));
      for (const { path, content } of inside("user"))
        writeUserFile(userDir(paths.accountDir), path, content);
    },
  };
}
