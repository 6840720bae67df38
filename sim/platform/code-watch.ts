import { readFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { rangesText } from '../mutation/ranges.ts'
import type { CodeWatch } from '../pool/worker.ts'

/** Modules of the agent in a built program; a bundle has none. */
const agentModule = /\/dist\/(src\/.+[.]js)$/

/** In a script of V8, what stands before a module's text: `bin/modules.js` puts something there, Node's own loader nothing. */
const textOffset = (import.meta as { readonly offset?: number }).offset ?? 0

/**
 * Which lines of the agent run, as V8 counts them. A function that was compiled before the first `begin` is counted as
 * a whole, so an observed process must have run nothing before.
 */
export function codeWatch(): CodeWatch {
  let session: Session | undefined
  const begun = (): Session => {
    const made = new Session()
    made.connect()
    made.post('Profiler.enable')
    made.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    return made
  }
  return {
    begin: () => {
      session ??= begun()
      // Taking the counts resets them to zero.
      scriptsOf(session)
    },
    ran: () => (session === undefined ? {} : linesOf(scriptsOf(session))),
  }
}

/** Within one process, the inspector answers at once. */
function scriptsOf(session: Session): readonly Profiler.ScriptCoverage[] {
  let scripts: readonly Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error === null) scripts = taken.result
  })
  return scripts
}

function linesOf(scripts: readonly Profiler.ScriptCoverage[]): Record<string, string> {
  const lines: Record<string, string> = {}
  for (const { url, functions } of scripts) {
    const file = agentModule.exec(url)?.[1]
    if (file === undefined || !url.startsWith('file:')) continue
    const ranges = rangesText(
      ranLines(`${' '.repeat(textOffset)}${readFileSync(fileURLToPath(url), 'utf8')}`, functions),
    )
    if (ranges !== '') lines[file] = ranges
  }
  return lines
}

/** A byte for each line, by its number counted from 1: 1 if its first word ran. Inner ranges come after outer ones. */
function ranLines(text: string, functions: readonly Profiler.FunctionCoverage[]): Uint8Array {
  const ran = new Uint8Array(text.length)
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
  const lines = text.split('\n')
  const out = new Uint8Array(lines.length + 1)
  let at = 0
  for (const [place, line] of lines.entries()) {
    const word = line.search(/\S/)
    if (word >= 0 && !/^\s*(?:[})\]/*]|else\b)/.test(line)) out[place + 1] = ran[at + word] ?? 0
    at += line.length + 1
  }
  return out
}
