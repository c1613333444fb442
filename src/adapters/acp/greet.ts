import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { type Agreement, readAgreement } from "./agreement.ts";

export type Ask = (method: string, params: unknown) => Promise<unknown>;

/** Introduces us, as someone who speaks both versions, and to those who will not have that as one who speaks the first. */
export async function greet(ask: Ask, wanted: 1 | 2): Promise<Agreement> {
  try {
    return readAgreement(await ask("initialize", introduction(wanted)));
  } catch (error) {
    if (wanted === 1 || !(error instanceof JsonRpcError)) throw error;
    return readAgreement(await ask("initialize", introduction(1)));
  }
}

/** An agent reads what is of its own version and leaves out the rest. */
function introduction(protocolVersion: 1 | 2): Record<string, unknown> {
  return {
    protocolVersion,
    clientInfo: us,
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: process.platform !== "win32",
    },
    ...(protocolVersion === 2 && { info: us, capabilities: {} }),
  };
}

const us = { name: "halyard", title: "Halyard", version: "0.0.0" };
