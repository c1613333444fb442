import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { createHalyard } from "../dist/create-halyard.js";
import { fakeAdapter } from "../dist/testing/fake/index.js";
import { HalyardAgent } from "./parts/halyard-agent.mjs";
import { disposeAfter, inTemporaryDirectory } from "./parts/resources.mjs";
import { alternate, median } from "./parts/statistics.mjs";

const COUNT = 200_000;

/** Measures the processor time of a flooding agent with telemetry that is off, not configured, or sent. */
export function measure() {
  return inTemporaryDirectory(async (root) => {
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(200).end());
    });
    await new Promise((resolve) => receiver.listen(0, "127.0.0.1", () => resolve(undefined)));
    const address = receiver.address();
    const port = typeof address === "object" ? address?.port : 0;
    const cwd = join(root, "work");
    await mkdir(cwd);
    const base = { env: {}, adapters: [fakeAdapter()] };
    const open = (/** @type {string} */ name, /** @type {object} */ options) =>
      createHalyard({ home: join(root, name), ...base, ...options });
    const without = await open("without", { telemetry: false });
    const off = await open("off", { config: {} });
    const on = await open("on", { telemetry: { endpoint: `http://127.0.0.1:${port}` } });
    try {
      const rounds = await alternate(9, {
        without: () => cpuUs(without, cwd),
        off: () => cpuUs(off, cwd),
        on: () => cpuUs(on, cwd),
      });
      const of = (/** @type {"without" | "off" | "on"} */ name) =>
        median(rounds.map((round) => round[name]));
      // Compares the processor time, because the throughput depends on the load of the machine.
      const toRow = (
        /** @type {string} */ figure,
        /** @type {"off" | "on"} */ name,
        /** @type {number} */ most,
      ) => {
        const ratio = of(name) / of("without");
        return {
          figure,
          ours: `${of(name).toFixed(2)} µs per event, ${ratio.toFixed(2)} of without`,
          beside: `${of("without").toFixed(2)} µs, without telemetry`,
          target: `<= ${most} of without`,
          isMet: ratio <= most,
          data: { rounds },
        };
      };
      return [
        toRow("processor time, telemetry not configured", "off", 1.03),
        toRow("processor time, telemetry sent", "on", 1.1),
      ];
    } finally {
      for (const halyard of [without, off, on]) await halyard[Symbol.asyncDispose]();
      receiver.close();
    }
  });
}

/**
 * Returns the processor time of this process per event, in microseconds.
 * @param {import("../dist/contracts/halyard.js").Halyard} halyard
 * @param {string} cwd
 */
async function cpuUs(halyard, cwd) {
  const agent = await HalyardAgent.start(halyard, cwd);
  let received = 0;
  const before = process.cpuUsage();
  await disposeAfter(agent, () => agent.run(`flood ${COUNT}`, () => void received++));
  if (received !== COUNT) throw new Error(`${COUNT - received} of ${COUNT} events are lost.`);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / COUNT;
}
