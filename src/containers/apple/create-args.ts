import type { ContainerSpec, ExecCommand } from "../container-runtime.ts";

/**
 * A container in the words of `container create`. Each is a virtual machine of its own, which takes the place of dropped
 * capabilities and a limit on processes: the command line has no words for those.
 */
export function createArgs(spec: ContainerSpec): string[] {
  const { command, mounts, labels, env, tmpfs, memoryBytes } = spec;
  const [entrypoint = "", ...rest] = command;
  return [
    "create",
    ...["--name", spec.name, "--user", spec.user, "--workdir", spec.workdir],
    ...["--memory", `${Math.ceil(memoryBytes / MIB)}M`],
    ...["--cpus", String(Math.max(1, Math.ceil(spec.cpus)))],
    ...Object.entries(labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]),
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...mounts.flatMap(({ source, target, readOnly }) => [
      "--mount",
      `type=bind,source=${source},target=${target}${readOnly ? ",readonly" : ""}`,
    ]),
    ...Object.keys(tmpfs).flatMap((path) => ["--tmpfs", path]),
    ...(spec.network === "bridge" ? [] : ["--network", spec.network]),
    ...["--entrypoint", entrypoint],
    spec.image,
    ...rest,
  ];
}

const MIB = 1024 * 1024;

/** Variables by name alone: their values are in the environment of the command line itself. */
export function execArgs(container: string, command: ExecCommand): string[] {
  const { args, env = {}, cwd, user } = command;
  return [
    ...["exec", "--interactive"],
    ...Object.keys(env).flatMap((name) => ["--env", name]),
    ...(cwd === undefined ? [] : ["--workdir", cwd]),
    ...(user === undefined ? [] : ["--user", user]),
    container,
    ...args,
  ];
}
