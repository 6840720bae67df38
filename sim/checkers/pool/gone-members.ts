import { formatDuration } from '../../../src/base/duration.ts'
import type { GossipAddress } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { GossipTiming, ObservedCore } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'
import { reapedNotBeforeMs, reapedWithinMs, triedWithinMs } from './pool-bounds.ts'

/** How a member turns to another one by itself. */
interface Contact {
  readonly to: GossipAddress
  readonly how: string
}

/** A member that one observer considers failed or left. Times of true time, in microseconds. */
export interface Gone {
  readonly status: 'failed' | 'left'
  readonly goneSinceUs: number
  /** When the observer last tried to reach it, or first considered it failed. */
  readonly triedUs: number
  /** Trace event in which the observer learned that; absent or 0: no trace is recorded. */
  readonly event?: number
}

/** What the observer knew of members before the step. */
type Known = ReadonlyMap<string, { readonly status: string; readonly event?: number }>

/**
 * M5. Members that left are not contacted. Failed members, and no others, are tried again, in turn and at the rate of
 * the settings. Both are forgotten when their time is over, and not before. So the lists that reconnecting and reaping
 * work through are those of the members with that status.
 */
export class GoneMembers {
  readonly #judge: Judge<{ M5: 'observer woke' | 'shared address' }>

  constructor(judge: Judge<{ M5: 'observer woke' | 'shared address' }>) {
    this.#judge = judge
  }

  /** An observer now considers it failed or left, and is watched from now on. */
  began(): void {
    this.#judge.judged('M5')
  }

  /** An observer slept while this many members were gone: overdue work is done within a few rounds. */
  woke(gone: number): void {
    this.#judge.excused('M5', 'observer woke', gone)
  }

  /**
   * An observer with failed members has reached its interval. `wrong`: how often all observers have tried, and how
   * often they should have.
   */
  paced(wrong: { readonly tries: number; readonly mean: number } | undefined): void {
    this.#judge.judged('M5')
    if (wrong === undefined) return
    const { tries, mean } = wrong
    this.#judge.report(
      'M5',
      `failed members were tried ${tries} times, although about ${mean.toFixed(1)} tries are due`,
    )
  }

  /**
   * The interval of an observer is over, and it has no failed members. `goesOn`: it nevertheless begins another
   * interval.
   */
  idled(goesOn: boolean): void {
    this.#judge.judged('M5')
    if (goesOn)
      this.#judge.report('M5', 'another attempt to reach failed members is scheduled, although no member has failed')
  }

  /** An observer tries to reconnect to a member, which it considers to have this status. */
  tried(observer: string, name: string, status: string): void {
    this.#judge.judged('M5')
    if (status !== 'failed')
      this.#judge.report('M5', `${observer} tries to reconnect to ${name}, which it considers ${status}`)
  }

  /** `passed`: a member that had failed before, and was not tried since before the last but one try of this one. */
  inTurn(observer: string, name: string, passed: string | undefined): void {
    this.#judge.judged('M5')
    if (passed !== undefined)
      this.#judge.report('M5', `${observer} tries to reconnect to ${name} a third time, and not to ${passed} meanwhile`)
  }

  /** The status of members has changed. `listed`: those that the observer would try again, or forget, as `status`. */
  listed(observer: string, status: 'failed' | 'left', listed: readonly string[], are: readonly string[]): void {
    this.#judge.judged('M5')
    const isSame = listed.length === are.length && are.every((name) => listed.includes(name))
    if (isSame) return
    const [those, others] = [listed, are].map((names) => names.join(', ') || 'none')
    this.#judge.report('M5', `${observer} lists ${those} as ${status}, and ${others} are`)
  }

  /** Reports contact with a member that had left before this step, unless another member has its address now. */
  contacts(
    observer: string,
    { left, members }: Pick<ObservedCore, 'left' | 'members'>,
    contact: Contact,
    known: Known,
  ): void {
    if (left.length === 0) return
    const { to, how } = contact
    const there = [...members.values()].filter(({ address }) => address.host === to.host && address.port === to.port)
    const [member] = there
    if (member === undefined) return
    const isShared = there.some(({ status }) => status !== 'left')
    if (isShared && there.some(({ status }) => status === 'left')) this.#judge.excused('M5', 'shared address')
    const was = known.get(member.name)
    if (!isShared && was?.status === 'left') this.contacted(observer, member.name, how, was.event)
  }

  contacted(observer: string, name: string, how: string, event = 0): void {
    this.#judge.judged('M5')
    this.#judge.report('M5', `${observer} contacts ${name}, which has left, by ${how}`, [event])
  }

  reaped(observer: string, name: string, gone: Gone | undefined, timing: GossipTiming, nowUs: number): void {
    this.#judge.judged('M5')
    if (gone === undefined) {
      this.#judge.report('M5', `${observer} forgets ${name}, which it does not consider failed or left`)
      return
    }
    const spanMs = (nowUs - gone.goneSinceUs) / 1000
    if (spanMs >= reapedNotBeforeMs(timeoutOf(gone, timing))) return
    this.#judge.report(
      'M5',
      `${observer} forgets ${name}, ${gone.status} for only ${formatDuration(Math.floor(spanMs))}`,
      [gone.event ?? 0],
    )
  }

  look(
    observer: string,
    name: string,
    gone: Gone,
    pool: { timing: GossipTiming; members: number },
    nowUs: number,
  ): void {
    const goneMs = (nowUs - gone.goneSinceUs) / 1000
    if (goneMs > reapedWithinMs(pool.timing, timeoutOf(gone, pool.timing))) {
      this.#judge.judged('M5')
      this.#judge.report(
        'M5',
        `${observer} still knows ${name}, ${gone.status} for ${formatDuration(Math.floor(goneMs))}`,
        [gone.event ?? 0],
      )
    }
    const triedMs = (nowUs - gone.triedUs) / 1000
    if (gone.status === 'failed' && triedMs > triedWithinMs(pool.timing, pool.members)) {
      this.#judge.judged('M5')
      this.#judge.report(
        'M5',
        `${observer} has not tried to reach ${name} for ${formatDuration(Math.floor(triedMs))}`,
        [gone.event ?? 0],
      )
    }
  }
}

function timeoutOf({ status }: Gone, { reconnectTimeoutMs, tombstoneTimeoutMs }: GossipTiming): number {
  return status === 'failed' ? reconnectTimeoutMs : tombstoneTimeoutMs
}

export const goneMembers = law(
  {
    M5: {
      text: 'reconnects: a member that left is not contacted, a failed one is retried in turn, about once in an interval, and both are reaped when their time is over',
      sources: ['docs/reference/configuration.md#fixed-gossip-values'],
      evidence: ['members', 'probes'],
      judges: ['gone member or try', 'gone members and tries'],
      excuses: {
        'observer woke':
          'What was due while an observer slept is not asked for; until ten rounds of reaping after it woke.',
        'shared address':
          'A member that left may seem to be contacted while another member has its address; until that one has left.',
      },
    },
  },
  (judge) => new GoneMembers(judge),
)

/** Messages that answer a question, whether or not a member asked it. */
const answers: ReadonlySet<string> = new Set(['ack', 'nack', 'query-response', 'relay'])

/** A ping on behalf of another member, or of a sender that claims to be one. */
function isForAnother(event: GossipEvent, sent: string): boolean {
  if (sent !== 'ping' || event.kind !== 'packet-received') return false
  return event.messages.some(({ kind }) => kind === 'indirect-ping')
}

/** Undefined: the effect turns to no other member, or answers one. */
export function contactOf(event: GossipEvent, effect: GossipEffect): Contact | undefined {
  if (effect.kind === 'exchange') return { to: effect.with, how: effect.purpose }
  if (effect.kind === 'stream-ping') return { to: effect.to, how: effect.kind }
  if (effect.kind !== 'send') return undefined
  const first = effect.messages[0]?.kind
  if (first === undefined || answers.has(first) || isForAnother(event, first)) return undefined
  return { to: effect.to, how: first }
}
