import { builtInPrices, type PriceTable } from "../schema/usage/prices.ts";
import type { Config } from "./config.ts";

/** Returns the price tables for estimates in order of precedence: the user's table, then the built-in table. */
export function pricesIn({ prices }: Config): readonly PriceTable[] {
  return prices?.value ? [prices.value, builtInPrices] : [builtInPrices];
}
