import { eventIn, type Judge } from '../checker.ts'
import type { MeshState, RotationFacts } from './mesh-facts.ts'

/** What a leader's log says when its authority cannot continue, and when it can again: marks, too, go by these lines. */
export const authorityTold = {
  blocked: 'connect: the certificate authority is blocked',
  continues: 'connect: the certificate authority continues',
} as const

/** What signs, and by which configuration. */
interface Force {
  readonly activeId: string | undefined
  readonly configuration: string
  /** The root that the open rotation leads to, by the rotation's ID. */
  readonly leadsTo: ReadonlyMap<number, string>
  readonly ended: ReadonlySet<number>
  /** It uses the roots of another datacenter. */
  readonly follows: boolean
  readonly event: number
}

/**
 * C5: nothing is half installed. Another root becomes active only by the rotation that leads to it, in the command that
 * ends it. A rotation that is refused says why, and leaves root and configuration as they were. When everything has
 * come to rest, no leader reports that its authority is blocked.
 */
export class MeshInForce {
  readonly #judge: Judge<{ C5: 'restored' }>
  #before: Force | undefined
  /** Nodes that lead and have reported that their authority is blocked, and in which event. */
  readonly #blocked = new Map<string, number>()

  constructor(judge: Judge<{ C5: 'restored' }>) {
    this.#judge = judge
  }

  changed(state: MeshState): void {
    const before = this.#before
    const now = forceOf(state, eventIn(this.#judge))
    this.#before = now
    if (before === undefined || state.configuration === undefined) return
    const ended = state.rotations.filter(({ id }) => now.ended.has(id) && !before.ended.has(id))
    for (const rotation of ended) if (rotation.step === 'refused') this.#refused(rotation, before, now)
    if (before.activeId === undefined || now.activeId === before.activeId || before.follows || now.follows) return
    this.#judge.judged('C5')
    const isMeant = ended.some(({ id, step }) => step === 'activated' && before.leadsTo.get(id) === now.activeId)
    if (!isMeant)
      this.#judge.report('C5', `root ${now.activeId ?? 'none'} became active, and no rotation led to it`, [
        before.event,
      ])
  }

  /** Another state replaced the previous one. */
  replaced(state: MeshState): void {
    this.#before = forceOf(state, eventIn(this.#judge))
  }

  told(node: string, what: string): void {
    if (what === authorityTold.blocked) this.#blocked.set(node, eventIn(this.#judge))
    if (what === authorityTold.continues) this.#blocked.delete(node)
  }

  leaderEnded(node: string): void {
    this.#blocked.delete(node)
  }

  /** A node that leads and whose authority is blocked; undefined: every leader's authority works. */
  get blocked(): string | undefined {
    return [...this.#blocked.keys()][0]
  }

  rests(): void {
    this.#judge.judged('C5')
    for (const [node, event] of this.#blocked)
      this.#judge.report('C5', `${node} leads, and its authority is still blocked although nothing is wrong any more`, [
        event,
      ])
  }

  #refused({ id, why }: RotationFacts, before: Force, now: Force): void {
    this.#judge.judged('C5')
    const isSame = now.activeId === before.activeId && now.configuration === before.configuration
    if (!isSame)
      this.#judge.report('C5', `the rotation that began at ${id} was refused, and has changed the authority`, [
        before.event,
      ])
    if (why === '') this.#judge.report('C5', `the rotation that began at ${id} was refused without a reason`)
  }
}

const open = ['begun', 'requested', 'crossed']

function forceOf({ roots, rotations, configuration }: MeshState, event: number): Force {
  return {
    activeId: roots.find(({ active }) => active)?.id,
    configuration: JSON.stringify([configuration?.provider, configuration?.options]),
    leadsTo: new Map(rotations.flatMap(({ id, root }) => (root ? [[id, root.id] as const] : []))),
    ended: new Set(rotations.filter(({ step }) => !open.includes(step)).map(({ id }) => id)),
    follows: (configuration?.primary ?? '') !== '',
    event,
  }
}
