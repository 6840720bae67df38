import type { ExcuseNames, Judge } from '../../../sim/checkers/checker.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'

/** Collects what a checker reports, what it counts, and which excuses it uses. */
export function recorder(): {
  readonly judge: Judge<ExcuseNames>
  readonly codes: string[]
  readonly lines: string[]
  /** Number of the event of the trace that facts are told in, from now on. */
  readonly now: { event: number }
  /** Of each report the events that it names. Entry n of the log was applied in event 1000 + n. */
  readonly causes: (readonly number[])[]
  /** `R1 3`, in the order of the first of each; with the names of excuses: `R1 excused: name 1`. */
  readonly counts: () => readonly string[]
} {
  const codes: string[] = []
  const lines: string[] = []
  const causes: (readonly number[])[] = []
  const now = { event: 0 }
  const facts = new Map<string, number>()
  const count = (what: string, more: number): void => void facts.set(what, (facts.get(what) ?? 0) + more)
  return {
    codes,
    lines,
    causes,
    now,
    counts: () => [...facts].map(([what, so]) => `${what} ${so}`),
    judge: {
      eventNow: () => now.event,
      appliedIn: (index) => 1000 + index,
      report: (code, message, because = []) => {
        if (!facts.has(code)) throw new Error(`${code} is reported, and no fact of it was judged: ${message}`)
        codes.push(code)
        lines.push(`${code}: ${message}`)
        causes.push(because)
      },
      judged: (code, more = 1) => count(code, more),
      excused: (code, excuse, more = 1) => count(`${code} excused: ${excuse}`, more),
    },
  }
}

export function entry(index: number, term: number, text = ''): Entry {
  return { index: logIndexOf(index), term: termOf(term), kind: 'command', payload: utf8(text) }
}
