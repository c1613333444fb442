import type { RequestDraft } from "../contracts/event-draft.ts";
import type { PermissionRule, RequestOption } from "../schema/permission.ts";
import { isEditInside } from "./judge.ts";
import { judgedKind } from "./judged-kind.ts";
import type { PathScope } from "./path-policy.ts";
import { coveredCommand } from "./simple-command.ts";

/** The scope of a rule. The rule gets its id when a user creates it. */
export type RuleCover = Omit<PermissionRule, "id">;

/**
 * Returns the scope of an "always" answer to this request. The rule covers only this tool: for commands, the same
 * program or text; for edits, unprotected files in the working directory; for fetches, the same host; otherwise any
 * input. Returns undefined if no safe rule exists, for example for a compound command or a question.
 */
export function coverOf(request: RequestDraft, scope: PathScope): RuleCover | undefined {
  const { tool, kind: asked } = request;
  if (asked === "question" || tool === undefined) return undefined;
  const { name } = tool;
  const kind = judgedKind(request);
  switch (kind) {
    case "execute": {
      const covered = coveredCommand(request.command ?? commandIn(tool.input) ?? "");
      if (covered === undefined) return undefined;
      const { program, isExact } = covered;
      const what = isExact ? `the command "${program}"` : `any "${program}" command`;
      return { tool: name, kind, program, text: `${what} with ${name}` };
    }
    case "edit": {
      if (!isEditInside(request, scope)) return undefined;
      return { tool: name, kind, text: `edits of unprotected files in ${scope.cwd} with ${name}` };
    }
    case "fetch": {
      const host = hostIn(tool.input);
      if (host === undefined) return undefined;
      return { tool: name, kind, host, text: `requests to ${host} with ${name}` };
    }
    case "read":
    case "search":
    case "other":
      return { tool: name, kind, text: `any use of ${name}, with any input` };
  }
}

/** Returns the rule that has the same scope as `cover`, or undefined. */
export function findRule(
  rules: readonly PermissionRule[],
  cover: RuleCover,
): PermissionRule | undefined {
  return rules.find(
    ({ tool, kind, program, host }) =>
      tool === cover.tool &&
      kind === cover.kind &&
      program === cover.program &&
      host === cover.host,
  );
}

/** Returns the request option that creates the rule. Its label describes everything that the rule covers. */
export function alwaysOption(cover: RuleCover, offered: readonly RequestOption[]): RequestOption {
  const isTaken = offered.some(({ id }) => id === "always");
  return {
    id: isTaken ? "halyard-always" : "always",
    label: `Allow ${cover.text}, for the rest of this session`,
    decision: "allow",
    rule: cover,
  };
}

function commandIn(input: unknown): string | undefined {
  return fieldOf(input, ["command", "cmd"]);
}

function hostIn(input: unknown): string | undefined {
  const url = fieldOf(input, ["url", "uri"]) ?? "";
  return URL.canParse(url) ? new URL(url).host || undefined : undefined;
}

function fieldOf(input: unknown, names: readonly string[]): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const [value]: unknown[] = names.flatMap((name) => Reflect.get(input, name) ?? []);
  return typeof value === "string" ? value : undefined;
}
