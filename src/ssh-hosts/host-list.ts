import { readFile } from "node:fs/promises";
import { z } from "zod";
import { HalyardError } from "../errors/error.ts";
import { writeFileAtomically } from "../files/write-file-atomically.ts";

/** A machine whose sessions Halyard reaches over SSH. */
export const SshHost = z.strictObject({
  /** The name of the machine in lists, and after `--on`. */
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/),
  /** The destination for `ssh`: `ssh://user@host:port`, `user@host`, or a name from the SSH configuration. */
  address: z.string().regex(/^(ssh:\/\/)?[A-Za-z0-9_[][^\s'"`$\\;&|<>(){}]*$/),
  /** The command that runs Halyard on the machine. Defaults to `halyard`. */
  command: z.string().min(1).optional(),
});
export type SshHost = z.infer<typeof SshHost>;

const HostFile = z.strictObject({ hosts: z.array(SshHost) });

/** Reads the list of hosts. Returns an empty list if the file does not exist. Rejects if its content is invalid. */
export async function readHosts(file: string): Promise<readonly SshHost[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  const parsed = HostFile.safeParse(parse(text));
  if (parsed.success) return parsed.data.hosts;
  throw new HalyardError(
    "invalid_input",
    `The file ${file} is damaged: ${z.prettifyError(parsed.error)}. Correct the file, or delete it and run "halyard host add NAME ADDRESS" for each machine.`,
  );
}

/** Replaces the file with the list of hosts atomically. */
export function writeHosts(file: string, hosts: readonly SshHost[]): Promise<void> {
  return writeFileAtomically(file, `${JSON.stringify({ hosts }, undefined, 2)}\n`);
}

/** Validates a new host. Throws if the name is taken or a field is malformed. */
export function newHost(input: SshHost, known: readonly SshHost[]): SshHost {
  const parsed = SshHost.safeParse(input);
  if (!parsed.success) {
    const fields = new Set(parsed.error.issues.map(({ path }) => path[0]));
    throw new HalyardError("invalid_input", problemOf(input, fields));
  }
  const host = parsed.data;
  if (known.some(({ name }) => name === host.name))
    throw new HalyardError(
      "invalid_input",
      `A machine named "${host.name}" already exists. Run "halyard host remove ${host.name}" first.`,
    );
  return host;
}

function problemOf({ name, address }: SshHost, malformed: ReadonlySet<unknown>): string {
  if (malformed.has("name"))
    return `The name "${name}" is invalid. Use at most 32 letters, digits, dots, hyphens and underscores, starting with a letter or a digit.`;
  if (malformed.has("address"))
    return `The address "${address}" is invalid. Use ssh://user@host:port, user@host, or a host from ~/.ssh/config.`;
  return "The command is empty. Pass the command that runs Halyard on the machine, or omit --command.";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema then rejects the file
  }
}
