import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import { keyHelp } from "./state/keys.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const web = "dist/web";

async function keysOn(page: Page): Promise<string[]> {
  return page
    .locator("[data-key]")
    .evaluateAll((controls) =>
      controls.map((control) => (control as HTMLElement).dataset.key ?? ""),
    );
}

test("starts, answers, navigates and stops a session with the keyboard only", async () => {
  await using served = await serve({ web });
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url);
  const used = new Set<string>();
  const press = async (key: string) => {
    for (const one of await keysOn(page)) used.add(one);
    await page.keyboard.press(key);
  };
  await press("n");
  await page.getByLabel("Task").waitFor();
  await page.keyboard.type("sh echo hello; say done");
  await page.getByLabel("Directory").fill(served.cwd);
  await page.getByLabel("Runtime").selectOption("fake"); // because the browser handles this control's keys
  await page.keyboard.press("Control+Enter");
  await page.locator(".card").waitFor();
  await press("a");
  await page.locator(".item.end").waitFor();
  await press("Enter");
  await page.keyboard.type("question Shall I?");
  await page.keyboard.press("Enter");
  await page.locator(".card").waitFor();
  await page.keyboard.press("Escape"); // leaves the field, so that the next key is a shortcut again
  await press("i");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await press("a");
  await page.keyboard.type("certainly");
  await page.keyboard.press("Enter");
  await page.getByText("No session is waiting for an answer.").waitFor();
  await page.keyboard.press("Escape");
  await press("j");
  await page.locator(".item.text", { hasText: "certainly" }).waitFor();
  await press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".rail").focus();
  await page.keyboard.press("Home");
  await page.locator(".rail[aria-valuetext^='Turn 1']").waitFor();
  await press("m");
  await page.locator(".menu-list :focus").waitFor();
  await page.keyboard.press("ArrowUp"); // from the first entry to the last
  await page.locator(".menu-list :focus", { hasText: "Stop the session" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".item.note", { hasText: "Session ended" }).waitFor();
  const listed = new Set(keyHelp.flatMap(([keys]) => keys.split(" / ")));
  expect([...used].filter((key) => !listed.has(key))).toEqual([]);
  expect(problems).toEqual([]);
});

test("forks a conversation from the menu, and suggests the runtime's models for a new session", async () => {
  await using served = await serve({ web });
  const id = await served.start({ name: "original" });
  await (await served.halyard.session(id)).send("say first").outcome;
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.locator(".item.end").waitFor();
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "Fork the conversation" }).click();
  await page.waitForFunction((old) => !location.hash.includes(old), id);
  await page.getByLabel("Message").fill("recall");
  await page.getByLabel("Message").press("Enter");
  await page.locator(".item.text", { hasText: "say first" }).waitFor();
  const [fork] = (await served.halyard.sessions()).filter((info) => info.id !== id);
  expect(fork?.forkedFrom).toBe(id);
  await page.getByLabel("Message").blur();
  await page.keyboard.press("n");
  const option = page.locator("#models option");
  await option.nth(1).waitFor({ state: "attached" });
  expect(
    await option.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value)),
  ).toEqual(["fake-large", "fake-small"]);
  await page.getByLabel("Task").fill("say with a model");
  await page.getByRole("dialog").getByLabel("Model").fill("fake-small");
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".item.text", { hasText: "with a model" }).waitFor();
  await page.locator(".session-header", { hasText: "fake-small" }).waitFor();
  await page.locator(".item.end").waitFor();
  await page.getByLabel("Model").focus();
  await page.getByLabel("Model").selectOption("fake-large");
  await page.locator(".session-header", { hasText: "fake-large" }).waitFor();
  expect(problems).toEqual([]);
});

test("marks the end of the log as visible on the rail while a long message streams", async () => {
  await using served = await serve({ web });
  const id = await served.start();
  const { page } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  const session = await served.halyard.session(id);
  session.send("stream 3000; wait");
  await page.locator(".item.text", { hasText: "2999" }).waitFor();
  const part = () =>
    page.locator(".rail-view").evaluate((view) => {
      const [y, height] = ["y", "height"].map((name) => Number(view.getAttribute(name)));
      return [y, Math.round((y ?? 0) + (height ?? 0))];
    });
  await expect.poll(part).toEqual([expect.any(Number), 1000]);
  const short = await served.start();
  await (await served.halyard.session(short)).send("say short; say enough; say now").outcome;
  await page.evaluate((hash) => location.assign(hash), `#/s/${short}`);
  await page.locator(".item.end").waitFor();
  await expect.poll(part).toEqual([0, 1000]);
});

test("shows each turn and its tokens while the user drags along the rail", async () => {
  await using served = await serve({ web });
  const id = await served.start();
  const session = await served.halyard.session(id);
  for (let turn = 1; turn <= 8; turn++)
    await session.send(`say ${`turn ${turn} `.repeat(120)}`).outcome;
  const { page } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.locator(".rail-turn").nth(7).waitFor({ state: "attached" });
  const rail = await page.locator(".rail").boundingBox();
  if (!rail) throw new Error("no rail");
  const [x, y] = [rail.x + rail.width / 2, rail.y + rail.height / 2];
  await page.mouse.move(x, y + 40);
  await page.mouse.down();
  await page.mouse.move(x, y);
  await page.locator(".rail-tip", { hasText: /^Turn [45] · .* · [\d.]+k? tokens/ }).waitFor();
  await page.mouse.up();
  await page.locator(".to-end").waitFor();
  await page.keyboard.press("G");
  await page.locator(".to-end").waitFor({ state: "detached" });
});
