import { EMBEDDED_LOG, type EmbeddedLog } from "../../schema/page/embedded-log.ts";

/** Returns the log that `halyard export --html` embedded in this page, or undefined if the page contains no log. */
export function readRecording(document: Document): EmbeddedLog | undefined {
  const text = document.getElementById(EMBEDDED_LOG)?.textContent;
  return text ? (JSON.parse(text) as EmbeddedLog) : undefined;
}
