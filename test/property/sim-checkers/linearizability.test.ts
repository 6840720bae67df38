import { describe, expect, it } from 'vitest'
import { type KeyOperation, operationText } from '../../../sim/checkers/keys/key-history.ts'
import { judgeKey, type KeyVerdict, type KeyViolation } from '../../../sim/checkers/keys/key-verdict.ts'
import { smallestCause } from '../../../sim/checkers/keys/smallest-cause.ts'
import { fc } from '../../fast-check.ts'
import { after, anyHistory, crowdedHistory, distinctHistory, hasOrder, isPossible, operation } from './key-histories.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
const numRuns = long ? 100_000 : 1_500
const operationsMax = long ? 8 : 7
const law = { staleDefaultUs: 0, stepsMax: 1_000_000 }
const never = Number.POSITIVE_INFINITY

function violationOf(verdict: KeyVerdict): KeyViolation {
  if (verdict.kind !== 'violation') throw new Error(`the verdict is ${verdict.kind}`)
  return verdict
}

/** The history up to a moment: without what was called later, and without the answers that came later. */
function upTo(history: readonly KeyOperation[], us: number, blocked?: KeyOperation): readonly KeyOperation[] {
  const called = history.filter(({ callUs }) => callUs <= us)
  const isOpen = (one: KeyOperation): boolean => one.returnUs > us || one === blocked
  return [...called.filter((one) => !isOpen(one)), ...opened(called.filter(isOpen))]
}

/**
 * Operations without their answers. A CAS known to be refused had no effect, whenever the answer came.
 */
function opened(operations: readonly KeyOperation[]): readonly KeyOperation[] {
  return operations
    .filter(({ outcome }) => outcome !== 'refused')
    .map((one) => ({ ...one, outcome: 'unknown', returnUs: never, found: undefined }))
}

/** Gives what the key then holds. */
function expectExplains(order: readonly KeyOperation[]): string | undefined {
  let held: string | undefined
  expect(
    order.every((one) => {
      const isOne = isPossible(one, held)
      held = after(one, held)
      return isOne
    }),
  ).toBe(true)
  let firstReturnUs = never
  for (const one of [...order].reverse()) {
    firstReturnUs = Math.min(firstReturnUs, one.returnUs)
    if (firstReturnUs < one.callUs) throw new Error(`before its time: ${operationText(one)}`)
  }
  return held
}

describe('the verdict on a key', () => {
  it.each([
    ['whatever was written and found', anyHistory(operationsMax)],
    ['where every value is written once', distinctHistory(operationsMax)],
  ])('is that of the definition, tried literally, %s', (_, histories) => {
    const seen = { linearizable: 0, violation: 0, undecided: 0 }
    fc.assert(
      fc.property(histories, (history) => {
        const verdict = judgeKey(history, law)
        seen[verdict.kind]++
        expect(verdict.kind === 'linearizable').toBe(hasOrder(history))
      }),
      { numRuns },
    )
    // Histories drawn at random show something only if both verdicts come up often.
    expect(seen.linearizable).toBeGreaterThan(numRuns / 10)
    expect(seen.violation).toBeGreaterThan(numRuns / 10)
    expect(seen.undecided).toBe(0)
  })

  it('comes with an order that explains what was answered, to the end or to the answer that nothing explains', () => {
    fc.assert(
      fc.property(fc.oneof(anyHistory(operationsMax), distinctHistory(operationsMax)), (history) => {
        const verdict = judgeKey(history, law)
        if (verdict.kind === 'undecided') throw new Error('undecided')
        const held = expectExplains(verdict.order)
        if (verdict.kind === 'violation') expect(verdict.held).toBe(held)
        const endUs = verdict.kind === 'violation' ? verdict.blocked.returnUs : never
        const ordered = new Set(verdict.order)
        for (const one of history) if (one.returnUs < endUs) expect(ordered).toContain(one)
      }),
      { numRuns },
    )
  })

  it('names the first answer that nothing explains: without it there is an order, with it there is none', () => {
    fc.assert(
      fc.property(fc.oneof(anyHistory(operationsMax), distinctHistory(operationsMax)), (history) => {
        fc.pre(!hasOrder(history))
        const { blocked } = violationOf(judgeKey(history, law))
        // Of answers at one moment any may count as the last.
        const justBefore = blocked.returnUs - 0.5
        expect(hasOrder(upTo(history, justBefore, blocked))).toBe(true)
        expect(hasOrder(upTo(history, blocked.returnUs))).toBe(false)
      }),
      { numRuns },
    )
  })

  it('has a cause that has no order by itself, has the blocked one in it, and loses nothing by what is left out', () => {
    fc.assert(
      fc.property(anyHistory(operationsMax), (history) => {
        fc.pre(!hasOrder(history))
        const violation = violationOf(judgeKey(history, law))
        const cause = smallestCause(history, violation, law)
        expect(hasOrder(cause)).toBe(false)
        expect(cause).toContain(violation.blocked)
        const rest = opened(history.filter((one) => !cause.includes(one)))
        expect(hasOrder([...cause, ...rest])).toBe(false)
      }),
      { numRuns },
    )
  })
})

/** Reads and writes of many clients, each write of a value of its own; `wrong` reads find what is not there. */
function simulated(
  shape: readonly (readonly [at: number, before: number, after: number, isWrite: boolean])[],
): KeyOperation[] {
  const ordered = [...shape].sort((a, b) => a[0] - b[0])
  let held: string | undefined
  return ordered.map(([at, before, later, isWrite], number) => {
    const times = { callUs: at * 10 - before, returnUs: at * 10 + later }
    if (!isWrite) return operation({ ...times, found: held })
    held = `v${number}`
    return operation({ ...times, kind: 'write', value: held })
  })
}

const shape = fc.array(fc.tuple(fc.nat(400), fc.nat(60), fc.nat(60), fc.boolean()), { minLength: 1, maxLength: 120 })

/**
 * Gibbons & Korach, "Testing shared memories" (1997), for writes of unique values: the zone of a value lies between its
 * first answer and its last call. There is an order if no value is read before it is called for, no two zones overlap
 * in which the answer comes first, and none in which the call comes first lies within one of those.
 */
function zonesAllow(history: readonly KeyOperation[]): boolean {
  const clusters = new Map<string | undefined, KeyOperation[]>()
  const initial = operation({ kind: 'write', callUs: -1e9, returnUs: -1e9 })
  for (const one of [initial, ...history]) {
    const about = one.kind === 'read' ? one.found : one.value
    clusters.set(about, [...(clusters.get(about) ?? []), one])
  }
  const zones = [...clusters.values()].map((cluster) => ({
    write: cluster.find(({ kind }) => kind === 'write'),
    reads: cluster.filter(({ kind }) => kind === 'read'),
    answer: Math.min(...cluster.map(({ returnUs }) => returnUs)),
    call: Math.max(...cluster.map(({ callUs }) => callUs)),
  }))
  if (zones.some(({ write, reads }) => write === undefined || reads.some((read) => read.returnUs < write.callUs)))
    return false
  const forward = zones.filter(({ answer, call }) => answer < call)
  const backward = zones.filter(({ answer, call }) => answer >= call)
  return forward.every((one) => {
    const overlaps = forward.some((other) => other !== one && one.answer < other.call && other.answer < one.call)
    return !overlaps && !backward.some((other) => one.answer < other.call && other.answer < one.call)
  })
}

describe('the verdict on a long history of reads and writes', () => {
  it('is linearizable when every operation took effect at a moment between call and answer', () => {
    fc.assert(
      fc.property(shape, (drawn) => {
        expect(judgeKey(simulated(drawn), law).kind).toBe('linearizable')
      }),
      { numRuns: Math.ceil(numRuns / 10) },
    )
  })

  it('is that of the zones of its values (Gibbons & Korach 1997), when one read finds another value or none', () => {
    const seen = { linearizable: 0, violation: 0, undecided: 0 }
    fc.assert(
      fc.property(shape, fc.nat(), fc.nat(), (drawn, at, other) => {
        const history = simulated(drawn)
        const reads = [...history.keys()].filter((one) => history[one]?.kind === 'read')
        const writes = history.filter(({ kind }) => kind === 'write')
        fc.pre(reads.length > 0 && writes.length > 0)
        const changed = reads[at % reads.length] as number
        // A value written shortly before or after the read: often it just could have been.
        const near = writes.filter((write) => Math.abs(write.callUs - (history[changed] as KeyOperation).callUs) < 120)
        history[changed] = {
          ...(history[changed] as KeyOperation),
          found: near[other % Math.max(1, near.length)]?.value,
        }
        const verdict = judgeKey(history, law)
        seen[verdict.kind]++
        expect(verdict.kind === 'linearizable').toBe(zonesAllow(history))
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    )
    expect(seen.linearizable).toBeGreaterThan(numRuns / 50)
    expect(seen.violation).toBeGreaterThan(numRuns / 50)
  })
})

describe('the verdict on a key that many clients use at once, over outages', () => {
  const mixes = [
    ['reads and writes', [0.5, 0.5, 0]],
    ['everything', [0.3, 0.3, 0.25]],
    ['chains of CAS', [0.2, 0.1, 0.6]],
    ['deletes', [0.4, 0.2, 0]],
    ['CAS and deletes', [0.2, 0.05, 0.45]],
  ] as const
  const crowd = fc.record({
    clients: fc.constantFrom(3, 8, 20),
    operations: fc.constantFrom(100, 400),
    lost: fc.constantFrom(0.02, 0.1, 0.3),
    seed: fc.integer({ min: 1, max: 1 << 30 }),
  })
  const histories = long ? 500 : 12

  it.each(mixes)('is found within the bound of the search where there is an order: %s', (_, shares) => {
    fc.assert(
      fc.property(crowd, ({ seed, ...drawn }) => {
        const history = crowdedHistory({ ...drawn, shares, draw: drawsOf(seed) })
        const verdict = judgeKey(history, { staleDefaultUs: 0, stepsMax: 200_000 })
        expect(verdict.kind).toBe('linearizable')
        expectExplains(verdict.kind === 'linearizable' ? verdict.order : [])
      }),
      { numRuns: histories },
    )
  })

  it.each(mixes)('is found, too, where a read finds what was overwritten before it was asked for: %s', (_, shares) => {
    let judged = 0
    fc.assert(
      fc.property(crowd, fc.nat(), ({ seed, ...drawn }, pick) => {
        const history = crowdedHistory({ ...drawn, clients: Math.min(8, drawn.clients), shares, draw: drawsOf(seed) })
        const late = overwritten(history, pick)
        fc.pre(late !== undefined)
        judged++
        const verdict = judgeKey([...history, late as KeyOperation], { staleDefaultUs: 0, stepsMax: 2_000_000 })
        expect(verdict.kind).toBe('violation')
      }),
      { numRuns: histories },
    )
    expect(judged).toBeGreaterThan(histories / 2)
  })
})

/** The same numbers from 0 to 1 for the same seed. */
function drawsOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 0x1_0000_0000
  }
}

/** A read in the midst of a history that finds a value after another write came between for certain. */
function overwritten(history: readonly KeyOperation[], pick: number): KeyOperation | undefined {
  const answered = history.filter(({ kind, outcome }) => kind === 'write' && outcome === 'ok')
  const first = answered[pick % Math.max(1, answered.length)]
  const second = answered.find(({ callUs }) => first !== undefined && callUs > first.returnUs)
  if (first === undefined || second === undefined) return undefined
  return operation({ client: 'late', found: first.value, callUs: second.returnUs + 1, returnUs: second.returnUs + 500 })
}
