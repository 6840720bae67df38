import { appliedIn, checker, type Judge } from '../checker.ts'

/** K3. A forwarded write carries an identity: however often it is resent, only one entry of the log takes effect. */
export class ExactlyOnce {
  /** By origin, the indexes at which its sequence numbers took effect. */
  readonly #effects = new Map<string, Map<number, number>>()
  readonly #judge: Judge<{ K3: 'majority lost' }>

  constructor(judge: Judge<{ K3: 'majority lost' }>) {
    this.#judge = judge
  }

  /** Effects from this index on were lost: a write may take effect anew. */
  forgetFrom(index: number): void {
    for (const ofOrigin of this.#effects.values()) {
      for (const [sequence, at] of ofOrigin) {
        if (at < index) continue
        this.#judge.excused('K3', 'majority lost')
        ofOrigin.delete(sequence)
      }
    }
  }

  tookEffect(node: string, index: number, origin: string, sequence: number): void {
    let ofOrigin = this.#effects.get(origin)
    if (ofOrigin === undefined) {
      ofOrigin = new Map()
      this.#effects.set(origin, ofOrigin)
    }
    const before = ofOrigin.get(sequence)
    if (before === index) return
    this.#judge.judged('K3')
    if (before === undefined) ofOrigin.set(sequence, index)
    else {
      const entries = `by entries ${before} and ${index}`
      this.#judge.report(
        'K3',
        `write ${sequence} of ${origin} took effect twice, ${entries} (seen at ${node})`,
        appliedIn(this.#judge, before, index),
      )
    }
  }
}

export const exactlyOnce = checker({
  codes: {
    K3: {
      text: 'exactly once: a write that the cluster itself retries takes effect once',
      sources: ['Raft thesis, section 6.3'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['forwarded write', 'forwarded writes'],
      excuses: {
        'majority lost': 'A write whose effect may be lost by the scenario may take effect again; once.',
      },
    },
  },
  make: (judge) => new ExactlyOnce(judge),
  takes: {
    'command carried out': (it, { node, index, identity }) => {
      if (identity !== undefined) it.tookEffect(node, index, identity.origin, identity.sequence)
    },
    'entries lost': (it, { from }) => it.forgetFrom(from),
  },
})
