import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import { type Agreement, readAgreement } from "./agreement.ts";

/** Sends a JSON-RPC request and resolves with its result. */
export type SendRequest = (method: string, params: unknown) => Promise<unknown>;

/** Sends `initialize` with the requested version. Retries with version 1 if the agent rejects version 2. */
export async function initialize(send: SendRequest, wanted: 1 | 2): Promise<Agreement> {
  try {
    return readAgreement(await send("initialize", initializeParams(wanted)));
  } catch (error) {
    if (wanted === 1 || !(error instanceof JsonRpcError)) throw error;
    return readAgreement(await send("initialize", initializeParams(1)));
  }
}

/** Builds the parameters. For version 2, they contain both versions' fields, because the agent may choose version 1. */
function initializeParams(protocolVersion: 1 | 2): Record<string, unknown> {
  return {
    protocolVersion,
    clientInfo,
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: process.platform !== "win32",
      elicitation,
    },
    ...(protocolVersion === 2 && { info: clientInfo, capabilities: { elicitation } }),
  };
}

/** Halyard shows forms as questions. It cannot open a URL for the user. */
const elicitation = { form: {} };

const clientInfo = { name: "halyard", title: "Halyard", version: "0.0.0" };
