import type { Blamed } from '../../explain/blame.ts'
import { type ChainLine, type Explanation, named, type ShownLine } from '../../explain/explanation.ts'
import { demandOf, isCode } from '../../explain/judged-by.ts'
import { wilson } from '../../report/interval.ts'
import type { SeedRecord } from '../../report/seed-record.ts'
import type { ReadRun } from '../shrink/failing-run.ts'
import { clean } from '../trace/printing.ts'
import type { ChangesReport } from './changes.ts'
import type { CodeReport } from './code.ts'

/** Maximum length of one event's text. */
const whatMax = 150
const nodeWidthMax = 12

/** The broken law, and the things that it is about. */
export function headLines({ violation, things, agents }: Explanation, place: string): readonly string[] {
  const { code, text, t } = violation
  const demands = demandOf(code)
  const law = demands === undefined ? [] : [`  ${code} demands ${demands}`]
  const about = [
    ...things.nodes,
    ...[...things.terms].map((term) => `term ${term}`),
    ...[...things.indexes].map((index) => `index ${index}`),
    ...things.names,
  ].map(clean)
  const shown = about.slice(0, 8).join(', ')
  const rest = about.length > 8 ? ` and ${about.length - 8} more` : ''
  return [
    `${isCode(code) ? `${code} is violated` : `${place} is not met`} at ${seconds(t)} s: ${clean(named(text, agents))}`,
    ...law,
    ...(about.length === 0 ? [] : [`  It is about ${shown}${rest}.`]),
  ]
}

/** The chain, one line for each event: time, machine, what happened, and why it matters. */
export function chainLines(lines: readonly ShownLine[], of: number): readonly string[] {
  const left = of - lines.filter((line) => !('more' in line)).length
  const width = Math.min(nodeWidthMax, Math.max(4, ...lines.map((line) => ('node' in line ? line.node.length : 0))))
  const isBeside = lines.some((line) => !('more' in line) && !line.chained.isCause)
  return [
    `The chain of causes${left === 0 ? '' : `, without ${left} less telling events (--all shows them)`}${isBeside ? '; · marks events without a path to it' : ''}:`,
    ...lines.map((line) => ('more' in line ? foldedText(line, width) : lineText(line, width))),
  ]
}

function lineText({ chained, node, what, why }: ChainLine, width: number): string {
  const mark = chained.isCause ? ' ' : '·'
  return `${mark}${seconds(chained.event.t).padStart(11)}  ${clean(node).padEnd(width)}  ${cut(clean(what))} — ${why}`
}

function foldedText({ more, last }: Extract<ShownLine, { readonly more: number }>, width: number): string {
  return `${' '.repeat(width + 16)}… ${more} more such, until ${seconds(last.chained.event.t)}`
}

/** `1 run`, `12 runs`. */
export function runsText(runs: number): string {
  return `${runs} ${runs === 1 ? 'run' : 'runs'}`
}

/** The result of the runs. */
export interface BlameReport {
  /** The strongest first. */
  readonly blamed: readonly Blamed[]
  /** Number of decisions that could have been judged. */
  readonly suspects: number
  readonly runs: number
  readonly cpuMs: number
  /** The budget was exhausted. */
  readonly isSpent: boolean
}

/** The heading of each judgement. */
const judgementWords = {
  needs: 'NEEDED',
  rarer: 'hinders',
  'not needed': 'not needed',
  seldom: 'cannot tell',
  open: 'unclear',
} as const

/** Each decision, with the share of runs that fail with and without it. */
export function blameLines({ blamed, suspects, runs, cpuMs, isSpent }: BlameReport): readonly string[] {
  if (suspects === 0) return noSuspects
  const spent = `${runsText(runs)}, ${(cpuMs / 1000).toFixed(1)} s of CPU time`
  const isFound = blamed.some(({ judgement }) => judgement === 'needs')
  const told = blamed.filter(
    ({ suspect, judgement }) => !isFound || judgement !== 'open' || suspect.without.length === 1,
  )
  const lines = told.map(({ suspect, judgement, unchanged, without, laterMs }) => {
    const { low, high } = wilson(without)
    const kept = (unchanged.tries === 0 ? '' : `${unchanged.fails} of ${unchanged.tries}`).padStart(9)
    const gone = `${without.fails} of ${without.tries}`.padStart(8)
    const range = `${percent(low)}..${percent(high)} %`.padStart(9)
    const later = laterMs === undefined ? '' : ` (numbers differ from ${seconds(laterMs * 1000)} s on)`
    return `  ${judgementWords[judgement].padEnd(12)}${kept} ${gone} ${range.padStart(11)}  ${seconds(suspect.atUs).padStart(10)}  ${cut(clean(suspect.text))}${later}`
  })
  const left =
    isSpent && blamed.length < suspects
      ? [`The budget is spent: ${suspects - blamed.length} further decisions were not judged.`]
      : []
  const mayMatter = blamed.some(({ judgement }) => judgement === 'needs' || judgement === 'open')
  const none = mayMatter || isSpent ? [] : [noneNeeded]
  return [
    'What the failure needs: the run was repeated with and without each of these decisions, with different random',
    `numbers for the network, the disks and the agents after it (${spent}):`,
    '',
    '              fails with  without (95 % sure)          at  decision',
    ...lines,
    ...none,
    ...left,
  ]
}

const noSuspects = [
  'No fault was drawn and no operation of the workload led to the failure: there is nothing to leave out.',
  'The steps of the page, with their faults and requests, stay as they are: svc-sim shrink leaves steps out.',
]
const noneNeeded = 'None of these makes a difference: the cause is in what the program does, so read the chain.'

function percent(share: number): number {
  return Math.round(share * 100)
}

/** The complete result, for programs. */
export function jsonOf({ run, explanation, failure, lines, blamed, code, changes }: Told): string {
  const { violation, things } = explanation
  return JSON.stringify({
    file: run.loaded.file,
    seed: run.seed,
    violation: { n: violation.n, atUs: violation.t, place: failure.place, code: failure.code, text: failure.message },
    about: Object.fromEntries(Object.entries(things).map(([name, of]) => [name, [...of]])),
    chain: lines.map((line) =>
      'more' in line ? { more: line.more, untilUs: line.last.chained.event.t } : lineJson(line),
    ),
    changes: changes && {
      tried: changes.tried,
      of: changes.of,
      cured: changes.cured,
      compared: changes.compared,
      cpuMs: Math.round(changes.cpuMs),
      suspects: changes.suspects.map(({ file, of, reason, places, cures, text, tried }) => ({
        file,
        function: of?.name,
        reason,
        places,
        text,
        tried,
        cures: cures.map(({ mutant: { id, place, operator, before, after }, turns }) => ({
          ...{ id, place, operator, before, after },
          fromTurn: turns.first,
        })),
      })),
    },
    code: code && { failing: code.failing, passing: code.passing, places: code.places },
    blame: blamed && {
      runs: blamed.runs,
      cpuMs: Math.round(blamed.cpuMs),
      isSpent: blamed.isSpent,
      notJudged: Math.max(0, blamed.suspects - blamed.blamed.length),
      decisions: blamed.blamed.map(({ suspect, judgement, unchanged, without, laterMs }) => ({
        judgement,
        what: suspect.text,
        atUs: suspect.atUs,
        numbersDifferFromUs: laterMs === undefined ? suspect.atUs : laterMs * 1000,
        decisions: suspect.without,
        unchanged: { tries: unchanged.tries, fails: unchanged.fails, ...wilson(unchanged) },
        without: { tries: without.tries, fails: without.fails, ...wilson(without) },
      })),
    },
  })
}

interface Told {
  readonly run: ReadRun
  readonly explanation: Explanation
  readonly failure: SeedRecord['failures'][number]
  readonly lines: readonly ShownLine[]
  readonly blamed: BlameReport | undefined
  readonly code: CodeReport | undefined
  readonly changes: ChangesReport | undefined
}

function lineJson({ chained, node, what, why }: ChainLine): object {
  const { event, part, isCause } = chained
  return { n: event.n, atUs: event.t, node, part, isCause, what, why }
}

function seconds(us: number): string {
  return (us / 1_000_000).toFixed(6)
}

export function cut(text: string): string {
  return text.length <= whatMax ? text : `${text.slice(0, whatMax - 1)}…`
}
