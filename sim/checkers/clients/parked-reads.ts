import type { FoundResult, ParkedRead } from '../../../src/agent/boot/observer.ts'
import { compareText } from '../../../src/base/bytes.ts'
import { checker, eventIn, type Judge } from '../checker.ts'
import { monotoneIndex } from './monotone-index.ts'

type Excuse = 'ahead of its server' | 'distances moved' | 'order alone'

/** Equal parked reads of one server. */
interface Question {
  /** The reads, with the event in which each was parked. */
  readonly parked: Map<ParkedRead, number>
}

/**
 * W2, and W1 for parked reads. At the end of every turn in which a server applied commands or parked a read, each of
 * its parked reads is evaluated anew, without the machinery that wakes them. The bound is that turn, for this reason:
 * 1. The reads that a commit concerns learn of it at the end of its batch, within the turn that applied it, and are not
 *    parked from then on. The first few wake in that turn, the others in slices (`wakes.ts` of the agent).
 * 2. A woken read evaluates again in the same turn, and answers or parks again; or it first asks whether it may still
 *    answer, and is not parked meanwhile.
 * 3. So for a read that is parked when the turn is over, a new evaluation finds nothing that it should have answered.
 * 4. A read that learned of a change and was never woken is found by the watchers of a workload, which must have
 *    learned of each write in time (`watch-sequences.ts`).
 * It should have answered with any result that differs from the one that it found (`ParkedRead.found`). Such a result
 * must have an index beyond the one that the read waits for, if the read's state had reached that index; and no index
 * falls below the one found. An index that grows alone, as when tombstones are reaped, need not wake a read.
 */
export class ParkedReads {
  readonly #judge: Judge<{ W2: Excuse; W1: never }>
  readonly #servers = new Map<string, Map<string, Question>>()
  /** Servers to check at the end of the turn. */
  readonly #moved = new Set<string>()

  constructor(judge: Judge<{ W2: Excuse; W1: never }>) {
    this.#judge = judge
  }

  /** The returned function is called when the read learned of a change or has ended. */
  parked(server: string, read: ParkedRead): () => void {
    const questions = this.#servers.get(server) ?? new Map<string, Question>()
    this.#servers.set(server, questions)
    const as = read.accessor === '' ? '' : ` as ${read.accessor}`
    const key = `${read.method} ${JSON.stringify(read.args)}${as}`
    const question = questions.get(key) ?? { parked: new Map<ParkedRead, number>() }
    questions.set(key, question)
    question.parked.set(read, eventIn(this.#judge))
    this.#moved.add(server)
    return () => {
      if (question.parked.delete(read) && question.parked.size === 0) questions.delete(key)
    }
  }

  /**
   * The reads that are parked at a server: method, names, and the index waited for. IDs are left out, because they may
   * be secrets.
   */
  waitingAt(server: string): readonly string[] {
    const waiting = new Map<string, number>()
    for (const { parked } of this.#servers.get(server)?.values() ?? []) {
      for (const { method, args, minIndex } of parked.keys()) {
        const text = `${[method, ...namesIn(args)].join(' ')} beyond ${minIndex}`
        waiting.set(text, (waiting.get(text) ?? 0) + 1)
      }
    }
    return [...waiting].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`)).toSorted(compareText)
  }

  /** The server's state was replaced. */
  moved(server: string): void {
    if (this.#servers.has(server)) this.#moved.add(server)
  }

  /** Its process has ended, so none of its reads waits. */
  died(server: string): void {
    this.#servers.delete(server)
    this.#moved.delete(server)
  }

  turnEnded(): void {
    if (this.#moved.size === 0) return
    for (const server of this.#moved) {
      for (const [key, { parked }] of this.#servers.get(server) ?? []) this.#look(`${key} at ${server}`, parked)
    }
    this.#moved.clear()
  }

  #look(what: string, parked: ReadonlyMap<ParkedRead, number>): void {
    let now: FoundResult | undefined
    for (const [read, event] of parked) {
      now ??= read.now()
      this.#judge.judged('W2')
      this.#judge.judged('W1')
      const { minIndex, found } = read
      const text = `${what} waits for more than ${minIndex}`
      const moved = !sameValue(found.value, now.value)
      const excuse = moved ? excuseOf(read, found.value, now.value) : undefined
      const differs = moved && excuse === undefined
      if (excuse !== undefined) this.#judge.excused('W2', excuse)
      if (differs && now.index > minIndex) {
        this.#judge.report(
          'W2',
          `${text} and was not woken at ${now.at}: its index is ${now.index}, and its result differs`,
          [event],
        )
      } else if (differs && found.at >= minIndex) {
        this.#judge.report(
          'W2',
          `${text} and was not answered: its result at ${now.at} differs from that at ${found.at}`,
          [event],
        )
      } else if (now.index < found.index) {
        this.#judge.report(
          'W1',
          `${text}: its index is ${now.index} at ${now.at} and was ${found.index} at ${found.at}`,
          [event],
        )
      } else {
        if (differs) this.#judge.excused('W2', 'ahead of its server')
        continue
      }
      return
    }
  }
}

/** Why this change of a result need not be answered. */
function excuseOf({ accessor }: ParkedRead, found: unknown, now: unknown): Excuse | undefined {
  if (sameValue(withoutDistances(found), withoutDistances(now))) return 'distances moved'
  return accessor !== '' && sameMembers(found, now) ? 'order alone' : undefined
}

/** Whether both are lists of the same members in some order. */
function sameMembers(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
  const left: unknown[] = [...one]
  return other.every((member) => {
    const at = left.findIndex((each) => sameValue(each, member))
    return at >= 0 && left.splice(at, 1).length === 1
  })
}

/** The result of a query without its distances, which are those of the moment of its evaluation. */
function withoutDistances(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'distances' in value ? { ...value, distances: null } : value
}

/** The names in a read's arguments. IDs are left out, because they may be secrets. */
function namesIn(args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return []
  return namingArguments.flatMap((name) => {
    const value: unknown = Reflect.get(args, name)
    return typeof value === 'string' && value !== '' ? [`${name}=${value.slice(0, nameMax)}`] : []
  })
}

const namingArguments = ['key', 'prefix', 'service', 'node', 'state', 'name']
const nameMax = 60

/** Results of queries are plain data. */
function sameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  if (one instanceof Map && other instanceof Map) return sameValue([...one], [...other])
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  const [members, others] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>]
  return keys.every((key) => Object.hasOwn(others, key) && sameValue(members[key], others[key]))
}

export const parkedReads = checker({
  codes: {
    W2: {
      text: 'watch liveness: a blocking query is answered as soon as its result has changed',
      sources: ['docs/reference/http-reads.md#blocking-queries'],
      evidence: ['requests', 'forwards', 'commands', 'restores', 'snapshots'],
      judges: ['look at a waiting read', 'looks at waiting reads'],
      excuses: {
        'ahead of its server':
          'A read that waits for an index beyond the state that it last saw need not report what differs; until that state is reached.',
        'distances moved':
          'An executed query is not answered again because a node has moved nearer (docs/reference/coordinates.md#distance); until anything else of its result changes.',
        'order alone':
          'A caller with a token is not answered because the members of a list have another order, as where something that it may not see stood between them; until anything else of its result changes.',
      },
    },
  },
  also: [monotoneIndex],
  make: (judge) => new ParkedReads(judge),
  takes: {
    'state moved': (it, { node }) => it.moved(node),
    'process died': (it, { node }) => it.died(node),
    'turn ended': (it) => it.turnEnded(),
  },
})
