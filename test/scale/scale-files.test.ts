import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { model, simulate } from "../../scripts/simulate-cluster.mjs";
import { createProgram } from "../../src/cli/program.ts";
import { Compose, Deployment, NatsValues } from "./schemas.ts";

const read = (name: string) =>
  readFile(new URL(`../../docs/scale/${name}`, import.meta.url), "utf8");

/** The directory of session files in the image. A volume at its parent would hide the agents that the image contains. */
const SESSION_FILES = "/home/node/.halyard/clusters";

/** Parses the command line of a worker and returns its options. Throws if Halyard does not accept it. */
function workerOptions(command: readonly string[]): Record<string, unknown> {
  const [halyard, name, ...args] = command;
  expect([halyard, name]).toEqual(["halyard", "worker"]);
  const worker = createProgram().commands.find((one) => one.name() === "worker");
  if (worker === undefined) throw new Error('Halyard has no command "worker".');
  worker.action(() => {}).exitOverride();
  worker.parse(args, { from: "user" });
  return worker.opts();
}

test("compose.yaml has three servers with the same routes, and two workers that join all of them", async () => {
  const { services, volumes } = Compose.parse(parse(await read("compose.yaml"), { merge: true }));
  const names = Object.keys(services);
  const servers = names.filter((name) => name.startsWith("nats-"));
  const workers = names.filter((name) => name.startsWith("worker-"));
  expect([servers.length, workers.length]).toEqual([3, 2]);
  const routes = servers.map((name) => `nats://${name}:6222`).join(",");
  for (const name of servers) {
    const { command, volumes: mounts } = services[name] ?? {};
    expect(command).toEqual([
      ...["nats-server", "-js", "-sd", "/data", "-n", name, "--cluster_name", "halyard"],
      ...["--cluster", "nats://0.0.0.0:6222", "--routes", routes],
    ]);
    expect(mounts).toEqual([`${name}:/data`]);
  }
  const published = servers.flatMap((name) => services[name]?.ports ?? []);
  expect(published.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  for (const name of workers) {
    const { command = [], depends_on, volumes: mounts } = services[name] ?? {};
    expect(mounts).toEqual([`${name}:${SESSION_FILES}`]);
    expect(workerOptions(command)).toMatchObject({
      join: servers.map((server) => `nats://${server}:4222`).join(","),
      replicas: 3,
      machine: name,
    });
    expect(depends_on).toEqual(servers);
  }
  expect(Object.keys(volumes)).toEqual(names);
});

test("kubernetes.yaml is a Deployment whose pods are drained before they terminate", async () => {
  const { spec } = Deployment.parse(parse(await read("kubernetes.yaml")));
  const { template } = spec;
  expect(template.metadata.labels).toEqual(spec.selector.matchLabels);
  const [{ command, args, lifecycle, env, volumeMounts }] = template.spec.containers;
  expect(workerOptions([...command, ...args])).toMatchObject({
    join: "nats://nats:4222",
    machine: "$(POD_NAME)",
    replicas: 3,
  });
  expect(lifecycle.preStop.exec.command).toEqual(["sh", "-c", 'halyard cluster drain "$POD_NAME"']);
  expect(env.map(({ name }) => name)).toEqual(["POD_NAME", "HALYARD_CLUSTER"]);
  const [{ name: volume = "" } = {}] = template.spec.volumes;
  expect(volumeMounts).toEqual([{ name: volume, mountPath: SESSION_FILES }]);
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(600);
});

test("nats-values.yaml configures a cluster of three servers", async () => {
  const { config } = NatsValues.parse(parse(await read("nats-values.yaml")));
  expect(config.cluster.replicas).toBe(3);
});

test("worker.Dockerfile installs the NATS packages that a worker needs", async () => {
  const { peerDependencies } = z
    .looseObject({ peerDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")));
  const text = await read("worker.Dockerfile");
  for (const name of Object.keys(peerDependencies).filter((one) => one.startsWith("@nats-io/")))
    expect(text).toContain(name);
});

test("the simulation prints the table in docs/scale.md", async () => {
  const script = new URL("../../scripts/simulate-cluster.mjs", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  const document = await readFile(new URL("../../docs/scale.md", import.meta.url), "utf8");
  expect(document).toContain(stdout.trim());
});

test("the simulated load grows linearly with the number of sessions and workers", () => {
  const small = simulate({ workers: 10, sessions: 10_000 }, model, 7);
  const large = simulate({ workers: 100, sessions: 100_000 }, model, 7);
  expect(large.leasesPerSecond).toBeCloseTo(10 * small.leasesPerSecond);
  expect(large.listMB).toBeCloseTo(10 * small.listMB);
  expect(large.messagesPerSecond / small.messagesPerSecond).toBeGreaterThan(8);
  expect(large.messagesPerSecond / small.messagesPerSecond).toBeLessThan(12);
});
