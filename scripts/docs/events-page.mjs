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

/** docs/events.md: the one vocabulary. */
export function eventsPage() {
  return `# Events

${generatedFrom("src/schema/event.ts and its neighbours")}

One vocabulary for every runtime, store and screen. A session's log is a list of these, numbered from 1 without a gap;
a program reads it with \`for await (const event of turn)\`, \`session.events()\` or \`halyard events --format json\`.

What holds for every runtime, whatever it does:

- A turn ends exactly once, and \`completion\` is its last event.
- Every \`tool_call\` gets one \`tool_result\`, a synthetic one (\`isError\`, "interrupted") where the runtime never sends it.
- The deltas of a message add up to its \`message\`. A stream that is given up is closed by \`system/retry\` and goes on
  under another \`messageId\`; the old one gets no \`message\`.
- What a runtime says that we do not know is kept as \`system/raw\`.
- \`usage\` is this turn's, also where the runtime counts up.

A turn, shortened:

\`\`\`json
${sample()
  .map((event) => JSON.stringify(event))
  .join("\n")}
\`\`\`

## The envelope

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
  return table(["subtype", "says"], rows);
}

function fields(name, without = []) {
  const { shape } = schemas[name];
  const rows = Object.entries(shape)
    .filter(([field]) => !without.includes(field))
    .map(([field, schema]) => {
      const { type, isOptional } = typeName(schema, schemas, shapes);
      return [`\`${field}\`${isOptional ? "?" : ""}`, type, comment(name, field)];
    });
  return table(["field", "type", ""], rows);
}

function summary(name) {
  return first((source) => commentOf(source, name));
}

/** A field's own comment, or that of the schema it was taken from. */
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
