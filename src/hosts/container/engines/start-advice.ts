/**
 * Returns advice for the error of an engine that could not start a container. Returns undefined if the error is
 * unknown.
 */
export function startAdvice(message: string, limits: MachineLimits): string | undefined {
  return knownProblems.find(({ pattern }) => pattern.test(message))?.advice(limits);
}

/** Limits on this machine that can prevent a start. */
export interface MachineLimits {
  /** The maximum number of open files per process. */
  readonly openFiles: number;
  /** The maximum number of processes, from the kernel's `pid_max`. */
  readonly pids: number;
}

interface KnownProblem {
  readonly pattern: RegExp;
  advice(limits: MachineLimits): string;
}

const CONF = "/etc/containers/containers.conf or ~/.config/containers/containers.conf";

const knownProblems: readonly KnownProblem[] = [
  {
    pattern: /setrlimit.*(RLIMIT_NOFILE|RLIMIT_NPROC)|error setting rlimit|rlimits/i,
    advice: ({ openFiles, pids }) =>
      "Podman requests more open files or processes than this machine allows. Set lower limits in " +
      `${CONF}: [containers] default_ulimits = ["nofile=${openFiles}:${openFiles}", "nproc=${pids}:${pids}"].`,
  },
  {
    pattern: /cgroups in hybrid mode not supported|hybrid mode/i,
    advice: () =>
      "crun does not support this machine's combination of cgroups v1 and v2. Install runc and set it in " +
      `${CONF}: [engine] runtime = "runc".`,
  },
  {
    pattern: /catatonit|container.init binary|docker-init|tini/i,
    advice: () =>
      "The engine has no init program for containers. Install catatonit (Podman) or tini (Docker).",
  },
  {
    pattern: /operation not permitted.*(cgroup|devices)|cgroup.*(permission denied|read-only)/i,
    advice: () =>
      "The engine cannot create cgroups. Run it as root, or delegate a cgroup to its user (systemd: Delegate=yes).",
  },
  {
    pattern: /(statfs|stat|bind source path).*(no such file|does not exist)/i,
    advice: () =>
      "The engine cannot find a directory of this machine. If the engine runs on another machine, run Halyard there.",
  },
  {
    pattern: /netavark|iptables|nf_tables|bridge/i,
    advice: () =>
      "The engine cannot set up its network. Use --network none: agents reach their model through Halyard.",
  },
];
