import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { Init } from "./system-messages.ts";

/**
 * Warns once about each of the session's MCP servers that failed or needs a login. Claude lists all servers at the
 * start of every turn.
 */
export class ServerWarnings {
  readonly #reported = new Set<string>();

  warningsFor({ mcp_servers: servers = [] }: Init): EventDraft[] {
    const failed = servers.filter(({ name, status, source = SESSION }) => {
      const isNew = !this.#reported.has(name);
      return isNew && source === SESSION && (status === "failed" || status === "needs-auth");
    });
    return failed.map(({ name, status }) => {
      this.#reported.add(name);
      return { type: "system", subtype: "warning", text: `MCP server ${name}: ${status}` };
    });
  }
}

/** The `source` of the session's own servers. The default, because older versions of Claude omit the field. */
const SESSION = "dynamic";
