import { type Judge, law } from '../checker.ts'

/**
 * M12. News is passed on as the settings say, neither less nor more (SWIM, section 4.1):
 * 1. What a member learns by a packet, by its own probes or by its caller, it sends on: every packet of gossip or of a
 *    probe carries all news that was not sent often enough, if it has room for it.
 * 2. No message is sent more often than the settings and the size of the pool ask for. In particular, a message that
 *    arrives again is not sent on again, or it would go round for ever.
 * 3. While news waits, each round of gossip goes to as many members as the settings say, or to all that there are: the
 *    living ones, and those that failed lately, which learn so that they count as dead and refute it.
 * 4. A user event that arrives, and is neither older than the agent's membership nor than the list of recent events, is
 *    delivered to the agent, once.
 */
export class PassingOn {
  readonly #judge: Judge<{ M12: never }>

  constructor(judge: Judge<{ M12: never }>) {
    this.#judge = judge
  }

  /** A packet has carried this news, or has left it out although there was room. */
  carried(observer: string, news: string, isThere: boolean): void {
    this.#judge.judged('M12')
    if (!isThere)
      this.#judge.report('M12', `${observer} sends a packet that has room for "${news}", which it leaves out`)
  }

  /** A message was sent for the nth time. */
  sent(observer: string, message: string, times: number, most: number): void {
    if (times !== most + 1) return
    this.#judge.judged('M12')
    this.#judge.report('M12', `${observer} sends "${message}" more than ${most} times`)
  }

  /** A round of gossip is over, and some news still waits. */
  round(observer: string, { packets, least, most }: Round): void {
    this.#judge.judged('M12')
    if (packets >= least && packets <= most) return
    const due = least === most ? String(least) : `${least} to ${most}`
    this.#judge.report('M12', `${observer} gossips with ${packets} members although news waits: ${due} are due`)
  }

  /** `times`: how often the agent was given a user event that it has received. */
  delivered(observer: string, event: string, times: number): void {
    this.#judge.judged('M12')
    if (times === 1) return
    const how = times === 0 ? 'does not deliver' : 'delivers twice'
    this.#judge.report('M12', `${observer} ${how} the user event "${event}"`)
  }
}

interface Round {
  readonly packets: number
  readonly least: number
  readonly most: number
}

export const passingOn = law(
  {
    M12: {
      text: 'passing on: a member sends news on in every packet that has room, as often as the settings say and no more, and delivers each user event once',
      sources: ['SWIM, section 4.1', 'docs/reference/configuration.md#gossip-timing'],
      evidence: ['members', 'events', 'probes'],
      judges: ['news in a packet', 'news in packets'],
    },
  },
  (judge) => new PassingOn(judge),
)
