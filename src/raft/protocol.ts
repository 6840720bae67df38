import type { ServerId } from './core/types.ts'

/** From this version on a server is named by its node ID, before by its address. Spec: RFT-010. */
const namedByIdFrom = 3

/** Versions of the Raft protocol are compatible only with their neighbours: 1 and 3 are not. Spec: RFT-007. */
export function interoperate(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1
}

export function isNamedById(protocol: number): boolean {
  return protocol >= namedByIdFrom
}

/** The Raft server ID of the server with this node ID, whose RPC listener is at `address`. */
export function serverIdFor(protocol: number, nodeId: string, address: string): ServerId {
  return isNamedById(protocol) ? nodeId : address
}

/** Why two servers are incompatible, from the view of the one that speaks `own`: one clause. */
export function whyNotInteroperable(own: number, other: number): string {
  return `it speaks Raft protocol ${other}, this server ${own}, and only neighbouring versions interoperate`
}
