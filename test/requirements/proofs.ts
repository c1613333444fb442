/** A test that proves a requirement, by its title or by the proof table. */
export interface Proof {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  /** False for `test.skip` and `test.todo`: a test that does not run proves nothing. */
  readonly runs: boolean;
}

/** The tests of a file that the proof table lists: title → ids. */
export type ListedProofs = Readonly<Record<string, readonly string[]>>;

/** Finds the proofs in the source of a test file. Recognizes a title if its `test`, `it` or `describe` starts the line. */
export function findProofs(file: string, source: string, listed: ListedProofs = {}): Proof[] {
  return findTitles(source).flatMap(({ title, runs }) => {
    const ids = Object.hasOwn(listed, title) ? (listed[title] ?? []) : [];
    return [...idsIn(title), ...ids].map((id) => ({ id, file, title, runs }));
  });
}

/** Returns the mistakes in titles and in the proof table of one file, each with its remedy. */
export function findTitleProblems(file: string, source: string, listed: ListedProofs): string[] {
  const titles = findTitles(source).map(({ title }) => title);
  const crowded = titles
    .filter((title) => idsIn(title).length > MOST_IN_A_TITLE)
    .map(
      (title) =>
        `${file}: "${title}" names more than ${MOST_IN_A_TITLE} ids. Move them to test/requirements/proof-table.ts.`,
    );
  const missing = Object.keys(listed)
    .filter((title) => !titles.includes(title))
    .map(
      (title) =>
        `${file} has no test "${title}". Correct the file or the title in test/requirements/proof-table.ts.`,
    );
  return [...crowded, ...missing];
}

const MOST_IN_A_TITLE = 3;

function idsIn(title: string): string[] {
  return [...title.matchAll(idInBrackets)].map(([, id = ""]) => id);
}

function findTitles(source: string): { title: string; runs: boolean }[] {
  return [...source.matchAll(callOnItsOwnLine)].flatMap((call) => {
    const title = readTitle(source, call.index + call[0].length);
    return title === undefined ? [] : [{ title, runs: !/\.(skip|todo)\b/.test(call[0]) }];
  });
}

const callOnItsOwnLine = /^[ \t]*(?:test|it|describe)(?:\s*\.\w+)*/gm;
const idInBrackets = /\[(s[0-4]\.[^\]]*)\]/g;
const stringLiteral = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/;

/** Returns the first argument if it is a string. Skips the table of `.each` and the condition of `.skipIf`. */
function readTitle(source: string, start: number): string | undefined {
  const at = start + (matchAt(/\s*/, source, start)?.[0].length ?? 0);
  switch (source[at]) {
    case "`":
      return readTitle(source, endOfString(source, at));
    case "<":
      return readTitle(source, endOfTypes(source, at));
    case "(": {
      const space = matchAt(/\s*/, source, at + 1)?.[0].length ?? 0;
      const title = matchAt(stringLiteral, source, at + 1 + space)?.[2];
      return title ?? readTitle(source, endOfParentheses(source, at));
    }
    default:
      return undefined;
  }
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  const here = new RegExp(pattern, "sy");
  here.lastIndex = at;
  return here.exec(source);
}

function endOfString(source: string, start: number): number {
  return start + (matchAt(stringLiteral, source, start)?.[0].length ?? 1);
}

function endOfTypes(source: string, start: number): number {
  return start + (matchAt(/<.*?>(?=[(`])/, source, start)?.[0].length ?? 1);
}

function endOfParentheses(source: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < source.length) {
    const character = source[at] ?? "";
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    at = "\"'`".includes(character) ? endOfString(source, at) : at + 1;
    if (depth === 0) return at;
  }
  return at;
}
