import { InvariantViolation } from '../../../src/base/invariant.ts'
import { itemAt } from '../../../src/base/items.ts'
import { bootstrapTerm } from '../../../src/raft/core/configuration.ts'
import type { RaftEvent } from '../../../src/raft/core/events.ts'
import type { Outgoing, RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import type { Claim, NodeEvent, Order, Protocol, Said, Word } from '../protocol.ts'
import type { RaftBounds, RaftUnderSearch } from './bounds.ts'
import { judgeServers, type SeenServer } from './laws.ts'
import { type Disk, entriesOf, entryText, fingerprintOf, messageText, SearchedServer, serverNames } from './server.ts'

/** The content: a message, or the subject of a claim. */
export type RaftContent = RaftMessage | { readonly kind: 'claim' }

const acts = ['election', 'heartbeat', 'quorum', 'propose', 'sync', 'restart'] as const
const actTexts = [
  'waits no longer for a leader',
  'sends a round of heartbeats',
  'hears no quorum',
  'takes a command',
  'has a write on its disk',
  'loses its power and starts again',
]

interface Restarting {
  server: SearchedServer
  restartedFrom: Disk | undefined
}

/** Raft within bounds, in the form that a search needs. */
export class RaftProtocol implements Protocol<Restarting, Disk, RaftContent, SeenServer> {
  readonly names: readonly string[]
  readonly acts = actTexts
  readonly #core: RaftUnderSearch
  readonly #bounds: RaftBounds
  readonly #first: (place: number) => Disk
  readonly #payload = new Uint8Array([1])

  /** `start`: the initial content of each disk, given a disk with the first configuration; servers then differ. */
  constructor(core: RaftUnderSearch, bounds: RaftBounds, start?: (place: number, first: Disk) => Disk) {
    this.#core = core
    this.#bounds = bounds
    this.names = serverNames.slice(0, bounds.servers)
    const servers = this.names.map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' as const }))
    const first = core.bootstrapped({ servers })
    if (!first.ok) throw new InvariantViolation(first.error, {})
    const { hardState, entries } = first.value
    this.#first = (place) => start?.(place, { hardState, entries }) ?? { hardState, entries }
  }

  begin(place: number): Restarting {
    return this.from(place, this.#first(place))
  }

  from(place: number, disk: Disk): Restarting {
    return { server: new SearchedServer(place, disk, this.#core, this.#bounds), restartedFrom: undefined }
  }

  actIn(act: number): number {
    return act
  }

  possible({ server: { raft, pending } }: Restarting): readonly number[] {
    const { role, term, log } = raft
    const { terms, entries, heartbeats, stepDown, restarts } = this.#bounds
    const lastTerm = bootstrapTerm + terms
    const roomFor = 1 + entries - (lastTerm - term)
    const leads = role.kind === 'leader'
    const may = {
      election: !leads && term < lastTerm,
      heartbeat: leads && role.round <= heartbeats,
      quorum: leads && stepDown,
      propose: leads && log.lastIndex < roomFor,
      sync: pending.length > 0,
      restart: restarts,
    }
    return acts.flatMap((act, number) => (may[act] ? [number] : []))
  }

  take(node: Restarting, event: NodeEvent<RaftContent>): Said<RaftContent> {
    node.restartedFrom = undefined
    try {
      this.#play(node, event)
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === 'InvariantViolation') {
        return { words: [], broken: `the core stops: ${thrown.message}` }
      }
      throw thrown
    }
    return { words: this.#said(node.server), broken: undefined }
  }

  #play(node: Restarting, event: NodeEvent<RaftContent>): void {
    if ('hears' in event) {
      const { from, content } = event.hears
      if (content.kind === 'claim') return
      return node.server.take({ kind: 'message-received', from: itemAt(serverNames, from), message: content })
    }
    const act = itemAt(acts, event.act)
    if (act === 'sync') return node.server.sync()
    if (act !== 'restart') return node.server.take(this.#eventOf(act))
    const { place, disk } = node.server
    node.server = this.from(place, disk).server
    node.restartedFrom = disk
  }

  #eventOf(act: 'election' | 'heartbeat' | 'quorum' | 'propose'): RaftEvent {
    if (act !== 'propose') return { kind: 'timer-fired', timer: act }
    return { kind: 'proposed', requests: [{ requestId: 1, payload: this.#payload }] }
  }

  #said({ place, done }: SearchedServer): Word<RaftContent>[] {
    const words = done.sent.map((outgoing) => messageWord(place, outgoing))
    if (done.won !== undefined) words.push(claimed('R1: a term has one leader', `leader of term ${done.won}`, place))
    for (const entry of done.applied) words.push(appliedWord(entry))
    return words
  }

  restartedFrom({ restartedFrom }: Restarting): Disk | undefined {
    return restartedFrom
  }

  fingerprint({ server }: Restarting): string {
    return fingerprintOf(server)
  }

  seen({ server: { raft, disk, pending } }: Restarting): SeenServer {
    const log = entriesOf(raft)
    return {
      role: raft.role.kind,
      term: raft.term,
      votedFor: raft.votedFor,
      log: log.map(entryText),
      logTerms: log.map(({ term }) => term),
      durable: disk.entries.map(entryText),
      durableTerms: disk.entries.map(({ term }) => term),
      durableTerm: disk.hardState.term,
      commit: raft.commit,
      pending: pending.length,
    }
  }

  judge(servers: readonly SeenServer[], place: number, before: SeenServer): string | undefined {
    return judgeServers(servers, place, before)
  }

  contentIn(content: RaftContent): RaftContent {
    return content
  }

  claimIn(claim: Claim, order: Order): Claim {
    const renamed = (text: string): string =>
      text.replace(/server ([a-e])/g, (_, name: string) => {
        return `server ${itemAt(serverNames, itemAt(order, serverNames.indexOf(name)))}`
      })
    return { ...claim, about: renamed(claim.about), says: renamed(claim.says) }
  }

  durableIn({ hardState, entries }: Disk, order: Order): Disk {
    const { term, votedFor } = hardState
    if (votedFor === undefined) return { hardState, entries }
    const renamed = itemAt(serverNames, itemAt(order, serverNames.indexOf(votedFor)))
    return { hardState: { term, votedFor: renamed }, entries }
  }

  textOf(content: RaftContent): string {
    return content.kind === 'claim' ? '' : messageText(content)
  }

  tell({ role, term, votedFor, log, commit, durable, pending }: SeenServer): string {
    const disk = pending === 0 ? '' : `, on disk [${durable.join(' ')}]`
    return `${role} in term ${term}, voted ${votedFor ?? 'for nobody'}, log [${log.join(' ')}], commit ${commit}${disk}`
  }
}

function messageWord(from: number, { to, message }: Outgoing): Word<RaftContent> {
  const word = { from, to: serverNames.indexOf(to), content: message }
  if (message.kind === 'vote-request' && !message.pre) {
    return { ...word, claim: vote(from, message.term, from) }
  }
  if (message.kind === 'vote-response' && message.granted && !message.pre) {
    return { ...word, claim: vote(from, message.term, word.to) }
  }
  return { ...word, claim: undefined }
}

function vote(voter: number, term: number, candidate: number): Claim {
  const [name, choice] = [itemAt(serverNames, voter), itemAt(serverNames, candidate)]
  return { law: 'R6: one vote in a term', about: `vote of server ${name} in term ${term}`, says: `server ${choice}` }
}

function claimed(law: string, about: string, place: number): Word<RaftContent> {
  const says = `server ${itemAt(serverNames, place)}`
  return { from: place, to: undefined, content: { kind: 'claim' }, claim: { law, about, says } }
}

/** Two servers that apply the same entry make equal claims. */
function appliedWord(entry: Entry): Word<RaftContent> {
  const law = 'R5: all servers apply the same entry at an index'
  const claim = { law, about: `entry ${entry.index}`, says: entryText(entry) }
  return { from: 0, to: undefined, content: { kind: 'claim' }, claim }
}
