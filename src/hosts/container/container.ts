import { createHash } from "node:crypto";
import type {
  ContainerEngine,
  ContainerInfo,
  ContainerSpec,
} from "../../contracts/container-engine.ts";
import { HalyardError } from "../../errors/error.ts";
import type { ContainerPlan } from "./container-paths.ts";
import { readMachineLimits } from "./engines/machine-limits.ts";
import { startAdvice } from "./engines/start-advice.ts";
import { closeRoutes } from "./network/routes.ts";
import { checkBusy, shell } from "./scripts.ts";
import { DIRECTORY_LABEL, PROJECT_LABEL, specFor } from "./spec.ts";
import type { ContainerUser } from "./user.ts";

/**
 * Returns a plan's running container. Creates or starts the container if necessary, and replaces an idle container that
 * has other settings. Throws `start_failed` if a busy container has other settings or the start fails. The caller must
 * hold the lock of the container directory.
 */
export async function ensureContainer(
  engine: ContainerEngine,
  plan: ContainerPlan,
  user: ContainerUser,
): Promise<ContainerInfo> {
  const plain = specFor(plan, user);
  const fingerprint = createHash("sha256").update(JSON.stringify(plain)).digest("hex");
  const spec = { ...plain, labels: { ...plain.labels, [SPEC_LABEL]: fingerprint } };
  let found = await engine.inspect(spec.name);
  if (found && found.labels[DIRECTORY_LABEL] !== plan.directory)
    throw new HalyardError(
      "start_failed",
      `The container ${spec.name} already exists on ${engine.name}, and Halyard did not create it for ${plan.directory}. Rename or remove that container.`,
    );
  if (found && found.labels[SPEC_LABEL] !== fingerprint) {
    if (await isBusy(engine, found))
      throw new HalyardError(
        "start_failed",
        `The container ${spec.name} is running with other settings (image ${found.image}). Run "halyard stop ID" for each of its sessions, or use the same settings.`,
      );
    await engine.remove(found.id);
    found = undefined;
  }
  const id = found?.id ?? (await create(engine, spec));
  if (found?.status !== "running") await start(engine, id, spec);
  const running = await engine.inspect(id);
  if (running?.status === "running") return running;
  const logs = (await engine.logs(id)).trim();
  await engine.remove(id);
  throw new HalyardError(
    "start_failed",
    `The container from the image ${spec.image} exited immediately${logs && `: ${logs}`}. Run "halyard container doctor --image ${spec.image}" to find the cause.`,
  );
}

/** The label that contains a hash of the settings with which the container was created. */
const SPEC_LABEL = "halyard.spec";

async function create(engine: ContainerEngine, spec: ContainerSpec): Promise<string> {
  try {
    return await engine.create(spec);
  } catch (cause) {
    if (await engine.imageExists(spec.image)) throw refused(engine, spec, cause);
    throw new HalyardError(
      "start_failed",
      `Image ${spec.image} not found on ${engine.name}. Pull the image, run "halyard image build --tag ${spec.image}" to build it, or use another image.`,
      { cause },
    );
  }
}

async function start(engine: ContainerEngine, id: string, spec: ContainerSpec): Promise<void> {
  try {
    await engine.start(id);
  } catch (cause) {
    await engine.remove(id);
    throw refused(engine, spec, cause);
  }
}

function refused({ name }: ContainerEngine, { image }: ContainerSpec, cause: unknown): Error {
  if (cause instanceof HalyardError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const cure =
    startAdvice(reason, readMachineLimits()) ??
    `Run "halyard container doctor --image ${image}" to find the cause.`;
  const message = `Cannot start a container from ${image} on ${name}: ${reason}. ${cure}`;
  return new HalyardError("start_failed", message, { cause });
}

/**
 * Stops a project's idle container or removes any other idle container, and closes its routes. Ignores a container with
 * another directory. The caller must hold the directory's lock.
 */
export async function releaseContainer(
  engine: ContainerEngine,
  id: string,
  directory: string,
): Promise<void> {
  const found = await engine.inspect(id);
  if (found && found.labels[DIRECTORY_LABEL] !== directory) return;
  if (found && (await isBusy(engine, found))) return;
  if (found && PROJECT_LABEL in found.labels) await engine.stop(found.id);
  else if (found) await engine.remove(found.id);
  closeRoutes(directory);
}

/** Closes the routes of a container that Halyard did not create, unless one of Halyard's programs still runs in it. */
export async function releaseExisting(
  engine: ContainerEngine,
  id: string,
  directory: string,
): Promise<void> {
  const found = await engine.inspect(id);
  if (!found || !(await isBusy(engine, found))) closeRoutes(directory);
}

async function isBusy(engine: ContainerEngine, { id, status }: ContainerInfo): Promise<boolean> {
  if (status !== "running") return false;
  try {
    const { stdout } = await engine.exec(id, { args: shell(checkBusy) });
    return stdout.trim() !== "idle";
  } catch (error) {
    if ((await engine.status(id)) !== "running") return false; // the container has stopped in the meantime
    throw error;
  }
}
