import type { Readable } from "node:stream";
import { z } from "zod";
import type {
  BuildRequest,
  ImportRequest,
  ProgressOptions,
} from "../../../../contracts/container-engine.ts";
import { HalyardError } from "../../../../errors/error.ts";
import { sentence } from "../../../../errors/sentence.ts";
import { createNdjsonReader } from "../../../../wire/ndjson.ts";
import { tarOf } from "../tar.ts";
import { type Call, type EngineConnection, EngineRefusal } from "./connection.ts";

export async function imageExists(engine: EngineConnection, image: string): Promise<boolean> {
  try {
    await engine.call({ method: "GET", path: `/images/${encodeURIComponent(image)}/json` });
    return true;
  } catch (error) {
    if (error instanceof EngineRefusal && error.status === 404) return false;
    throw error;
  }
}

export function buildImage(engine: EngineConnection, request: BuildRequest): Promise<void> {
  const { tag, files, args, ...options } = request;
  const query = { t: tag, buildargs: JSON.stringify(args), rm: true, forcerm: true };
  const call = { method: "POST", path: "/build", query, body: tarOf(files) } as const;
  const advice = 'Correct the failed step, or run "halyard container doctor" to check the engine.';
  return follow(engine, call, { what: `Building the image ${tag}`, advice }, options);
}

export function pullImage(
  engine: EngineConnection,
  image: string,
  options: ProgressOptions = {},
): Promise<void> {
  const call = { method: "POST", path: "/images/create", query: { fromImage: image } } as const;
  const advice = "Check the image's name and the engine's access to the image's registry.";
  return follow(engine, call, { what: `Pulling the image ${image}`, advice }, options);
}

/** Imports an image. Uses Podman's own API for Podman, because its Docker-compatible API ignores the tag. */
export function importImage(
  engine: EngineConnection,
  tar: Readable,
  { tag, changes }: ImportRequest,
): Promise<void> {
  const [, repo = tag, label = "latest"] = /^(.+?)(?::([^:/]+))?$/.exec(tag) ?? [];
  const call =
    engine.address.engine === "podman"
      ? { path: "/v4.0.0/libpod/images/import", query: { reference: `${repo}:${label}`, changes } }
      : { path: "/images/create", query: { fromSrc: "-", repo, tag: label, changes } };
  const advice =
    'Check the free disk space, or run "halyard container doctor" to check the engine.';
  const work = { what: `Importing the image ${tag}`, advice };
  return follow(engine, { method: "POST", ...call, body: tar }, work, {});
}

/**
 * Sends a request and reads its progress. The engine reports errors in the body, because it sends the status before it
 * starts the work.
 */
async function follow(
  engine: EngineConnection,
  call: Call,
  { what, advice }: { readonly what: string; readonly advice: string },
  { onLine = () => {}, signal }: ProgressOptions,
): Promise<void> {
  const failure = (reason: string, options?: ErrorOptions): HalyardError =>
    new HalyardError("start_failed", `${what} failed: ${sentence(reason)} ${advice}`, options);
  const reader = createNdjsonReader();
  const read = (items: ReturnType<typeof reader.push>): void => {
    for (const item of items) {
      const progress = item.kind === "message" ? Progress.safeParse(item.value).data : undefined;
      if (progress?.error !== undefined) throw failure(progress.error.trim());
      const line = (progress?.stream ?? progress?.status ?? "").trim();
      if (line !== "") onLine(line);
    }
  };
  try {
    const answer = await engine.stream({ ...call, ...(signal && { signal }) });
    for await (const bytes of answer) read(reader.push(bytes));
    read(reader.end());
  } catch (cause) {
    if (!(cause instanceof EngineRefusal)) throw cause;
    throw failure(cause.message, { cause });
  }
}

const Progress = z.looseObject({
  stream: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
});
