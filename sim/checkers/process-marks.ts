import { UnknownCommand } from '../../src/agent/replication/state-machine.ts'
import { type Release, releaseText } from '../../src/model/release.ts'
import { type CheckedRun, checker } from './checker.ts'
import type { Facts } from './facts.ts'
import { type Reach, rareStates, toldStates } from './rare-states.ts'

export const processMarks = rareStates({
  'rot found': 'a server did not start because its data on disk was damaged',
  'stopped by its disk': 'a server stopped itself because of its disk',
  'new segment not made': 'the file of a new segment of a log could not be made',
  'old release refused a newer log': 'a server did not start, because its release does not know the form of its log',
  'stopped at an unknown command': 'a server stopped at a command that its release does not know',
  'mixed releases': 'servers of two releases applied commands of one log',
  'gated command among mixed releases':
    'a command that a later release brought was applied while servers of two releases ran',
})

export const diskTold = toldStates({
  'torn tail found': [
    'raft: cut a torn batch from the end of the log',
    'a server found a batch of its log half written',
  ],
  'writes waited for the disk': [
    'raft: no space left on the disk: writes wait',
    'the log waited for space on a full disk',
  ],
  'disk had space again': [
    'raft: there is space on the disk again: the waiting writes are written',
    'the log went on after its disk had been full',
  ],
  'damaged snapshot passed over': ['raft: a snapshot is not whole', 'a server found a snapshot that is not whole'],
  'no space for a snapshot': [
    'raft: no space left on the disk for a snapshot',
    'a server could not take a snapshot, because its disk was full',
  ],
  'snapshot not written': [
    'raft: a snapshot could not be written: it is tried again',
    'a server could not take a snapshot, because its disk failed',
  ],
  'received snapshot not written': [
    'raft: a received snapshot could not be written: it is requested again',
    'a server could not store what its leader sent, because its disk failed',
  ],
  'peers.json carried out': [
    'raft: found peers.json file, recovering Raft configuration...',
    'a server recovered its configuration from a file that an operator had left',
  ],
})

export const agentTold = toldStates({
  'name of a failed node taken over': [
    'svc: took over the name of a failed node',
    'a machine with another node ID took over the name of a failed one',
  ],
  'member not reconciled': [
    'svc: a member could not be reconciled yet: retrying',
    'a leader could not bring the catalog in line with a member',
  ],
  'left by a signal': [
    'agent: Gracefully shutting down agent...',
    'an agent that received a signal began to leave the pool',
  ],
  'ended by a signal': [
    'agent: Graceful shutdown disabled. Exiting',
    'an agent that received a signal shut down without leaving the pool',
  ],
  'left without a quorum': [
    'agent: left without being removed from the consensus group',
    'a server left, and the group could not remove it',
  ],
  'no path to a datacenter': [
    'svc: RPC request for a datacenter to which there is no path',
    'a request for another datacenter found no server there',
  ],
  'other datacenter did not answer': [
    'svc: a server of another datacenter did not answer',
    'a request for another datacenter was lost on its way, or its answer was',
  ],
  'registration not synced': [
    'agent.sync.failed',
    'an agent could not bring the catalog in line with its registrations',
  ],
  'unfit servers met': [
    'agent: a server cannot be in one cluster with this one',
    'a server met one whose Raft protocol does not work with its own',
  ],
  'certificates renewed': ['agent: certificates renewed', 'an agent took new certificates into use while it ran'],
  'connection without TLS refused': [
    'rpc.tls.refused',
    'a server refused a connection without TLS, or one without a certificate',
  ],
  'server took no connection': [
    'rpc: a server refuses connections over TLS',
    'a server refused a connection, as one that is overloaded does',
  ],
  'query failover not answered': [
    'query: could not ask another datacenter',
    'a prepared query could not ask a datacenter that it was to fail over to',
  ],
})

type ProcessMark = keyof typeof processMarks.marks

/** Observes rare states of processes, of their disks, and of their releases. */
class ProcessMarks {
  readonly #reach: Reach<ProcessMark>
  readonly #sinceOf: (kind: string) => Release | undefined
  /** By server that has applied a command: the release that it runs as. */
  readonly #releases = new Map<string, Release>()
  #isMixed = false

  constructor({ of, sinceOf }: Pick<CheckedRun, 'of' | 'sinceOf'>) {
    this.#reach = of(processMarks)
    this.#sinceOf = sinceOf
  }

  notStarted({ isDamaged, kind }: Facts['process did not start']): void {
    if (isDamaged) this.#reach('rot found')
    else if (kind === 'old-format') this.#reach('old release refused a newer log')
  }

  stopped(): void {
    this.#reach('stopped by its disk')
  }

  failed({ operation, path }: Facts['disk operation failed']): void {
    if (operation === 'open' && newSegment.test(path)) this.#reach('new segment not made')
  }

  panicked({ violation }: Facts['process panicked']): void {
    if (violation instanceof UnknownCommand) this.#reach('stopped at an unknown command')
  }

  carriedOut({ node, release, kind }: Facts['command carried out']): void {
    if (this.#releases.get(node) !== release) {
      this.#releases.set(node, release)
      this.#count()
    }
    if (!this.#isMixed) return
    this.#reach('mixed releases')
    const since = this.#sinceOf(kind)
    if (since !== undefined && releaseText(since) !== first) this.#reach('gated command among mixed releases')
  }

  died(node: string): void {
    if (this.#releases.delete(node)) this.#count()
  }

  #count(): void {
    this.#isMixed = new Set([...this.#releases.values()].map(releaseText)).size > 1
  }
}

/** A segment gets its name when it is whole. */
const newSegment = /[/]raft[/]log[/]\d+[.]log[.]tmp$/

/** The release of commands that every release knows. */
const first = '0.1.0'

export const markedProcesses = checker({
  codes: {},
  make: (run) => new ProcessMarks(run),
  takes: {
    'process did not start': (it, fact) => it.notStarted(fact),
    'process stopped by its disk': (it) => it.stopped(),
    'disk operation failed': (it, fact) => it.failed(fact),
    'process panicked': (it, fact) => it.panicked(fact),
    'process died': (it, { node }) => it.died(node),
    'command carried out': (it, fact) => it.carriedOut(fact),
  },
})
