import type { CoreChange, GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { Change } from './suspicion-watch.ts'
import type { Standing, ToldChanges } from './told-changes.ts'

const standings: Readonly<Record<Exclude<CoreChange['kind'], 'updated'>, Standing>> = {
  joined: 'present',
  failed: 'failed',
  left: 'left',
  reaped: 'unknown',
}

/** What one agent is told about members, beside what its pool knows of them. */
export class ToldWatch {
  readonly #law: ToldChanges
  readonly #node: string
  /** By name, the last that it was told since the observer last looked at what the pool knows: the change, the member. */
  readonly #told = new Map<string, readonly [change: Standing, shown: Standing]>()
  /** By name, how a member stood whose standing has changed. */
  readonly #before = new Map<string, Standing>()
  /** What the agent was told before its observer came is not known: such an observer judges nothing. */
  #isFromStart = false

  constructor(law: ToldChanges, node: string) {
    this.#law = law
    this.#node = node
  }

  /** Called after each step. */
  stepped(event: GossipEvent, effects: readonly GossipEffect[]): void {
    this.#isFromStart ||= event.kind === 'started'
    if (!this.#isFromStart) return
    for (const effect of effects) {
      if (effect.kind !== 'members-changed') continue
      for (const { kind, member } of effect.changes) {
        if (kind === 'updated') continue
        const change = standings[kind]
        this.#told.set(member.name, [change, kind === 'reaped' ? change : standingOf(member.status)])
      }
    }
  }

  changed({ name, before, now }: Change): void {
    const [was, is] = [standingOf(before?.status), standingOf(now.status)]
    if (this.#isFromStart && was !== is) this.#before.set(name, was)
  }

  /** Called after the changes of a step. */
  ends({ members }: ObservedCore): void {
    for (const name of new Set([...this.#told.keys(), ...this.#before.keys()])) {
      const now = standingOf(members.get(name)?.status)
      const [change, shown] = this.#told.get(name) ?? []
      const told = change === now ? shown : change
      this.#law.changed(this.#node, name, { before: this.#before.get(name) ?? now, now, told })
    }
    this.#told.clear()
    this.#before.clear()
  }
}

function standingOf(status: string | undefined): Standing {
  if (status === undefined) return 'unknown'
  return status === 'failed' || status === 'left' ? status : 'present'
}
