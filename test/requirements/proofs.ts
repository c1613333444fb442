/** A test that names a requirement in its title, as in `test("ends once [s0.topic.some-words]", …)`. */
export interface Proof {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  /** False for `test.skip` and `test.todo`: a test that does not run proves nothing. */
  readonly runs: boolean;
}

/** Reads the source as text. A title counts if its `test`, `it` or `describe` begins the line. */
export function findProofs(file: string, source: string): Proof[] {
  return [...source.matchAll(callOnItsOwnLine)].flatMap((call) => {
    const title = readTitle(source, call.index + call[0].length);
    if (title === undefined) return [];
    const runs = !/\.(skip|todo)\b/.test(call[0]);
    return [...title.matchAll(idInBrackets)].map(([, id = ""]) => ({ id, file, title, runs }));
  });
}

const callOnItsOwnLine = /^[ \t]*(?:test|it|describe)(?:\s*\.\w+)*/gm;
const idInBrackets = /\[(s[0-4]\.[^\]]*)\]/g;
const stringLiteral = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/;

/** The first argument if it is a string; the table of `.each` or the condition of `.skipIf` is passed over. */
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
