/** First byte of a packet, a message or a stream. Source: memberlist, message types. */
export const lowerType = {
  ping: 0,
  indirectPing: 1,
  ack: 2,
  suspect: 3,
  alive: 4,
  dead: 5,
  pushPull: 6,
  compound: 7,
  user: 8,
  compress: 9,
  encrypt: 10,
  nack: 11,
  checksum: 12,
  error: 13,
} as const

/** Whether a message is a probe or answers one. Those are never dropped for lack of a budget. */
export function isProbeType(type: number): boolean {
  return probeTypes.includes(type)
}

const probeTypes: readonly number[] = [lowerType.ping, lowerType.indirectPing, lowerType.ack, lowerType.nack]

/** First byte of a `user` message's content. Source: serf, message types. */
export const upperType = {
  leave: 0,
  join: 1,
  pushPull: 2,
  userEvent: 3,
  query: 4,
  queryResponse: 5,
  conflictResponse: 6,
  keyRequest: 7,
  keyResponse: 8,
  relay: 9,
} as const

/** First byte of a query's filter. Source: serf. */
export const filterType = { nodes: 0, tag: 1 } as const

/**
 * State of a node in a state exchange. Later agents distinguish members that left from dead ones; to us both are dead.
 */
export const stateNumber = { alive: 0, suspect: 1, dead: 2, left: 3 } as const
