/** The scripts that make a shell call `halyard complete` when the user presses Tab. */
export const completionScripts = {
  // Bash splits words at colons and replaces only the part after the last colon, and it does not quote completions.
  bash: `# eval "$(halyard completion bash)"
_halyard() {
  local line=\${COMP_LINE:0:COMP_POINT} word quoted before
  local -a words
  COMPREPLY=()
  read -a words <<<"$line"
  case $line in *[![:space:]]) ;; *) words+=("") ;; esac
  word=\${words[\${#words[@]} - 1]}
  before=\${word%"\${word##*:}"}
  [ -z "$before" ] || printf -v before %q "$before"
  while IFS= read -r word; do
    printf -v quoted %q "$word"
    COMPREPLY+=("\${quoted#"$before"}")
  done < <(halyard complete -- "\${words[@]:1}" 2>/dev/null | cut -f1)
}
complete -o default -F _halyard halyard
`,
  zsh: `#compdef halyard
# eval "$(halyard completion zsh)"
_halyard() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(halyard complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe halyard found; else _files; fi
}
compdef _halyard halyard
`,
  fish: `# halyard completion fish | source
function __halyard_complete
    set -l word (commandline -ct | string unescape; or commandline -ct)
    set -l found (halyard complete -- (commandline -opc)[2..-1] "$word" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c halyard -f -a '(__halyard_complete)'
`,
} as const;
