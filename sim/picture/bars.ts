import { compareText } from '../../src/base/bytes.ts'
import { isRecord } from '../../src/base/shape.ts'
import type { StatePart } from '../report/state-changes.ts'
import type { Bar } from './film-format.ts'
import { type Forgotten, Latest } from './latest.ts'

/** Maximum number of ended bars of one run: the latest are kept. */
const barsMax = 4000
/** Maximum number of shown bars that last until now. */
const openMax = 1000

/**
 * The long-lived things of a run: what is replicated (modes, tokens, rotations, roots, sessions, locks), and the leaves
 * that each agent holds. For each datacenter, the leader's state is shown; while there is no leader, nothing changes.
 */
export class Bars {
  readonly #ended = new Latest<readonly [toUs: number, bar: Bar]>(barsMax)
  /** By row, and by machine for leaves: the present texts, and since when. */
  readonly #open = new Map<string, { readonly row: string; readonly texts: Map<string, number> }>()

  /** The replicated state of a leader from this time on. */
  leads(t: number, datacenter: string, replicated: unknown): void {
    if (!isRecord(replicated)) return
    const { access, mesh, sessions, locks, queries, intentions } = replicated
    const row = (name: string, texts: readonly string[]): void => this.#holds(t, `${datacenter} ${name}`, '', texts)
    if (isRecord(access)) {
      row('access control', [access['mode'] === 'legacy' ? 'legacy mode' : 'new mode'])
      row('tokens', tokensOf(access))
    }
    if (isRecord(mesh)) this.#mesh(row, mesh)
    row('sessions', textsOf(sessions))
    row('locks', textsOf(locks))
    row('queries', typeof queries === 'number' && queries > 0 ? [`${queries} prepared queries`] : [])
    row('intentions', typeof intentions === 'number' && intentions > 0 ? [`${intentions} intentions`] : [])
  }

  /** Certificates of services that an agent holds from this time on. */
  holdsLeaves(t: number, datacenter: string, node: string, leaves: unknown): void {
    const held = isRecord(leaves) ? Object.entries(leaves) : []
    const texts = held.map(([serial, of]) => `${String(of)}, at ${node}, number ${serial}`)
    if (texts.length === 0 && !this.#open.has(`${datacenter} leaves ${node}`)) return
    this.#holds(t, `${datacenter} leaves`, node, texts)
  }

  /** Everything present lasts until the end; more may follow. */
  ended(endUs: number): readonly Bar[] {
    const open = this.#openNow(endUs).slice(0, openMax)
    const bars = [...this.#ended.steps.map(([, bar]) => bar), ...open]
    return bars.toSorted((a, b) => compareText(a.row, b.row) || a.fromUs - b.fromUs)
  }

  forgotten(endUs: number): Forgotten {
    const { count, beforeUs } = this.#ended.forgotten
    const unseen = Math.max(0, this.#openNow(endUs).length - openMax)
    return { count: count + unseen, beforeUs: unseen === 0 ? beforeUs : endUs }
  }

  #openNow(toUs: number): readonly Bar[] {
    return [...this.#open.values()].flatMap(({ row, texts }) =>
      [...texts].map(([text, fromUs]): Bar => ({ row, text, fromUs, toUs })),
    )
  }

  #mesh(row: (name: string, texts: readonly string[]) => void, { roots, crossings, rotation }: StatePart): void {
    row('roots', textsOf(roots))
    row('crossings', crossings === 0 ? [] : [`${crossings} crossing certificates`])
    row('rotation', typeof rotation === 'string' ? [rotation] : [])
  }

  #holds(t: number, row: string, of: string, texts: readonly string[]): void {
    const key = `${row} ${of}`
    const open = this.#open.get(key) ?? { row, texts: new Map<string, number>() }
    this.#open.set(key, open)
    const held = new Set(texts)
    for (const [text, fromUs] of open.texts) {
      if (held.has(text)) continue
      open.texts.delete(text)
      this.#ended.push([t, { row, text, fromUs, toUs: t }])
    }
    for (const text of texts) if (!open.texts.has(text)) open.texts.set(text, t)
  }
}

/** A bar for each token that has a name, and one for the number of the others. */
function tokensOf({ named, tokens }: StatePart): readonly string[] {
  const texts = isRecord(named)
    ? Object.entries(named).map(([name, about]) => `${name} ${String(about)}`.trimEnd())
    : []
  const others = Number(tokens ?? 0) - texts.length
  return others <= 0 ? texts : [...texts, `${others}${texts.length === 0 ? '' : ' more'} tokens`]
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
