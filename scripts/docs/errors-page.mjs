import { errorTable, Limits, Phase } from "../../dist/index.js";
import { fieldComment, readBuilt } from "./comments.mjs";
import { generatedFrom, table } from "./table.mjs";

/** docs/errors.md: every error, and how HTTP and the shell hear of it. */
export function errorsPage() {
  const rows = Object.entries(errorTable).map(
    ([code, { meaning, httpStatus, exitCode, retryable }]) => [
      `\`${code}\``,
      meaning,
      String(exitCode),
      String(httpStatus),
      retryable ? "yes" : "",
    ],
  );
  return `# Errors

${generatedFrom("src/schema/error.ts")}

The caller's and the machine's faults are thrown, as a \`HalyardError\` with a \`code\`. A runtime's failure is not thrown:
it is the \`error\` of the turn's outcome, with the same codes. Cancelling is neither: the outcome's status is \`cancelled\`.

In all of them \`message\` says what happened and, where we know it, what to do. *Exit* is the exit code of \`halyard\`,
*HTTP* the status that an HTTP API answers with, *retry* says that the same again may well succeed.

${table(["code", "meaning", "exit", "HTTP", "retry"], rows)}

\`halyard run\` exits with 0 for a completed turn, 130 for a cancelled one, and otherwise with the code of its error.

## Time limits

A \`timed_out\` error has a \`phase\`: what took too long, one of ${phases}. The limits are set by \`limits\` when a
session is started; 0 lifts one.

${table(["limit", "default", ""], limits())}
`;
}

const phases = Phase.options.map((phase) => `\`${phase}\``).join(", ");

function limits() {
  const source = readBuilt("schema/start-request.js");
  return Object.entries(Limits.parse({})).map(([name, ms]) => [
    `\`${name}\``,
    ms === 0 ? "none" : `${ms / 1000} s`,
    fieldComment(source, "Limits", name),
  ]);
}
