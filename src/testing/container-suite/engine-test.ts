import { mkdir } from "node:fs/promises";
import { test as base, expect } from "vitest";
import type {
  ContainerEngine,
  ContainerSpec,
  ExecCommand,
} from "../../contracts/container-engine.ts";

/** A container engine, and an image that contains a shell, `sleep`, `cat` and `id`. */
export interface ContainerRuntimeUnderTest {
  readonly createRuntime: () => ContainerEngine;
  readonly image: string;
  /** Creates an empty host directory that a container can mount. */
  newDirectory(): Promise<string>;
  /** Features that the engine does not support, each with the reason. */
  readonly cannot?: Partial<Record<"limits" | "build" | "import", string>>;
}

/** Creates a `test` with the fixture `bench`: an engine whose containers are removed after each test. */
export function createRuntimeTest(given: ContainerRuntimeUnderTest) {
  return base.extend<{ bench: Bench }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
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

/** An engine whose containers are removed after the test. */
interface Bench {
  readonly runtime: ContainerEngine;
  /** A name that is unique for each test. */
  readonly name: string;
  spec(changes?: Partial<ContainerSpec>): Promise<ContainerSpec>;
  start(spec: ContainerSpec): Promise<string>;
  running(changes?: Partial<ContainerSpec>): Promise<{
    id: string;
    spec: ContainerSpec;
    exec(command: ExecCommand): ReturnType<ContainerEngine["exec"]>;
  }>;
}

function createBench(
  runtime: ContainerEngine,
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
