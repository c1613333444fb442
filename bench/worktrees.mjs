import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createWorktrees } from "../dist/workspace/worktree/worktrees.js";
import { timeMs } from "./parts/statistics.mjs";

const run = promisify(execFile);
const COUNT = 50;
const LIMIT_MS = 5_000;

/** Measures how long it takes to list and to prune 50 worktrees: half of them unchanged, half with a merged commit. */
export async function measure() {
  const directory = await mkdtemp(join(tmpdir(), "halyard-bench-"));
  try {
    const [root, home] = [join(directory, "repository"), join(directory, "home")];
    for (const path of [root, home]) await mkdir(path);
    const git = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) =>
      run("git", ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", ...args], { cwd });
    await git(root, "init", "-q", "-b", "main");
    for (let file = 0; file < 200; file++) await writeFile(join(root, `${file}.txt`), `${file}\n`);
    await git(root, "add", "--all");
    await git(root, "commit", "-qm", "first");
    const worktrees = createWorktrees({
      home,
      env: process.env,
      maker: { pid: process.pid, startTime: "0", bootId: "bench" },
      health: async () => "dead",
      now: () => new Date(),
      settingsFor: async () => ({}),
    });
    for (let count = 0; count < COUNT; count++) {
      const made = await worktrees.make(sessionId(count), {}, { cwd: root });
      await made.keep();
      if (count % 2 === 0) continue;
      await writeFile(join(made.cwd, `new-${count}.txt`), "new\n");
      await git(made.cwd, "add", "--all");
      await git(made.cwd, "commit", "-qm", `Add ${count}`);
      await git(root, "merge", "-q", "--no-edit", made.worktree.branch);
    }
    const listMs = await timeMs(() => worktrees.list([]));
    let removed = 0;
    const pruneMs = await timeMs(async () => {
      const pruned = await worktrees.prune(async () => []);
      removed = pruned.filter((one) => one.removed).length;
    });
    if (removed !== COUNT) throw new Error(`Only ${removed} of ${COUNT} worktrees were removed.`);
    const ms = listMs + pruneMs;
    return [
      {
        figure: "list and prune 50 worktrees",
        ours: `${(ms / 1000).toFixed(1)} s (list ${(listMs / 1000).toFixed(1)} s)`,
        beside: "",
        target: `< ${LIMIT_MS / 1000} s`,
        isMet: ms < LIMIT_MS,
        data: { listMs, pruneMs },
      },
    ];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** @param {number} count */
function sessionId(count) {
  return /** @type {const} */ (`ses_${String(count).padStart(8, "0")}${"0".repeat(8)}`);
}
