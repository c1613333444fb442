import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, lstat, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { newRepository, type UserRepository } from "../workspace/repository.ts";
import { createKillingGit } from "./killing-git.ts";

const worker = fileURLToPath(new URL("workspace-worker.mjs", import.meta.url));
const preload = new URL("kill-at-file-change.mjs", import.meta.url).href;

/** An operation that is killed at each of its git processes, and at each of its own file changes. */
interface Operation {
  readonly name: "checkpoint" | "rewind" | "worktree" | "prune";
  /** Prepares the state before the operation, and returns the id of its session. */
  prepare?(halyard: Halyard, repository: UserRepository): Promise<string>;
  /** Checks the state after the kill. */
  check(halyard: Halyard, repository: UserRepository, id: string): Promise<void>;
}

const operations: readonly Operation[] = [
  {
    name: "checkpoint",
    async check(halyard, { root }, id) {
      const isBegun = id !== "" && (await halyard.find(id))?.resumable === true;
      if (!isBegun) return; // the process was killed before the runtime had received a message
      const session = await halyard.resume(id);
      await session.send("say that the turn of the killed process has ended").outcome;
      await halyard.changes(id); // waits for the checkpoint of the session
      const turn = session.send("sh echo later > later.txt");
      await turn.outcome;
      const { files } = await halyard.changes(id, { turnId: turn.id });
      expect(files.map(({ path }) => path)).toContain("later.txt");
      await halyard.rewind(id, { to: "start" });
      await expect(readFile(join(root, "later.txt"))).rejects.toThrow("ENOENT");
      await session.stop();
      expect((await filesOf(root))["mine.txt"]).toBe("mine\n");
    },
  },
  {
    name: "rewind",
    async prepare(halyard, { root, write }) {
      const session = await halyard.start({ runtime: "fake", cwd: root, permissions: "allow-all" });
      await session.send("sh echo agent > agent.txt; rm old.txt").outcome;
      await halyard.changes(session.id);
      await session.stop();
      await write("mine.txt", "precious\n"); // this file is not in any checkpoint yet
      return session.id;
    },
    async check(halyard, { root, git }, id) {
      const kept = await readFile(join(root, "mine.txt"), "utf8").catch(() => "");
      if (kept !== "precious\n") {
        const events = await collect(halyard.events(id, { follow: false }));
        const last = events.findLast(
          (event) => event.type === "system" && event.subtype === "checkpoint",
        );
        const commit = last?.type === "system" ? String(last.data?.commit) : "";
        expect(await git("show", `${commit}:mine.txt`)).toBe("precious");
      }
      await halyard.rewind(id, { to: "1" });
      expect(await filesOf(root)).toEqual({ "agent.txt": "agent\n", "mine.txt": "mine\n" });
      await halyard.rewind(id, { to: "start" });
      expect(await filesOf(root)).toEqual({ "mine.txt": "mine\n", "old.txt": "old\n" });
    },
  },
  {
    name: "worktree",
    async check(halyard, { git, root }, id) {
      if (id !== "") await halyard.stop(id);
      await halyard.pruneWorktrees();
      expect(await halyard.worktrees()).toEqual([]);
      expect((await git("worktree", "list", "--porcelain")).match(/^worktree /gm)).toHaveLength(1);
      expect(await git("branch", "--list", "halyard/*")).toBe("");
      expect((await filesOf(root))["mine.txt"]).toBe("mine\n");
    },
  },
  {
    name: "prune",
    async prepare(halyard, { root }) {
      const session = await halyard.start({
        runtime: "fake",
        cwd: root,
        permissions: "allow-all",
        worktree: true,
      });
      await session.send("sh echo work > work.txt; echo ignored > ignored.log").outcome;
      await session.stop();
      return session.id;
    },
    async check(halyard, { git }, id) {
      await halyard.pruneWorktrees({ park: true });
      expect(await halyard.worktrees()).toEqual([]);
      const { worktree } = (await halyard.find(id)) ?? {};
      const files = await git("ls-tree", "-r", "--name-only", String(worktree?.branch));
      expect(files).toBe(".gitignore\nold.txt\nwork.txt");
      expect(await git("show", `${worktree?.branch}:work.txt`)).toBe("work");
      expect((await git("worktree", "list", "--porcelain")).match(/^worktree /gm)).toHaveLength(1);
    },
  },
];

const cases = operations.flatMap((operation) =>
  (["git process", "file change"] as const).map((point) => ({ ...operation, point })),
);

test.for(cases)(
  "kill -9 at each $point of a $name: the next process continues, and the user loses nothing",
  { timeout: 600_000 },
  async ({ name, point, prepare, check }) => {
    const repository = await newRepository({ "old.txt": "old\n", ".gitignore": "*.log\n" });
    const { root, git, write } = repository;
    const top = dirname(root);
    const [home, backup] = [join(top, "home"), join(top, "backup")];
    await write("mine.txt", "mine\n");
    await write("stashed.txt", "stashed\n");
    await git("stash", "push", "--include-untracked", "--", "stashed.txt");
    const killing = await createKillingGit(join(top, "git"));
    const changes = join(top, "changes");
    const isGit = point === "git process";
    const open = () =>
      createHalyard({ home, env: { PATH: process.env.PATH }, adapters: [fakeAdapter()] });
    let prepared = "";
    {
      await using halyard = await open();
      prepared = (await prepare?.(halyard, repository)) ?? "";
    }
    await copy(root, join(backup, "shop"));
    await copy(home, join(backup, "home"));
    const users = await userState(root);

    const run = async (call: number | "removal" | undefined, when: "before" | "during") => {
      for (const [from, to] of [
        ["shop", root],
        ["home", home],
      ] as const) {
        await rm(to, { recursive: true, force: true });
        await copy(join(backup, from), to);
      }
      await killing.arm(isGit ? call : undefined, when);
      await writeFile(changes, "");
      const args = [worker, home, root, killing.path, name, prepared];
      const env = { ...process.env, KILL_CHANGES: changes, KILL_AT_CHANGE: String(call) };
      const child = spawn(process.execPath, isGit ? args : ["--import", preload, ...args], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      let printed = "";
      child.stdout.on("data", (chunk) => {
        printed += chunk;
      });
      await once(child, "close");
      expect(child.signalCode).toBe(call === undefined ? null : "SIGKILL");
      await using halyard = await open();
      const [started] = await halyard.sessions();
      const id = printed.trim() || started?.id || prepared;
      await check(halyard, repository, id);
      expect(await userState(root)).toEqual(users);
      for (const { id } of await halyard.sessions()) {
        await halyard.stop(id).catch(() => {}); // fails if the session has already ended
        await halyard.remove(id);
      }
      expect(await git("for-each-ref", "refs/halyard")).toBe("");
      expect(await readdir(join(home, "workspaces")).catch(() => [])).toEqual([]);
      const left = await readdir(join(home, "worktrees"), { recursive: true }).catch(() => []);
      expect(left.filter((file) => /\.(json|new|log)$/.test(file))).toEqual([]);
    };

    await run(undefined, "before");
    const lines = (await readFile(changes, "utf8")).split("\n").length - 1;
    const calls = isGit ? await killing.calls() : lines;
    expect(calls).toBeGreaterThan(3);
    const killed = Array.from({ length: calls }, (_, at) => at + 1);
    for (const call of [...killed, ...(isGit && name === "prune" ? ["removal" as const] : [])]) {
      const when = !isGit || Number(call) % 2 === 0 ? "before" : "during";
      await run(call, when).catch((error) => {
        const moment = `${when} call ${call} of ${calls}`;
        throw new Error(`The check failed after a kill ${moment}.`, { cause: error });
      });
    }
  },
);

/** Copies a directory without the pipes of agents that have ended. */
async function copy(from: string, to: string): Promise<void> {
  const filter = async (path: string) => !(await lstat(path)).isFIFO();
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter });
}

/** Returns the files that no operation may change: HEAD, index, stash, reflogs, the user's branch and the configuration. */
async function userState(root: string): Promise<Record<string, string>> {
  const git = join(root, ".git");
  const names = ["HEAD", "config", "refs/heads/main", "refs/stash", "logs/HEAD", "logs/refs/stash"];
  const read = async (name: string) => [name, await readFile(join(git, name), "utf8")] as const;
  const index = (await readFile(join(git, "index"))).toString("base64");
  return { ...Object.fromEntries(await Promise.all(names.map(read))), index };
}

async function filesOf(root: string): Promise<Record<string, string>> {
  const names = (await readdir(root)).filter((name) => !/^\.git(ignore)?$/.test(name));
  const read = async (name: string) => [name, await readFile(join(root, name), "utf8")] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}
