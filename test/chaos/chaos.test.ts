import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { newDaemonUser } from "../daemon/scene.ts";
import { newRepository, type UserRepository } from "../workspace/repository.ts";
import type { Chance } from "./chance.ts";
import { torment } from "./torment.ts";

const seconds = Number(process.env.HALYARD_CHAOS_SECONDS ?? 90);
const seed = Number(process.env.HALYARD_CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const SESSIONS = 20;
/** The number of sessions in a git repository. It is small, because each of their turns starts several git processes. */
const IN_REPOSITORY = 4;

function prompt(chance: Chance): string {
  const count = chance.between(1, 400);
  return chance.pick([
    `stream ${count}`,
    `say a; tick ${chance.between(5, 60)} ${chance.between(1, 40)}; say b`,
    `think; sh echo ${count}; say done`,
    `sh sleep 0.${chance.between(1, 9)}; stream ${count}`,
    "retry once more",
    "grandchild; say left some",
    "garbage; say still here",
    "fail on purpose",
    "die 3",
  ]);
}

/** Returns a prompt that usually changes files in the repository, so that most turns end with a checkpoint. */
function editPrompt(chance: Chance): string {
  const file = `${chance.between(1, 9)}.txt`;
  return chance.pick([
    `sh echo ${chance.between(1, 400)} >> ${file}; say wrote it`,
    `sh rm -f ${file}; stream ${chance.between(1, 100)}`,
    `sh mkdir -p d && mv ${file} d/${file}; say moved it`,
    prompt(chance),
  ]);
}

test(
  `neither loses nor duplicates events, and leaves nothing behind, when daemons, agents and readers are killed (HALYARD_CHAOS_SEED=${seed})`,
  async () => {
    console.log(`HALYARD_CHAOS_SEED=${seed} HALYARD_CHAOS_SECONDS=${seconds}`);
    const user = await newDaemonUser();
    const limits = { firstOutputMs: 8_000, progressMs: 8_000, cancelMs: 3_000 };
    const request = { runtime: "fake", cwd: user.cwd, permissions: "allow-all", limits } as const;
    const repository = await newRepository();
    const before = await stateOf(repository);
    const inRepository = { ...request, cwd: repository.root };
    const parts = Array.from({ length: SESSIONS }, (_, index) =>
      index < IN_REPOSITORY ? { request: inRepository, prompt: editPrompt } : { request, prompt },
    );
    const whenStopped = async (halyard: Halyard) => {
      await repository.git("fsck", "--strict"); // fails if a checkpoint is incomplete
      expect(await checkpointsOf(halyard, repository.root), "sessions with checkpoints").not.toBe(
        0,
      );
      for (const { id } of await halyard.sessions()) await halyard.remove(id);
    };
    await torment(user, parts, { seed, seconds, whenStopped });
    expect(await stateOf(repository)).toEqual(before);
  },
  (seconds + 150) * 1000,
);

/** Returns the parts of a repository that must be unchanged after all sessions are removed: HEAD, refs, index, locks. */
async function stateOf({ root, git }: UserRepository): Promise<Record<string, unknown>> {
  const files = await readdir(join(root, ".git"), { recursive: true });
  return {
    head: await git("symbolic-ref", "HEAD"),
    refs: await git("for-each-ref"),
    index: await git("ls-files", "--stage"),
    locks: files.filter((file) => file.endsWith(".lock")),
  };
}

/** Returns the number of sessions in a directory that have a checkpoint. */
async function checkpointsOf(halyard: Halyard, cwd: string): Promise<number> {
  const sessions = await halyard.sessions({ cwd });
  return sessions.filter(({ checkpoint }) => checkpoint?.commit !== undefined).length;
}
