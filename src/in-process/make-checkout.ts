import { isAbsolute, normalize, resolve } from "node:path";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import { newSessionId } from "../errors/require-id.ts";
import { StartRequest } from "../schema/session/start-request.ts";
import type { SessionCheckout } from "../schema/workspace/checkout.ts";

/** A directory that was created for a session that is not recorded yet. */
interface MadeCheckout {
  readonly checkout: SessionCheckout;
  /** The request with the directory as its working directory. */
  readonly request: StartRequest;
  /** Deletes the directory. */
  discard(): Promise<void>;
}

/** Clones the repository of a request, or writes its uploaded files. Returns undefined if the request has neither. */
export async function makeCheckout(
  { checkouts, store }: HalyardParts,
  input: StartRequest,
): Promise<MadeCheckout | undefined> {
  if (input.repository === undefined && input.upload === undefined) return undefined;
  const {
    repository,
    upload,
    worktree,
    cwd,
    id = newSessionId(),
  } = parseInput(StartRequest, input);
  if (repository && upload)
    throw new HalyardError(
      "invalid_input",
      "upload: cannot be combined with repository. Remove one of them.",
    );
  if (worktree)
    throw new HalyardError(
      "invalid_input",
      "worktree: cannot be combined with repository or upload, because the session then works on its own copy of the files. Remove worktree.",
    );
  if (isAbsolute(cwd) || /^\.\.(?:$|[\\/])/.test(normalize(cwd)))
    throw new HalyardError(
      "invalid_input",
      `cwd: ${cwd} is outside the session's files. Use a relative path without "..", such as "src".`,
    );
  if (!checkouts)
    throw new HalyardError(
      "unsupported",
      "This Halyard instance cannot clone repositories or unpack uploads. Pass the path of an existing directory as cwd.",
    );
  if (await store.find(id))
    throw new HalyardError("invalid_input", `id: session ${id} already exists. Choose another id.`);
  const discard = () => checkouts.remove(id);
  try {
    const made = repository
      ? checkouts.clone(id, repository)
      : upload && checkouts.unpack(id, upload);
    const checkout = await made;
    if (checkout === undefined) return undefined;
    const { repository: _, upload: __, ...rest } = input;
    return { checkout, request: { ...rest, id, cwd: resolve(checkout.path, cwd) }, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
