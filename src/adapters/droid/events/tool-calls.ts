/** Builds Droid tool calls for the scripted model. */
export const droidToolCalls = {
  write: (path: string, content: string) => ({
    name: "Create",
    input: { file_path: path, content },
  }),
  shell: (command: string) => ({
    name: "Execute",
    input: {
      command,
      summary: "Run a small command",
      riskLevel: "low",
      riskLevelReason: "nothing can go wrong",
    },
  }),
  mcp: (server: string, tool: string) => ({ name: `${server}___${tool}`, input: {} }),
  edit: (path: string, from: string, to: string) => ({
    name: "Edit",
    input: { file_path: path, old_str: from, new_str: to, change_all: false },
  }),
};
