import { eventIn, type Judge, law } from '../checker.ts'
import type { RotationFacts, RotationStep } from './mesh-facts.ts'

/**
 * Whether an operator may be told that the change succeeded: the rotation only has to wait until every clock accepts
 * the new root, or until a root is removed so that there is room for another.
 */
export function isAccepted({ step, uncrossed }: RotationFacts, listed: number): boolean {
  return step === 'crossed' || (step === 'requested' && uncrossed === true) || (step === 'begun' && listed >= rootsMax)
}

/** Maximum number of listed roots. */
const rootsMax = 8

const rank: Readonly<Record<RotationStep, number>> = {
  begun: 1,
  requested: 2,
  crossed: 3,
  activated: 4,
  'given-up': 4,
  refused: 4,
}

/**
 * C5: a rotation goes through its steps in order, one rotation at a time, and to its end once faults have stopped. What
 * an operator was told is done is done. A crossing that has become too short is made anew: only that step goes back.
 * Options that turn out to lead to the active root need no crossing.
 */
export class MeshRotation {
  readonly #judge: Judge<{ C5: 'restored' }>
  #open: RotationFacts | undefined
  /** Trace event in which it reached its step; 0: no trace is recorded. */
  #openIn = 0
  readonly #ended = new Set<number>()
  #completed = 0

  constructor(judge: Judge<{ C5: 'restored' }>) {
    this.#judge = judge
  }

  get step(): RotationStep | undefined {
    return this.#open?.step
  }

  /** Number of rotations that have ended with a new root. */
  get completed(): number {
    return this.#completed
  }

  /** `activeId`: the root that was active until now. */
  changed(rotations: readonly RotationFacts[], activeId?: string): void {
    const open = rotations.filter(({ step }) => rank[step] < 4)
    if (open.length > 1) {
      this.#judge.judged('C5')
      this.#judge.report('C5', `${open.length} rotations are under way at once`, [this.#openIn])
    }
    for (const { id, step } of rotations) {
      if (rank[step] < 4 || this.#ended.has(id)) continue
      this.#ended.add(id)
      if (step === 'activated') this.#finished(id, activeId)
    }
    for (const rotation of open) this.#next(rotation)
    if (open[0]?.id !== this.#open?.id || open[0]?.step !== this.#open?.step) this.#openIn = eventIn(this.#judge)
    this.#open = open[0]
  }

  replaced(rotations: readonly RotationFacts[]): void {
    this.#open = rotations.find(({ step }) => rank[step] < 4)
    for (const { id, step } of rotations) if (rank[step] === 4) this.#ended.add(id)
    // A rotation that is under way in the snapshot continues, although it had ended since.
    if (this.#open !== undefined && this.#ended.delete(this.#open.id)) this.#judge.excused('C5', 'restored')
  }

  /** Called when nothing happens any more. */
  rests(): void {
    this.#judge.judged('C5')
    if (this.#open !== undefined)
      this.#judge.report('C5', `the rotation that began at ${this.#open.id} is still ${this.#open.step}`, [
        this.#openIn,
      ])
  }

  #finished(id: number, activeId: string | undefined): void {
    this.#completed++
    this.#judge.judged('C5')
    const isSame = this.#open?.step === 'requested' && activeId !== undefined && this.#open.root?.id === activeId
    const isUncrossed = this.#open?.uncrossed === true && this.#open.step === 'requested'
    if (this.#open?.id !== id || (this.#open.step !== 'crossed' && !isSame && !isUncrossed)) {
      this.#judge.report(
        'C5',
        `the rotation that began at ${id} made its root active when it was ${this.#open?.step ?? 'not there'}`,
        [this.#openIn],
      )
    }
  }

  #next({ id, step }: RotationFacts): void {
    if (this.#open?.id !== id || this.#open.step !== step) this.#judge.judged('C5')
    if (this.#ended.has(id))
      this.#judge.report('C5', `the rotation that began at ${id} had ended, and is ${step} again`)
    const before = this.#open?.id === id ? rank[this.#open.step] : 0
    const isNext = rank[step] === before + 1 || rank[step] === before
    const isAnew = this.#open?.step === 'crossed' && step === 'requested'
    if (!isNext && !isAnew)
      this.#judge.report('C5', `the rotation that began at ${id} is ${step} after ${this.#open?.step ?? 'nothing'}`, [
        this.#openIn,
      ])
  }
}

export const meshRotation = law(
  {
    C5: {
      text: 'rotation: one at a time, step by step, and it ends once faults stop; a root becomes active only by one, a refused one says why and changes nothing; an acknowledged update is applied or accepted',
      sources: ['docs/reference/mesh.md#initialization-and-rotation'],
      evidence: ['authority', 'elections', 'requests'],
      judges: ['step of a rotation', 'steps of rotations'],
      excuses: {
        restored: 'A rotation that had ended goes on where a restored snapshot found it under way; to its next end.',
      },
    },
  },
  (judge) => new MeshRotation(judge),
)
