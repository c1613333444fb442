/** What a shell has to be told, to ask us at each Tab. */
export const completionScripts = {
  bash: `# eval "$(halyard completion bash)"
_halyard() {
  local IFS=$'\\n'
  COMPREPLY=($(halyard complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
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
  done < <(halyard complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe halyard found; else _files; fi
}
compdef _halyard halyard
`,
  fish: `# halyard completion fish | source
function __halyard_complete
    halyard complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c halyard -a '(__halyard_complete)'
`,
} as const;
