import { failureText } from '../../src/model/failure.ts'
import { type Release, releaseText } from '../../src/model/release.ts'
import { type CheckedRun, checker, type Judge } from './checker.ts'
import type { Facts } from './facts.ts'

type Excuse = 'other releases' | 'another datacenter'

/** When contact has lasted for this long at a request, every agent has noticed that any earlier disturbance is over. */
const settledUs = 3_000_000
/** The agent measures durations by its own clock. */
const clockAllowance = 0.06
const firstError = 400
const serverError = 500

/** An agent of the same release sent a message that the agent or its peer could not parse. */
const malformed = /^\S+: malformed (?:answer|arguments|request)\s*$/

/** Texts of failures for lack of a leader, of a server or of an answer; all others with this status are refusals. */
const wants: readonly RegExp[] = [
  exactly(failureText({ kind: 'no-leader' })),
  exactly(failureText({ kind: 'no-servers' })),
  exactly('Internal error'),
  /^no answer to \S+ in time\s*$/,
  /^leadership lost while committing log\s*$/,
  /^rpc: can't find method /,
]

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`)
}

/**
 * P3. Agents of one release understand one another, and while nothing disturbs the cluster, a request finds a server
 * that answers it. An answer that refuses the request is not judged here.
 */
export class Understanding {
  readonly #run: Pick<CheckedRun, 'nowUs' | 'contactSinceUs'> & Judge<{ P3: Excuse }>
  /** By agent, the release of its last process. */
  readonly #releases = new Map<string, string>()
  /** Since when all agents are of one release; only while they are. */
  #alikeSinceUs = 0

  constructor(run: Pick<CheckedRun, 'nowUs' | 'contactSinceUs'> & Judge<{ P3: Excuse }>) {
    this.#run = run
  }

  runsAs(node: string, release: Release): void {
    const wereAlike = this.#areAlike()
    this.#releases.set(node, releaseText(release))
    if (!wereAlike && this.#areAlike()) this.#alikeSinceUs = this.#run.nowUs()
  }

  #areAlike(): boolean {
    return new Set(this.#releases.values()).size <= 1
  }

  /** Whether some agent was of another release when a request was asked, or may have been taken for one. */
  #mayDiffer(askedUs: number): boolean {
    return !this.#areAlike() || (this.#alikeSinceUs > 0 && askedUs - this.#alikeSinceUs < settledUs)
  }

  answered({ node, where, status, tookMs, text }: Facts['answer shown']): void {
    this.#run.judged('P3')
    if (status < firstError) return
    const isElsewhere = /[?&]dc=/.test(where)
    const askedUs = this.#run.nowUs() - tookMs * 1000 * (1 + clockAllowance)
    if (malformed.test(text())) this.#misunderstood(node, where, text(), isElsewhere ? undefined : askedUs)
    else if (status === serverError && !isElsewhere) this.#failed(node, where, text(), askedUs)
  }

  /** `askedUs`: undefined for a request of another datacenter. */
  #misunderstood(node: string, where: string, text: string, askedUs: number | undefined): void {
    if (askedUs === undefined) this.#run.excused('P3', 'another datacenter')
    else if (this.#mayDiffer(askedUs)) this.#run.excused('P3', 'other releases')
    else
      this.#run.report(
        'P3',
        `${node} answers ${pathOf(where)} with '${text.trim()}', and all agents are of one release`,
      )
  }

  #failed(node: string, where: string, text: string, askedUs: number): void {
    if (!wants.some((want) => want.test(text))) return
    const contactUs = this.#run.contactSinceUs(node)
    if (contactUs === undefined || askedUs - contactUs < settledUs) return
    if (this.#mayDiffer(askedUs)) return this.#run.excused('P3', 'other releases')
    const since = ((this.#run.nowUs() - contactUs) / 1e6).toFixed(3)
    this.#run.report(
      'P3',
      `${node} answers ${pathOf(where)} with '${text.trim()}', in contact with its leader for ${since} s`,
    )
  }
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? target
}

export const understanding = checker({
  codes: {
    P3: {
      text: 'understanding: agents of one release understand the messages of others, and none in contact with a leader fails to answer',
      sources: ['docs/architecture/formats.md#failures'],
      evidence: ['requests', 'forwards', 'complaints', 'elections'],
      judges: ['answer over HTTP', 'answers over HTTP'],
      excuses: {
        'other releases':
          'An agent of another release may not know a method or an answer; until all are of one release.',
        'another datacenter': 'A request for another datacenter may be answered by another release; that request.',
      },
    },
  },
  make: (run) => new Understanding(run),
  takes: {
    'settings read': (it, { node, config }) => it.runsAs(node ?? config.nodeName, config.release),
    'answer shown': (it, fact) => it.answered(fact),
  },
})
