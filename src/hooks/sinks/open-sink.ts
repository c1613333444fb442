import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import {
  CommandHook,
  FileHook,
  type HookPayload,
  type HookSettings,
  UrlHook,
} from "../../schema/hook.ts";
import { type CommandContext, commandSink } from "./command-sink.ts";
import { fileSink } from "./file-sink.ts";
import type { HookSink } from "./sink.ts";
import { type UrlContext, urlName, urlSink } from "./url-sink.ts";

/** A hook for `createHalyard`: an object as in a configuration file, or a function that receives the payload. */
export type Hook = HookSettings | ((payload: HookPayload) => void | Promise<void>);

/** The environment in which hook sinks run. */
export interface HookContext extends CommandContext, UrlContext {
  /** The variables that settings can reference as `${NAME}` to use a secret. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
}

/** Opens the sink of a hook. Throws if the hook is invalid, or if it uses a variable that is not set. */
export function openSink(hook: Hook, options: HookContext): HookSink {
  if (typeof hook === "function")
    return { name: hook.name || "callback", deliver: async (payload) => hook(payload) };
  if ("command" in hook) return commandSink(parseInput(CommandHook, hook), options);
  if ("file" in hook) return fileSink(parseInput(FileHook, hook), options);
  return urlSink(withSecrets(parseInput(UrlHook, hook), options), options);
}

/**
 * Resolves the variables immediately, so that a missing variable is reported when the session starts instead of at the
 * first delivery.
 */
function withSecrets(hook: UrlHook, { secrets }: HookContext): UrlHook {
  const resolve = (text: string, problem: string) =>
    text.replace(/\$\{(\w+)\}/g, (_, variable: string) => {
      const value = secrets[variable];
      if (value) return value;
      throw new HalyardError(
        "invalid_config",
        `The hook ${urlName(hook)} ${problem} uses the variable ${variable}, which is not set. Set ${variable} in the environment.`,
      );
    });
  const headers = Object.entries(hook.headers).map(([name, value]) => [
    name,
    resolve(value, `cannot be called: its header ${name}`),
  ]);
  const signing = hook.secret &&
    /^\$\{\w+\}$/.test(hook.secret) && {
      secret: resolve(hook.secret, "cannot sign its requests: its secret"),
    };
  return { ...hook, ...signing, headers: Object.fromEntries(headers) };
}
