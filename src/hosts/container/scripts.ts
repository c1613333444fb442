/**
 * A script that runs in a container to start, find or end programs. Written for POSIX shells. Besides a shell, an image
 * needs only `grep` and `sleep`. (Do not use `grep -F`: in BusyBox, it finds nothing after a NUL.) External values are
 * passed as arguments, never inserted into a script.
 */
export interface Script {
  readonly name: string;
  readonly source: string;
}

/** Returns the command that runs a script. */
export function shell({ name, source }: Script, ...args: string[]): [string, ...string[]] {
  return ["/bin/sh", "-c", source, `halyard-${name}`, ...args];
}

/**
 * Shell function that prints how many of the container's processes the kernel has killed because of the memory limit
 * (cgroups v1 or v2). Runs in a subshell, because the launcher's variables are the program's variables.
 */
const oomKillsFunction = `
oom_kills() (
  count=0
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$file" ] || continue
    while read -r key value; do
      [ "$key" != oom_kill ] || count=$value
    done <"$file"
  done
  echo "$count"
)
`;

/** Prints the number of processes that the kernel has killed because of the memory limit. */
export const oomKills: Script = {
  name: "oom-kills",
  source: `${oomKillsFunction}oom_kills`,
};

/**
 * Replaces itself with the program. Arguments: `stdin, output, umask, boot, file, …arguments`. Fails if the kernel's
 * boot id differs from `boot`. Its first line reports the result and the process; by then, its output files are open.
 * `output` is their path without the extension. Uses only shell builtins, because the variables, including PATH, are
 * the program's. An empty `stdin` keeps the current streams, and an empty `boot` accepts any kernel.
 */
export const launch: Script = {
  name: "launch",
  source: `
${oomKillsFunction}
halyard_stdin=$1 halyard_output=$2 halyard_umask=$3 halyard_boot=$4 halyard_file=$5
shift 5
umask "$halyard_umask"
refuse() { printf 'refused %s\\n' "$1"; exit 0; }
read -r halyard_here </proc/sys/kernel/random/boot_id
[ -z "$halyard_boot" ] || [ "$halyard_here" = "$halyard_boot" ] || refuse kernel
case $halyard_file in
  */*) halyard_program=$halyard_file; [ -e "$halyard_file" ] || refuse missing ;;
  *)
    halyard_program=
    IFS=:
    for halyard_place in $PATH; do
      if [ -f "$halyard_place/$halyard_file" ] && [ -x "$halyard_place/$halyard_file" ]; then halyard_program=$halyard_place/$halyard_file; break; fi
    done
    unset IFS
    [ -n "$halyard_program" ] || refuse unknown ;;
esac
if [ -d "$halyard_program" ] || [ ! -x "$halyard_program" ]; then refuse forbidden; fi
halyard_line=
IFS= read -r halyard_line 2>/dev/null <"$halyard_program"
case $halyard_line in
  '#!'*)
    halyard_line=\${halyard_line#??}
    set -f
    for halyard_interpreter in $halyard_line; do break; done
    set +f
    [ -x "$halyard_interpreter" ] || refuse interpreter ;;
esac
read -r halyard_stat </proc/$$/stat
if [ -z "$halyard_stdin" ]; then
  printf 'started %s %s\\n' "$(oom_kills)" "$halyard_stat"
  exec "$halyard_program" "$@"
fi
exec 3<>"$halyard_stdin" 4>>"$halyard_output.stdout" 5>>"$halyard_output.stderr"
printf 'started %s %s\\n' "$(oom_kills)" "$halyard_stat"
exec "$halyard_program" "$@" 0<&3 1>&4 2>&5 3<&- 4>&- 5>&-
`,
};

const look = `
look() {
  read -r line 2>/dev/null </proc/$1/stat || return 1
  line=\${line##*) }
  set -- $line
  state=$1 parent=$2 group=$3 since=\${20}
}
`;

/**
 * Prints the pid and start time of the process that has the marker and leads its group. Used for a program whose pid
 * Halyard has not recorded.
 */
export const find: Script = {
  name: "find",
  source: `
${look}
for file in $(grep -ls "HALYARD_RUN=$1" /proc/[0-9]*/environ); do
  pid=\${file#/proc/}
  pid=\${pid%/environ}
  look "$pid" && [ "$group" = "$pid" ] && echo "$pid $since" && exit
done
`,
};

/** Prints `alive` if the process with this pid and start time is running, otherwise `dead`. */
export const check: Script = {
  name: "check",
  source: `
${look}
if look "$1" && [ "$since" = "$2" ] && [ "$state" != Z ]; then echo alive; else echo dead; fi
`,
};

/** Sends SIGTERM to the process with this pid and start time, and to its group if it leads one. */
export const terminate: Script = {
  name: "terminate",
  source: `
${look}
if look "$1" && [ "$since" = "$2" ]; then
  if [ "$group" = "$1" ]; then kill -TERM "-$1"; else kill -TERM "$1"; fi
fi
`,
};

/**
 * Kills a program with this pid, start time and marker: the process, its group, processes with its marker, and all
 * descendants. Exits with 0 when none of them is left, and with 1 if some are left after 500 attempts.
 */
export const sweep: Script = {
  name: "sweep",
  source: `
${look}
pid=$1 start=$2 mark=$3 known=' '
find() {
  found=' '
  leads=
  look "$pid" && [ "$since" = "$start" ] && leads=1
  for file in $(grep -ls "HALYARD_RUN=$mark" /proc/[0-9]*/environ); do
    one=\${file#/proc/}
    found="$found\${one%/environ} "
  done
  more=1
  while [ -n "$more" ]; do
    more=
    for file in /proc/[0-9]*; do
      one=\${file#/proc/}
      case $found in *" $one "*) continue ;; esac
      look "$one" || continue
      [ "$state" != Z ] || continue
      own=
      if [ -n "$leads" ] && { [ "$one" = "$pid" ] || [ "$group" = "$pid" ]; }; then own=1; fi
      case $found in *" $parent "*) own=1 ;; esac
      case $known in *" $one:$since "*) own=1 ;; esac
      if [ -n "$own" ]; then found="$found$one " known="$known$one:$since " more=1; fi
    done
  done
  [ "$found" != ' ' ]
}
rounds=0
while find; do
  kill -KILL $found 2>/dev/null
  rounds=$((rounds + 1))
  [ $rounds -lt 500 ] || exit 1
  sleep 0.02 2>/dev/null || sleep 1
done
`,
};

/** Prints `busy` if any process is running that was started for a run directory, otherwise `idle`. */
export const checkBusy: Script = {
  name: "check-busy",
  source: "if grep -qs HALYARD_RUN= /proc/[0-9]*/environ; then echo busy; else echo idle; fi",
};

/** Prints the stat, marker and arguments of every process. */
export const listProcesses: Script = {
  name: "list-processes",
  source: `
grep -sH '' /proc/[0-9]*/stat
grep -asHoE 'HALYARD_RUN=[0-9a-f]{32}:[^[:cntrl:]]*' /proc/[0-9]*/environ
grep -asH '' /proc/[0-9]*/cmdline
exit 0 # grep fails if a process exited in the meantime
`,
};
