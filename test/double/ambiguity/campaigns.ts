import { blobs } from "./blobs.ts";
import type { Campaign } from "./campaign.ts";

/** One a store. */
export const CAMPAIGNS: readonly Campaign[] = [blobs];
