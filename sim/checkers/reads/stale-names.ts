import { type CheckedRun, checker, type Judge } from '../checker.ts'
import { secondsText } from '../keys/key-history.ts'
import { type LeaderContact, leaderContact } from '../raft/leader-contact.ts'
import { changesOf, type ServiceVersions, serviceVersions } from './service-versions.ts'
import { type SettingsTold, settingsTold } from './settings-told.ts'
import type { ToldName } from './timely-facts.ts'

/** How far a server in contact with its leader may be behind it. */
const behindUs = 2_000_000
/** Time in which a server that hears a leader again has caught up with it. */
const caughtUpUs = 3_000_000
/** Clocks of agents may be wrong by this share. */
const clockShare = 0.06
/** Time in which a question arrives. */
const arrivedUs = 1_000_000
/** Times this close to the limit are not judged. */
const edgeUs = 300_000

type Excuse = 'not known' | 'catching up'

/**
 * N2. What DNS answers while servers are out of reach, with `max_stale` set at the asked agent.
 * 1. Refused: if no server has heard a leader for longer than the limit before the question, and none does until the
 *    answer, then no server can know the name, and the agent answers SERVFAIL.
 * 2. Answered: a server that is asked directly, and that has heard its leader well within the limit, answers what it
 *    knows.
 * 3. The answer was true no longer ago than the limit, plus the lag of a server behind the leader that it hears.
 */
export class StaleNames {
  readonly #run: Run
  readonly #versions: Pick<ServiceVersions, 'between'>
  readonly #contact: Pick<LeaderContact, 'of' | 'lastUs' | 'changedUs' | 'lapseUs'>
  readonly #settings: Pick<SettingsTold, 'dnsOf'>

  constructor(
    run: Run,
    {
      versions,
      contact,
      settings,
    }: {
      readonly versions: Pick<ServiceVersions, 'between'>
      readonly contact: Pick<LeaderContact, 'of' | 'lastUs' | 'changedUs' | 'lapseUs'>
      readonly settings: Pick<SettingsTold, 'dnsOf'>
    },
  ) {
    this.#run = run
    this.#versions = versions
    this.#contact = contact
    this.#settings = settings
  }

  answered(told: ToldName): void {
    const dns = this.#settings.dnsOf(told.agent)
    if (dns === undefined) return
    const boundUs = dns.allowStale ? dns.maxStaleMs * 1000 : 0
    if (told.offered === undefined) return this.#refused(told, boundUs)
    this.#given(told, told.offered, boundUs)
  }

  /** Judged as of the question: an agent that refuses looks for a leader first, for longer than the limit. */
  #refused(told: ToldName, boundUs: number): void {
    const own = this.#contact.of(told.agent)
    // A client agent asks different servers at different times.
    if (own === undefined || own.sinceUs + caughtUpUs > told.calledUs) return
    const sinceUs = Math.max(0, told.calledUs - own.atUs)
    if (sinceUs + arrivedUs >= boundUs * (1 - clockShare)) return
    if (this.#contact.changedUs > told.calledUs) return this.#run.excused('N2', 'catching up')
    this.#run.judged('N2')
    const heard = `had heard its leader ${seconds(sinceUs)} before`
    this.#run.report('N2', `${textOf(told)} is refused, although ${told.agent} ${heard}, within ${seconds(boundUs)}`)
  }

  #given(told: ToldName, offered: string, boundUs: number): void {
    const nowUs = this.#run.nowUs()
    const lastUs = this.#contact.lastUs() ?? 0
    const oldestUs = told.calledUs - boundUs * (1 + clockShare)
    const said = offered || 'nothing'
    this.#run.judged('N2')
    if (lastUs < oldestUs - edgeUs) {
      const ago = `no server has heard a leader for ${seconds(nowUs - lastUs)}`
      this.#run.report(
        'N2',
        `${textOf(told)} is answered with ${said}, although ${ago}, longer than ${seconds(boundUs)}`,
      )
      return
    }
    if (this.#contact.changedUs + caughtUpUs > told.calledUs) return this.#run.excused('N2', 'catching up')
    const seen = this.#versions.between(told.service, oldestUs - behindUs - this.#contact.lapseUs, nowUs)
    if (seen === undefined) return this.#run.excused('N2', 'not known')
    if (seen.some((version) => version.offered === offered)) return
    const were = [...new Set(seen.map((version) => version.offered || 'nothing'))].join('; then ')
    this.#run.report(
      'N2',
      `${textOf(told)} is answered with ${said}, and within ${seconds(boundUs)} there were ${were}`,
      changesOf(seen),
    )
  }
}

type Run = Pick<CheckedRun, 'nowUs'> & Judge<{ N2: Excuse }>

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(1)} s`
}

function textOf({ service, agent, calledUs }: ToldName): string {
  return `the name of ${service} at ${agent}, asked at ${secondsText(calledUs)},`
}

export const staleNames = checker({
  codes: {
    N2: {
      text: 'stale names: a DNS answer is no older than max_stale; beyond it names are refused, and within it a server that knows them answers',
      sources: ['docs/reference/dns.md#fact-100'],
      evidence: ['names', 'catalog', 'heartbeats', 'elections'],
      judges: ['answer', 'answers'],
      excuses: {
        'not known':
          'What an answer has, if the bound reaches back before the first change that the run has seen of its service; until that change is old enough.',
        'catching up':
          'What an answer has, not whether there is one, after a server began, went on after a pause or heard a leader again; for three seconds.',
      },
    },
  },
  make: (run) =>
    new StaleNames(run, {
      versions: run.of(serviceVersions),
      contact: run.of(leaderContact),
      settings: run.of(settingsTold),
    }),
  takes: { 'name told': (it, told) => it.answered(told) },
})
