// The schemas of the configuration files. Imported only if such a file exists, because most directories have none.

export { RegistryFile } from "../../compat/gas-town/files/registry.ts";
export { RigFile } from "../../compat/gas-town/files/rig.ts";
export { ProjectDefaults } from "../../schema/project/project.ts";
export { PriceTable } from "../../schema/usage/prices.ts";
export { acceptZeroValues } from "../json/zero-values.ts";
export { FactoryFile } from "./factory.ts";
export { WrittenModelsFile } from "./models.ts";
export { ProjectFile } from "./project.ts";
export { ServerFile, WrittenServerFile } from "./server.ts";
export { SettingsFile } from "./settings.ts";
export { TrustFile } from "./trust.ts";
