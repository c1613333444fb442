import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import type { SessionId } from "../schema/id.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const web = "dist/web";

/** Starts a session, by default with the policy `ask`, and opens it on the page. */
async function openSession(
  served: Served,
  settings: object = { permissions: "ask" },
): Promise<{ page: Page; id: SessionId; problems: string[] }> {
  const id = await served.start(settings);
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.getByLabel("Message").waitFor();
  return { page, id, problems };
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByLabel("Message").press("Enter");
}

test("starts a session from the dialog and streams its reply", async () => {
  await using served = await serve({ web });
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url);
  await page.keyboard.press("n");
  await page.getByLabel("Task").fill("think First things first.; say Hello **world**");
  await page.getByLabel("Directory").fill(served.cwd);
  await page.getByLabel("Runtime").selectOption("fake");
  await page.getByLabel("Name").fill("greeter");
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".item.text strong", { hasText: "world" }).waitFor();
  expect(await page.locator(".item.reasoning summary").textContent()).toContain("Thought");
  expect(await page.locator("h1").textContent()).toBe("greeter");
  await page.locator(".item.end").waitFor();
  const [info] = await served.halyard.sessions();
  expect(info).toMatchObject({ name: "greeter", runtime: "fake", permissions: "ask", turns: 1 });
  expect(problems).toEqual([]);
});

test("allows a request with a keyboard shortcut, and shows the number of requests in the title", async () => {
  await using served = await serve({ web });
  const { page } = await openSession(served);
  await send(page, "sh echo hello-from-shell");
  await page.locator(".card").waitFor();
  expect(await page.title()).toBe("(1) Halyard");
  expect(await page.locator(".group-needs .session-row").count()).toBe(1);
  expect(await page.locator(".card .output").textContent()).toBe("echo hello-from-shell");
  await page.getByLabel("Message").blur();
  await page.keyboard.press("a");
  await page.locator(".item.end").waitFor();
  expect(await page.locator(".answered").textContent()).toContain("Allowed");
  await page.locator(".item.tool summary").click();
  expect(await page.locator(".item.tool .output").last().textContent()).toContain(
    "hello-from-shell",
  );
  await page.waitForFunction(() => document.title === "Halyard");
});

test("shows the change that an edit request would make, including invisible characters", async () => {
  await using served = await serve({ web });
  const { page } = await openSession(served);
  await send(page, "tool write src/a.ts export const a\u202e = 1;");
  const card = page.locator(".card");
  await card.waitFor();
  expect(await card.locator("h2").textContent()).toBe("Wants to edit src/a.ts");
  expect(await card.locator(".diff-line.added .diff-text").allTextContents()).toEqual([
    "export const a\\u202e = 1;",
  ]);
  expect(await card.locator(".fields").count()).toBe(0);
  expect(await page.locator(".item.tool .running").count()).toBe(0); // the call waits and does not run
});

test("denies a request with a reason that the agent receives", async () => {
  await using served = await serve({ web });
  const { page } = await openSession(served);
  await send(page, "sh echo never");
  await page.locator(".card").waitFor();
  await page.getByLabel("Message").blur();
  await page.keyboard.press("d");
  await page.getByLabel("Reason for the denial").fill("use the script instead");
  await page.keyboard.press("Enter");
  await page.locator(".item.end").waitFor();
  expect(await page.locator(".answered").textContent()).toContain("use the script instead");
  await page.locator(".item.tool summary").click();
  expect(await page.locator(".item.tool .output").last().textContent()).toBe(
    "denied: use the script instead",
  );
});

test("answers a question with an option in the inbox", async () => {
  await using served = await serve({ web });
  const { page } = await openSession(served);
  await send(page, "question Shall I continue?");
  await page.locator(".card").waitFor();
  await page.getByLabel("Message").blur();
  await page.keyboard.press("i");
  await page.locator(".inbox-group .card").getByRole("button", { name: "yes" }).click();
  await page.getByText("No session is waiting for an answer.").waitFor();
  await page.locator(".session-row").click();
  await page.locator(".item.text", { hasText: "yes" }).waitFor();
});

test("queues and steers messages, and interrupts the turn", async () => {
  await using served = await serve({ web });
  const { page, id } = await openSession(served, { permissions: "allow-all" });
  await send(page, "wait; say first");
  await page.getByRole("button", { name: "Interrupt" }).waitFor();
  await send(page, "say queued");
  await page.locator(".waiting li", { hasText: "say queued" }).waitFor();
  await page.getByLabel("Delivery during the running turn").selectOption("steer");
  await send(page, "say steered");
  await page.locator(".item.text", { hasText: "queued" }).waitFor();
  const texts = await page.locator(".item.text").allTextContents();
  expect(texts).toEqual(["first", "steered", "queued"]);
  await send(page, "wait");
  await page.getByLabel("Message").blur();
  await page.getByRole("button", { name: "Interrupt" }).waitFor();
  await page.keyboard.press("s");
  await page.locator(".item.end", { hasText: "Interrupted" }).waitFor();
  expect(await served.halyard.find(id)).toMatchObject({ turns: 3, lastOutcome: "cancelled" });
});

test("moves through the sessions with j and k, and filters them", async () => {
  await using served = await serve({ web });
  for (const name of ["alpha", "beta", "gamma"]) await served.start({ name });
  const { page } = await newTab(browser);
  await signIn(page, served.url);
  await page.locator(".session-row").nth(2).waitFor();
  const names = await page.locator(".session-row .name").allTextContents();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.locator("h1", { hasText: names[1] ?? "" }).waitFor();
  await page.keyboard.press("k");
  await page.locator("h1", { hasText: names[0] ?? "" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("bet");
  await page.waitForFunction(() => document.querySelectorAll(".session-row").length === 1);
  expect(await page.locator(".session-row .name").allTextContents()).toEqual(["beta"]);
});

test("shows the error of a failed turn", async () => {
  await using served = await serve({ web });
  const { page } = await openSession(served, { permissions: "allow-all" });
  await send(page, "fail the model is overloaded");
  await page.locator(".problem", { hasText: "the model is overloaded" }).waitFor();
  await page.locator(".session-row .now.error", { hasText: "the model is overloaded" }).waitFor();
});

test("resets a setting if the change does not reach the server, and applies changes again after a reconnect", async () => {
  await using served = await serve({ web, heartbeatMs: 500 });
  const { page } = await openSession(served);
  const permissions = page.getByLabel("Permissions");
  await page.context().setOffline(true);
  await permissions.selectOption("deny");
  await expect.poll(() => permissions.inputValue()).toBe("ask");
  await page.getByLabel("Plan").click();
  await expect.poll(() => page.getByLabel("Plan").isChecked()).toBe(false);
  await page.context().setOffline(false);
  await page.locator(".brand .line.live").waitFor();
  await permissions.selectOption("deny");
  await expect.poll(async () => (await served.halyard.sessions())[0]?.permissions).toBe("deny");
  expect(await permissions.inputValue()).toBe("deny");
});

test("shows on the board how long the model has been thinking", async () => {
  await using served = await serve({ web });
  const { page } = await openSession(served, { permissions: "allow-all" });
  await send(page, "think hard; wait");
  await page.locator(".session-row .now", { hasText: /^Thinking \d+ s$/ }).waitFor();
});

test("shows the sign-in view if the browser has no cookie, and rejects a wrong code", async () => {
  await using served = await serve({ web });
  const { page } = await newTab(browser);
  await page.goto(served.url);
  await page.getByRole("heading", { name: "Sign in to Halyard" }).waitFor();
  await page.getByLabel("Code").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The sign-in code is wrong").waitFor();
});

test("rejects a sign-in code that was already used, and signs out all browsers at once", async () => {
  await using served = await serve({ web });
  const { page } = await newTab(browser);
  const { json } = await served.call("POST", "/v1/sign-in-codes", { body: {} });
  await page.goto(`${served.url}#code=${json.code}`);
  await page.locator(".brand .line.live").waitFor();
  expect(page.url()).not.toContain(json.code);
  const other = await newTab(browser);
  await other.page.goto(`${served.url}#code=${json.code}`);
  await other.page.getByRole("heading", { name: "Sign in to Halyard" }).waitFor();
  await signIn(other.page, served.url);
  await page.keyboard.press(",");
  await page.getByRole("button", { name: "Sign out all browsers and links" }).click();
  for (const tab of [page, other.page]) {
    await tab.reload();
    await tab.getByRole("heading", { name: "Sign in to Halyard" }).waitFor();
  }
});

test("finds messages in any session and opens them at their position", async () => {
  await using served = await serve({ web });
  const id = await served.start({ name: "history" });
  const session = await served.halyard.session(id);
  for (let turn = 0; turn < 30; turn++) await session.send(`say number ${turn}`).outcome;
  await session.send("say the rare albatross").outcome;
  for (let turn = 0; turn < 30; turn++) await session.send(`say number ${turn}`).outcome;
  const { page } = await newTab(browser);
  await signIn(page, served.url);
  await page.keyboard.press("/");
  await page.keyboard.type("albatross");
  await page.locator(".hit mark").first().waitFor();
  const ranked = page.waitForResponse((response) => response.url().includes("order=relevance"));
  await page.getByRole("button", { name: "Best first" }).click();
  expect((await (await ranked).json()).hits[0].score).toBeGreaterThan(0);
  await page.locator(".hit", { hasText: "the rare albatross" }).first().click();
  await page.locator(".item.target", { hasText: "albatross" }).waitFor();
  expect(page.url()).toMatch(new RegExp(`#/s/${id}/\\d+$`));
});
