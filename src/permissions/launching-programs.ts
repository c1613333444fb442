/**
 * Programs that can run other programs or code from their arguments. A rule for one of them would allow any command.
 */
export const runners: ReadonlySet<string> = wordsOf(`
  sh bash dash ash ksh mksh zsh fish csh tcsh pwsh busybox toybox env sudo doas su runuser setpriv chroot
  unshare nsenter systemd-run bwrap xargs parallel find fd nohup nice ionice timeout time watch setsid
  stdbuf strace ltrace gdb expect flock entr exec eval command builtin source if for while until case
  function select coproc trap alias export declare python pypy node nodejs deno bun bunx npx pnpx perl ruby
  php lua tclsh tsx ts-node nodemon r rscript julia octave swift dotnet racket elixir iex erl ghc ghci
  runghc runhaskell groovy scala kotlin guile sbcl clisp ocaml m4 lldb valgrind perf rlwrap socat ncat nc
  nix nix-shell direnv mise asdf volta corepack bundle poetry pipenv hatch rye conda mamba micromamba pixi
  less man script awk gawk mawk nawk sed ed ex vi vim nvim emacs osascript java jshell ssh docker podman
  nerdctl kubectl tmux screen at batch crontab uv uvx pipx taskset chrt prlimit setarch linux32 linux64
  uname26 i386 x86_64 pkexec run0 gosu su-exec firejail fakeroot fakechroot xvfb-run dbus-run-session
  dbus-launch ssh-agent hyperfine unbuffer start-stop-daemon daemonize caffeinate gtimeout gnice gnohup
  gstdbuf genv gxargs gfind gsed gawk pyenv rbenv nodenv jenv fnm nvm n pdm doppler dotenv cross-env
  cross-env-shell concurrently npm-run-all run-p run-s nu xonsh rbash rksh rzsh elvish oil osh ysh wine
  wine64 qemu rr sem lxc lxc-exec machinectl incus distrobox toolbox vagrant-ssh mosh autossh sshpass
  proxychains proxychains4 torsocks torify cgexec numactl choom capsh newgrp sg script scriptreplay
  faketime eatmydata catchsegv apptainer singularity
`);

/**
 * Programs that never run another program or code and never write to, replace or remove an existing file, regardless of
 * their arguments. A rule for any other program covers only the identical command. Most programs can run or overwrite
 * something (`npm exec`, `make -f`, `uniq IN OUT`, `g++ -fplugin`), so a list of exceptions would never be complete.
 */
export const plainPrograms: ReadonlySet<string> = wordsOf(`
  ls dir vdir cat tac head tail wc nl echo printf pwd cd true false test cal sleep seq expr factor
  mkdir rmdir touch mktemp stat du df grep egrep fgrep cut tr comm join paste fold fmt expand unexpand rev tsort
  cmp basename dirname realpath readlink pathchk which whereis type
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum base32 base64 basenc od hexdump strings
  id whoami groups users who logname uname arch nproc tty uptime free ps pgrep pidof lsof printenv locale getconf jq
`);

/**
 * Returns the subcommand of a git command if it is one of `gitSubcommands` and none of its arguments can name a program
 * or an output file. Returns undefined if an option precedes the subcommand, because options such as `-c` and
 * `--exec-path` can name a program.
 */
export function gitSubcommand([subcommand = "", ...rest]: readonly string[]): string | undefined {
  // A shell expands patterns to file names, and an agent can create a file with any name.
  const isPlain = rest.every(
    (word) => !NAMES_A_FILE.test(word.replaceAll(/["']/g, "")) && !/[*?[]/.test(word),
  );
  return isPlain && gitSubcommands.has(subcommand) ? subcommand : undefined;
}

/** Matches options such as `--ext-diff` and `--output`, which git also accepts in abbreviated form. */
const NAMES_A_FILE = /^--(?:ext|o(?!(?:neline|nly|rphan|urs)$))/;

const gitSubcommands = wordsOf(`
  add blame branch checkout cherry-pick commit describe diff log ls-files merge mv reflog reset restore revert rev-parse rm
  shortlog show stash status switch tag
`);

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
