import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { Choice } from "../choices.ts";

/** What can be chosen, in both ways that version 1 has for it: older clients know modes alone. */
export function toSettings(choices: readonly Choice[]): {
  modes?: SessionModeState;
  configOptions: SessionConfigOption[];
} {
  const mode = choices.find(({ id }) => id === "mode");
  return {
    ...(mode && {
      modes: {
        currentModeId: mode.current,
        availableModes: mode.values.map(({ value, ...rest }) => ({ id: value, ...rest })),
      },
    }),
    configOptions: choices.map(({ id, name, current, values }) => ({
      type: "select",
      id,
      name,
      category: id,
      currentValue: current,
      options: [...values],
    })),
  };
}
