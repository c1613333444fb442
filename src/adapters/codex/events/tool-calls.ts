/** Builds Codex tool calls for the scripted model. */
export const codexToolCalls = {
  writeName: "apply_patch",
  write: (path: string, content: string) => patch(`*** Add File: ${path}`, added(content)),
  shell: (command: string) => ({ name: "exec_command", input: { cmd: command } }),
  edit: (path: string, from: string, to: string) =>
    patch(`*** Update File: ${path}`, `@@\n-${from}\n+${to}\n`),
};

/** Wraps a patch in a shell command that Codex recognizes and applies itself. Only some models have a patch tool. */
function patch(header: string, body: string) {
  const text = `*** Begin Patch\n${header}\n${body}*** End Patch`;
  return codexToolCalls.shell(`apply_patch <<'EOF'\n${text}\nEOF\n`);
}

function added(content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return lines.map((line) => `+${line}\n`).join("");
}
