import type { DnsConfig } from '../../../src/agent/settings/agent-config.ts'
import { endpointText } from '../../../src/env/net.ts'
import { hasBehaviour, type Release } from '../../../src/model/release.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { OutsideAnswer, OutsideQuestion, OutsideTruth, RecursorAsked } from './outside-facts.ts'
import { type SettingsTold, settingsTold } from './settings-told.ts'

/** Time for the ways between client, agent and recursors. */
const travelsUs = 1_500_000
/** An answer that left a recursor before a failure left the agent reached it, but for this time and its way. */
const besideMs = 10
/** Fewer addresses fit into every datagram. */
const cutFrom = 25
/** Clocks of agents may be wrong by this share. */
const clockShare = 0.06

type Run = Pick<CheckedRun, 'nowUs' | 'network'> & Judge<{ N3: 'disturbed' | 'lost on the way' }>

/** What recursors have done with one question. */
interface Open {
  /** Addresses of all of them. */
  readonly recursors: readonly string[]
  /** Addresses of those that were asked. */
  readonly asked: Set<string>
  /** When the first answer left that says that the name exists, or that it does not. */
  verdictUs: number
}

/**
 * N3. Names that do not belong to the cluster.
 * 1. A client gets what a recursor says of the name, or a failure: nothing forged, unreadable or of another question.
 * 2. Recursors are asked one after the other: a client gets a failure only after each of them was asked, and after none
 *    had an answer.
 * 3. A client gets one or the other, at the latest when the time of every recursor is over.
 */
export class OutsideNames {
  readonly #run: Run
  readonly #settings: Pick<SettingsTold, 'dnsOf' | 'releaseOf'>
  readonly #open = new Map<string, Open>()

  constructor(run: Run, settings: Pick<SettingsTold, 'dnsOf' | 'releaseOf'>) {
    this.#run = run
    this.#settings = settings
  }

  began({ name, recursors }: OutsideQuestion): void {
    this.#open.set(name, { recursors, asked: new Set(), verdictUs: Number.POSITIVE_INFINITY })
  }

  asked({ name, recursor, verdictInMs }: RecursorAsked): void {
    const open = this.#open.get(name)
    if (open === undefined) return
    open.asked.add(recursor)
    if (verdictInMs !== undefined) open.verdictUs = Math.min(open.verdictUs, this.#run.nowUs() + verdictInMs * 1000)
  }

  answered(answer: OutsideAnswer): void {
    const open = this.#open.get(answer.name)
    this.#open.delete(answer.name)
    const dns = this.#settings.dnsOf(answer.node)
    if (open === undefined || dns === undefined || dns.recursors.length === 0) return
    if (answer.rcode === 'NOERROR' || answer.rcode === 'NXDOMAIN') this.#said(answer, answer.truth)
    else if (!isInTurn(this.#settings.releaseOf(answer.node))) return
    else if (!answer.isCalm) return this.#run.excused('N3', 'disturbed')
    else if (this.#run.network.loss > 0) return this.#run.excused('N3', 'lost on the way')
    else this.#run.judged('N3')
    if (answer.isCalm && this.#run.network.loss === 0 && !this.#isLate(answer, dns)) this.#failed(answer, open, dns)
  }

  /** Reports an answer for which the time of every recursor does not account. */
  #isLate({ node, name, rcode, calledUs }: OutsideAnswer, dns: DnsConfig): boolean {
    const tookUs = this.#run.nowUs() - calledUs
    const mostUs = dns.recursors.length * dns.recursorTimeoutMs * 1000 * (1 + clockShare) + travelsUs
    if (rcode !== undefined && tookUs <= mostUs) return false
    const within = `${(tookUs / 1e6).toFixed(1)} s, although its recursors have ${(mostUs / 1e6).toFixed(1)} s`
    const what = rcode === undefined ? 'not answered' : `answered ${rcode}`
    this.#run.report('N3', `${node} has ${what} for ${name} in ${within}`)
    return true
  }

  #said({ node, name, rcode, addresses, truncated }: OutsideAnswer, truth: OutsideTruth): void {
    this.#run.judged('N3')
    const strange = addresses.find((address) => !truth.addresses.includes(address))
    const mayBeCut = truncated && truth.addresses.length >= cutFrom
    const isWhole = mayBeCut || addresses.length === truth.addresses.length
    if (rcode === truth.rcode && strange === undefined && isWhole) return
    const said = `${rcode} with ${strange ?? `${addresses.length} addresses`}`
    const is = `${truth.rcode} with ${truth.addresses.length} addresses`
    this.#run.report('N3', `${node} answers ${said} for ${name}, of which the recursors say ${is}`)
  }

  #failed({ node, name, rcode }: OutsideAnswer, open: Open, dns: DnsConfig): void {
    if (rcode === 'NOERROR' || rcode === 'NXDOMAIN') return
    const unasked = dns.recursors
      .map(endpointText)
      .find((recursor) => open.recursors.includes(recursor) && !open.asked.has(recursor))
    if (unasked !== undefined)
      return this.#run.report('N3', `${node} answers ${rcode} for ${name}, and has not asked ${unasked}`)
    // The way of the answer to the agent, and that of the failure to the client.
    const waysUs = (this.#run.network.rttMaxMs + besideMs) * 1000
    if (this.#run.nowUs() - open.verdictUs > waysUs)
      this.#run.report('N3', `${node} answers ${rcode} for ${name}, although a recursor has answered`)
  }
}

/** Whether agents of the release ask the next recursor where one fails. */
function isInTurn(release: Release | undefined): boolean {
  return release === undefined || hasBehaviour(release, 'recursors-in-turn')
}

export const outsideNames = checker({
  codes: {
    N3: {
      text: 'names outside: a client gets what a recursor says of its name, and a failure only after each was asked in vain',
      sources: ['docs/reference/dns.md#fact-111'],
      evidence: ['names'],
      judges: ['answer from outside', 'answers from outside'],
      excuses: {
        disturbed:
          'A failure, while a fault begins or ends, or while the agent is not in contact with its leader, as after its start; that answer alone.',
        'lost on the way': 'A failure, where the network may lose a datagram; until the end.',
      },
    },
  },
  make: (run) => new OutsideNames(run, run.of(settingsTold)),
  takes: {
    'outside name asked': (it, question) => it.began(question),
    'recursor asked': (it, asked) => it.asked(asked),
    'outside name answered': (it, answer) => it.answered(answer),
  },
})
