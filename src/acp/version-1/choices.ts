import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import type { Choice } from "../choices.ts";

/** Returns the settings in both formats of protocol version 1, because older clients support only modes. */
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
