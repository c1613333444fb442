import * as errors from "../../dist/schema/error.js";
import * as events from "../../dist/schema/event.js";
import * as outcomes from "../../dist/schema/outcome.js";
import * as permissions from "../../dist/schema/permission.js";
import { commentOf, fieldComment, readBuilt } from "./comments.mjs";
import { sample } from "./sample-events.mjs";
import { generatedFrom, table } from "./table.mjs";
import { typeName } from "./type-name.mjs";

const sources = ["error", "event", "outcome", "permission"].map((name) =>
  readBuilt(`schema/${name}.js`),
);
const schemas = { ...errors, ...events, ...outcomes, ...permissions };

const bodies = [
  "SystemEvent",
  "DeltaEvent",
  "MessageEvent",
  "ToolCallEvent",
  "ToolResultEvent",
  "RequestEvent",
  "ResponseEvent",
  "CompletionEvent",
  "ErrorEvent",
];
const shapes = ["Outcome", "Usage", "ErrorInfo", "RequestOption"];

/** Returns docs/reference/events.md: every event type with its fields. */
export function eventsPage() {
  return `# Events

${generatedFrom("src/schema/event.ts, outcome.ts, permission.ts and error.ts")}

Every runtime emits the same events. The log of a session is a list of events, numbered from 1 without gaps. A program reads
it with \`for await (const event of turn)\` or \`session.events()\`; the command line prints it with
\`halyard events ID --format json\`. [The event log](../concepts/event-log.md) explains how events are stored and followed.

These rules hold for every runtime:

- A turn ends exactly once, and \`completion\` is its last event.
- Every \`tool_call\` has exactly one \`tool_result\`. If the runtime sends none, Halyard adds one with \`isError: true\` and the
  output "interrupted".
- The deltas of a message concatenate to its \`message\`. If the runtime abandons a stream, \`system/retry\` closes it, and the
  next attempt has another \`messageId\`. The abandoned id gets no \`message\`.
- A native message that the adapter does not recognize becomes \`system/raw\`.
- \`usage\` counts one turn, even if the runtime reports cumulative values.

A shortened turn:

\`\`\`json
${sample()
  .map((event) => JSON.stringify(event))
  .join("\n")}
\`\`\`

## Envelope

${summary("EventEnvelope")}

${fields("EventEnvelope")}

${bodies.map(section).join("\n\n")}

## Shapes

${shapes.map((name) => `### ${name}\n\n${summary(name)}\n\n${fields(name)}`).join("\n\n")}
`;
}

function section(name) {
  const type = schemas[name].shape.type.value;
  const more = name === "SystemEvent" ? `\n\n${subtypes()}` : "";
  return `## \`${type}\`\n\n${summary(name)}\n\n${fields(name, ["type"])}${more}`;
}

function subtypes() {
  const rows = events.SystemSubtype.options.map((subtype) => [
    `\`${subtype}\``,
    comment("SystemSubtype", subtype),
  ]);
  return table(["subtype", "description"], rows);
}

function fields(name, without = []) {
  const { shape } = schemas[name];
  const rows = Object.entries(shape)
    .filter(([field]) => !without.includes(field))
    .map(([field, schema]) => {
      const { type, isOptional } = typeName(schema, schemas, shapes);
      return [`\`${field}\`${isOptional ? "?" : ""}`, type, comment(name, field)];
    });
  return table(["field", "type", "description"], rows);
}

function summary(name) {
  return first((source) => commentOf(source, name));
}

/** Returns the comment of a field, or the comment in the schema that the field comes from. */
function comment(name, field) {
  const origins = { ResponseEvent: "Answer", ErrorEvent: "ErrorInfo" };
  const origin = origins[name];
  const own = first((source) => fieldComment(source, name, field));
  return own || (origin ? first((source) => fieldComment(source, origin, field)) : "");
}

function first(find) {
  for (const source of sources) {
    const found = find(source);
    if (found) return found;
  }
  return "";
}
