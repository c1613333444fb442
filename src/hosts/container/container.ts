import { createHash } from "node:crypto";
import type {
  ContainerInfo,
  ContainerRuntime,
  ContainerSpec,
} from "../../containers/container-runtime.ts";
import { readMachineLimits } from "../../containers/machine-limits.ts";
import { explainStartTrouble } from "../../containers/start-trouble.ts";
import { HalyardError } from "../../core/error.ts";
import type { Place } from "./place.ts";
import { closeRoutes } from "./routes.ts";
import { census, shell } from "./scripts.ts";
import { PLACE_LABEL, PROJECT_LABEL, specFor } from "./spec.ts";
import type { ContainerUser } from "./user.ts";

/** The container of a place, running: made, started or found as it is. To be called with the place's lock. */
export async function ensureContainer(
  engine: ContainerRuntime,
  place: Place,
  user: ContainerUser,
): Promise<ContainerInfo> {
  const plain = specFor(place, user);
  const fingerprint = createHash("sha256").update(JSON.stringify(plain)).digest("hex");
  const spec = { ...plain, labels: { ...plain.labels, [SPEC_LABEL]: fingerprint } };
  let found = await engine.inspect(spec.name);
  if (found && found.labels[PLACE_LABEL] !== place.directory)
    throw new HalyardError(
      "start_failed",
      `${engine.name} has a container named ${spec.name} that Halyard did not create for ${place.directory}. Rename or remove it.`,
    );
  if (found && found.labels[SPEC_LABEL] !== fingerprint) {
    if (await isBusy(engine, found))
      throw new HalyardError(
        "start_failed",
        `${spec.name} runs with other settings (image ${found.image}): stop its sessions first, or ask for the same.`,
      );
    await engine.remove(found.id);
    found = undefined;
  }
  const id = found?.id ?? (await create(engine, spec));
  if (found?.status !== "running") await start(engine, id, spec);
  const running = await engine.inspect(id);
  if (running?.status === "running") return running;
  const said = (await engine.logs(id)).trim();
  await engine.remove(id);
  throw new HalyardError(
    "start_failed",
    `the container of image ${spec.image} ended at once${said && `: ${said}`}`,
  );
}

/** Tells containers apart that were made of other settings. */
const SPEC_LABEL = "halyard.spec";

async function create(engine: ContainerRuntime, spec: ContainerSpec): Promise<string> {
  try {
    return await engine.create(spec);
  } catch (cause) {
    if (await engine.imageExists(spec.image)) throw refused(engine, spec, cause);
    throw new HalyardError(
      "start_failed",
      `${engine.name} has no image ${spec.image}. Make it with \`halyard image build\`, fetch it, or name another.`,
      { cause },
    );
  }
}

async function start(engine: ContainerRuntime, id: string, spec: ContainerSpec): Promise<void> {
  try {
    await engine.start(id);
  } catch (cause) {
    await engine.remove(id);
    throw refused(engine, spec, cause);
  }
}

function refused({ name }: ContainerRuntime, { image }: ContainerSpec, cause: unknown): Error {
  if (cause instanceof HalyardError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const cure =
    explainStartTrouble(reason, readMachineLimits()) ??
    "`halyard container doctor` looks for the cause.";
  const message = `${name} could not start a container of ${image}: ${reason}. ${cure}`;
  return new HalyardError("start_failed", message, { cause });
}

/**
 * Ends a container in which nothing runs any more, and its routes. Leaves a container alone that is not the one of this
 * place. To be called with the place's lock.
 */
export async function releaseContainer(
  engine: ContainerRuntime,
  id: string,
  directory: string,
): Promise<void> {
  const found = await engine.inspect(id);
  if (found && found.labels[PLACE_LABEL] !== directory) return;
  if (found && (await isBusy(engine, found))) return;
  if (found && PROJECT_LABEL in found.labels) await engine.stop(found.id);
  else if (found) await engine.remove(found.id);
  closeRoutes(directory);
}

/** Closes the routes of a container that is not Halyard's once nothing of ours runs in it any more. */
export async function releaseExisting(
  engine: ContainerRuntime,
  id: string,
  directory: string,
): Promise<void> {
  const found = await engine.inspect(id);
  if (!found || !(await isBusy(engine, found))) closeRoutes(directory);
}

async function isBusy(engine: ContainerRuntime, { id, status }: ContainerInfo): Promise<boolean> {
  if (status !== "running") return false;
  try {
    const { stdout } = await engine.exec(id, { args: shell(census) });
    return stdout.trim() !== "idle";
  } catch (error) {
    if ((await engine.status(id)) !== "running") return false; // it has ended meanwhile
    throw error;
  }
}
