import { z } from "zod";

/** The policy that decides a runtime's requests to use tools. */
export const PermissionPolicy = z.enum(["allow-all", "allow-edits", "ask", "deny"]);
export type PermissionPolicy = z.infer<typeof PermissionPolicy>;

/** True if the first policy allows something that the second does not. */
export function isLooser(policy: PermissionPolicy, than: PermissionPolicy): boolean {
  return laxity[policy] > laxity[than];
}

const laxity = { deny: 0, ask: 1, "allow-edits": 2, "allow-all": 3 } as const satisfies Record<
  PermissionPolicy,
  number
>;

/** The kind of a tool, independent of the runtime's name for it. */
export const ToolKind = z.enum(["execute", "read", "edit", "search", "fetch", "other"]);
export type ToolKind = z.infer<typeof ToolKind>;

/**
 * A permission that a user granted for the rest of a session. It applies to requests for which the policy would ask a
 * user.
 */
export const PermissionRule = z.strictObject({
  /** The id of the rule. */
  id: z.string(),
  /** The tool that the rule applies to. */
  tool: z.string(),
  /** The kind of the tool. */
  kind: ToolKind,
  /**
   * The program, or git with its subcommand. The rule covers simple commands that run this program. If arguments could
   * make the program run other programs or change existing files, this field contains the whole command, and the rule
   * covers only this command.
   */
  program: z.string().optional(),
  /** The host of the URLs that the rule covers. */
  host: z.string().optional(),
  /** A description of everything that the rule covers. */
  text: z.string(),
});
export type PermissionRule = z.infer<typeof PermissionRule>;

/** One possible answer to a request. */
export const RequestOption = z.strictObject({
  /** The id of the option, for `Answer.optionId`. */
  id: z.string(),
  /** The text of the option. */
  label: z.string(),
  /** The decision that the option stands for. */
  decision: z.enum(["allow", "deny"]),
  /** The rule that this option creates. */
  rule: PermissionRule.omit({ id: true }).optional(),
});
export type RequestOption = z.infer<typeof RequestOption>;

/**
 * The answer to a request. A permission request is allowed or denied. To answer a question, allow it and set `text` or
 * `optionId`.
 */
export const Answer = z.strictObject({
  /** The decision: the request is allowed or denied. */
  decision: z.enum(["allow", "deny"]),
  /** The id of the chosen option, if the request has options. */
  optionId: z.string().optional(),
  /** The answer to a question, or the reason for a denial. */
  text: z.string().optional(),
});
export type Answer = z.infer<typeof Answer>;
