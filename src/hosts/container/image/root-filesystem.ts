import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import {
  access,
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { HalyardError } from "../../../errors/error.ts";

/** The content of an image that is built from programs on this machine. */
export interface RootFilesystemOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtimes: readonly InstalledRuntime[];
}

/** A runtime that is installed on this machine. */
export interface InstalledRuntime {
  /** The program's name in the image. */
  readonly name: string;
  /** Its installation directory, which is copied completely. */
  readonly directory: string;
  /** The native program in that directory. */
  readonly program: string;
  /** The Node executable that the program needs. Defaults to this process's executable. */
  readonly node?: string | undefined;
}

/**
 * Returns a root file system as a tar stream: Node, a shell, git, ripgrep, common tools with their libraries, and the
 * runtimes. Linux only, because an image cannot contain another system's programs.
 */
export async function packRootFilesystem(
  options: RootFilesystemOptions,
): Promise<{ tar: Readable } & AsyncDisposable> {
  if (process.platform !== "linux")
    throw new HalyardError(
      "unsupported",
      'Building an image from local files requires Linux. Run "halyard image build" without --offline.',
    );
  const root = await mkdtemp(join(tmpdir(), "halyard-image-"));
  const clear = () => rm(root, { recursive: true, force: true });
  try {
    await fill(root, options);
  } catch (error) {
    await clear();
    throw error;
  }
  // Make the files readable for every user in the image, even if they are private on this machine.
  const owned = ["--numeric-owner", "--owner=0", "--group=0", "--mode=a+rX"];
  const tar = spawn("tar", ["-C", root, ...owned, "-c", "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    tar: tar.stdout,
    async [Symbol.asyncDispose]() {
      if (tar.exitCode === null && tar.signalCode === null) {
        tar.kill();
        await once(tar, "exit");
      }
      await clear();
    },
  };
}

async function fill(root: string, { env, runtimes }: RootFilesystemOptions) {
  for (const directory of directories) await mkdir(join(root, directory), { recursive: true });
  // These directories must be writable for every user, because a mount inherits their permissions and the agent may run
  // as any user.
  for (const directory of ["tmp", "home/agent"]) await chmod(join(root, directory), 0o1777);
  const node = runtimes.find((runtime) => runtime.node !== undefined)?.node ?? process.execPath;
  const files = new Map<string, string>([[process.execPath, node]]);
  for (const { name, isNeeded } of programs) {
    const file = await findOnPath(name, env);
    if (file !== undefined) files.set(`/usr/bin/${name}`, file);
    else if (isNeeded)
      throw new HalyardError(
        "invalid_config",
        `${name} is not on the PATH, but the image needs it. Install ${name} and try again.`,
      );
  }
  for (const [target, source] of files) await addProgram(root, target, source);
  await symlink("../usr/bin/sh", join(root, "bin", "sh"));
  if (process.execPath !== NODE) await symlink(process.execPath, join(root, NODE));
  for (const name of ["bash", "env", "git"])
    if (files.has(`/usr/bin/${name}`)) await symlink(`../usr/bin/${name}`, join(root, "bin", name));
  await addGit(root);
  for (const runtime of runtimes) await addRuntime(root, runtime);
  await writeFile(
    join(root, "etc", "passwd"),
    "root:x:0:0::/root:/bin/sh\nagent:x:1000:1000::/home/agent:/bin/sh\n",
  );
  await writeFile(join(root, "etc", "group"), "root:x:0:\nagent:x:1000:\n");
  await cp(
    "/etc/ssl/certs/ca-certificates.crt",
    join(root, "etc", "ssl", "certs", "ca-certificates.crt"),
    {
      dereference: true,
    },
  ).catch(() => {}); // optional, because only https needs certificates, and the model proxy does not use https
}

const NODE = "/usr/local/bin/node";
const RUNTIMES = "/opt/halyard/runtimes"; // the same path as in images/agent/Dockerfile

const directories = [
  "bin",
  "usr/bin",
  "usr/local/bin",
  "etc/ssl/certs",
  "tmp",
  "proc",
  "sys",
  "dev",
  "run",
  "root",
  "home/agent",
  RUNTIMES.slice(1),
];

const needed = ["sh", "grep", "cat", "sleep", "mkdir", "rm", "env"];
const useful =
  "bash git rg ls cp mv ln sed awk find head tail wc sort uniq tr cut touch chmod dirname basename date uname " +
  "printf test true false tee xargs diff stat readlink realpath id whoami ps kill tar gzip patch which seq mktemp pwd echo";
const programs = [
  ...needed.map((name) => ({ name, isNeeded: true })),
  ...useful.split(" ").map((name) => ({ name, isNeeded: false })),
];

async function addProgram(root: string, target: string, source: string): Promise<void> {
  await copy(root, target, await realpath(source));
  await addLibraries(root, source);
}

async function addLibraries(root: string, source: string): Promise<void> {
  for (const library of await librariesOf(source)) {
    const inside = join(root, library);
    if (!(await isThere(inside))) await copy(root, library, await realpath(library));
  }
}

async function copy(root: string, target: string, source: string): Promise<void> {
  const inside = join(root, target);
  await mkdir(dirname(inside), { recursive: true });
  await cp(source, inside, { dereference: true });
}

/**
 * Returns a program's shared libraries. Returns none if `ldd` fails, because it fails for a program without libraries.
 */
async function librariesOf(file: string): Promise<string[]> {
  const output = await promisify(execFile)("ldd", [file]).catch(() => ({ stdout: "" }));
  return [...output.stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
}

/** Adds the git commands that are separate programs, such as `git-remote-https`. */
async function addGit(root: string): Promise<void> {
  const core = "/usr/lib/git-core";
  if (!(await isThere(join(core, "git-remote-http")))) return;
  for (const name of ["git-remote-http", "git-remote-https", "git-submodule", "git-sh-setup"])
    if (await isThere(join(core, name))) await addProgram(root, join(core, name), join(core, name));
}

async function addRuntime(
  root: string,
  { name, directory, program }: InstalledRuntime,
): Promise<void> {
  const target = join(RUNTIMES, name);
  await copyTree(directory, join(root, target));
  await addLibraries(root, program);
  await symlink(join(target, relative(directory, program)), join(root, "usr/local/bin", name));
}

/** Copies a directory. Uses hard links if possible, because they need no disk space. */
async function copyTree(source: string, target: string): Promise<void> {
  const run = promisify(execFile);
  await run("cp", ["-al", source, target]).catch(async () => {
    await rm(target, { recursive: true, force: true });
    await run("cp", ["-a", source, target]);
  });
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Returns the path of a program on the PATH. Returns undefined if the PATH does not contain the program. */
async function findOnPath(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  for (const directory of (env.PATH ?? "").split(delimiter)) {
    const file = join(directory, name);
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (directory !== "" && isProgram) return file;
  }
  return undefined;
}
