import { type Command, Option } from "commander";
import { permissionPolicies } from "../choices.ts";
import { examples } from "../examples.ts";
import type { McpOptions } from "./mcp.ts";

export function addMcp(program: Command): void {
  program
    .command("mcp")
    .description("Serve projects and sessions as MCP tools on standard input and output")
    .addOption(
      new Option(
        "-p, --permissions <policy>",
        "actions allowed without asking (default: as configured, otherwise ask; without --answers, ask denies)",
      ).choices(permissionPolicies),
    )
    .option("--answers", "let the client answer requests of sessions that it started")
    .option("--no-daemon", "run agents in this process and stop them when it exits")
    .option("--log <session>", "serve only one tool, which reads the log of this session")
    .option("--install", "install the MCP package and exit, so that no client has to wait for it")
    .addHelpText(
      "after",
      examples([
        ["claude mcp add halyard -- halyard mcp -p allow-edits", "add the tools to Claude Code"],
        ["npx @modelcontextprotocol/inspector halyard mcp", "try the tools in the inspector"],
      ]),
    )
    .action(async (options: McpOptions) => {
      const { mcp } = await import("./mcp.ts");
      process.exitCode = await mcp(options);
    });
}
