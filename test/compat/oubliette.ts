import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { droidToolCalls } from "../../src/adapters/droid/events/tool-calls.ts";
import { droidSearch } from "../../src/adapters/droid/find.ts";
import { loadAgentConfig, newRuntime } from "../../src/compat/oubliette/index.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { findProgram } from "../../src/programs/program.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runtimesDir } from "../real/runtimes-dir.ts";

/** The functions that create a call of the shell tool, by runtime. */
export const shell = {
  droid: droidToolCalls.shell,
  opencode: (command: string) => ({ name: "bash", input: { command, description: "run it" } }),
};

interface ServerOptions {
  /** Returns the address at which the agents reach the model. */
  reach?(url: string): string;
  /** A project whose `metadata.json` names the runtime. The server then names the other runtime. */
  readonly projectID?: string;
}

/** Creates a project server that has only the files of the seeds and the installed runtimes. */
export async function openServer(
  agent_runtime: "droid" | "opencode",
  { reach = (url) => url, projectID }: ServerOptions = {},
) {
  const root = await temporaryDirectory();
  const home = join(root, ".halyard");
  const env = { PATH: process.env.PATH, HOME: root, HALYARD_HOME: home };
  const model = await startScriptedModel();
  const { id, baseUrl, apiKey } = model.endpoint("openai-chat");
  const provider = "generic-chat-completion-api";
  const models = {
    models: {
      fast: { model: id, displayName: "Fast", baseUrl: reach(baseUrl), apiKey, provider },
      other: { model: "other-1", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-other", provider },
    },
  };
  await mkdir(join(root, "config"));
  await mkdir(join(root, "work"));
  await mkdir(home);
  await symlink(runtimesDir, join(home, "runtimes"));
  const write = (name: string, value: unknown) =>
    writeFile(join(root, "config", name), JSON.stringify(value));
  const other = agent_runtime === "droid" ? "opencode" : "droid";
  await write("server.json", { agent_runtime: projectID ? other : agent_runtime });
  if (projectID) {
    const project = join(root, "projects", projectID);
    await mkdir(project, { recursive: true });
    const metadata = JSON.stringify({ id: projectID, agent_runtime });
    await writeFile(join(project, "metadata.json"), metadata);
  }
  await write("models.json", models);
  const config = await loadAgentConfig({ cwd: root, env, projectID });
  const open = () => {
    const runtime = newRuntime(config, { create: { home, env } });
    onTestFinished(() => runtime.close());
    return runtime;
  };
  /** Returns the pids of all sessions' processes, without duplicates. */
  const pids = async () => {
    await using observer = await createHalyard({ home, env });
    return [...new Set((await observer.processes()).map(({ pid }) => pid))];
  };
  onTestFinished(() => model.close());
  return { root, home, env, model, config, open, pids, workingDir: join(root, "work") };
}

/**
 * Registers a program that records its arguments and its Factory key before it runs Droid. Returns a function that reads the
 * recorded `exec` calls.
 */
export async function recordDroid({ root }: { root: string }) {
  const log = join(root, "droid.log");
  const { file } = await findProgram(droidSearch({ env: {}, runtimesDir }));
  const script = `#!/bin/sh\necho "key=$FACTORY_API_KEY $*" >> ${log}\nexec ${file} "$@"\n`;
  const bin = join(root, "droid");
  await writeFile(bin, script, { mode: 0o755 });
  await mkdir(join(root, ".gastown"));
  const registry = JSON.stringify({ runtimes: { droid: { bin } } });
  await writeFile(join(root, ".gastown", "runtimes.json"), registry);
  return async (): Promise<string[]> =>
    (await readFile(log, "utf8")).split("\n").filter((line) => line.includes(" exec "));
}

/** Returns the files below a directory that contain a text. */
export async function filesWith(text: string, directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ name, parentPath }) => join(parentPath, name));
  const found = await Promise.all(paths.map(async (path) => (await readFile(path)).includes(text)));
  return paths.filter((_, at) => found[at]);
}

/** Changes the working directory of this process until the end of the test. */
export function enter(directory: string): void {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(directory);
}
