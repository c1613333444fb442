import { MARKER, type Mark } from "../../recording/mark.ts";

/** A process in a container, with its pid inside the container. */
export interface ProcessEntry {
  readonly pid: number;
  readonly startTime: string;
  /**
   * The mark of the process or its nearest marked ancestor. Ancestors are checked, because some programs clear their
   * children's environment.
   */
  readonly mark: Mark | undefined;
  readonly command: string;
}

/** Parses the output of the `listProcesses` script. Excludes exited processes. */
export function readProcessTable(output: string): ProcessEntry[] {
  const files = textsByFile(output);
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

/**
 * Groups the lines by file. Every line starts with its file, so that a name with line breaks cannot imitate another
 * file.
 */
function textsByFile(output: string): Map<string, string> {
  const lines = new Map<string, string[]>();
  for (const line of output.split("\n")) {
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

/** Parses the fields after the last parenthesis, because a program's name can contain spaces and parentheses. */
function readStat(text: string): Stat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent] = fields;
  const startTime = fields[19];
  if (startTime === undefined) return undefined; // the process exited while the file was read
  return { pid: Number.parseInt(text, 10), state, parent: Number(parent), startTime };
}

const MARK = new RegExp(`^${MARKER}=([0-9a-f]{32}):(.+)$`, "s");

function readMark(text = ""): Mark | undefined {
  const [, marker, runDir] = MARK.exec(text) ?? [];
  return marker === undefined || runDir === undefined ? undefined : { marker, runDir };
}
