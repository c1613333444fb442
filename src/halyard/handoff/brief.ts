import { isAbsolute, relative } from "node:path";
import type { Handoff, SessionInfo } from "../../schema/session.ts";
import type { LogSummary, SpokenMessage } from "./log-summary.ts";

/** The contents of a brief. */
export interface BriefParts {
  /** The session that is handed off. */
  readonly from: Pick<SessionInfo, "id" | "runtime" | "cwd">;
  /** The first message of the oldest session in the chain of handoffs. Undefined if that session has no message. */
  readonly goal: string | undefined;
  readonly summary: LogSummary;
  /**
   * The files that differ from the start of the session, one line each. If omitted or empty, the brief lists the files
   * that were edited according to the log.
   */
  readonly changed?: readonly string[] | undefined;
  /** How the new agent can read the old log. */
  readonly log: Handoff["log"];
  /** The next task. Defaults to continuing the goal. */
  readonly message: string | undefined;
}

/**
 * Returns the first message of a session that continues the work of another session. The message has at most 32,000
 * characters plus the length of `message`.
 */
export function briefOf(parts: BriefParts): string {
  const { from, summary, message } = parts;
  const { requests, latest, outcome } = summary;
  const goal = parts.goal ?? requests[0];
  const shown = new Set([goal, ...latest.map(({ text }) => taskOf(text))]);
  const later = requests.filter((text) => !shown.has(text)).slice(-LATER);
  const sections = [
    `${OPENING} (${from.runtime}, session ${from.id}) started in this directory. The memory of its model was not transferred: you have this brief, the files, and its log.`,
    section("Goal", goal && quote(goal, GOAL)),
    section("Later user requests", list(later.map((text) => oneLine(text)))),
    section("Latest messages", latest.map(spoken).join("\n\n")),
    section("Open plan items", openItems(summary)),
    section("Changed files", changedFiles(parts)),
    section("How the last turn ended", outcome && ending(outcome)),
    section("Log of the earlier session", access(parts)),
    section(TASK, message ?? CONTINUE),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

/** Returns the task in a brief, or the text itself if it is not a brief. */
export function taskOf(text: string): string {
  const at = text.lastIndexOf(heading(TASK));
  return text.startsWith(OPENING) && at !== -1 ? text.slice(at + heading(TASK).length) : text;
}

const OPENING = "You take over work that another agent";
const TASK = "Your task";
const CONTINUE = "Check the state of the files, then continue with the goal.";

const heading = (title: string): string => `## ${title}\n\n`;

function section(title: string, text: string | undefined): string {
  return text ? `${heading(title)}${text}` : "";
}

function spoken({ role, text }: SpokenMessage): string {
  return `${role}:\n${quote(taskOf(text), SPOKEN)}`;
}

function openItems({ plan = "" }: LogSummary): string {
  if (typeof plan === "string") return plan === "" ? "" : quote(plan, PLAN);
  const open = plan.filter(({ status }) => status === "pending" || status === "in_progress");
  return list(
    open.map(({ content, status }) =>
      oneLine(status === "in_progress" ? `${content} (in progress)` : content),
    ),
  );
}

function changedFiles({ changed, summary: { edited }, from }: BriefParts): string {
  const inside = (path: string) => (isAbsolute(path) ? relative(from.cwd, path) : path);
  const lines = changed && changed.length > 0 ? changed : edited.map(inside);
  return list(
    lines.map((line) => oneLine(line)),
    FILES,
  );
}

function ending({ status, error, stopReason }: NonNullable<LogSummary["outcome"]>): string {
  if (status === "completed") return "completed";
  return `${status}: ${shorten(error?.message ?? stopReason, SPOKEN)}`;
}

function access({ log, from }: BriefParts): string {
  return "file" in log
    ? `Read ${log.file} if you need more than this brief. It contains the messages, tool calls and results.`
    : `Call the tool ${log.tool} of the MCP server ${log.server} if you need more than this brief. It reads the log of ${from.id}.`;
}

function list(lines: readonly string[], most = LINES): string {
  const shown = lines.slice(0, most).map((line) => `- ${line}`);
  if (lines.length > most) shown.push(`- … and ${lines.length - most} more`);
  return shown.join("\n");
}

function quote(text: string, most: number): string {
  return shorten(text.trim().replaceAll(/^/gm, "> "), most);
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > LINE ? `${line.slice(0, LINE)}…` : line;
}

/** Truncates a text in the middle. Keeps its beginning and its end. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters omitted]\n${text.slice(-half)}`;
}

const GOAL = 4000;
const SPOKEN = 1200;
const PLAN = 2000;
const LINE = 160;
const LINES = 20;
const FILES = 50;
const LATER = 10;
