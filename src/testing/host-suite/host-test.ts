import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "vitest";
import type { Command, Host, HostProcess } from "../../core/host.ts";
import { survivors, TEST_MARK } from "./survivors.ts";

/** A host, and how another process can make one like it. */
export interface HostUnderTest {
  readonly createHost: () => Host | Promise<Host>;
  readonly module: HostModule;
}

/** Where a process of its own finds the host: the built module, and its function that creates one. */
export interface HostModule {
  readonly url: URL;
  readonly exportName: string;
}

/** One test's programs, each in a run directory of its own; all are gone when the test ends. */
export interface Workbench {
  readonly host: Host;
  /** Empty at first, removed at the end. */
  readonly directory: string;
  /** In the environment of every program of this test, and so of all that it starts. */
  readonly env: Readonly<Record<string, string>>;
  readonly runDirs: readonly string[];
  newRunDir(): string;
  spawn(program: Program, options?: { runDir?: string }): Promise<HostProcess>;
  /** The processes of this test that run now. */
  survivors(): number[];
}

export type Program = Pick<Command, "file" | "args"> & Partial<Pick<Command, "cwd" | "env">>;

export type HostTest = ReturnType<typeof createHostTest>;

export function createHostTest({ createHost }: Pick<HostUnderTest, "createHost">) {
  return base.extend<{ workbench: Workbench }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures needed from here
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
