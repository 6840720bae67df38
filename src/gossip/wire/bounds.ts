/** Limits of packets, streams and their parts. Checked before anything of that size is kept. */

/** Maximum length of a name on the wire. The core decides which names a member may have. */
export const nameBytesMax = 512

/** Maximum size of an acknowledgement's payload: a network coordinate. */
export const payloadBytesMax = 1024

/** Maximum size of an expanded packet; the largest datagram is not larger. */
export const packetBytesMax = 65_536

/**
 * Maximum number of messages in one packet, however they are nested. The field sends one compound, whose count is a
 * byte.
 */
export const packetMessagesMax = 255

/** Maximum depth of nested compounds. The field nests none. */
export const packetDepthMax = 4

/**
 * Maximum size of a stream's content, as it arrives and when it is expanded. Measured with `encodeFullState`, for a
 * pool of 10,000 members: 2.7 MB with names of 45 bytes and the tags of a client agent; 6.6 MB with tags that fill the
 * 512 bytes of metadata; 8.4 MB if all names have 128 bytes as well, to which the last 512 user events add at most 0.4
 * MB.
 */
export const streamBytesMax = 10 << 20

/**
 * Maximum ratio of expansion. A state of 10,000 members is compressed to between a half and a quarter of its size, to a
 * seventh if all have the same tags; the best ratio reached was 31, by tags of 480 equal letters. LZW with codes of 12
 * bits can claim 1,243.
 */
const expansionRatioMax = 64

/**
 * Up to this size of the expanded bytes the ratio is not judged: expanding them takes less than a tenth of a
 * millisecond.
 */
const expansionFloorBytes = 16 << 10

/** The largest expansion of this many compressed bytes; never more than `bytesMax`. */
export function expandedBytesMax(compressedBytes: number, bytesMax: number): number {
  return Math.min(bytesMax, Math.max(expansionFloorBytes, expansionRatioMax * compressedBytes))
}

/**
 * Members in one exchange of full states: twice what a pool holds, so that the error for a pool that is too large can
 * say so.
 */
export const stateNodesMax = 16_384

/**
 * Maximum number of MessagePack values in the head and nodes of a stream's frame, and in its upper part: stepping over
 * a value of one byte takes as long as over one of fifty. A member has 15 values, in all three places together 20.
 */
export const frameValuesMax = 1 << 19

/** Maximum number of values within one unknown field that is skipped. */
export const skippedValuesMax = 4096

/** Maximum size of upper-layer messages that come over a stream because they are too large for a packet. */
export const userBytesMax = 65_536

/**
 * Maximum size of the payload of a user event or a query, and of a filter. The field sends no more than fits into a
 * packet.
 */
export const newsBytesMax = 9_216

/** Maximum number of filters of one query. */
export const filtersMax = 64

/** Maximum number of events, and of times of events, in one exchange of full states. */
export const stateEventsMax = 32_768

/** Greatest exact integer. The core refuses implausibly large values. */
export const lamportMax = Number.MAX_SAFE_INTEGER

export const uint32Max = 0xffff_ffff
export const portMax = 0xffff
