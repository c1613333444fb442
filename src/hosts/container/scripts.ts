/**
 * What runs inside of containers to start, find and end programs there. Written for any POSIX shell: all an image needs
 * beside it is `grep` (BusyBox's finds nothing behind a NUL with `-F`) and `sleep`. Nothing that comes from outside is part of a script; it is given as an argument.
 */
export interface Script {
  readonly name: string;
  readonly source: string;
}

/** The command line that runs a script. */
export function shell({ name, source }: Script, ...args: string[]): [string, ...string[]] {
  return ["/bin/sh", "-c", source, `halyard-${name}`, ...args];
}

/**
 * Says how many processes of the container the kernel has ended for want of memory, by its old groups or its new ones.
 * In a shell of its own: the variables of the launcher's are the program's.
 */
const starved = `
starved() (
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

/** Says it to us. */
export const hunger: Script = { name: "hunger", source: `${starved}starved` };

/**
 * Becomes the program: `stdin, output, umask, boot, file, …arguments`, if the kernel is the one of that boot. Its first
 * line reports whether it could, and its process. By then its output files are open: `output` is their path without the
 * ending. The variables are the program's own, PATH too, so only commands of the shell itself are used. Without `stdin` it
 * keeps the streams it has, and without `boot` any kernel will do.
 */
export const launch: Script = {
  name: "launch",
  source: `
${starved}
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
  printf 'started %s %s\\n' "$(starved)" "$halyard_stat"
  exec "$halyard_program" "$@"
fi
exec 3<>"$halyard_stdin" 4>>"$halyard_output.stdout" 5>>"$halyard_output.stderr"
printf 'started %s %s\\n' "$(starved)" "$halyard_stat"
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

/** Says who carries the mark and leads a group: what the launch that was never heard of has become. */
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

/** Says whether the process of that pid and start time runs. */
export const check: Script = {
  name: "check",
  source: `
${look}
if look "$1" && [ "$since" = "$2" ] && [ "$state" != Z ]; then echo alive; else echo dead; fi
`,
};

/** Asks the process of that pid and start time to end, together with those that it keeps in a group of its own. */
export const ask: Script = {
  name: "ask",
  source: `
${look}
if look "$1" && [ "$since" = "$2" ]; then
  if [ "$group" = "$1" ]; then kill -TERM "-$1"; else kill -TERM "$1"; fi
fi
`,
};

/**
 * Ends all that belongs to the process of that pid, start time and mark: itself, its group, those that carry its mark,
 * and all of their descendants. Ends once nothing is left.
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
      ours=
      if [ -n "$leads" ] && { [ "$one" = "$pid" ] || [ "$group" = "$pid" ]; }; then ours=1; fi
      case $found in *" $parent "*) ours=1 ;; esac
      case $known in *" $one:$since "*) ours=1 ;; esac
      if [ -n "$ours" ]; then found="$found$one " known="$known$one:$since " more=1; fi
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

/** Says \`busy\` while any program runs that was started for a run directory. */
export const census: Script = {
  name: "census",
  source: "if grep -qs HALYARD_RUN= /proc/[0-9]*/environ; then echo busy; else echo idle; fi",
};

/** Tells of every process by its pid: what the kernel says of it, the mark that it carries, and its words. */
export const tell: Script = {
  name: "tell",
  source: `
grep -sH '' /proc/[0-9]*/stat
grep -asHoE 'HALYARD_RUN=[0-9a-f]{32}:[^[:cntrl:]]*' /proc/[0-9]*/environ
grep -asH '' /proc/[0-9]*/cmdline
exit 0 # some went on the way
`,
};
