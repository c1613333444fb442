export type {
  BuildRequest,
  ContainerEngine,
  ContainerEngineName,
  ContainerInfo,
  ContainerSpec,
  ContainerStatus,
  EngineInfo,
  ExecCommand,
  ExecOptions,
  ExecResult,
  ImportRequest,
  InteractiveExec,
  Mount,
  ProgressOptions,
} from "../contracts/container-engine.ts";
export type { RuntimeUnderTest } from "./adapter-suite/runtime-under-test.ts";
export type { ContainerRuntimeUnderTest } from "./container-suite/engine-test.ts";
export { describeAdapter } from "./describe-adapter.ts";
export { describeContainerEngine } from "./describe-container-engine.ts";
export { describeHost } from "./describe-host.ts";
export { describeMapper, type MapperOptions } from "./describe-mapper.ts";
export {
  type DescribeStoreOptions,
  describeStore,
  type StoreUnderTest,
} from "./describe-store.ts";
export type { HalyardFixture, OpenFixture } from "./halyard/fixture.ts";
export { describeHalyard } from "./halyard/index.ts";
export type { HostModule, HostUnderTest } from "./host-suite/host-test.ts";
