import { MARKER, type Mark } from "../recording/mark.ts";

/** A process in a container, by the pid that it has there. */
export interface ProcessEntry {
  readonly pid: number;
  readonly startTime: string;
  /** Its own, or that of the nearest process above it that has one: some programs clear what they hand down. */
  readonly mark: Mark | undefined;
  readonly command: string;
}

/** Reads what the script `tell` says: the processes that have not ended. */
export function readProcessTable(told: string): ProcessEntry[] {
  const files = textsByFile(told);
  const stats = new Map<number, Stat>();
  for (const [file, text] of files) {
    const stat = file.endsWith("/stat") ? readStat(text) : undefined;
    if (stat && stat.state !== "Z" && stat.state !== "X") stats.set(stat.pid, stat);
  }
  const markOf = (pid: number, seen = new Set<number>()): Mark | undefined => {
    const stat = stats.get(pid);
    if (stat === undefined || seen.has(pid)) return undefined;
    return readMark(files.get(`/proc/${pid}/environ`)) ?? markOf(stat.parent, seen.add(pid));
  };
  return [...stats.values()].map(({ pid, startTime }) => ({
    pid,
    startTime,
    mark: markOf(pid),
    command: (files.get(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ").trim(),
  }));
}

/** Every line says which file it is of: a name may go over several, and none can pass for another file's. */
function textsByFile(told: string): Map<string, string> {
  const lines = new Map<string, string[]>();
  for (const line of told.split("\n")) {
    const [, file, text = ""] = /^(\/proc\/\d+\/\w+):(.*)$/s.exec(line) ?? [];
    if (file !== undefined) lines.set(file, [...(lines.get(file) ?? []), text]);
  }
  return new Map([...lines].map(([file, texts]) => [file, texts.join("\n")]));
}

interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly startTime: string;
}

/** A program's name may hold spaces and parentheses: the fields are counted from behind the last one. */
function readStat(text: string): Stat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent] = fields;
  const startTime = fields[19];
  if (startTime === undefined) return undefined; // it went while it was told of
  return { pid: Number.parseInt(text, 10), state, parent: Number(parent), startTime };
}

const MARK = new RegExp(`^${MARKER}=([0-9a-f]{32}):(.+)$`, "s");

function readMark(text = ""): Mark | undefined {
  const [, marker, runDir] = MARK.exec(text) ?? [];
  return marker === undefined || runDir === undefined ? undefined : { marker, runDir };
}
