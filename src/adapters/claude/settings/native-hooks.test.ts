import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { nativeEnd, nativeHookDrafts } from "./native-hooks.ts";

const status = (data: unknown, text?: string) => ({
  type: "system",
  subtype: "status",
  ...(text !== undefined && { text }),
  data,
});

test.each([
  [
    { hook_event_name: "SessionStart", source: "startup", transcript_path: "/t" },
    [status({ hook: "SessionStart", source: "startup", transcriptPath: "/t" })],
  ],
  [
    { hook_event_name: "SessionEnd", reason: "other" },
    [status({ hook: "SessionEnd", endReason: "other" })],
  ],
  [{ hook_event_name: "SessionEnd", reason: "clear" }, []],
  [
    { hook_event_name: "Notification", message: "Waiting", notification_type: "idle_prompt" },
    [status({ hook: "Notification", notificationType: "idle_prompt" }, "Waiting")],
  ],
  [{ hook_event_name: "Stop", last_assistant_message: "Done" }, []],
])("maps the hook message %j to status drafts", (message, drafts) => {
  expect(nativeHookDrafts(JSON.stringify(message))).toEqual(drafts);
});

test("ignores another hook's output", () => {
  expect(nativeHookDrafts("formatted 3 files")).toEqual([]);
});

test("reports no end if the hook did not run or was killed", async () => {
  const file = join(await temporaryDirectory(), "end.json");
  expect(await nativeEnd(file)).toEqual([]);
  await writeFile(file, '{"hook_event_name":"SessionEnd","rea');
  expect(await nativeEnd(file)).toEqual([]);
});
