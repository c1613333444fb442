import { HalyardError } from "../../core/error.ts";

/** The verbs of Gas Town that start somebody's session. */
export type GtVerb = "start" | "sling" | "crew" | "polecat" | "witness" | "refinery";

/** What such a verb is told. */
export interface GtWords {
  readonly verb: GtVerb;
  readonly words: readonly string[];
  readonly rig?: string;
}

/** The environment of the session that a verb asks for, by the names of the town. */
export function roleEnvironment({ verb, words, rig }: GtWords): Record<string, string> {
  const said = words[0] === "start" ? words.slice(1) : words;
  if (said.length > most[verb] || said.some((word) => word.startsWith("-"))) throw usage(verb);
  const [first, second] = said;
  switch (verb) {
    case "start":
      return { GT_ROLE: "mayor", BD_ACTOR: "mayor" };
    case "sling": {
      const [place, name] = (second ?? "").replace("/polecats/", "/").split("/");
      return { ...polecat(verb, place || rig, name), GT_BEAD: first ?? missing(verb) };
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

/** How each verb is told what it needs, where Gas Town's own program is not there to be asked. */
const gtUsage: Readonly<Record<GtVerb, string>> = {
  start: "halyard gt start",
  sling: "halyard gt sling BEAD RIG/POLECAT",
  crew: "halyard gt crew NAME --rig RIG",
  polecat: "halyard gt polecat NAME --rig RIG",
  witness: "halyard gt witness RIG",
  refinery: "halyard gt refinery RIG",
};

const most: Readonly<Record<GtVerb, number>> = {
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
  return new HalyardError("invalid_input", `without gt itself it is: ${gtUsage[verb]}`);
}
