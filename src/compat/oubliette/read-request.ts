import { parseInput } from "../../errors/parse-input.ts";
import { ExecuteRequest, RuntimeContext } from "./execute-request.ts";

/** Parses the context for `initialize`. Throws `invalid_input` if it does not match the schema. */
export function readContext(input: RuntimeContext): RuntimeContext {
  return normalized(parseInput(RuntimeContext, withoutZeroValues(input)));
}

/** Parses the request for `execute` and `executeStreaming`. Throws `invalid_input` if it does not match the schema. */
export function readRequest(input: ExecuteRequest): ExecuteRequest {
  return normalized(parseInput(ExecuteRequest, withoutZeroValues(input)));
}

/** Returns the request fields that `initialize` also accepts. */
export function contextOf(request: RuntimeContext): RuntimeContext {
  const names = Object.keys(RuntimeContext.shape);
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)));
}

/** Removes fields that have a Go struct's zero value: an empty string, 0 or null means that the field is not set. */
function withoutZeroValues(input: object): object {
  const { prompt, ...optional } = { prompt: undefined, ...input };
  const set = Object.entries(optional).filter(
    ([, value]) => value !== "" && value !== 0 && value !== null,
  );
  return { prompt, ...Object.fromEntries(set) };
}

/** Merges the alternative fields for the project id and for the container id. */
function normalized<C extends RuntimeContext>({ project, containerID, ...context }: C) {
  const projectID = typeof project === "object" ? project.id : project;
  const running = containerID !== undefined && {
    container: { ...context.container, containerId: containerID },
  };
  return { ...context, ...(projectID !== undefined && { projectID }), ...running };
}
