import type { ContainerSpec, ExecCommand } from "../../../../contracts/container-engine.ts";

/**
 * Returns the arguments for `container create`. The command has no options for capabilities and process limits, but
 * each container is a virtual machine. Ignores `readOnlyRoot` and the mount options of `tmpfs`.
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

/**
 * Returns the arguments for `container exec`. Variables are passed by name; their values are in the program's
 * environment.
 */
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
