/** Builds Claude tool calls for the scripted model. */
export const claudeToolCalls = {
  write: (path: string, content: string) => ({
    name: "Write",
    input: { file_path: path, content },
  }),
  shell: (command: string) => ({ name: "Bash", input: { command, description: "a command" } }),
  mcp: (server: string, tool: string) => ({ name: `mcp__${server}__${tool}`, input: {} }),
  edit: (path: string, from: string, to: string) => ({
    name: "Edit",
    input: { file_path: path, old_string: from, new_string: to },
  }),
};
