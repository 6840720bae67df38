/** Limits of packets, streams and their parts. Checked before anything of that size is kept. */

/** Maximum length of a name on the wire. The core decides which names a member may have. */
export const nameBytesMax = 512

/** Maximum size of an acknowledgement's payload: a network coordinate. */
export const payloadBytesMax = 1024

/** A packet once expanded; the largest datagram is not larger. */
export const packetBytesMax = 65_536

/** Messages in one packet, however they are nested. The field sends one compound, whose count is a byte. */
export const packetMessagesMax = 255

/** Compounds may be nested this deep. The field nests none. */
export const packetDepthMax = 4

/**
 * Everything that one stream brings, as it arrives and when it is expanded. Measured with `encodeFullState`, for a pool
 * of 10,000 members: 2.7 MB with names of 45 bytes and the tags of a client agent; 6.6 MB with tags that fill the 512
 * bytes of metadata; 8.4 MB if all names have 128 bytes as well, to which the last 512 user events add at most 0.4 MB.
 */
export const streamBytesMax = 10 << 20

/**
 * How many times its size compressed bytes may become. A state of 10,000 members becomes 2 to 4 times smaller, 7 times
 * where all have the same tags; the most that could be made of one was 31, by tags of 480 equal letters. LZW with codes
 * of 12 bits can claim 1,243 times.
 */
const expansionRatioMax = 64

/** Below this the ratio says little: what the whole expands to costs less than a tenth of a millisecond. */
const expansionFloorBytes = 16 << 10

/** The largest expansion of this many compressed bytes; never more than `bytesMax`. */
export function expandedBytesMax(compressedBytes: number, bytesMax: number): number {
  return Math.min(bytesMax, Math.max(expansionFloorBytes, expansionRatioMax * compressedBytes))
}

/**
 * Members in one exchange of whole states: twice what a pool holds, so that a pool that is too large is refused by
 * name.
 */
export const stateNodesMax = 16_384

/**
 * MessagePack values in the head and nodes of a stream's frame, and in its upper part: a value of one byte takes as
 * long to step over as one of fifty. A member has 15 values, in all three places 20.
 */
export const frameValuesMax = 1 << 19

/** Values within one field that is not known and stepped over. */
export const skippedValuesMax = 4096

/** Messages of the upper layer that come over a stream because they were too large for a packet. */
export const userBytesMax = 65_536

/**
 * Maximum size of the payload of a user event or a query, and of a filter. The field sends no more than fits into a
 * packet.
 */
export const newsBytesMax = 9_216

/** Filters of one query. */
export const filtersMax = 64

/** Events and times of events in one exchange of whole states. */
export const stateEventsMax = 32_768

/** Greatest exact integer. The core refuses implausibly large values. */
export const lamportMax = Number.MAX_SAFE_INTEGER

export const uint32Max = 0xffff_ffff
export const portMax = 0xffff
