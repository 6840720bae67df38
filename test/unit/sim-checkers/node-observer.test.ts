import { describe, expect, it } from 'vitest'
import { cleanDeath } from '../../../sim/checkers/clean-death.ts'
import { Invariants } from '../../../sim/checkers/invariants.ts'
import { observe } from '../../../sim/checkers/node-observer.ts'
import { Membership } from '../../../sim/checkers/pool/membership.ts'
import { leaderCompleteness } from '../../../sim/checkers/raft/leader-completeness.ts'
import { leadership } from '../../../sim/checkers/raft/leadership.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { newestRelease } from '../../../src/model/release.ts'
import { encodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { Configuration, Entry, SnapshotMeta } from '../../../src/raft/core/types.ts'
import type { RaftObserver } from '../../../src/raft/raft.ts'
import { Subject } from '../gossip-core/subject.ts'
import { entry, recorder } from './reports.ts'

const configuration: Configuration = {
  servers: ['s1', 's2', 's3'].map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' })),
}
const first: Entry = {
  index: logIndexOf(1),
  term: termOf(1),
  kind: 'configuration',
  payload: encodeConfiguration(configuration),
}

/** Checkers of a run with servers whose observers are called by hand. */
const unseen = { release: newestRelease, digest: () => undefined, servers: () => [], places: [] }

class Told {
  readonly triggers: string[] = []
  readonly invariants = new Invariants({
    nowUs: () => 0,
    staleDefaultMs: 0,
    onTrigger: (trigger, node) => void this.triggers.push(`${node} ${trigger}`),
  })
  readonly #boots = new Map<string, number>()

  /** A process begins, and finds this on its disk. */
  boot(node: string, entries: readonly Entry[] = [], snapshot?: SnapshotMeta, term = 0): RaftObserver {
    const boot = (this.#boots.get(node) ?? 0) + 1
    this.#boots.set(node, boot)
    const { raft } = observe(this.invariants, { ...unseen, node, boot, id: node })
    if (raft === undefined) throw new Error('the observer sees no consensus')
    raft.recovered({ term: termOf(term), votedFor: undefined }, snapshot, entries)
    if (snapshot !== undefined) raft.restored(snapshot)
    return raft
  }

  get lines(): readonly string[] {
    return this.invariants.violations.map(({ code, message }) => `${code}: ${message}`)
  }
}

describe('what a server does, told to the checkers', () => {
  it('is sound for three servers that elect, replicate, commit and apply', () => {
    const told = new Told()
    const [one, two, three] = ['s1', 's2', 's3'].map((node) => told.boot(node)) as [
      RaftObserver,
      RaftObserver,
      RaftObserver,
    ]
    for (const server of [one, two, three]) server.appended([first])
    one.hardState(termOf(2), 's1')
    two.hardState(termOf(2), 's1')
    one.becameLeader(termOf(2), logIndexOf(1))
    const entries = [entry(2, 2, 'a'), entry(3, 2, 'b')]
    // Its followers are faster than the leader's own disk: it commits before its own copy is durable.
    two.appended(entries)
    three.appended(entries)
    one.committed(logIndexOf(3), termOf(2))
    one.appended(entries)
    for (const server of [one, two, three]) for (const each of [first, ...entries]) server.applied(each)
    expect(told.lines).toEqual([])
    expect(told.invariants.of(leaderCompleteness).committedIndex).toBe(3)
    expect(told.triggers).toEqual([
      's1 entry appended',
      's2 entry appended',
      's3 entry appended',
      's2 vote given',
      's1 leader elected',
      's2 entry appended',
      's3 entry appended',
      's1 entry committed',
      's1 entry appended',
    ])
  })

  it('shows a leader that lacks what was committed before it', () => {
    const told = new Told()
    const one = told.boot('s1')
    const two = told.boot('s2')
    one.appended([first, entry(2, 1, 'a')])
    two.appended([first])
    one.becameLeader(termOf(1), logIndexOf(1))
    one.committed(logIndexOf(2), termOf(1))
    two.becameLeader(termOf(2), logIndexOf(1))
    expect(told.lines.filter((line) => line.startsWith('R4'))).toEqual([
      'R4: s2 leads term 2 without entry 2, committed in term 1: its log ends at 1',
    ])
  })

  it('compares a log that a boot found with what was durable there before', () => {
    const told = new Told()
    const one = told.boot('s1')
    one.appended([first, entry(2, 1, 'a'), entry(3, 1, 'b')])
    one.committed(logIndexOf(3), termOf(1))
    told.invariants.tell('process died', { node: 's1' })
    const again = told.boot('s1', [first, entry(2, 1, 'a')], undefined, 1)
    again.becameLeader(termOf(2), logIndexOf(2))
    expect(told.lines[0]).toBe('R6: s1 came back with a log that ends at 2, after one that was durable up to 3')
    expect(told.lines[1]).toMatch(/^R4: s1 leads term 2 without entry 3/)
  })

  it('does not take a log whose end was replaced for one that lost it', () => {
    const told = new Told()
    const one = told.boot('s1')
    one.appended([first, entry(2, 1, 'a'), entry(3, 1, 'b')])
    told.invariants.tell('process died', { node: 's1' })
    told.boot('s1', [first, entry(2, 2, 'c')], undefined, 2)
    expect(told.lines).toEqual([])
  })

  it('goes on after a snapshot, at start and from a leader, and still compares what follows', () => {
    const told = new Told()
    const one = told.boot('s1')
    const entries = [first, entry(2, 1, 'a'), entry(3, 1, 'b'), entry(4, 1, 'c')]
    one.appended(entries)
    one.committed(logIndexOf(4), termOf(1))
    for (const each of entries) one.applied(each)
    told.invariants.tell('process died', { node: 's1' })
    const meta: SnapshotMeta = {
      index: logIndexOf(3),
      term: termOf(1),
      configuration,
      configurationIndex: logIndexOf(1),
    }
    const again = told.boot('s1', [entry(3, 1, 'b'), entry(4, 1, 'c')], meta, 1)
    again.applied(entry(4, 1, 'c'))
    const late = told.boot('s2')
    late.restored(meta)
    late.appended([entry(4, 1, 'c')])
    late.applied(entry(4, 1, 'c'))
    expect(told.lines).toEqual([])
    expect(told.triggers.at(-2)).toBe('s2 snapshot installed')
    late.truncated(logIndexOf(4))
    late.appended([entry(4, 1, 'other')])
    expect(told.lines).toEqual(['R3: entry 4 of term 1 follows other entries at s2 than at s1'])
  })

  it('of a dead process is one violation, and counts for nothing else', () => {
    const told = new Told()
    const one = told.boot('s1')
    told.invariants.tell('process died', { node: 's1' })
    one.becameLeader(termOf(3), logIndexOf(0))
    told.boot('s2').becameLeader(termOf(3), logIndexOf(0))
    expect(told.lines).toEqual(['H3: boot 1 of s1 became leader, though the node is down'])
  })

  it('names the present leader', () => {
    const told = new Told()
    const one = told.boot('s1')
    const two = told.boot('s2')
    one.becameLeader(termOf(1), logIndexOf(0))
    two.becameLeader(termOf(2), logIndexOf(0))
    expect([...told.invariants.of(leadership).leading]).toEqual([
      ['s1', 1],
      ['s2', 2],
    ])
    one.steppedDown(termOf(2))
    told.invariants.tell('process died', { node: 's2' })
    expect([...told.invariants.of(leadership).leading]).toEqual([])
    expect(told.invariants.of(leadership).electionCount).toBe(2)
  })

  it('as a member of the pool of all datacenters is held against the same laws, where there are several', () => {
    const { judge, lines } = recorder()
    const network = { rttMs: 6, rttMaxMs: 10, loss: 0 }
    const wan = new Membership({
      judge,
      nowUs: () => 0,
      network,
      acted: (node, boot) => invariants.of(cleanDeath).acted(node, boot, 'stepped'),
    })
    const invariants = new Invariants({ nowUs: () => 0, staleDefaultMs: 0, wan, onTrigger: () => {} })
    const process = { ...unseen, node: 's1', boot: 1, id: 's1' }
    const { core, effects } = new Subject()
    observe(invariants, process).wan?.stepped({ ...core, health: 9 }, { kind: 'started' }, effects)
    expect(lines).toEqual(['M6: the local health of s1 is 9, not from 0 to 7'])
    invariants.tell('process died', { node: 's1' })
    expect(wan.laws.weather.downSinceUs('me')).toBe(0)
    expect(observe(new Told().invariants, process).wan).toBeUndefined()
  })
})
