import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { Command } from "../../contracts/host.ts";
import { allowedEnvironment, type Environment } from "../../programs/environment.ts";

/** Builds the fake agent's command line for a session. */
export function toCommand(request: ConnectRequest, env: Environment): Command {
  const { cwd, stateDir, model, reasoning, systemPrompt, options } = request;
  const args = [agent, `--state=${stateDir}`];
  if (request.resume !== undefined) args.push(`--resume=${request.resume}`);
  if (request.fork) {
    const { runtimeSessionId, stateDir: original = userDir({ ...env, ...request.env }) } =
      request.fork;
    args.push(`--fork=${join(original, encodeURIComponent(runtimeSessionId))}`);
  }
  if (request.permissions !== "allow-all") args.push("--ask");
  if (request.plan) args.push("--plan");
  if (model?.id !== undefined) args.push(`--model=${model.id}`);
  if (reasoning !== undefined) args.push(`--reasoning=${reasoning}`);
  if (systemPrompt !== undefined) args.push(`--system-prompt=${systemPrompt}`);
  if (typeof options.startup === "string") args.push(`--startup=${options.startup}`);
  return { file: process.execPath, args, cwd, env: allowedEnvironment(env, request.env) };
}

const agent = fileURLToPath(new URL("./agent/main.mjs", import.meta.url));

/** Returns the directory of the sessions that a user of the fake agent recorded without Halyard. */
export function userDir({ FAKE_ACCOUNT = "/nonexistent" }: Environment): string {
  return FAKE_ACCOUNT;
}
