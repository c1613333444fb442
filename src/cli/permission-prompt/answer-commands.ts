import type { RequestEvent } from "../../schema/event.ts";
import { cleanLine } from "../text/clean.ts";
import { alwaysScope } from "./request-lines.ts";

/** Returns the commands that answer a request from another console. A comment shows the scope of `always`. */
export function answerCommands(request: RequestEvent): string[] {
  const command = `halyard answer ${request.requestId}`;
  if (request.kind === "question") return [`${command} "…"`];
  const scope = cleanLine(alwaysScope(request));
  return [
    `${command} yes`,
    ...(scope === "" ? [] : [`${command} always   # ${scope}`]),
    `${command} "no, REASON"`,
  ];
}
