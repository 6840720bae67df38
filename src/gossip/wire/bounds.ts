/** What one packet, one stream and their parts may hold. Checked before anything of that size is kept. */

/** Of a name on the wire. The core decides which of them a member may have. */
export const nameBytesMax = 512

/** What an acknowledgement carries beside its number: a network coordinate. */
export const payloadBytesMax = 1024

/** A packet once expanded; the largest datagram is not larger. */
export const packetBytesMax = 65_536

/** Messages in one packet, however they are nested. */
export const packetMessagesMax = 1024

/** Packets may be wrapped (checksum, compression, compound) this deep. */
export const packetDepthMax = 4

/** Everything that one stream brings, expanded. Some 50,000 members. */
export const streamBytesMax = 16 << 20

/** Members in one exchange of whole states. */
export const stateNodesMax = 65_536

/** Messages of the upper layer that come over a stream because they were too large for a packet. */
export const userBytesMax = 65_536

/** Of a user event's or a query's payload, and of a filter. The field sends no more than fits into a packet. */
export const newsBytesMax = 9_216

/** Filters of one query. */
export const filtersMax = 64

/** Events and times of events in one exchange of whole states. */
export const stateEventsMax = 32_768

/** What a number holds exactly. The core refuses what is too large to be honest. */
export const lamportMax = Number.MAX_SAFE_INTEGER

export const uint32Max = 0xffff_ffff
export const portMax = 0xffff
