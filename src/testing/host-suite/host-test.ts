import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "vitest";
import type { Command, Host, HostProcess } from "../../contracts/host.ts";
import { survivors, TEST_MARK } from "./survivors.ts";

/** A host to test, and the module that creates one in another process. */
export interface HostUnderTest {
  readonly createHost: () => Host | Promise<Host>;
  readonly module: HostModule;
}

/** A host's built module and the name of its create function. */
export interface HostModule {
  readonly url: URL;
  readonly exportName: string;
}

/** A test's host and programs, each with its own run directory. The programs are terminated after the test. */
export interface Workbench {
  readonly host: Host;
  /** An empty directory that is removed after the test. */
  readonly directory: string;
  /** The environment of all of the test's processes: PATH, and a mark that identifies the test. */
  readonly env: Readonly<Record<string, string>>;
  readonly runDirs: readonly string[];
  newRunDir(): string;
  spawn(program: Program, options?: { runDir?: string }): Promise<HostProcess>;
  /** Returns the pids of the test's running processes. */
  survivors(): number[];
}

/** A program to start. Its working directory defaults to the workbench's directory. */
export type Program = Pick<Command, "file" | "args"> & Partial<Pick<Command, "cwd" | "env">>;

/** Vitest's `test` with the fixture `workbench`. */
export type HostTest = ReturnType<typeof createHostTest>;

/** Creates a `test` with a new workbench for each test. A test fails if it leaves a process behind. */
export function createHostTest({ createHost }: Pick<HostUnderTest, "createHost">) {
  return base.extend<{ workbench: Workbench }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
    workbench: async ({}, use) => {
      const workbench = await createWorkbench(await createHost());
      await use(workbench);
      await Promise.all(workbench.runDirs.map((runDir) => endProgram(workbench.host, runDir)));
      await rm(workbench.directory, { recursive: true, force: true });
      const left = workbench.survivors();
      for (const pid of left) process.kill(pid, "SIGKILL");
      expect(left, "processes left behind").toEqual([]);
    },
  });
}

async function endProgram(host: Host, runDir: string): Promise<void> {
  const program = await host.attach(runDir);
  await program?.terminate({ graceMs: 0 });
}

async function createWorkbench(host: Host): Promise<Workbench> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-host-"));
  const mark = randomUUID();
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", [TEST_MARK]: mark };
  const runDirs: string[] = [];
  const workbench: Workbench = {
    host,
    directory,
    env,
    runDirs,
    newRunDir() {
      const runDir = join(directory, `run-${runDirs.length}`);
      runDirs.push(runDir);
      return runDir;
    },
    spawn(program, { runDir = workbench.newRunDir() } = {}) {
      const command = { cwd: directory, ...program, env: { ...env, ...program.env } };
      return host.spawn(command, { runDir });
    },
    survivors: () => survivors(mark),
  };
  return workbench;
}
