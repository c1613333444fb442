/** What to do about an engine that could not start a container, by what it said; undefined where that is not known. */
export function explainStartTrouble(said: string, limits: MachineLimits): string | undefined {
  return troubles.find(({ sign }) => sign.test(said))?.advice(limits);
}

/** What of this machine an engine can stumble over. */
export interface MachineLimits {
  /** How many files a process may have open at most. */
  readonly openFiles: number;
  /** The highest number that a process can have. */
  readonly pids: number;
}

interface Trouble {
  readonly sign: RegExp;
  advice(limits: MachineLimits): string;
}

const CONF = "/etc/containers/containers.conf, or ~/.config/containers/containers.conf";

const troubles: readonly Trouble[] = [
  {
    sign: /setrlimit.*(RLIMIT_NOFILE|RLIMIT_NPROC)|error setting rlimit|rlimits/i,
    advice: ({ openFiles, pids }) =>
      "Podman asks for more open files or processes than this machine lets it have. Put limits that it has into " +
      `${CONF}: [containers] default_ulimits = ["nofile=${openFiles}:${openFiles}", "nproc=${pids}:${pids}"].`,
  },
  {
    sign: /cgroups in hybrid mode not supported|hybrid mode/i,
    advice: () =>
      "crun cannot use this machine's mixture of old and new cgroups. Install runc and have Podman use it, in " +
      `${CONF}: [engine] runtime = "runc".`,
  },
  {
    sign: /catatonit|container.init binary|docker-init|tini/i,
    advice: () =>
      "The engine lacks the small program that containers are started with. Install catatonit (Podman) or tini (Docker).",
  },
  {
    sign: /operation not permitted.*(cgroup|devices)|cgroup.*(permission denied|read-only)/i,
    advice: () =>
      "The engine may not make cgroups here. Run it as root, or delegate a cgroup to its user (systemd: Delegate=yes).",
  },
  {
    sign: /(statfs|stat|bind source path).*(no such file|does not exist)/i,
    advice: () =>
      "The engine does not see the directories of this machine: it runs elsewhere. Run Halyard where the engine is.",
  },
  {
    sign: /netavark|iptables|nf_tables|bridge/i,
    advice: () =>
      "The engine cannot set up its network. Ask for none: agents reach their model through Halyard (--network none).",
  },
];
