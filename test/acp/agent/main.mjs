#!/usr/bin/env node
// @ts-nocheck: this agent imitates third-party JavaScript
import { Session } from "./session.mjs";
import { listen, notify } from "./wire.mjs";

/*
 * A small ACP agent for protocol versions 1 and 2. It uses the lower of its own version (AGENT_VERSION, 2 by default)
 * and the version that the client requests. It calls a model over openai-chat, has three tools, and misbehaves if a
 * prompt starts with an exclamation mark.
 */
const own = Number(process.env.AGENT_VERSION ?? 2);
const quirk = process.env.AGENT_QUIRK ?? "";
const sessions = new Map();
let version = own;
let client = false;
let isSignedIn = quirk !== "signed-out";

if (quirk === "silent") process.stderr.write("I only speak Latin\n");

const fail = (code, message) => Object.assign(new Error(message), { code });

const methods = {
  initialize({ protocolVersion, clientCapabilities }) {
    if (quirk === "strict" && protocolVersion !== own)
      throw fail(-32602, "unsupported protocol version");
    version = Math.min(own, protocolVersion);
    client = version === 1 && quirk === "client" && clientCapabilities.terminal;
    const received = quirk === "echo" ? protocolVersion : version;
    const info = { name: "small-agent", title: "Small Agent", version: "1.2.3" };
    if (version === 1) {
      const sessionCapabilities = quirk === "loads" ? {} : { resume: {} };
      const agentCapabilities =
        quirk === "forgets"
          ? {}
          : { loadSession: true, sessionCapabilities, mcpCapabilities: { http: true } };
      const authMethods = [{ id: "login", name: "Log in", description: "Run small-agent login" }];
      return { protocolVersion: received, agentInfo: info, agentCapabilities, authMethods };
    }
    const authMethods = [{ methodId: "login", type: "agent", name: "Log in" }];
    const capabilities = {
      session: { fork: {}, systemPrompt: {}, prompt: { image: {} }, mcp: { stdio: {}, http: {} } },
    };
    return { protocolVersion: received, info, capabilities, authMethods };
  },
  authenticate() {
    isSignedIn = true;
    return {};
  },
  "session/new"({ cwd, systemPrompt, mcpServers }) {
    if (!isSignedIn) throw fail(-32000, "Authentication required");
    const session = new Session({ cwd, version, client, systemPrompt });
    sessions.set(session.id, session);
    // The notification is sent before the client knows the session id.
    if (quirk === "tells-servers")
      session.tell.update("notice", { severity: "info", title: JSON.stringify(mcpServers) });
    else session.useServers(mcpServers);
    session.tell.update("available_commands_update", { availableCommands: [] });
    return { sessionId: session.id, ...settings(session) };
  },
  "session/fork"({ sessionId, cwd, mcpServers }) {
    const { messages, mode, model } = Session.load(sessionId, { cwd, version, client });
    const copy = new Session({ cwd, version, client });
    Object.assign(copy, { messages, mode, model });
    sessions.set(copy.id, copy);
    copy.useServers(mcpServers);
    return { sessionId: copy.id, ...settings(copy) };
  },
  "session/resume": (params) => load(params),
  "session/load": (params) => load(params, (session) => session.replay()),
  "session/set_config_option"({ sessionId, configId, value }) {
    const session = sessions.get(sessionId);
    session[configId] = value;
    return settings(session);
  },
  "session/set_mode"({ sessionId, modeId }) {
    sessions.get(sessionId).mode = modeId;
    return {};
  },
  "session/prompt"({ sessionId, prompt, _meta }, id) {
    void sessions.get(sessionId).prompt(id, prompt, _meta);
  },
  "session/cancel"({ sessionId }) {
    sessions.get(sessionId).abort?.abort();
  },
};
methods["auth/login"] = methods.authenticate;

function load({ sessionId, cwd }, tell = () => {}) {
  if (quirk === "replays") tell = (session) => session.replay();
  const session = Session.load(sessionId, { cwd, version, client });
  sessions.set(sessionId, session);
  tell(session);
  return settings(session);
}

/** Returns the settings of a session: its modes in version 1, its config options in version 2. */
function settings({ mode, model }) {
  const modes = ["ask", "free", "plan"];
  if (version === 1)
    return {
      modes: { currentModeId: mode, availableModes: modes.map((id) => ({ id, name: id })) },
    };
  const select = (configId, currentValue, values) => ({
    configId,
    name: configId,
    category: configId,
    type: "select",
    currentValue,
    options: values.map((value) => ({ value, name: value })),
  });
  return {
    configOptions: [select("mode", mode, modes), select("model", model, ["scripted", "another"])],
  };
}

listen((method, params, id) => {
  if (quirk === "silent") return undefined;
  if (methods[method] === undefined) throw fail(-32601, `Method not found: ${method}`);
  return methods[method](params, id);
});
if (quirk === "chatty") notify("_small/hello", {});
