import { type Command, Option } from "commander";
import type { McpOptions } from "../actions/mcp.ts";
import { permissionPolicies } from "../choices.ts";
import { examples } from "../examples.ts";

export function addMcp(program: Command): void {
  program
    .command("mcp")
    .description("Serve projects and sessions as MCP tools, on standard input and output.")
    .addOption(
      new Option(
        "-p, --permissions <policy>",
        "what agents started by its callers may do by themselves (default: the settings', or ask, which denies without --answers)",
      ).choices(permissionPolicies),
    )
    .option("--answers", "let the client answer requests of sessions that it started")
    .option("--no-daemon", "run the agents in this process, to end with it")
    .option("--install", "only fetch what it needs, so that no client has to wait for that")
    .addHelpText(
      "after",
      examples([
        ["claude mcp add halyard -- halyard mcp -p allow-edits", "give Claude Code the tools"],
        ["npx @modelcontextprotocol/inspector halyard mcp", "try them out"],
      ]),
    )
    .action(async (options: McpOptions) => {
      const { mcp } = await import("../actions/mcp.ts");
      process.exitCode = await mcp(options);
    });
}
