import type { EventDraft } from "../../core/draft.ts";
import type { Init } from "./system-messages.ts";

/** What became of the MCP servers that the session brought; Claude says so of all of them at the start of every turn. */
export class ServerWarnings {
  readonly #told = new Set<string>();

  of({ mcp_servers: servers = [] }: Init): EventDraft[] {
    const troubled = servers.filter(({ name, status, source = SESSION }) => {
      const isNews = !this.#told.has(name);
      return isNews && source === SESSION && (status === "failed" || status === "needs-auth");
    });
    return troubled.map(({ name, status }) => {
      this.#told.add(name);
      return { type: "system", subtype: "warning", text: `MCP server ${name}: ${status}` };
    });
  }
}

/** Where Claude has those from that it was given for this session; older ones do not say. */
const SESSION = "dynamic";
