import { blobs } from "./blobs.ts";
import type { Campaign } from "./campaign.ts";
import { pointers } from "./pointers.ts";

/** One a store. */
export const CAMPAIGNS: readonly Campaign[] = [blobs, pointers];
