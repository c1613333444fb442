import { Command, Option } from "commander";
import { expect, test } from "vitest";
import { complete, type Lookup } from "./completion.ts";

const lookup: Lookup = {
  sessions: async () => [
    { word: "api", meaning: "codex, idle" },
    { word: "ses_1", meaning: "codex, idle" },
  ],
  requests: async () => [{ word: "req_1", meaning: "Allow?" }],
  runtimes: async () => [{ word: "codex", meaning: "" }],
};

function createProgram(): Command {
  const program = new Command("halyard");
  program
    .command("send")
    .description("Send a message")
    .argument("<session>")
    .argument("<message>")
    .option("-r, --runtime <name>")
    .addOption(new Option("--format <format>").choices(["text", "json"]))
    .option("--wait", "show the turn");
  program.command("stop").argument("[sessions...]");
  program.command("secret", { hidden: true });
  const daemon = program.command("daemon");
  daemon.command("status").description("Show the status");
  const answer = program.command("answer").argument("<request>");
  answer.addArgument(answer.createArgument("<decision>").choices(["allow", "deny"]));
  return program;
}

test.each([
  ["an empty word", [""], ["send", "stop", "daemon", "answer", "help"]],
  ["the beginning of a command", ["st"], ["stop"]],
  ["a subcommand", ["daemon", ""], ["status", "help"]],
  ["a session, by name or id", ["send", ""], ["api", "ses_1"]],
  ["a session after an option", ["send", "--wait", "s"], ["ses_1"]],
  ["another session", ["stop", "api", ""], ["api", "ses_1"]],
  ["a request", ["answer", ""], ["req_1"]],
  ["a choice", ["answer", "req_1", "d"], ["deny"]],
  ["an option", ["send", "--w"], ["--wait"]],
  ["an option's choice", ["send", "--format", ""], ["text", "json"]],
  ["an option's value", ["send", "--runtime", "c"], ["codex"]],
  ["nothing if only the shell can complete the values", ["send", "api", ""], []],
])("completes %s", async (_, words, expected) => {
  const found = await complete(createProgram(), words, lookup);
  expect(found.map(({ word }) => word)).toEqual(expected);
});
