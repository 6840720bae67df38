import { expect, it } from 'vitest'
import { mergeItems } from '../../../src/gossip/core/merge.ts'
import type { FullState } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import { fc } from '../../fast-check.ts'
import { Subject } from '../../unit/gossip-core/subject.ts'
import { fullState } from '../gossip-wire/arbitrary.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 10_000 : 150

/** Few names, so that the lists speak of the same members, and numbers that no bound drops. */
const known = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const incarnation = fc.nat({ max: 5 })
const versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}
const kin: fc.Arbitrary<FullState> = fullState.chain((state) =>
  fc
    .record({
      nodes: fc.array(fc.tuple(known, incarnation), { maxLength: 12 }),
      statusTimes: fc.uniqueArray(fc.tuple(known, fc.nat({ max: 9 })), { selector: ([name]) => name, maxLength: 6 }),
      left: fc.uniqueArray(known, { maxLength: 3 }),
    })
    .map(({ nodes, statusTimes, left }) => ({
      ...state,
      nodes: state.nodes.slice(0, nodes.length).map((node, at) => {
        const [name, number] = nodes[at] ?? ['a', 1]
        return {
          ...node,
          node: name,
          incarnation: number,
          versions,
          address: { host: '10.0.0.9', port: name.charCodeAt(0) },
        }
      }),
      statusTimes,
      left,
      lamport: state.lamport % 1_000,
    })),
)

/** An agent, and all that it was told to do. */
class Merging {
  readonly #subject = new Subject()
  readonly #effects: GossipEffect[] = []

  /** False: the state was refused. */
  take(event: GossipEvent): boolean {
    const effects = this.#subject.do(event)
    this.#effects.push(...effects)
    return this.#subject.of('state-refused', effects).length === 0
  }

  get outcome(): unknown {
    const { clock, eventClock, eventsSince, queryClock } = this.#subject.core
    const events = this.#effects.filter(({ kind }) => kind === 'user-event' || kind === 'state-refused')
    const changes = this.#subject.changes(this.#effects)
    return { state: this.#subject.state(), clock, eventClock, eventsSince, queryClock, events, changes }
  }
}

it('a state that is merged in parts leaves what one leaves that is merged at once', () => {
  const how = fc.constantFrom('request' as const, 'answer' as const, 'join-answer' as const)
  const itemsAtOnce = fc.integer({ min: 1, max: 9 })
  let merged = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(kin, how), { minLength: 1, maxLength: 3 }), itemsAtOnce, (exchanges, atOnce) => {
      const [whole, parts] = [new Merging(), new Merging()]
      for (const [state, kind] of exchanges) {
        const event = { kind: 'state-received', how: kind, from: { host: '10.0.0.9', port: 1 }, state } as const
        if (whole.take(event)) merged++
        const items = mergeItems(state)
        let goesOn = true
        for (let start = 0; goesOn && (start === 0 || start < items); start += atOnce) {
          goesOn = parts.take({ ...event, part: { start, end: Math.min(items, start + atOnce) } })
        }
      }
      expect(parts.outcome).toEqual(whole.outcome)
    }),
    { numRuns: runs },
  )
  expect(merged).toBeGreaterThan(runs / 2)
})
