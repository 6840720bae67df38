/** Figures that clients rely on. Spec: Limits; reference: HTTP API 1.6, 5, 7. */

/** A key's value, bytes. */
export const kvValueBytesMax = 512 * 1024
/** Longest wait of a blocking query, and the one used when the caller gives none. */
export const blockingWaitMaxMs = 600_000
export const blockingWaitDefaultMs = 300_000
/** A blocking query waits up to this fraction longer, at random, so that watchers do not return all at once. */
export const blockingJitterFraction = 16
/** Time for which a deleted key's tombstone is kept, so that prefix watchers see the deletion. */
export const tombstoneTtlMs = 15 * 60_000
/** Tombstones are reaped in steps of this. */
export const tombstoneGranularityMs = 30_000

/** Metadata of a node or a service. Reference: configuration 4.4. */
export const metadataPairsMax = 64
export const metadataKeyMax = 128
export const metadataValueMax = 512
