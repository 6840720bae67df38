import type { Report } from '../../../sim/checkers/checker.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'

/** Collects what a checker reports. */
export function recorder(): { readonly report: Report; readonly codes: string[]; readonly lines: string[] } {
  const codes: string[] = []
  const lines: string[] = []
  return {
    codes,
    lines,
    report: (code, message) => {
      codes.push(code)
      lines.push(`${code}: ${message}`)
    },
  }
}

export function entry(index: number, term: number, text = ''): Entry {
  return { index: logIndexOf(index), term: termOf(term), kind: 'command', payload: utf8(text) }
}
