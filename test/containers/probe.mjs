/** A program that an agent runs in its container. Prints as JSON what the agent can do in the container. */
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";

/** @param {() => unknown} action */
function outcome(action) {
  try {
    action();
    return "yes";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : "no";
  }
}

/** Returns the address of the listener on a port. @param {number} port */
function listenerOn(port) {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
  const own = lines.map((line) => line.trim().split(/\s+/));
  const [, address = ""] =
    own.find(([, local, , state]) => local?.endsWith(`:${hex}`) && state === "0A") ?? [];
  return (address.split(":")[0]?.match(/../g) ?? [])
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join(".");
}

/** @param {string} path */
const statusOf = async (path) => (await fetch(`http://${listenerOn(4141)}:4141${path}`)).status;

/** @returns {Promise<string | undefined>} */
const reachesOut = () =>
  new Promise((resolve) => {
    const socket = connect({ host: "192.0.2.1", port: 80 }, () => resolve("yes"));
    socket.on("error", (error) => resolve("code" in error ? String(error.code) : "no"));
  });

const status = readFileSync("/proc/self/status", "utf8");
const field = (/** @type {string} */ name) =>
  new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1];
console.log(
  JSON.stringify({
    uid: process.getuid?.(),
    capabilities: field("CapEff"),
    bounding: field("CapBnd"),
    noNewPrivileges: field("NoNewPrivs"),
    seccomp: field("Seccomp"),
    writesRoot: outcome(() => writeFileSync("/usr/new", "")),
    writesHome: outcome(() => writeFileSync("/home/agent/new", "")),
    writesTmp: outcome(() => writeFileSync("/tmp/new", "")),
    networks: Object.keys(networkInterfaces()),
    reachesOut: await reachesOut(),
    model: await statusOf("/v1/models"),
    elsewhere: await statusOf("/admin"),
    sneaking: await statusOf("/v1/%2e%2e/admin"),
  }),
);
