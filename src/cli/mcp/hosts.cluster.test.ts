import { expect, onTestFinished, test } from "vitest";
import { halyard, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon, startSession } from "../../../test/daemon/scene.ts";
import { SshServer } from "../../../test/ssh/ssh-server.ts";

test("lists a host's sessions with the host's name, and reports why a host does not respond", async () => {
  const [remote, near] = [await newDaemonUser(), await newDaemonUser()];
  await startFakeDaemon(remote);
  await startFakeDaemon(near);
  const server = await SshServer.start(remote);
  const user = await server.clientOf(near, "gpu");
  onTestFinished(async () => void (await halyard(user, ["host", "remove", "gpu"])));
  await halyard(user, ["host", "add", "gpu", "gpu"]);
  const own = await startSession(user, "say here", ["--name", "near"]);
  const far = await startSession(user, "say there", ["--name", "far", "--on", "gpu"]);
  const tools = await McpTools.start(user);
  expect(await tools.call("session_list")).toMatchObject({
    sessions: [
      { id: far, machine: "gpu" },
      { id: own, name: "near" },
    ],
  });
  expect(await tools.call("session_get", { session_id: far })).toMatchObject({
    session: { machine: "gpu" },
  });
  await server.stop();
  expect(await tools.call("session_list")).toMatchObject({
    sessions: [{ id: own }],
    unreachable: [{ machine: "gpu", reason: expect.stringContaining("does not respond") }],
  });
  await server.restart();
  await halyard(user, ["host", "list"]); // connects immediately, although the host did not respond a moment ago
  await expect
    .poll(() => tools.call("session_list"))
    .toMatchObject({ sessions: [{ id: far, machine: "gpu" }, { id: own }] });
});

/** A client of a user's MCP server on standard input and output. */
class McpTools {
  readonly #cli: StartedCli;
  #calls = 0;

  private constructor(user: User) {
    this.#cli = new StartedCli(user, [process.execPath, program, "mcp", "-p", "allow-all"]);
  }

  static async start(user: User): Promise<McpTools> {
    const tools = new McpTools(user);
    const client = { protocolVersion: "2025-06-18", capabilities: {} };
    await tools.#request("initialize", { ...client, clientInfo: { name: "test", version: "0" } });
    return tools;
  }

  /** Calls a tool and returns its structured result. */
  async call(name: string, input: object = {}): Promise<unknown> {
    const { result } = await this.#request("tools/call", { name, arguments: input });
    return result?.structuredContent;
  }

  async #request(method: string, params: object): Promise<Reply> {
    const id = ++this.#calls;
    this.#cli.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    await this.#cli.says(new RegExp(`"id":${id}[,}]`));
    const replies = this.#cli.stdout.split("\n").filter((line) => line.startsWith("{"));
    const found = replies.map((line): Reply => JSON.parse(line)).find((reply) => reply.id === id);
    if (found === undefined) throw new Error(`no response to ${method}`);
    return found;
  }
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly structuredContent?: unknown };
}
