import { HalyardError } from "../../errors/error.ts";

/** Returns the error for a program that the launcher did not start. */
export function explainRefusal(reason: string, file: string, image: string): HalyardError {
  if (reason === "kernel") return new HalyardError("unsupported", ANOTHER_KERNEL);
  return new HalyardError("start_failed", messages[reason]?.(file, image) ?? `${file}: ${reason}`);
}

const ANOTHER_KERNEL =
  "The container engine runs in a virtual machine or on another machine. Sessions in containers require an engine on this " +
  "machine's Linux kernel. Run Halyard on the engine's machine, or use --host local.";

const messages: Readonly<Record<string, (file: string, image: string) => string>> = {
  missing: (file) => `${file} does not exist in the container. Check the path and the mounts.`,
  unknown: (file, image) =>
    `${file} was not found on the container's PATH. Install it in the image ${image}, for example with "halyard image build --runtimes NAME --tag ${image}".`,
  forbidden: (file) =>
    `${file} is not executable. Check that it is a program, and run "chmod +x ${file}".`,
  interpreter: (file) =>
    `${file} exists, but the interpreter in its first line does not. Install the interpreter in the image.`,
};

/** Returns the error for a launcher that could not be started. */
export function explainExec(reason: string, file: string, image: string): HalyardError {
  return new HalyardError("start_failed", execMessage(reason, file, image));
}

function execMessage(reason: string, file: string, image: string): string {
  if (/argument list too long|maximum message size/i.test(reason))
    return `The arguments and environment of ${file} exceed the system limit. Make them shorter.`;
  if (/"?\/bin\/sh"?.*no such file|no such file.*\/bin\/sh/i.test(reason))
    return `The image ${image} has no shell. Use an image with /bin/sh, grep and sleep.`;
  return `${file} could not be started in the container: ${reason || "it exited immediately without output"}. Run "halyard container doctor --image ${image}" to check the engine.`;
}
