import { itemAt } from '../../../src/base/items.ts'
import { quorumOf } from '../../../src/raft/core/quorum.ts'

/** A server in the view of the laws. Entries are texts, the first one at index 0. */
export interface SeenServer {
  readonly role: string
  readonly term: number
  readonly votedFor: string | undefined
  readonly log: readonly string[]
  readonly logTerms: readonly number[]
  readonly durable: readonly string[]
  readonly durableTerms: readonly number[]
  readonly durableTerm: number
  readonly commit: number
  /** Number of persists that are under way. */
  readonly pending: number
}

/**
 * The laws of `sim/checkers/raft`, for states instead of runs. Laws about time (R1, R5, R6) are claims; the others are
 * here. R3, R4 and the majority are about two servers or more, and are judged in each state.
 */
export function judgeServers(servers: readonly SeenServer[], place: number, before: SeenServer): string | undefined {
  return appendOnly(itemAt(servers, place), before) ?? logMatching(servers, place) ?? committed(servers)
}

/** R2: judged only for a step before and after which the server leads in one term. */
function appendOnly(now: SeenServer, before: SeenServer): string | undefined {
  if (now.role !== 'leader' || before.role !== 'leader' || now.term !== before.term) return undefined
  return startsWith(now.log, before.log) ? undefined : 'R2: a leader never changes or drops its own log'
}

function startsWith(log: readonly string[], start: readonly string[]): boolean {
  return start.length <= log.length && start.every((entry, at) => log[at] === entry)
}

/** R3: entries of equal index and term are equal, and have equal entries before them. */
function logMatching(servers: readonly SeenServer[], place: number): string | undefined {
  const own = itemAt(servers, place)
  for (const other of servers) {
    if (other === own) continue
    let last = Math.min(own.log.length, other.log.length) - 1
    while (last >= 0 && own.logTerms[last] !== other.logTerms[last]) last--
    for (let at = 0; at <= last; at++) {
      if (own.log[at] !== other.log[at]) return `R3: equal index and term, equal logs before (index ${at + 1})`
    }
  }
  return undefined
}

/**
 * An entry that a server considers committed is on the disks of a majority; and no server without it could be elected
 * by any majority, now or after a power cut everywhere. That is R4, before it is violated.
 */
function committed(servers: readonly SeenServer[]): string | undefined {
  const quorum = quorumOf(servers.length)
  for (const { log, logTerms, commit } of servers) {
    const start = log.slice(0, commit)
    const holders = servers.filter(({ durable }) => startsWith(durable, start)).length
    if (holders < quorum) return `R5: what is committed is durable at a majority (index ${commit}: ${holders})`
    const lastTerm = logTerms[commit - 1] ?? 0
    for (const other of servers) {
      if (startsWith(other.log, start)) continue
      if (other.role === 'leader' && other.term > lastTerm) {
        return `R4: a leader holds what was committed in earlier terms (index ${commit}, term ${other.term})`
      }
      const votes = servers.filter((voter) => voter === other || covers(other.logTerms, voter.durableTerms)).length
      if (votes >= quorum) return `R4: no server that lacks what is committed can be elected (index ${commit})`
    }
  }
  return undefined
}

/** Paper 5.4.1: the later term, then the longer log. */
function covers(log: readonly number[], other: readonly number[]): boolean {
  const [own, its] = [log.at(-1) ?? 0, other.at(-1) ?? 0]
  return own > its || (own === its && log.length >= other.length)
}
