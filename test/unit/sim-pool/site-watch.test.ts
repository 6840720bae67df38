import { describe, expect, it } from 'vitest'
import { SiteWatch, type SiteWatchOptions } from '../../../sim/pool/site-watch.ts'
import type { MutationSwitch } from '../../../sim/pool/worker.ts'

/** A switch whose sites and returns are reached by hand. */
class Switch implements MutationSwitch {
  readonly loaded = ''
  readonly set: (mutant: number) => void
  reaches: number[] = []
  nothings: [place: number, order: number][] = []
  readonly on: number[] = []

  constructor() {
    this.set = (mutant) => this.on.push(mutant)
  }

  turn(): void {}

  reached(): string {
    return ''
  }

  returned(): string {
    return ''
  }

  take(onSite?: (site: number) => void): void {
    for (const site of this.reaches.splice(0)) onSite?.(site)
  }

  takeReturns(onReturn?: (place: number, order: number) => void): void {
    for (const [place, order] of this.nothings.splice(0)) onReturn?.(place, order)
  }
}

function watched(options: Partial<SiteWatchOptions>): { readonly mutation: Switch; readonly watch: SiteWatch } {
  const mutation = new Switch()
  return { mutation, watch: new SiteWatch(mutation, { mutant: 0, turns: undefined, events: undefined, ...options }) }
}

describe('watching which code a run goes through', () => {
  it('tells in which turns a site was reached, which of these led to what is asked, and what is new', () => {
    const { mutation, watch } = watched({ events: [40, 20, 10], since: 30 })
    mutation.reaches.push(1)
    for (const [turn, event] of [10, 20, 30, 40].entries()) {
      watch.beforeTurn(turn + 1, event)
      mutation.reaches.push(7, ...(turn === 2 ? [8] : []))
    }
    mutation.nothings.push([3, 99])
    expect(watch.seen()).toEqual({
      sites: [
        { site: 7, turns: 4, from: 1, until: 4, near: 0, first: 1, last: 4, again: 3 },
        { site: 8, turns: 1, from: 3, until: 3, isNew: true, again: 3 },
      ],
      returns: [{ place: 3, turns: 1, near: 0, order: 99 }],
    })
  })

  it('turns a change on for some turns alone', () => {
    const { mutation, watch } = watched({ mutant: 5, turns: { first: 2, last: 3 } })
    for (const turn of [1, 2, 3, 4]) watch.beforeTurn(turn, 0)
    expect(mutation.on).toEqual([0, 5, 5, 0])
  })
})
