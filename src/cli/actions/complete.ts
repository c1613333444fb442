import { join } from "node:path";
import type { Command } from "commander";
import { createRegistry } from "../../adapters/registry.ts";
import { homeDirectory } from "../../config/paths.ts";
import type { Halyard } from "../../core/halyard.ts";
import { liveStates } from "../../schema/session-state.ts";
import { type Candidate, complete, type Lookup } from "../completion.ts";
import { openNearby } from "../open-nearby.ts";
import { cleanLine } from "../output/clean.ts";
import { openTerminal, type Terminal } from "../terminal.ts";

/** Says what could come next, one per line with its meaning behind a tab; nothing rather than an error. */
export async function completeWords(program: Command, words: readonly string[]): Promise<number> {
  const terminal = openTerminal();
  const found = await complete(program, words, createLookup(terminal)).catch(() => []);
  for (const { word, meaning } of found)
    await terminal.out.write(`${word}\t${cleanLine(meaning)}\n`);
  return 0;
}

function createLookup(terminal: Terminal): Lookup {
  const ask = async (what: (halyard: Halyard) => Promise<Candidate[]>): Promise<Candidate[]> => {
    await using halyard = await openNearby(terminal);
    return what(halyard);
  };
  return {
    sessions: () =>
      ask(async (halyard) =>
        (await halyard.sessions({ limit: MOST })).flatMap(({ id, name, runtime, state }) => {
          const meaning = `${runtime}, ${state}`;
          return [...(name ? [{ word: name, meaning }] : []), { word: id, meaning }];
        }),
      ),
    requests: () =>
      ask(async (halyard) =>
        (await halyard.sessions({ states: liveStates })).flatMap(({ openRequests }) =>
          openRequests.map(({ requestId, text }) => ({ word: requestId, meaning: text })),
        ),
      ),
    runtimes: async () => {
      const { env } = terminal;
      const runtimesDir = join(homeDirectory(env), "runtimes");
      const names = await createRegistry({ env, runtimesDir, outlive: false }, []).names();
      return names.map((word) => ({ word, meaning: "" }));
    },
  };
}

/** More nobody would look through. */
const MOST = 50;
