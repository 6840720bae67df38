import { checker, type Judge } from '../checker.ts'
import { nameTruth } from './name-truth.ts'
import type { PipelinedNames, WantedReply } from './pipelined-names.ts'

/**
 * N1, of connections: each message is answered at most once, under its own number and for its own name, and all that
 * want an answer have one when the agent ends the connection in order.
 */
export class NameConnections {
  readonly #judge: Judge<{ N1: 'changed meanwhile' }>

  constructor(judge: Judge<{ N1: 'changed meanwhile' }>) {
    this.#judge = judge
  }

  pipelined({ agent, sent, replies, name, isWhole }: PipelinedNames): void {
    this.#judge.judged('N1')
    const answered = new Set<number>()
    const wanted = new Map(sent.map(({ id, wants }) => [id, wants]))
    for (const { id, rcode, isFor } of replies) {
      const wants = wanted.get(id)
      const fault = faultOf(wants, rcode, { isFor, name, isAgain: answered.has(id) })
      if (fault !== undefined) this.#judge.report('N1', `on a connection to ${agent}, message ${id} ${fault}`)
      answered.add(id)
    }
    if (!isWhole) return
    for (const { id, wants } of sent) {
      if (wants === 'nothing' || answered.has(id)) continue
      this.#judge.report('N1', `${agent} ended a connection in order, and had not answered message ${id}`)
    }
  }
}

function faultOf(
  wants: WantedReply | undefined,
  rcode: string,
  { isFor, name, isAgain }: { readonly isFor: string; readonly name: string; readonly isAgain: boolean },
): string | undefined {
  if (wants === undefined) return 'was never sent, and is answered'
  if (wants === 'nothing') return 'is no question, and is answered'
  if (isAgain) return 'is answered twice'
  if (wants === 'malformed') return rcode === 'FORMERR' ? undefined : `cannot be read, and is answered with ${rcode}`
  return isFor === name ? undefined : `is answered for ${isFor}`
}

export const nameConnections = checker({
  codes: {},
  also: [nameTruth],
  make: (judge) => new NameConnections(judge),
  takes: { 'names pipelined': (it, fact) => it.pipelined(fact) },
})
