import { HalyardError } from "../../../errors/error.ts";

/** The Gas Town commands that start a session. */
export type GtVerb = "start" | "sling" | "crew" | "polecat" | "witness" | "refinery";

/** A Gas Town command with its arguments. */
export interface GtCommand {
  readonly verb: GtVerb;
  readonly args: readonly string[];
  readonly rig?: string;
}

/**
 * Returns the environment variables that define a session's role in the town. Throws `invalid_input` if the arguments
 * are incomplete, or if only gt supports them.
 */
export function roleEnvironment({ verb, args, rig }: GtCommand): Record<string, string> {
  const names = args[0] === "start" ? args.slice(1) : args;
  if (names.length > maxNames[verb] || names.some((name) => name.startsWith("-")))
    throw usage(verb);
  const [first, second] = names;
  switch (verb) {
    case "start":
      return { GT_ROLE: "mayor", BD_ACTOR: "mayor" };
    case "sling": {
      const [target, name] = (second ?? "").replace("/polecats/", "/").split("/");
      return { ...polecat(verb, target || rig, name), GT_BEAD: first ?? missing(verb) };
    }
    case "polecat":
      return polecat(verb, rig, first);
    case "crew": {
      const name = first ?? missing(verb);
      const town = rig ?? missing(verb);
      return { GT_ROLE: verb, GT_RIG: town, GT_CREW: name, BD_ACTOR: `${town}/crew/${name}` };
    }
    case "witness":
    case "refinery": {
      const town = first ?? rig ?? missing(verb);
      return { GT_ROLE: verb, GT_RIG: town, BD_ACTOR: `${town}/${verb}` };
    }
  }
}

/** The usage of each command if Halyard starts the session instead of gt. */
const gtUsage: Readonly<Record<GtVerb, string>> = {
  start: "halyard gt start",
  sling: "halyard gt sling BEAD RIG/POLECAT",
  crew: "halyard gt crew NAME --rig RIG",
  polecat: "halyard gt polecat NAME --rig RIG",
  witness: "halyard gt witness RIG",
  refinery: "halyard gt refinery RIG",
};

const maxNames: Readonly<Record<GtVerb, number>> = {
  start: 0,
  sling: 2,
  crew: 1,
  polecat: 1,
  witness: 1,
  refinery: 1,
};

function polecat(verb: GtVerb, rig?: string, name?: string): Record<string, string> {
  const GT_RIG = rig ?? missing(verb);
  const GT_POLECAT = name || missing(verb);
  return { GT_ROLE: "polecat", GT_RIG, GT_POLECAT, BD_ACTOR: `${GT_RIG}/polecats/${GT_POLECAT}` };
}

function missing(verb: GtVerb): never {
  throw usage(verb);
}

function usage(verb: GtVerb): HalyardError {
  return new HalyardError(
    "invalid_input",
    `Invalid arguments for a session that Halyard starts without gt. Run "${gtUsage[verb]}".`,
  );
}
