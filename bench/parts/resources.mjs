import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs `work` with a resource, and then disposes the resource. Replaces `await using`, which Node 20 does not support.
 * @template {AsyncDisposable} R
 * @template T
 * @param {R} resource
 * @param {(resource: R) => Promise<T>} work
 */
export async function disposeAfter(resource, work) {
  try {
    return await work(resource);
  } finally {
    await resource[Symbol.asyncDispose]();
  }
}

/**
 * Runs `work` with a new directory, and then removes the directory.
 * @template T
 * @param {(directory: string) => Promise<T>} work
 */
export async function inTemporaryDirectory(work) {
  const directory = await mkdtemp(join(tmpdir(), "halyard-bench-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
