import type { Coordinate } from '../../../src/model/coordinate.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import { secondsText } from '../keys/key-history.ts'
import { type LeaderContact, leaderContact } from '../raft/leader-contact.ts'
import { FetchedAnswers } from './fetched-answers.ts'
import { changesOf, type ServiceVersion, type ServiceVersions, serviceVersions } from './service-versions.ts'
import type { RefusedTimely, TimelyAnswer } from './timely-facts.ts'

/** An agent in contact for this long has asked again for all that it keeps: it pauses twice as long after each failure. */
const refreshedUs = 5_000_000
/** How far any server, and an agent's cache, may be behind the leader while all are in contact. */
const behindUs = 2_000_000
/** Clocks of agents may be wrong by this share. */
const clockShare = 0.06
/** Time in which a server that hears a leader again has caught up with it. */
const caughtUpUs = 3_000_000
/**
 * How long it may take until an agent begins to count the age of its cached entries after all servers have gone. It
 * tries to ask one for 7 s (`rpc_hold_timeout`), as if an election were under way, and only then its question has
 * failed.
 */
const noticedUs = 9_000_000

type Excuse = 'out of reach' | 'not known' | 'catching up'

/**
 * Compares the answers of agents about a changing service with the replicated state of that time.
 * 1. E8. A list, or what a prepared query finds, has exactly what existed at one moment between question and answer, and therefore everything that
 *    existed throughout, and every command that a server had applied before the question, whichever server leads now; a
 *    stale list, at a moment no longer ago than the contact with a leader that it reports.
 * 2. E9. A cached answer is returned only to clients that accept its age, and it was true no longer ago than that age,
 *    which is no greater than the time since the agent last asked a server for it. Clients that accept any age get one
 *    even when no server answers.
 * 3. E10. An answer by distance is in the order of the coordinates in force.
 */
export class TimelyAnswers {
  readonly #run: Run
  readonly #versions: ServiceVersions
  readonly #contact: Contact
  /** Servers that run, and since when none does. */
  readonly #servers = new Set<string>()
  #noServerUs: number | undefined
  readonly #fetched: FetchedAnswers

  constructor(run: Run, versions: ServiceVersions, contact: Contact) {
    this.#run = run
    this.#versions = versions
    this.#contact = contact
    this.#fetched = new FetchedAnswers(run)
  }

  began(server: string): void {
    this.#servers.add(server)
    this.#noServerUs = undefined
  }

  died(node: string): void {
    this.#fetched.died(node)
    if (this.#servers.delete(node) && this.#servers.size === 0) this.#noServerUs = this.#run.nowUs()
  }

  refused(question: RefusedTimely): void {
    if (!this.#fetched.mustGive(question)) return
    this.#run.judged('E9')
    const { wanted, status } = question
    const asked = textOf({ ...question, how: 'cached', kept: { wanted } })
    this.#run.report('E9', `${asked} is answered with ${status}, although the agent has it in its cache`)
  }

  answered(answer: TimelyAnswer): void {
    if (answer.kept !== undefined) return this.#kept(answer, answer.kept)
    const fromUs = this.#oldestUs(answer)
    const seen = fromUs === undefined ? undefined : this.#versions.between(answer.service, fromUs, this.#run.nowUs())
    if (seen === undefined) return this.#run.excused('E8', 'not known')
    if (answer.how === 'stale' && this.#contact.changedUs + caughtUpUs > answer.calledUs) {
      return this.#run.excused('E8', 'catching up')
    }
    this.#run.judged('E8')
    if (!seen.some((version) => version[answer.of] === answer.told)) {
      const told = `${textOf(answer)} is ${answer.told || 'none'}`
      this.#run.report('E8', `${told}, and there were ${wereOf(answer, seen)}`, changesOf(seen))
    }
    if (answer.near !== undefined) this.#nearest(answer, answer.near, seen)
  }

  /** The oldest moment that an uncached answer may be of; undefined: the answer says that it may be of any time. */
  #oldestUs({ how, calledUs, lastContactMs }: TimelyAnswer): number | undefined {
    if (how !== 'stale') return calledUs - this.#run.staleDefaultMs * 1000
    if (lastContactMs === undefined) return undefined
    return calledUs - lastContactMs * 1000 * (1 + clockShare) - behindUs - this.#contact.lapseUs
  }

  #nearest(answer: TimelyAnswer, near: string, seen: readonly ServiceVersion[]): void {
    const { nodes } = answer
    // Without a coordinate of that node, nothing is near it.
    if (nodes.length < 2 || seen.some(({ places }) => !places.has(near))) return
    this.#run.judged('E10')
    const isAscending = seen.some(({ places }) => {
      const far = nodes.map((node) => distance(places.get(near), places.get(node)))
      return far.every((each, at) => at === 0 || (far[at - 1] ?? 0) <= each + 1e-12)
    })
    if (!isAscending) {
      const far = nodes.map(
        (node) => `${node} ${distance(seen.at(-1)?.places.get(near), seen.at(-1)?.places.get(node))}`,
      )
      this.#run.report('E10', `${textOf(answer)} is in the order ${far.join(', ')} s from ${near}`)
    }
  }

  #kept(answer: TimelyAnswer, { wanted, hit, age }: NonNullable<TimelyAnswer['kept']>): void {
    const { service, agent, calledUs, of, told } = answer
    const nowUs = this.#run.nowUs()
    const contactUs = this.#run.contactSinceUs(agent)
    const isRefreshed = contactUs !== undefined && contactUs + refreshedUs <= calledUs
    const { mustRevalidate, maxAgeS, staleIfErrorS } = wanted
    this.#run.judged('E9')
    const report = (what: string, because?: readonly number[]): void =>
      this.#run.report('E9', `${textOf(answer)} ${what}`, because)
    if (!(hit === 'HIT' ? /^\d+$/.test(age ?? '') : hit === 'MISS' && age === undefined)) {
      return report(`says X-Cache ${hit}, Age ${age ?? 'nothing'}`)
    }
    const ageS = Number(age ?? 0)
    if (hit === 'HIT') {
      const isYoung = !mustRevalidate && maxAgeS !== 0 && ageS <= (maxAgeS ?? ageS)
      const isBorne = staleIfErrorS !== undefined && ageS <= staleIfErrorS
      if (!isYoung && !isBorne) report(`comes from the cache with an age of ${ageS} s`)
      if (!isYoung && isBorne && isRefreshed) report('comes from the cache, although the servers could be asked')
      const aloneUs = this.#noServerUs === undefined ? 0 : calledUs - this.#noServerUs - noticedUs
      if ((ageS + 1) * 1e6 * (1 + clockShare) < aloneUs) {
        report(`claims an age of ${ageS} s, but no server has run for ${(aloneUs / 1e6).toFixed(1)} s or more`)
      }
    }
    const { agoUs, event } = this.#fetched.last(answer, hit)
    if (ageS * 1e6 > agoUs * (1 + clockShare)) {
      const asked = `the agent asked a server for it ${(agoUs / 1e6).toFixed(1)} s ago`
      report(`claims an age of ${ageS} s, but ${asked}`, [event])
    }
    if (!isRefreshed) return this.#run.excused('E9', 'out of reach')
    const fromUs = calledUs - (hit === 'HIT' ? (ageS + 1) * 1e6 : 0) - behindUs
    const seen = this.#versions.between(service, fromUs, nowUs)
    if (seen === undefined) return this.#run.excused('E9', 'out of reach')
    if (seen.some((version) => version[of] === told)) return
    report(`is ${told || 'none'}, and there were ${wereOf(answer, seen)}`, [event, ...changesOf(seen)])
  }
}

type Contact = Pick<LeaderContact, 'changedUs' | 'lapseUs'>

type Run = Pick<CheckedRun, 'nowUs' | 'contactSinceUs' | 'staleDefaultMs'> &
  Judge<{ E8: Exclude<Excuse, 'out of reach'>; E9: Extract<Excuse, 'out of reach'>; E10: never }>

type Named = Pick<TimelyAnswer, 'service' | 'of' | 'agent' | 'how' | 'calledUs'> & {
  readonly kept: Pick<NonNullable<TimelyAnswer['kept']>, 'wanted'> | undefined
}

/** The estimated round-trip time between two nodes, in seconds. Reference: coordinates.md#distance. */
function distance(one: Coordinate | undefined, other: Coordinate | undefined): number {
  if (one === undefined || other === undefined) return Number.POSITIVE_INFINITY
  let squares = 0
  for (let at = 0; at < one.vec.length; at++) {
    const apart = (one.vec[at] ?? 0) - (other.vec[at] ?? 0)
    squares += apart * apart
  }
  const plain = Math.sqrt(squares) + one.height + other.height
  const adjusted = plain + one.adjustment + other.adjustment
  return adjusted > 0 ? adjusted : plain
}

function wereOf({ of }: TimelyAnswer, seen: readonly ServiceVersion[]): string {
  return [...new Set(seen.map((version) => version[of] || 'none'))].join('; then ')
}

function textOf({ service, of, agent, how, kept, calledUs }: Named): string {
  const wanted = kept === undefined ? '' : ` with ${JSON.stringify(kept.wanted)}`
  const what = {
    instances: service,
    health: `health of ${service}`,
    found: `the query for ${service}`,
    nodes: 'the list of nodes',
  }
  return `${what[of]} (${how}${wanted}) at ${agent}, asked at ${secondsText(calledUs)},`
}

export const timelyAnswers = checker({
  codes: {
    E8: {
      text: 'lists: a list of instances, their health, nodes, or what a query finds has exactly those of one moment while it was asked for, or, if stale, since the contact that it names',
      sources: [
        'docs/reference/catalog.md#get-v1-catalog-service-name',
        'docs/reference/http-reads.md#consistency-modes',
        'docs/reference/prepared-queries.md#execution',
      ],
      evidence: ['requests', 'catalog', 'forwards', 'queries'],
      judges: ['list', 'lists'],
      excuses: {
        'not known':
          'A list asked for before the first change that the run has seen of its service, or of a server that says that it knows no leader; until that change, or that answer.',
        'catching up':
          'A stale list after a server began, went on after a pause or heard a leader again; for three seconds.',
      },
    },
    E9: {
      text: 'cached answers: an agent gives a cached answer only to a request that accepts its age; the answer was true no longer ago than that, its age is no greater than the time since the agent fetched it, and a request that accepts any age gets it even if no server answers',
      sources: ['docs/reference/http-reads.md#cache-control', 'docs/reference/http-reads.md#cache-headers'],
      evidence: ['requests', 'catalog', 'forwards'],
      judges: ['answer', 'answers'],
      excuses: {
        'out of reach':
          'Of an agent that reached no leader only the age of a cached answer is judged, not its content; until it has reached one for five seconds.',
      },
    },
    E10: {
      text: 'near: instances come in the order of the distance of their nodes, by the coordinates in force',
      sources: ['docs/reference/http-conventions.md#parameter-near', 'docs/reference/coordinates.md#distance'],
      evidence: ['requests', 'catalog'],
      judges: ['list by distance', 'lists by distance'],
    },
  },
  make: (run) => new TimelyAnswers(run, run.of(serviceVersions), run.of(leaderContact)),
  takes: {
    'settings read': (it, { config: { server, nodeName } }) => {
      if (server) it.began(nodeName)
    },
    'process died': (it, { node }) => it.died(node),
    'service told': (it, answer) => it.answered(answer),
    'service not told': (it, question) => it.refused(question),
  },
})
