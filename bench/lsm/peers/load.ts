/** Imports a package as whoever lives in this folder would: from what is installed here. */
export async function load(name: string): Promise<unknown> {
  return await import(name);
}
