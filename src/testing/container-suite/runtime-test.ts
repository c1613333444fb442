import { mkdir } from "node:fs/promises";
import { test as base, expect } from "vitest";
import type {
  ContainerRuntime,
  ContainerSpec,
  ExecCommand,
} from "../../containers/container-runtime.ts";

/** An engine, and an image on it that has a shell, `sleep`, `cat` and `id`. */
export interface ContainerRuntimeUnderTest {
  readonly createRuntime: () => ContainerRuntime;
  readonly image: string;
  /** An empty directory of this machine that a container can be given, for one test. */
  newDirectory(): Promise<string>;
  /** What the engine cannot do, each with the reason. */
  readonly cannot?: Partial<Record<"limits" | "build" | "import", string>>;
}

/** A test with a bench of its own. */
export function createRuntimeTest(given: ContainerRuntimeUnderTest) {
  return base.extend<{ bench: Bench }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures needed from here
    bench: async ({}, use) => {
      const runtime = given.createRuntime();
      const name = `t${process.pid}-${Math.trunc(performance.now() * 1000)}`;
      const labels = { "halyard.suite": name };
      const bench = createBench(runtime, name, labels, given);
      try {
        await use(bench);
      } finally {
        for (const { id } of await runtime.list(labels)) await runtime.remove(id);
        await runtime.close();
      }
      expect(await runtime.list(labels), "containers left behind").toEqual([]);
    },
  });
}

/** An engine with containers that are gone after the test. */
interface Bench {
  readonly runtime: ContainerRuntime;
  /** Different for every test. */
  readonly name: string;
  spec(changes?: Partial<ContainerSpec>): Promise<ContainerSpec>;
  start(spec: ContainerSpec): Promise<string>;
  running(changes?: Partial<ContainerSpec>): Promise<{
    id: string;
    spec: ContainerSpec;
    exec(command: ExecCommand): ReturnType<ContainerRuntime["exec"]>;
  }>;
}

function createBench(
  runtime: ContainerRuntime,
  name: string,
  labels: Record<string, string>,
  { image, newDirectory }: ContainerRuntimeUnderTest,
): Bench {
  let made = 0;
  const bench: Bench = {
    runtime,
    name,
    async spec(changes = {}) {
      const source = await newDirectory();
      await mkdir(source, { recursive: true });
      return {
        name: `halyard-suite-${name}-${made++}`,
        image,
        command: ["sleep", "infinity"],
        labels,
        env: {},
        user: "1000:1000",
        workdir: "/",
        mounts: [{ source, target: "/own", readOnly: false }],
        tmpfs: { "/tmp": "rw,size=16m,mode=1777" },
        network: "none",
        readOnlyRoot: true,
        memoryBytes: 256 * 1024 * 1024,
        cpus: 1,
        pids: 64,
        ...changes,
      };
    },
    async start(spec) {
      const id = await runtime.create(spec);
      await runtime.start(id);
      return id;
    },
    async running(changes) {
      const spec = await bench.spec(changes);
      const id = await bench.start(spec);
      return { id, spec, exec: (command) => runtime.exec(id, command) };
    },
  };
  return bench;
}
