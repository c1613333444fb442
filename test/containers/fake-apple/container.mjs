#!/usr/bin/env node
/**
 * A fake of Apple's `container` command, with the arguments, output and exit codes that its documentation describes. A container
 * is an entry in a file, and its programs run on this machine. Every call is recorded, so that a test can check the command
 * line.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const args = process.argv.slice(2);
const home = dirname(process.argv[1] ?? "");
const stateFile = join(home, "state.json");
appendFileSync(join(home, "calls"), `${JSON.stringify(args)}\n`);

/** @typedef {{ image: string, labels: Record<string, string>, command: string[], status: string, startedDate: number | null }} Kept */
/** @type {Record<string, Kept>} */
const state = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, "utf8")) : {};
const save = () => writeFileSync(stateFile, JSON.stringify(state));

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`Error: ${message}\n`);
  process.exit(1);
}

/** @param {string} id */
const kept = (id) => state[id] ?? fail(`notFound: "container with ID ${id} not found"`);

/** @param {string[]} words @param {ReadonlySet<string>} flags */
function parse(words, flags) {
  /** @type {Record<string, string[]>} */
  const options = {};
  let at = 0;
  for (; words[at]?.startsWith("-"); at++) {
    const name = words[at] ?? "";
    if (flags.has(name)) options[name] = ["true"];
    else options[name] = [...(options[name] ?? []), words[++at] ?? ""];
  }
  return { options, rest: words.slice(at) };
}

/** @param {string} id */
function told(id) {
  const { image, labels, status, startedDate } = kept(id);
  const configuration = { id, image: { reference: image }, labels, mounts: [] };
  return { status: { state: status, networks: [] }, configuration, startedDate };
}

const [verb = "", ...words] = args;
switch (verb) {
  case "--version":
    console.log("container CLI version 0.9.0 (build: release, commit: abcdef0)");
    break;
  case "system":
    if (existsSync(join(home, "down")))
      fail("apiserver is not running and not registered with launchd");
    console.log("apiserver is running");
    break;
  case "create": {
    const { options, rest } = parse(words, new Set());
    const [image = "", ...command] = rest;
    const id = options["--name"]?.[0] ?? "";
    if (!image.startsWith("localhost/halyard-agent")) fail(`notFound: "${image}"`);
    if (state[id]) fail(`exists: "container already exists: ${id}"`);
    const labels = Object.fromEntries((options["--label"] ?? []).map((pair) => pair.split("=")));
    const whole = [...(options["--entrypoint"] ?? []), ...command];
    state[id] = { image, labels, command: whole, status: "created", startedDate: null };
    save();
    console.log(id);
    break;
  }
  case "start": {
    const one = kept(words[0] ?? "");
    Object.assign(one, {
      status: "running",
      startedDate: performance.timeOrigin + performance.now(),
    });
    save();
    break;
  }
  case "stop": {
    kept(parse(words, new Set()).rest[0] ?? "").status = "stopped";
    save();
    break;
  }
  case "delete": {
    const id = parse(words, new Set(["--force"])).rest[0] ?? "";
    kept(id);
    delete state[id];
    save();
    break;
  }
  case "inspect":
    console.log(JSON.stringify([told(words[0] ?? "")]));
    break;
  case "list":
    console.log(JSON.stringify(Object.keys(state).map(told)));
    break;
  case "logs":
    console.log(`what ${words.at(-1)} said`);
    break;
  case "image":
    if (!words[1]?.startsWith("localhost/halyard-agent")) fail(`notFound: "${words[1]}"`);
    console.log("[]");
    break;
  case "build":
    if (!readFileSync(join(words.at(-1) ?? "", "Dockerfile"), "utf8").includes("FROM"))
      fail("no stages");
    console.log("#1 done");
    break;
  case "exec": {
    const { options, rest } = parse(words, new Set(["--interactive"]));
    const [id = "", file = "", ...own] = rest;
    if (kept(id).status !== "running") fail(`invalidState: "container is not running"`);
    const env = { PATH: process.env.PATH };
    for (const name of options["--env"] ?? []) Object.assign(env, { [name]: process.env[name] });
    const child = spawn(file, own, { stdio: "inherit", env, cwd: options["--workdir"]?.[0] });
    child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 143)));
    child.on("error", (error) => fail(error.message));
    break;
  }
  default:
    fail(`Unexpected argument '${verb}'`);
}
