import { reasonOf } from "../core/error.ts";
import { candidates, type Environment } from "./candidates.ts";
import type { ContainerRuntime, ContainerRuntimeName, ContainerSpec } from "./container-runtime.ts";
import { readMachineLimits } from "./machine-limits.ts";
import { explainStartTrouble } from "./start-trouble.ts";

/** An engine looked at closely. */
export interface EngineReport {
  readonly name: ContainerRuntimeName;
  readonly address: string;
  /** It is the one that sessions would use. */
  readonly isChosen: boolean;
  readonly version?: string;
  /** Whether the image is there; unknown for an engine that does not answer. */
  readonly hasImage?: boolean;
  /** Whether a container could be started; tried only where there is an image. */
  readonly starts?: boolean;
  /** What is wrong, in the engine's words or ours. */
  readonly problem?: string;
  readonly advice: readonly string[];
}

/** Looks at every engine there may be, down to a container that is started and removed again. */
export async function examineEngines(env: Environment, image: string): Promise<EngineReport[]> {
  const reports: EngineReport[] = [];
  for (const engine of candidates(env)) {
    const isChosen = !reports.some((report) => report.isChosen);
    reports.push(await examine(engine, image, isChosen));
  }
  return reports;
}

async function examine(
  engine: ContainerRuntime,
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
      const advice = [`make the image ${image}: halyard image build`, ...notes];
      return { ...known, hasImage, advice };
    }
    const problem = await tryToStart(engine, image);
    if (problem === undefined) return { ...known, hasImage, starts: true, advice: notes };
    const cure = explainStartTrouble(problem, readMachineLimits());
    const advice = [...(cure === undefined ? [] : [cure]), ...notes];
    return { ...known, hasImage, starts: false, problem, advice };
  } catch (error) {
    const problem = reasonOf(error);
    return { name, address, isChosen: false, problem, advice: notes };
  }
}

const APPLE =
  "Apple Container was tested against its documentation only, not on a Mac; it runs each container in a virtual " +
  "machine, so that sessions cannot be kept there yet (see docs/containers.md)";

/** What went wrong, if anything did. */
async function tryToStart(engine: ContainerRuntime, image: string): Promise<string | undefined> {
  const name = `halyard-doctor-${process.pid}`;
  try {
    const id = await engine.create({ ...trial, name, image });
    await engine.start(id);
    const { code, stderr } = await engine.exec(id, {
      args: ["/bin/sh", "-c", "grep -q . /proc/self/stat"],
    });
    return code === 0
      ? undefined
      : `a program in it ended with exit code ${code}. ${stderr}`.trim();
  } catch (error) {
    return reasonOf(error);
  } finally {
    await engine.remove(name).catch(() => {}); // what could not be made cannot be removed
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
