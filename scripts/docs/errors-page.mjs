import { errorTable, Limits, Phase } from "../../dist/index.js";
import { fieldComment, readBuilt } from "./comments.mjs";
import { generatedFrom, table } from "./table.mjs";

/** Returns docs/reference/errors.md: every error code with its exit code and HTTP status. */
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

${generatedFrom("src/schema/error-table.ts and src/schema/session/start-request.ts")}

Halyard throws a \`HalyardError\` with a \`code\` if the caller or the machine is at fault. The failure of a runtime is not
thrown: it is the \`error\` of the turn's outcome, with the same codes. Cancellation is not an error: the status of the outcome
is \`cancelled\`.

\`message\` states what failed and, if known, what to do next. *Exit* is the exit code of the command line, *HTTP* is the status
of the HTTP API, and *retry* marks errors for which a second attempt may succeed.

${table(["code", "meaning", "exit", "HTTP", "retry"], rows)}

\`halyard run\` exits with 0 if the turn completed, with 130 if it was cancelled, and otherwise with the exit code of its error.

## Time limits

A \`timed_out\` error names the \`phase\` that exceeded its limit: ${phases}. Set limits with \`limits\` when you start a session.
The value 0 removes a limit.

${table(["limit", "default", "description"], limits())}
`;
}

const phases = Phase.options.map((phase) => `\`${phase}\``).join(", ");

function limits() {
  const source = readBuilt("schema/session/start-request.js");
  return Object.entries(Limits.parse({})).map(([name, ms]) => [
    `\`${name}\``,
    ms === 0 ? "none" : `${ms / 1000} s`,
    fieldComment(source, "Limits", name),
  ]);
}
