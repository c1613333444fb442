import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createWorkspaces } from "../dist/workspace/workspaces.js";
import { ifAlone } from "./parts/alone.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const run = promisify(execFile);

/**
 * Measures checkpoints in a repository of 10,000 files, compared with `git status`. HALYARD_BENCH_FILES sets another
 * number, such as 100000.
 */
export async function measure() {
  const files = Number(process.env.HALYARD_BENCH_FILES ?? 10_000);
  const named = files.toLocaleString("en-US");
  const directory = await mkdtemp(join(tmpdir(), "halyard-bench-"));
  try {
    const root = join(directory, "repository");
    const git = await createRepository(root, files);
    const workspaces = createWorkspaces({
      home: join(directory, "home"),
      env: process.env,
      now: () => new Date(),
    });
    const workspace = await workspaces.open("ses_0123456789abcdef", root);
    let after = "";
    const firstMs = await timeMs(async () => {
      after = (await workspace.checkpoint()).commit;
    });
    let round = 0;
    const rounds = await alternate(15, {
      status: () => timeMs(() => git("status", "--porcelain")),
      same: () => timeMs(() => workspace.checkpoint({ after })),
      changed: async () => {
        for (let file = 0; file < 5; file++)
          await writeFile(join(root, `${file}`, "0.txt"), `round ${round}\n`);
        round++;
        return timeMs(async () => {
          after = (await workspace.checkpoint({ after })).commit;
        });
      },
    });
    const status = median(rounds.map((one) => one.status));
    const same = median(rounds.map((one) => one.same));
    const changed = median(rounds.map((one) => one.changed));
    const beside = `${status.toFixed(0)} ms, git status`;
    return [
      row(`checkpoint of ${named} files, 5 changed`, changed, { status, beside, most: 2 }),
      row(`checkpoint of ${named} files, none changed`, same, { status, beside, most: 2 }),
      {
        figure: `first checkpoint of ${named} files`,
        ours: `${firstMs.toFixed(0)} ms`,
        beside,
        data: { firstMs },
      },
    ];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {number} count
 */
async function createRepository(root, count) {
  for (let folder = 0; folder < 100; folder++) {
    await mkdir(join(root, `${folder}`), { recursive: true });
    const files = Array.from({ length: count / 100 }, (_, file) => file);
    await Promise.all(
      files.map((file) =>
        writeFile(join(root, `${folder}`, `${file}.txt`), `${folder} ${file}\n`.repeat(100)),
      ),
    );
  }
  /** @param {string[]} args */
  const git = (...args) =>
    run("git", ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1" },
      maxBuffer: 64 * 1024 * 1024,
    });
  await git("init", "-q");
  await git("add", "--all");
  await git("commit", "-qm", "first");
  return git;
}

/**
 * @param {string} figure
 * @param {number} ours
 * @param {{ status: number, beside: string, most: number }} limits
 */
function row(figure, ours, { status, beside, most }) {
  const ratio = ours / status;
  return {
    figure,
    ours: `${ours.toFixed(0)} ms, ${ratio.toFixed(1)} × git status`,
    beside,
    target: `≤ ${most} × git status`,
    isMet: ratio <= most,
    data: { ours, status, ratio },
  };
}

await ifAlone(import.meta.url, measure);
