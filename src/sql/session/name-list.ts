/** Names of a list as `search_path` holds them: folded unless they are quoted. */
export function namesOf(list: string): readonly string[] {
  const names: string[] = [];
  for (const [, quoted, plain] of list.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^",]+))\s*(?:,|$)/g)) {
    if (quoted !== undefined) names.push(quoted.replaceAll('""', '"'));
    else if (plain !== undefined && plain.trim() !== "") names.push(plain.trim().toLowerCase());
  }
  return names;
}
