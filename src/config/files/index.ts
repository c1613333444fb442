// The schemas of the configuration files. Imported only if such a file exists, because most directories have none.
export { ProjectDefaults } from "../../schema/project.ts";
export { FactoryFile } from "./factory.ts";
export { ModelsFile } from "./models.ts";
export { ProjectFile } from "./project.ts";
export { RegistryFile } from "./registry.ts";
export { RigFile } from "./rig.ts";
export { ServerFile, WrittenServerFile } from "./server.ts";
export { SettingsFile } from "./settings.ts";
export { TrustFile } from "./trust.ts";
