import { compareText } from '../../src/base/bytes.ts'
import { isRecord } from '../../src/base/shape.ts'
import type { StatePart } from '../report/state-changes.ts'
import type { Bar } from './film-format.ts'

/** Maximum number of bars of one run. Later ones are left out, and a bar says so. */
const barsMax = 4000

/**
 * The long-lived replicated things of a run: modes, rotations, roots, sessions, locks. For each datacenter, the
 * leader's state is shown; while there is no leader, nothing changes.
 */
export class Bars {
  readonly #ended: Bar[] = []
  /** By datacenter and row, the present texts, and since when. */
  readonly #open = new Map<string, Map<string, number>>()
  #left = 0

  /** The replicated state of a leader from this time on. */
  leads(t: number, datacenter: string, replicated: unknown): void {
    if (!isRecord(replicated)) return
    const { access, mesh, sessions, locks, queries, intentions } = replicated
    const row = (name: string, texts: readonly string[]): void => this.#holds(t, `${datacenter} ${name}`, texts)
    if (isRecord(access)) {
      const { mode, tokens, policies } = access
      row('access control', [mode === 'legacy' ? 'legacy mode' : 'new mode'])
      row('tokens', tokens === 0 && policies === 0 ? [] : [`${tokens} tokens, ${policies} policies`])
    }
    if (isRecord(mesh)) this.#mesh(row, mesh)
    row('sessions', textsOf(sessions))
    row('locks', textsOf(locks))
    row('queries', typeof queries === 'number' && queries > 0 ? [`${queries} prepared queries`] : [])
    row('intentions', typeof intentions === 'number' && intentions > 0 ? [`${intentions} intentions`] : [])
  }

  /** Everything present lasts until the end; more may follow. */
  ended(endUs: number): readonly Bar[] {
    const open = [...this.#open].flatMap(([row, texts]) =>
      [...texts].map(([text, fromUs]): Bar => ({ row, text, fromUs, toUs: endUs })),
    )
    const room = barsMax - this.#ended.length
    const left = this.#left + Math.max(0, open.length - room)
    const note = { row: 'not shown', text: `${left} more that lived for a while`, fromUs: 0, toUs: endUs }
    const bars = [...this.#ended, ...open.slice(0, room), ...(left === 0 ? [] : [note])]
    return bars.toSorted((a, b) => compareText(a.row, b.row) || a.fromUs - b.fromUs)
  }

  #mesh(row: (name: string, texts: readonly string[]) => void, { roots, crossings, rotation }: StatePart): void {
    row('roots', textsOf(roots))
    row('crossings', crossings === 0 ? [] : [`${crossings} crossing certificates`])
    row('rotation', typeof rotation === 'string' ? [rotation] : [])
  }

  #holds(t: number, row: string, texts: readonly string[]): void {
    const open = this.#open.get(row) ?? new Map<string, number>()
    this.#open.set(row, open)
    for (const [text, fromUs] of open) {
      if (texts.includes(text)) continue
      open.delete(text)
      this.#end(row, text, fromUs, t)
    }
    for (const text of texts) if (!open.has(text)) open.set(text, t)
  }

  #end(row: string, text: string, fromUs: number, toUs: number): void {
    if (this.#ended.length >= barsMax) this.#left++
    else this.#ended.push({ row, text, fromUs, toUs })
  }
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
