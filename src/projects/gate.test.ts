import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeJsonFile } from "../config/json/write-json.ts";
import { createConfigReader } from "../config/reader.ts";
import type { Adapter, Connection } from "../contracts/adapter.ts";
import type { Halyard, Session } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import type { NewProject, Project } from "../schema/project/project.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { Projects } from "./projects.ts";

interface Scene {
  readonly root: string;
  readonly halyard: Halyard;
  readonly project: Project;
  start(parent?: Session): Promise<Session>;
}

/** Creates a Halyard instance that reads its configuration from files, and a project with these limits. */
async function openScene(limits: Partial<NewProject> = {}): Promise<Scene> {
  const root = await temporaryDirectory();
  const home = join(root, "home");
  await mkdir(join(root, "config"));
  const config = createConfigReader({ env: {}, home });
  const adapters = [fakeAdapter(), costly(fakeAdapter())];
  const halyard = await createHalyard({ home, env: {}, adapters, config });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const projects = new Projects({ env: {}, home, root, now: () => new Date() });
  const project = await projects.create({ name: "site", agent_runtime: "fake", ...limits });
  const cwd = await projects.openWorkspace(project);
  const start = (parent?: Session) =>
    halyard.start({ cwd, ...(parent ? { parent: parent.id } : { project: project.id }) });
  return { root, halyard, project, start };
}

/** Returns the same adapter with a reported cost of four dollars per turn. */
function costly(adapter: Adapter): Adapter {
  return {
    ...adapter,
    name: "costly",
    connect: async (request) => priced(await adapter.connect(request)),
  };
}

function priced(connection: Connection): Connection {
  const usage = { inputTokens: 1, outputTokens: 1, costUsd: 4 };
  async function* output(): Connection["output"] & AsyncGenerator {
    for await (const batch of connection.output) {
      yield batch.map((one) => ({
        ...one,
        drafts: one.drafts.map((draft) =>
          draft.type === "completion" ? { ...draft, usage } : draft,
        ),
      }));
    }
  }
  return new Proxy(connection, {
    get(target, key) {
      if (key === "output") return output();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("assigns a child its parent's runtime and project, and its own depth", async () => {
  const { start, project } = await openScene();
  const first = await start();
  const child = await start(first);
  const grandchild = await start(child);
  expect([first, child, grandchild].map(({ info }) => info)).toMatchObject([
    { runtime: "fake", project: project.id, depth: 0 },
    { runtime: "fake", project: project.id, depth: 1, parent: first.id },
    { runtime: "fake", project: project.id, depth: 2, parent: child.id },
  ]);
});

test("rejects a child whose project differs from its parent's", async () => {
  const { halyard, start, root } = await openScene();
  const { id: parent } = await start();
  const elsewhere = halyard.start({ cwd: root, parent, project: "another" });
  await expect(elsewhere).rejects.toMatchObject({ code: "invalid_input" });
});

test("rejects a session that is nested too deeply, and does not create it", async () => {
  const { halyard, start } = await openScene({ max_recursion_depth: 1 });
  const child = await start(await start());
  await expect(start(child)).rejects.toMatchObject({
    code: "limit_exceeded",
    message: expect.stringMatching(
      /max_recursion_depth is 1\. Do the work in the parent session, or raise /,
    ),
  });
  expect(await halyard.sessions()).toHaveLength(2);
});

test("enforces the maximum number of descendants of a session for concurrent starts", async () => {
  const { halyard, start } = await openScene({ max_agents_per_session: 2 });
  const first = await start();
  const all = await Promise.allSettled([start(first), start(first), start(first), start(first)]);
  expect(all.map(({ status }) => status).sort()).toEqual([
    ...["fulfilled", "fulfilled", "rejected", "rejected"],
  ]);
  const [child] = await halyard.sessions({ parent: first.id });
  const grandchild = halyard.start({ cwd: child?.cwd ?? "", parent: child?.id });
  await expect(grandchild).rejects.toMatchObject({
    code: "limit_exceeded",
    message: expect.stringContaining(`Session ${first.id} has 2 descendants`),
  });
  const another = await start();
  await start(another);
});

test("rejects turns and sessions when the cost limit is reached, until it is raised", async () => {
  const { halyard, start, project, root } = await openScene({
    agent_runtime: "costly",
    max_cost_usd: 7,
  });
  const session = await start();
  for (const text of ["say one", "say two"])
    expect(await session.send(text).outcome).toMatchObject({ status: "completed" });
  const spent = {
    code: "limit_exceeded",
    message: expect.stringContaining(
      "have cost $8.00, and max_cost_usd is 7. Continue in another project",
    ),
  };
  const refused = session.send("say three");
  expect(await refused.accepted).toMatchObject({ status: "failed", error: spent });
  expect(await refused.outcome).toMatchObject({ status: "failed", error: spent });
  await expect(start()).rejects.toMatchObject(spent);
  await session.stop();

  const file = join(root, "projects", project.id, "metadata.json");
  await writeJsonFile(file, { ...project, recursion_config: { max_cost_usd: 9 } });
  const resumed = await halyard.resume(session.id);
  expect(await resumed.send("say three").outcome).toMatchObject({ text: "three" });
});

test("applies project-defaults.json to a project without limits", async () => {
  const { root, start } = await openScene();
  await writeJsonFile(join(root, "config", "project-defaults.json"), { max_recursion_depth: 0 });
  const first = await start();
  await expect(start(first)).rejects.toMatchObject({ code: "limit_exceeded" });
});

test("rejects a start if the project's limits are invalid", async () => {
  const { root, project, start } = await openScene();
  const file = join(root, "projects", project.id, "metadata.json");
  await writeJsonFile(file, { ...project, recursion_config: { max_cost_usd: "lots" } });
  await expect(start()).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining(`${file}: recursion_config.max_cost_usd: `),
  });
});

test("does not limit the depth of sessions without a project", async () => {
  const { halyard, root } = await openScene({ max_recursion_depth: 0 });
  let session = await halyard.start({ runtime: "fake", cwd: root });
  for (let depth = 1; depth < 6; depth++)
    session = await halyard.start({ cwd: root, parent: session.id });
  expect(session.info).toMatchObject({ depth: 5, runtime: "fake" });
});
