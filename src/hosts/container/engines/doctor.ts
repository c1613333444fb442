import type {
  ContainerEngine,
  ContainerEngineName,
  ContainerSpec,
} from "../../../contracts/container-engine.ts";
import { reasonOf } from "../../../errors/error.ts";
import { candidates, type Environment } from "./candidates.ts";
import { readMachineLimits } from "./machine-limits.ts";
import { startAdvice } from "./start-advice.ts";

/** The result of inspecting an engine. */
export interface EngineReport {
  readonly name: ContainerEngineName;
  readonly address: string;
  /** True for the engine that sessions would use. */
  readonly isChosen: boolean;
  readonly version?: string;
  /** True if the engine has the image. Absent if the engine does not respond. */
  readonly hasImage?: boolean;
  /** True if a test container could be started. Absent if the engine does not have the image. */
  readonly starts?: boolean;
  /** The problem, as reported by the engine or by Halyard. */
  readonly problem?: string;
  readonly advice: readonly string[];
}

/** Inspects every engine that sessions could use. Starts and removes a container on each engine that has the image. */
export async function inspectEngines(env: Environment, image: string): Promise<EngineReport[]> {
  const reports: EngineReport[] = [];
  for (const engine of candidates(env)) {
    const isChosen = !reports.some((report) => report.isChosen);
    reports.push(await inspectEngine(engine, image, isChosen));
  }
  return reports;
}

async function inspectEngine(
  engine: ContainerEngine,
  image: string,
  mayBeChosen: boolean,
): Promise<EngineReport> {
  const { name, address } = engine;
  const notes = name === "apple" ? [APPLE] : [];
  try {
    const { version } = await engine.ping();
    const known = { name, address, isChosen: mayBeChosen, version };
    const hasImage = await engine.imageExists(image);
    if (!hasImage) {
      const advice = [`Run "halyard image build --tag ${image}" to build the image.`, ...notes];
      return { ...known, hasImage, advice };
    }
    const problem = await tryToStart(engine, image);
    if (problem === undefined) return { ...known, hasImage, starts: true, advice: notes };
    const cure = startAdvice(problem, readMachineLimits());
    const advice = [...(cure === undefined ? [] : [cure]), ...notes];
    return { ...known, hasImage, starts: false, problem, advice };
  } catch (error) {
    const problem = reasonOf(error);
    return { name, address, isChosen: false, problem, advice: notes };
  }
}

const APPLE =
  "Halyard's support for Apple Container was tested against its documentation only, not on a Mac. It runs each container in a virtual " +
  "machine, so sessions cannot use it yet. See docs/containers.md.";

/** Starts and removes a test container. Returns the error message, or undefined if the container works. */
async function tryToStart(engine: ContainerEngine, image: string): Promise<string | undefined> {
  const name = `halyard-doctor-${process.pid}`;
  try {
    const id = await engine.create({ ...trial, name, image });
    await engine.start(id);
    const { code, stderr } = await engine.exec(id, {
      args: ["/bin/sh", "-c", "grep -q . /proc/self/stat"],
    });
    return code === 0
      ? undefined
      : `A program in the container exited with code ${code}. ${stderr}`.trim();
  } catch (error) {
    return reasonOf(error);
  } finally {
    await engine.remove(name).catch(() => {}); // fails if the container was not created
  }
}

const trial: Omit<ContainerSpec, "name" | "image"> = {
  command: ["sleep", "60"],
  labels: { "halyard.doctor": "true" },
  env: {},
  user: "1000:1000",
  workdir: "/",
  mounts: [],
  tmpfs: { "/tmp": "rw,size=16m,mode=1777" },
  network: "none",
  readOnlyRoot: true,
  memoryBytes: 256 * 1024 * 1024,
  cpus: 1,
  pids: 64,
};
