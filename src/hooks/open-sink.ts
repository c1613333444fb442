import { HalyardError } from "../core/error.ts";
import { parseInput } from "../core/parse-input.ts";
import {
  CommandHook,
  FileHook,
  type HookPayload,
  type HookSettings,
  UrlHook,
} from "../schema/hook.ts";
import { type CommandPlace, commandSink } from "./command-sink.ts";
import { fileSink } from "./file-sink.ts";
import type { HookSink } from "./sink.ts";
import { type UrlPlace, urlName, urlSink } from "./url-sink.ts";

/** A hook as given to `createHalyard`: what a configuration file can hold, or a function that is told. */
export type Hook = HookSettings | ((payload: HookPayload) => void | Promise<void>);

/** Where hooks find themselves. */
export interface HookPlace extends CommandPlace, UrlPlace {
  /** Where the secrets are that settings name as `${NAME}`. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
}

/** The sink behind a hook; one that makes no sense is refused. */
export function openSink(hook: Hook, place: HookPlace): HookSink {
  if (typeof hook === "function")
    return { name: hook.name || "callback", deliver: async (payload) => hook(payload) };
  if ("command" in hook) return commandSink(parseInput(CommandHook, hook), place);
  if ("file" in hook) return fileSink(parseInput(FileHook, hook), place);
  return urlSink(withSecret(parseInput(UrlHook, hook), place), place);
}

/** The secret is looked up now, so that a hook that cannot sign is refused and not found out about later. */
function withSecret(hook: UrlHook, { secrets }: HookPlace): UrlHook {
  const variable = /^\$\{(\w+)\}$/.exec(hook.secret ?? "")?.[1];
  if (variable === undefined) return hook;
  const secret = secrets[variable];
  if (secret) return { ...hook, secret };
  throw new HalyardError(
    "invalid_config",
    `hook ${urlName(hook)} cannot sign: its secret is the value of ${variable}, which is not set in the environment`,
  );
}
