import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Expects that axe finds no violation of its rules on the current page. */
export async function expectAccessible(page: Page): Promise<void> {
  // Waits for animations, because a text that fades in has a lower contrast until it is fully visible.
  await page.evaluate(`Promise.all(
    document
      .getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
      .map((animation) => animation.finished.catch(() => {})), // rejects if the element was removed
  )`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{
    violations: { id: string; nodes: { html: string }[] }[];
  }>("axe.run()");
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
  ).toEqual([]);
}
