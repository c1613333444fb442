import { expect, test } from "vitest";
import { splitCommand } from "./command-line.ts";

test.each([
  ["opencode acp", ["opencode", "acp"]],
  ["  a   b\tc ", ["a", "b", "c"]],
  [`"my agent" --name='x y' ''`, ["my agent", "--name=x y", ""]],
  ["a\\ b c", ["a b", "c"]],
  [`"a \\"b\\" \\n"`, ['a "b" \\n']],
  ["$(rm -rf /) `x` $HOME ; y | z", ["$(rm", "-rf", "/)", "`x`", "$HOME", ";", "y", "|", "z"]],
])("splits %j without expanding it", (line, words) => {
  expect(splitCommand(line)).toEqual(words);
});

test("rejects an unclosed quote", () => {
  expect(() => splitCommand('agent "acp')).toThrow(
    expect.objectContaining({ code: "invalid_input" }),
  );
});
