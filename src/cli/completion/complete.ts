import { join } from "node:path";
import type { Command } from "commander";
import { createRegistry } from "../../adapters/registry.ts";
import { homeDirectory } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { type Console, openConsole } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { cleanLine } from "../text/clean.ts";
import { type Candidate, complete, type Lookup } from "./completion.ts";

/**
 * Prints the completions of the last word, one per line, each followed by a tab and its description. Prints nothing if
 * an error occurs.
 */
export async function completeWords(program: Command, words: readonly string[]): Promise<number> {
  const console = openConsole();
  const found = await complete(program, words, createLookup(console)).catch(() => []);
  for (const { word, meaning } of found)
    await console.out.write(`${word}\t${cleanLine(meaning)}\n`);
  return 0;
}

function createLookup(console: Console): Lookup {
  const query = async (read: (halyard: Halyard) => Promise<Candidate[]>): Promise<Candidate[]> => {
    await using halyard = await openDaemonOrLocal(console);
    return await read(halyard);
  };
  return {
    sessions: () =>
      query(async (halyard) =>
        (await halyard.sessions({ limit: MAX_SESSIONS })).flatMap(
          ({ id, name, runtime, state }) => {
            const meaning = `${runtime}, ${state}`;
            return [...(name ? [{ word: name, meaning }] : []), { word: id, meaning }];
          },
        ),
      ),
    requests: () =>
      query(async (halyard) =>
        (await halyard.sessions({ states: liveStates })).flatMap(({ openRequests }) =>
          openRequests.map(({ requestId, text }) => ({ word: requestId, meaning: text })),
        ),
      ),
    runtimes: async () => {
      const { env } = console;
      const runtimesDir = join(homeDirectory(env), "runtimes");
      const names = await createRegistry({ env, runtimesDir, detached: false }, []).names();
      return names.map((word) => ({ word, meaning: "" }));
    },
  };
}

/** The maximum number of sessions to suggest. */
const MAX_SESSIONS = 50;
