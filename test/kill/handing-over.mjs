/**
 * Sends a message to the fake runtime and kills itself during the delivery: `before` the runtime receives the message, when
 * Halyard reads the limits of the project, or `during` the call of the adapter. At the moment `limit`, it kills itself after a
 * turn has handed its work over at a usage limit, before the next session is recorded. Prints the id of the session.
 * Arguments: home, working directory, the moment, prompt.
 */
import { createConfigReader, createHalyard } from "../../dist/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [home = "", cwd = "", moment = "", prompt = ""] = process.argv.slice(2);
let isSending = false;

/** @param {string} now */
async function dieAt(now) {
  if (!isSending || now !== moment) return;
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
}

const reader = createConfigReader({ env: {}, home, root: home });
const config = {
  /** @param {Parameters<typeof reader.read>[0]} scope */
  async read(scope) {
    await dieAt("before");
    return reader.read(scope);
  },
  registry: () => reader.registry(),
};
const fake = fakeAdapter();
const adapter = {
  ...fake,
  /** @param {Parameters<typeof fake.connect>[0]} request */
  async connect(request) {
    const connection = await fake.connect(request);
    const { send } = connection;
    connection.send = async (input) => {
      await dieAt("during");
      return send.call(connection, input);
    };
    return connection;
  },
};
const second = {
  ...fake,
  name: "second",
  get capabilities() {
    void dieAt("limit");
    return fake.capabilities;
  },
};
const halyard = await createHalyard({ home, env: {}, config, adapters: [adapter, second] });
const limits = { firstOutputMs: 500, cancelMs: 500 };
const location = { runtime: "fake", cwd, project: "p", limits };
const onLimit = { handoff: "second" };
const session = await halyard.start({ ...location, permissions: "allow-all", onLimit });
await session.ready();
process.stdout.write(`${session.id}\n`);
isSending = true;
await session.send(prompt).outcome;
if (moment === "limit") await new Promise(() => {});
