import { basename, join } from "node:path";
import { copyStateFiles } from "../../../adapter-kit/records/state-files.ts";
import type { ConversationCopy } from "../../../contracts/conversation.ts";

const SESSIONS = "droid/.factory/sessions";

const copy = copyStateFiles({
  directory: SESSIONS,
  hasCwd: true,
  isRecord: (path, id) => path.endsWith(`/${id}.jsonl`) || path.endsWith(`/${id}.settings.json`),
});

/**
 * Copies a Droid session's record and settings. Droid reads them from a directory that is named after the working
 * directory, with `-` for each `/`. The copy is therefore named after the new working directory.
 */
export const droidConversation: ConversationCopy = {
  read: (paths) => copy.read(paths),
  write: (paths, files) => {
    const directory = join(SESSIONS, paths.cwd.replaceAll("/", "-"));
    const renamed = files.map(({ path, content }) => ({
      path: join(directory, basename(path)),
      content,
    }));
    return copy.write(paths, renamed);
  },
};
