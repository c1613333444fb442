import { expect, test } from "vitest";
import { TurnMeter } from "./turn-meter.ts";

const used = (inputTokens: number) => ({ inputTokens, outputTokens: 0 });

test("never reports less usage than the log already contains for the turn", () => {
  const meter = new TurnMeter();
  meter.restoreParts(used(100));
  meter.restoreReport(used(150));
  expect(meter.report(used(20))).toEqual(used(150));
  expect(meter.total()).toEqual(used(150));
  expect(meter.report(used(60))).toEqual(used(160));
  expect(meter.total(used(70))).toEqual(used(170));
});
