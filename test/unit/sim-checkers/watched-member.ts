import { Membership } from '../../../sim/checkers/pool/membership.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { PoolObserver } from '../../../src/gossip/pool.ts'
import { addressOf, Subject } from '../gossip-core/subject.ts'
import { recorder } from './reports.ts'

/** One member, `me` on s1, that is looked at; the test is the world around it. */
export class Watched extends Subject {
  readonly recorded = recorder()
  isTroubled = false
  readonly pool: Membership = new Membership({
    judge: this.recorded.judge,
    nowUs: () => this.nowMs * 1000,
    network: { rttMs: 6, rttMaxMs: 10, loss: 0 },
    acted: () => true,
  })
  readonly #observer: PoolObserver | undefined = this.pool.observerOf('s1', 1)

  constructor(...names: readonly string[]) {
    super()
    this.#observer?.stepped(this.core, { kind: 'started' }, this.effects)
    for (const name of names) {
      this.pool.laws.weather.began(name, name, 0)
      this.pool.laws.grounds.runs(name)
    }
    this.know(...names)
  }

  override do(event: GossipEvent): readonly GossipEffect[] {
    const effects = super.do(event)
    // Not yet there while the agent under test is being made.
    if (this.pool !== undefined) this.#observer?.stepped(this.core, event, effects)
    return effects
  }

  /** What is done to the core without its decision. */
  tamper(change: () => void): void {
    change()
    this.hear({
      kind: 'alive',
      incarnation: 0,
      node: 'me',
      address: addressOf('me'),
      meta: new Uint8Array([1]),
      versions: this.core.self.versions,
    })
  }

  look(): void {
    this.pool.look(() => this.isTroubled)
  }

  /** Lets time pass, and looks every second. */
  watch(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.pass(1_000)
      this.look()
    }
  }
}
