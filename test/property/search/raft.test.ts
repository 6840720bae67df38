import { describe, expect, it } from 'vitest'
import { type RaftBounds, smallBounds } from '../../../sim/search/raft/bounds.ts'
import { RaftProtocol } from '../../../sim/search/raft/protocol.ts'
import type { Disk } from '../../../sim/search/raft/server.ts'
import { Search } from '../../../sim/search/search.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import { mutants } from '../raft-core/mutants.ts'
import { mutantCore, type Patch } from '../raft-core/mutation.ts'
import { soundCore } from '../raft-core/sound-core.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
const noRestarts: RaftBounds = { ...smallBounds, restarts: false }

/** What servers hold in the beginning: the term, and the terms of entries 2 and on. */
type Start = readonly (readonly [term: number, entryTerms: readonly number[]])[]

function disks(start: Start): (place: number, first: Disk) => Disk {
  return (place, { entries }) => {
    const [term, terms] = start[place] ?? [1, []]
    const more = terms.map(
      (own, at): Entry => ({
        index: logIndexOf(at + 2),
        term: termOf(own),
        kind: own === terms[at - 1] ? 'command' : 'no-op',
        payload: new Uint8Array(own === terms[at - 1] ? [1] : []),
      }),
    )
    return { hardState: { term: termOf(term), votedFor: undefined }, entries: [...entries, ...more] }
  }
}

interface Hunt {
  readonly name: string
  readonly patches: readonly Patch[]
  readonly bounds: RaftBounds
  readonly start?: Start
  readonly law: RegExp
  /** Takes seconds. */
  readonly long?: boolean
}

function known(name: string): Pick<Hunt, 'name' | 'patches'> {
  const found = mutants.find((mutant) => mutant.name === name)
  if (found === undefined) throw new Error(`no planted bug ${name}`)
  return found
}

/** One server has the older entries of two terms, another the newer one, as in figure 8 of the paper. */
const figure8: Start = [
  [3, [2]],
  [3, []],
  [3, [3]],
]
/** One server has entries of a leader that no other server heard. */
const oneAhead: Start = [
  [2, [2, 2]],
  [2, []],
  [2, []],
]

const hunts: readonly Hunt[] = [
  {
    name: 'a vote is given twice',
    patches: [
      {
        file: 'election.ts',
        find: 'const isFree = raft.votedFor === undefined || raft.votedFor === from',
        replace: 'const isFree = true',
      },
    ],
    bounds: smallBounds,
    law: /^R6: one vote in a term/,
  },
  {
    name: 'less than half is a quorum',
    patches: [
      { file: 'quorum.ts', find: 'return Math.floor(voters / 2) + 1', replace: 'return Math.floor(voters / 2)' },
    ],
    bounds: smallBounds,
    law: /^R5: what is committed is durable at a majority/,
  },
  { ...known('a vote leaves before it is durable'), bounds: { ...smallBounds, slowWrites: 1, terms: 1 }, law: /^R6/ },
  { ...known('a vote is not written'), bounds: smallBounds, law: /^R6/ },
  { ...known('a term is not written'), bounds: smallBounds, law: /^R6/ },
  {
    ...known('the leader counts its own copy before it is durable'),
    bounds: { ...smallBounds, slowWrites: 1, terms: 1 },
    law: /^R5: what is committed is durable at a majority/,
  },
  { ...known('every append truncates'), bounds: noRestarts, law: /no committed entry is dropped/ },
  { ...known('votes of an old term are counted'), bounds: smallBounds, law: /^R1: a term has one leader/ },
  {
    ...known('entries of earlier terms are committed by counting'),
    bounds: { ...noRestarts, terms: 3, batch: 1 },
    start: figure8,
    law: /^R4: no server that lacks what is committed can be elected/,
  },
  {
    ...known('a conflicting entry is replaced, its tail kept'),
    bounds: noRestarts,
    start: oneAhead,
    law: /^the core stops: log entries follow each other/,
  },
  {
    ...known('the commit index follows the last entry, not the last verified one'),
    bounds: { ...noRestarts, heartbeats: 1 },
    start: oneAhead,
    law: /^R5/,
  },
  {
    ...known('an answer names the last entry, not the last verified one'),
    bounds: { ...noRestarts, heartbeats: 1, entries: 3 },
    start: oneAhead,
    law: /^R5/,
  },
  {
    ...known('the longer log wins, whatever its last term'),
    long: true,
    bounds: { ...noRestarts, terms: 4, entries: 1 },
    start: [
      [3, [2, 2]],
      [3, [3]],
      [3, []],
    ],
    law: /^R4: a leader holds what was committed in earlier terms/,
  },
]

describe('every state of three servers', () => {
  const bounds: readonly (readonly [string, RaftBounds, number])[] = [
    ['two terms, two entries', noRestarts, 0],
    ['one term, two entries, restarts', { ...smallBounds, terms: 1 }, 0],
    ['writes under way, one term', { ...smallBounds, terms: 1, slowWrites: 1, entries: 1 }, 0],
    ...(long
      ? ([
          ['two terms, two entries, restarts', smallBounds, 56_053],
          ['two terms, three entries, restarts', { ...smallBounds, entries: 3 }, 1_644_027],
          ['pre-votes, leaders that step down', { ...smallBounds, terms: 1, preVote: true, stepDown: true }, 0],
          ['heartbeats', { ...smallBounds, terms: 1, heartbeats: 1 }, 0],
          ['writes under way', { ...smallBounds, terms: 1, slowWrites: 1 }, 0],
          ['one entry in an append', { ...smallBounds, batch: 1 }, 0],
        ] as const)
      : []),
  ]

  it.each(bounds)(
    'keeps the laws of consensus: %s',
    (_, within, states) => {
      const result = new Search(new RaftProtocol(soundCore, within), { statesMax: 4_000_000, symmetry: true }).run()
      expect(result.steps).toEqual([])
      expect(result.end).toBe('exhausted')
      if (states > 0) expect(result.states).toBe(states)
    },
    1_800_000,
  )

  it('is the same search without folding by names, with up to six times the states', () => {
    const within = { ...smallBounds, terms: 1 }
    const [folded, whole] = [true, false].map((symmetry) =>
      new Search(new RaftProtocol(soundCore, within), { statesMax: 100_000, symmetry }).run(),
    )
    expect([folded?.end, whole?.end]).toEqual(['exhausted', 'exhausted'])
    const times = (whole?.tuples ?? 0) / (folded?.tuples ?? 1)
    expect(times).toBeGreaterThan(5)
    expect(times).toBeLessThanOrEqual(6)
  })

  it('ends at its bound of states and says so', () => {
    const result = new Search(new RaftProtocol(soundCore, smallBounds), { statesMax: 100, symmetry: true }).run()
    expect(result.end).toBe('full')
  })
})

describe('the search finds planted bugs', () => {
  for (const [number, { name, patches, bounds, start, law }] of hunts.entries()) {
    if (hunts[number]?.long === true && !long) continue
    it(name, async () => {
      const core = await mutantCore(`search-${number}`, patches)
      const protocol = new RaftProtocol(core, bounds, start === undefined ? undefined : disks(start))
      const result = new Search(protocol, { statesMax: 60_000, symmetry: start === undefined }).run()
      expect([result.end, result.law]).toEqual(['broken', expect.stringMatching(law)])
      expect(result.steps.length).toBeLessThan(25)
      expect(result.steps.every((step, at) => step.startsWith(`${at + 1}. `))).toBe(true)
    })

    if (start !== undefined) {
      it(`finds nothing in the sound core from where it found: ${name}`, () => {
        const protocol = new RaftProtocol(soundCore, bounds, disks(start))
        const result = new Search(protocol, { statesMax: long ? 1_000_000 : 3_000, symmetry: false }).run()
        expect([result.end === 'broken', result.steps]).toEqual([false, []])
      })
    }
  }
})
