/** What PostgreSQL's `timezone_abbreviations = Default` knows: seconds east, and words for them. */
const OFFSETS: readonly (readonly [east: number, words: string])[] = [
  [-36_000, "hst taht"],
  [-34_200, "mart"],
  [-32_400, "akst gamt"],
  [-28_800, "akdt pst"],
  [-25_200, "mst pdt"],
  [-21_600, "cst galt mdt"],
  [-18_000, "act cdt cot est pet"],
  [-14_400, "amt ast bot edt"],
  [-12_600, "nft nst"],
  [-10_800, "adt bra brt clst gft pmst pyst uyt wgt"],
  [-9_000, "ndt"],
  [-7_200, "brst fnt pmdt uyst wgst"],
  [-3_600, "azot egt fnst"],
  [0, "azost egst gmt uct ut utc wet z zulu"],
  [3_600, "bst cet met mez wat wetdst"],
  [7_200, "bdst cest cetdst eet ist mest mesz metdst sast"],
  [10_800, "eat eest eetdst fet idt"],
  [12_600, "irt"],
  [14_400, "msd mut ret sct"],
  [16_200, "aft"],
  [18_000, "must mvt pkt tft tjt uzt"],
  [20_700, "npt"],
  [21_600, "almt bdt btt kgst pkst uzst xjt yekst"],
  [23_400, "mmt"],
  [25_200, "almst cxt ict wast"],
  [28_800, "awst bnt bort cct hkt myt pht wadt"],
  [31_500, "acwst"],
  [32_400, "awsst jayt jst kst pwt ulast wdt"],
  [34_200, "acst cast"],
  [36_000, "aest chut ddut kdt ligt mpt pgt trut yapt"],
  [37_800, "acdt acsst cadt lhst sadt"],
  [39_600, "aedt aesst pont vut"],
  [43_200, "fjt gilt mht nzst nzt tvt wakt wft"],
  [45_900, "chast"],
  [46_800, "fjst nzdt tot"],
  [49_500, "chadt"],
];

/** Words whose offset has changed: that of the zone's time. */
const ZONES: Readonly<Record<string, string>> = {
  amst: "Asia/Yerevan",
  anast: "Asia/Anadyr",
  anat: "Asia/Anadyr",
  arst: "America/Argentina/Buenos_Aires",
  art: "America/Argentina/Buenos_Aires",
  azst: "Asia/Baku",
  azt: "Asia/Baku",
  ckt: "Pacific/Rarotonga",
  clt: "America/Santiago",
  davt: "Antarctica/Davis",
  easst: "Pacific/Easter",
  east: "Pacific/Easter",
  fkst: "Atlantic/Stanley",
  fkt: "Atlantic/Stanley",
  gest: "Asia/Tbilisi",
  get: "Asia/Tbilisi",
  gyt: "America/Guyana",
  iot: "Indian/Chagos",
  irkst: "Asia/Irkutsk",
  irkt: "Asia/Irkutsk",
  kgt: "Asia/Bishkek",
  kost: "Pacific/Kosrae",
  krast: "Asia/Krasnoyarsk",
  krat: "Asia/Krasnoyarsk",
  lhdt: "Australia/Lord_Howe",
  lint: "Pacific/Kiritimati",
  lkt: "Asia/Colombo",
  magst: "Asia/Magadan",
  magt: "Asia/Magadan",
  mawt: "Antarctica/Mawson",
  msk: "Europe/Moscow",
  novst: "Asia/Novosibirsk",
  novt: "Asia/Novosibirsk",
  nut: "Pacific/Niue",
  omsst: "Asia/Omsk",
  omst: "Asia/Omsk",
  petst: "Asia/Kamchatka",
  pett: "Asia/Kamchatka",
  pyt: "America/Asuncion",
  sgt: "Asia/Singapore",
  tkt: "Pacific/Fakaofo",
  tmt: "Asia/Ashgabat",
  ulat: "Asia/Ulaanbaatar",
  vet: "America/Caracas",
  vlast: "Asia/Vladivostok",
  vlat: "Asia/Vladivostok",
  volt: "Europe/Volgograd",
  yakst: "Asia/Yakutsk",
  yakt: "Asia/Yakutsk",
  yekt: "Asia/Yekaterinburg",
};

const BY_WORD: ReadonlyMap<string, number> = new Map(
  OFFSETS.flatMap(([east, words]) => words.split(" ").map((word) => [word, east] as const)),
);
const BY_ZONE: ReadonlyMap<string, string> = new Map(
  Object.entries(ZONES).map(([word, zone]) => [zone.toLowerCase(), word.toUpperCase()]),
);

/** Seconds east, or the name of a zone; nothing for what is not an abbreviation. */
export function abbreviation(word: string): number | string | undefined {
  const key = word.toLowerCase();
  return BY_WORD.get(key) ?? (Object.hasOwn(ZONES, key) ? ZONES[key] : undefined);
}

/** The abbreviation that stands for a zone, whatever its offset. */
export function wordOfZone(name: string): string | undefined {
  return BY_ZONE.get(name.toLowerCase());
}
