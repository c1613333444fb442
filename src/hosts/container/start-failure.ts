import { HalyardError } from "../../core/error.ts";

/** Why the launcher did not become the program, in its words. */
export function explainRefusal(reason: string, file: string, image: string): HalyardError {
  if (reason === "kernel") return new HalyardError("unsupported", ANOTHER_KERNEL);
  return new HalyardError("start_failed", messages[reason]?.(file, image) ?? `${file}: ${reason}`);
}

const ANOTHER_KERNEL =
  "The container engine runs in a virtual machine or on another machine, and sessions in containers need one on this " +
  "machine's own Linux. Run Halyard where the engine is, or use --host local.";

const messages: Readonly<Record<string, (file: string, image: string) => string>> = {
  missing: (file) =>
    `${file} does not exist in the container. Check the path, and what is mounted.`,
  unknown: (file, image) =>
    `${file} was not found on the PATH of the container. Install it in its image ${image}: halyard image build.`,
  forbidden: (file) =>
    `${file} may not be executed. Check that it is a program, and its permissions (chmod +x).`,
  interpreter: (file) =>
    `${file} exists, but the interpreter named in its first line does not. Install that in the image.`,
};

/** Why there was nothing in the container that could have become the program. */
export function explainExec(reason: string, file: string, image: string): HalyardError {
  return new HalyardError("start_failed", execMessage(reason, file, image));
}

function execMessage(reason: string, file: string, image: string): string {
  if (/argument list too long|maximum message size/i.test(reason))
    return `${file} was given more arguments and environment than the system allows. Make them shorter.`;
  if (/"?\/bin\/sh"?.*no such file|no such file.*\/bin\/sh/i.test(reason))
    return `The image ${image} has no shell. Use one that has /bin/sh, grep and sleep.`;
  return `${file} could not be started in the container: ${reason || "it ended at once, without a word"}.`;
}
