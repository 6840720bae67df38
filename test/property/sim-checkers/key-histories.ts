import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { fc } from '../../fast-check.ts'

export function operation(part: Partial<KeyOperation>): KeyOperation {
  return {
    client: 'client 1',
    key: 'k',
    kind: 'read',
    value: undefined,
    expected: undefined,
    consistency: 'consistent',
    callUs: 0,
    returnUs: Number.POSITIVE_INFINITY,
    outcome: 'ok',
    found: undefined,
    ...part,
  }
}

const state = fc.constantFrom(undefined, 'a', 'b', 'c')
const value = fc.constantFrom('a', 'b', 'c')

/** Any operation at all, answered or not: most histories of them have no order, many only just. */
const anyOperation = fc
  .record({
    kind: fc.constantFrom('read', 'read', 'write', 'cas', 'delete'),
    value,
    state,
    callUs: fc.nat(12),
    lengthUs: fc.nat(6),
    end: fc.constantFrom('ok', 'ok', 'ok', 'refused', 'unknown'),
  })
  .map(({ kind, value: put, state: seen, callUs, lengthUs, end }): KeyOperation => {
    const outcome = end === 'refused' && kind !== 'cas' ? 'ok' : end
    return operation({
      kind,
      callUs,
      returnUs: outcome === 'unknown' ? Number.POSITIVE_INFINITY : callUs + lengthUs,
      outcome,
      value: kind === 'write' || kind === 'cas' ? put : undefined,
      expected: kind === 'cas' ? seen : undefined,
      found: kind === 'read' && outcome === 'ok' ? seen : undefined,
    })
  })

/** Values may be written more than once, and read although no client wrote them. */
export function anyHistory(operationsMax: number): fc.Arbitrary<readonly KeyOperation[]> {
  return fc.array(anyOperation, { maxLength: operationsMax })
}

const drawn = fc.record({
  kind: fc.constantFrom<KeyOperation['kind']>('read', 'read', 'write', 'write', 'cas', 'delete'),
  callUs: fc.nat(14),
  lengthUs: fc.nat(8),
  end: fc.constantFrom<KeyOperation['outcome']>('ok', 'ok', 'ok', 'ok', 'refused', 'unknown'),
  seen: fc.nat(5),
})

/** Every value is written once, as the clients of a run do: what is found was, mostly, written not long before. */
export function distinctHistory(operationsMax: number): fc.Arbitrary<readonly KeyOperation[]> {
  return fc.array(drawn, { maxLength: operationsMax }).map((all) => {
    const written = all
      .map(({ kind, callUs }, at) => ({ callUs, value: kind === 'write' || kind === 'cas' ? `v${at}` : undefined }))
      .filter((one, at) => one.value !== undefined || all[at]?.kind === 'delete')
      .sort((a, b) => a.callUs - b.callUs)
    return all.map(({ kind, callUs, lengthUs, end, seen }, at): KeyOperation => {
      const outcome = end === 'refused' && kind !== 'cas' ? 'ok' : end
      const before = [undefined, ...written.filter((one) => one.callUs <= callUs + lengthUs).map(({ value }) => value)]
      const state = before[Math.max(0, before.length - 1 - seen)]
      return operation({
        kind,
        callUs,
        returnUs: outcome === 'unknown' ? Number.POSITIVE_INFINITY : callUs + lengthUs,
        outcome,
        value: kind === 'write' || kind === 'cas' ? `v${at}` : undefined,
        expected: kind === 'cas' ? state : undefined,
        found: kind === 'read' && outcome === 'ok' ? state : undefined,
      })
    })
  })
}

/**
 * The definition, literally: whether some order of all that was answered, and of any of the rest, respects real time
 * and explains every answer.
 */
export function hasOrder(history: readonly KeyOperation[], held?: string): boolean {
  const answered = history.filter(({ outcome }) => outcome !== 'unknown')
  if (answered.length === 0) return true
  const firstEnd = Math.min(...answered.map(({ returnUs }) => returnUs))
  return history.some((one) => {
    if (one.callUs > firstEnd || !isPossible(one, held)) return false
    const next = after(one, held)
    return hasOrder(
      history.filter((other) => other !== one),
      next,
    )
  })
}

/**
 * Whether an operation can have had its answer from a key that holds this. An unknown CAS: whether it can have taken
 * effect.
 */
export function isPossible({ kind, outcome, found, expected }: KeyOperation, held: string | undefined): boolean {
  if (kind === 'read') return outcome === 'unknown' || found === held
  if (kind === 'cas') return outcome === 'refused' ? expected !== held : expected === held
  return true
}

export function after({ kind, outcome, value: put }: KeyOperation, held: string | undefined): string | undefined {
  return kind === 'read' || outcome === 'refused' ? held : put
}

/** How the clients of a busy key behave. */
export interface Crowd {
  readonly clients: number
  readonly operations: number
  /** Shares of reads, writes and CAS; the rest are deletes. */
  readonly shares: readonly [read: number, write: number, cas: number]
  /**
   * Share of operations that are never answered; of each 40 ms the first 8 are an outage, in which nearly all are not.
   */
  readonly lost: number
  /** A number from 0 to 1 each time. */
  readonly draw: () => number
}

interface Effect {
  readonly atUs: number
  readonly one: KeyOperation
  readonly isLost: boolean
  /** False: it never took effect. */
  readonly happens: boolean
}

/**
 * What clients that all use one real register see of it: linearizable, and hard to show to be for a search that
 * guesses.
 */
export function crowdedHistory(crowd: Crowd): KeyOperation[] {
  const effects = Array.from({ length: crowd.clients }, (_, client) => asked(crowd, client)).flat()
  effects.sort((a, b) => a.atUs - b.atUs)
  let held: string | undefined
  const states: (string | undefined)[] = [undefined]
  return effects.map(({ one, isLost, happens }): KeyOperation => {
    const seen = one.kind === 'cas' && crowd.draw() >= 0.6 ? states.at(-1 - Math.floor(crowd.draw() * 4)) : held
    if (one.kind === 'read') return isLost ? one : { ...one, found: held }
    if (one.kind === 'cas' && seen !== held) return { ...one, expected: seen, outcome: isLost ? 'unknown' : 'refused' }
    if (happens) {
      held = one.value
      states.push(held)
    }
    return { ...one, expected: one.kind === 'cas' ? seen : undefined }
  })
}

function asked({ clients, operations, shares, lost, draw }: Crowd, client: number): Effect[] {
  const effects: Effect[] = []
  let callUs = Math.floor(draw() * 1000)
  for (let number = 0; number < operations / clients; number++) {
    const isLost = draw() < (callUs % 40_000 < 8000 ? 0.95 : lost)
    const lengthUs = Math.floor(1000 * (0.2 + draw()))
    const drawnKind = draw()
    const [read, write, cas] = shares
    const changing = drawnKind < read + write ? 'write' : drawnKind < read + write + cas ? 'cas' : 'delete'
    const kind = drawnKind < read ? 'read' : changing
    const one = operation({
      client: `client ${client}`,
      kind,
      value: kind === 'write' || kind === 'cas' ? `v${client}.${number}` : undefined,
      callUs,
      returnUs: isLost ? Number.POSITIVE_INFINITY : callUs + lengthUs,
      outcome: isLost ? 'unknown' : 'ok',
    })
    // What was never answered may take effect long after.
    const atUs = callUs + draw() * (isLost ? 20_000 : lengthUs)
    effects.push({ atUs, one, isLost, happens: !isLost || draw() < 0.5 })
    callUs += (isLost ? 1000 : lengthUs) + Math.floor(draw() * 300) + 1
  }
  return effects
}
