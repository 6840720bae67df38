import { describe, expect, it } from 'vitest'
import { judgeFormation } from '../../../src/agent/servers/formation.ts'
import type { ServerRecord } from '../../../src/agent/servers/server-directory.ts'
import { fc } from '../../fast-check.ts'

function record(id: string, known: readonly string[], more: Partial<ServerRecord> = {}): ServerRecord {
  return {
    id,
    name: id,
    address: `10.0.0.${id.charCodeAt(0)}:8300`,
    datacenter: 'dc1',
    raftProtocol: 3,
    expect: 3,
    bootstrapped: false,
    known: [...known],
    lastIndex: 0,
    lastTerm: 0,
    lastContactMs: -1,
    ...more,
  }
}

const abc = ['a', 'b', 'c']

describe('forming a cluster', () => {
  it('happens when the expected servers all name the same set', () => {
    const formation = judgeFormation(record('b', abc), [record('c', abc), record('a', abc)])
    expect(formation.kind).toBe('form')
    if (formation.kind === 'form') expect(formation.configuration.servers.map((server) => server.id)).toEqual(abc)
  })

  it('waits for the expected number', () => {
    expect(judgeFormation(record('a', ['a', 'b']), [record('b', ['a', 'b'])])).toEqual({
      kind: 'wait',
      why: 'fewer servers than bootstrap_expect are known',
    })
  })

  it('waits while one of them knows other servers than this one', () => {
    const others = [record('b', abc), record('c', ['a', 'b', 'c', 'd'])]
    expect(judgeFormation(record('a', abc), others)).toEqual({
      kind: 'wait',
      why: 'c does not know the same servers yet',
    })
  })

  it('happens without servers that wait for none, which the leader adds later', () => {
    const joining = record('d', abc, { expect: 0 })
    const formation = judgeFormation(record('a', abc), [record('b', abc), record('c', abc), joining])
    expect(formation.kind).toBe('form')
    if (formation.kind === 'form') expect(formation.configuration.servers.map((server) => server.id)).toEqual(abc)
  })

  it('waits while one of them waits for another number, and names that one', () => {
    const others = [record('b', abc), record('c', abc, { expect: 5 })]
    const why = 'c waits for 5 servers, and this one for 3: give all the same bootstrap_expect'
    expect(judgeFormation(record('a', abc), others)).toEqual({ kind: 'wait', why })
    const further = [record('b', abc), record('c', abc), record('d', abc, { expect: 4 })]
    expect(judgeFormation(record('a', abc), further)).toMatchObject({ why: expect.stringMatching(/^d waits for 4/) })
  })

  it('waits when one of them already belongs to a cluster', () => {
    const others = [record('b', abc), record('c', abc, { bootstrapped: true })]
    expect(judgeFormation(record('a', abc), others)).toEqual({
      kind: 'wait',
      why: 'c has the state of a cluster already',
    })
  })

  it('names each server as its Raft protocol does, and waits for servers that have another name for one', () => {
    const old = { raftProtocol: 2 }
    const names = ['10.0.0.98:8300', '10.0.0.99:8300', 'a']
    const others = [record('b', names, old), record('c', names, old)]
    const formation = judgeFormation(record('a', names), others)
    expect(formation).toMatchObject({
      kind: 'form',
      configuration: { servers: names.map((id) => ({ id, address: id === 'a' ? '10.0.0.97:8300' : id })) },
    })
    // c has not heard yet that b came back on another protocol.
    const behind = [record('b', names, old), record('c', ['10.0.0.99:8300', 'a', 'b'], old)]
    expect(judgeFormation(record('a', names), behind)).toEqual({
      kind: 'wait',
      why: 'c does not know the same servers yet',
    })
  })

  it('never makes two servers form different sets, whatever each has heard', () => {
    // Each server has heard some others, whose records may be old: each states a set that its owner knew at some time.
    const ids = ['a', 'b', 'c', 'd']
    const subset = fc.subarray(ids)
    const view = (self: string): fc.Arbitrary<readonly [string, ServerRecord[]]> =>
      fc.record({ heard: subset, stated: fc.tuple(subset, subset, subset, subset) }).map(({ heard, stated }) => {
        const others = heard.filter((id) => id !== self)
        return [
          self,
          others.map((id) =>
            record(
              id,
              [...new Set([id, ...(stated[ids.indexOf(id)] ?? [])])].sort((x, y) => (x < y ? -1 : 1)),
            ),
          ),
        ] as const
      })
    fc.assert(
      fc.property(view('a'), view('b'), ([self, heard], [other, otherHeard]) => {
        const own = (id: string, records: readonly ServerRecord[]): ServerRecord =>
          record(
            id,
            [id, ...records.map((each) => each.id)].sort((x, y) => (x < y ? -1 : 1)),
          )
        const one = judgeFormation(own(self, heard), heard)
        const two = judgeFormation(own(other, otherHeard), otherHeard)
        if (one.kind !== 'form' || two.kind !== 'form') return
        // Both formed, each having heard the other state its own set: then the sets are one.
        const heardTrue = heard.find((each) => each.id === other)?.known.join() === own(other, otherHeard).known.join()
        if (heardTrue) expect(one.configuration).toEqual(two.configuration)
      }),
    )
  })
})
