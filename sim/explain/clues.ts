import type { FunctionPlace } from '../mutation/functions.ts'
import type { Literal } from '../mutation/literals.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { besideArrows, longBefore, notOfTheAgent, ranSitesOf, type Watched } from './code-candidates.ts'
import type { Events } from './events.ts'
import { stackIn } from './ways.ts'

/**
 * A place in the code to which the run itself points: what was on the stack of the last exception (`thrown`), or has
 * the text of what was reported (`said`), or of what would have been reported if the run did not fail (`unsaid`).
 */
export interface Clue {
  readonly kind: 'thrown' | 'said' | 'unsaid'
  readonly file: string
  readonly at: Literal['at']
  /** `src/raft/core/commit.ts:17:7`. */
  readonly place: string
  /** How little it explains: the least first. */
  readonly cost: number
  /** What stands there of what was reported. */
  readonly text?: string
}

/** A text that was reported. */
export interface Saying {
  readonly kind: 'said' | 'unsaid'
  readonly text: string
  /** How little it has to do with the failure. */
  readonly cost: number
}

export interface CluesQuestion {
  readonly events: Events
  readonly violation: TraceRecord
  /** A law has written the message of the failure, in words of its own. */
  readonly isOfLaw: boolean
  /** How an agent would have reported what never happened, if it would. */
  readonly unreported: string | undefined
  /** The text of the page: its own words, which a message repeats, are no clue. */
  readonly page: string
  readonly watched: Watched
  readonly literals: readonly Literal[]
  readonly functionAt: (file: string, at: Literal['at']) => FunctionPlace | undefined
  readonly placeOf: (of: Pick<Literal, 'file' | 'at'>) => string
}

/** Maximum number of reported texts that are looked at, and of frames of a stack. */
const sayingsMax = 30
const framesMax = 3
/** Each further frame of the stack, and each doubling of the places with the same text, says less. */
const furtherFrame = 3
const doubled = 1.5
/** The reason stands at the end of a message: what comes first says less by up to this much. */
const atTheBegin = 4
/** A single word is a word of every message. */
const singleWord = 4
/** A text outside of all functions belongs to what is declared within this number of lines. */
const declaredLines = 12

/** Where the last exception was thrown, and the code that has the texts of what was reported. */
export function cluesIn(question: CluesQuestion): readonly Clue[] {
  const nearness = nearnessIn(question)
  const unfit = unfitIn(question)
  return [...thrown(question, nearness, unfit), ...said(question, sayingsIn(question, nearness), unfit)]
}

/** How little an event has to do with the failure, by its distance in the causes or in time. */
type Nearness = (event: TraceRecord) => number

function nearnessIn({ events, violation }: CluesQuestion): Nearness {
  const ways = events.ancestors(violation)
  return ({ n, t }) => Math.log2(1 + (ways.get(n) ?? besideArrows + longBefore * (1 - t / Math.max(1, violation.t))))
}

/**
 * What the run reported before it failed: the message of the failure, which quotes the program, and complaints of the
 * agents. One that came often says little.
 */
function sayingsIn(question: CluesQuestion, nearness: Nearness): readonly Saying[] {
  const {
    events: { all },
    violation,
    isOfLaw,
    unreported,
  } = question
  const complaints = all.filter((event) => event.n <= violation.n && isComplaint(event))
  const alike = [...keyed(complaints, (event) => shape(textOf(event))).values()]
  const said = alike.flatMap((each): readonly Saying[] => {
    const last = each.at(-1)
    if (last === undefined) return []
    return [{ kind: 'said', text: textOf(last), cost: nearness(last) + Math.log2(each.length) }]
  })
  const message: readonly Saying[] = isOfLaw ? [] : [{ kind: 'said', text: textOf(violation), cost: 0 }]
  const sayings = [...message, ...said].toSorted((a, b) => a.cost - b.cost).slice(0, sayingsMax)
  return unreported === undefined ? sayings : [{ kind: 'unsaid', text: unreported, cost: 0 }, ...sayings]
}

function isComplaint(event: TraceRecord): boolean {
  return event.kind === 'error' || (event.kind === 'log' && /^\[(?:WARN|ERROR)\]/.test(event.text))
}

function textOf(event: TraceRecord): string {
  return 'text' in event ? (event.text ?? '') : ''
}

/** Equal for two texts that differ only in numbers. */
function shape(text: string): string {
  return text.replaceAll(/\d+/g, '0')
}

function thrown(question: CluesQuestion, nearness: Nearness, unfit: Unfit): readonly Clue[] {
  const { events, violation, functionAt, placeOf } = question
  const stack = stackIn(events, violation)
  const frames = stack?.frames.filter(({ file }) => !notOfTheAgent.test(file)) ?? []
  return frames.slice(0, framesMax).flatMap(({ file, line }, nth): readonly Clue[] => {
    // A stack names the line of a built module; a function is found by a column within it.
    const at = [0, 2, 4, 8].map((column) => ({ line, column })).findLast((each) => functionAt(file, each) !== undefined)
    if (stack === undefined || at === undefined) return []
    // It ran, even if it threw before the first place of it that could be changed.
    const cost = nearness(stack.event) + (unfit(file, at) ?? 0) + nth * furtherFrame
    return [{ kind: 'thrown', file, at, place: placeOf({ file, at }), cost }]
  })
}

function said(question: CluesQuestion, sayings: readonly Saying[], unfit: Unfit): readonly Clue[] {
  const { literals, page, placeOf } = question
  // A shrunk page begins with a comment that quotes the failure.
  const written = page.replaceAll(/(?<=^|\s)#.*$/gm, '')
  const all = literals.filter(({ text, file }) => !notOfTheAgent.test(file) && !written.includes(text))
  const byText = keyed(all, ({ text }) => text)
  return sayings.flatMap((saying) =>
    wordsIn(saying.text, [...byText.keys()]).flatMap(({ text, from }) => {
      const places = byText.get(text) ?? []
      const vague = vagueness(text, places.length)
      return places.flatMap(({ file, at }): readonly Clue[] => {
        const less = unfit(file, at)
        if (less === undefined) return []
        // Runs that pass go through the code that reports what this one does not.
        const ofSaid = saying.kind === 'said' ? less + atTheBegin * (1 - from / saying.text.length) : 0
        const cost = saying.cost + vague + ofSaid
        return [{ kind: saying.kind, file, at, place: placeOf({ file, at }), cost, text }]
      })
    }),
  )
}

function vagueness(text: string, places: number): number {
  return doubled * Math.log2(places) + (/^[\p{L}_-]+$/u.test(text) ? singleWord : 0)
}

/** The texts that a message contains as whole words; of two that overlap, the longer one. */
function wordsIn(
  saying: string,
  texts: readonly string[],
): readonly { readonly text: string; readonly from: number }[] {
  const found = texts
    .map((text) => ({ text, from: saying.indexOf(text) }))
    .filter(({ text, from }) => from >= 0 && isWhole(saying, from, from + text.length))
    .toSorted((a, b) => b.text.length - a.text.length)
  return found.filter(
    ({ text, from }, nth) =>
      !found.slice(0, nth).some((other) => from < other.from + other.text.length && other.from < from + text.length),
  )
}

function isWhole(saying: string, from: number, to: number): boolean {
  const isLetter = (at: number): boolean => /[\p{L}\p{N}]/u.test(saying.charAt(at))
  return !(isLetter(from - 1) && isLetter(from)) && !(isLetter(to - 1) && isLetter(to))
}

/** How little other runs fit to a bug in the code around a place; undefined: it did not run. */
type Unfit = (file: string, at: Literal['at']) => number | undefined

/** By the code that ran in the function of the place, or close to a place outside of all functions. */
function unfitIn({ watched, functionAt }: CluesQuestion): Unfit {
  const byFile = keyed(ranSitesOf(watched), ({ file }) => file)
  return (file, at) => {
    const around = functionAt(file, at)
    const { first, last } = around ?? { first: at.line - declaredLines, last: at.line + declaredLines }
    const ran = (byFile.get(file) ?? []).filter((site) => site.at.line >= first && site.at.line <= last)
    return ran.length === 0 ? undefined : Math.min(...ran.map((site) => site.unfit))
  }
}

function keyed<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const made = new Map<string, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    const known = made.get(key)
    if (known === undefined) made.set(key, [one])
    else known.push(one)
  }
  return made
}
