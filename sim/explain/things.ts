import type { About, Meaning } from '../report/meaning.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { meaningsIn } from './evidence.ts'

/** The things that a violation is about: earlier events about the same things explain it. */
export interface Things {
  readonly nodes: ReadonlySet<string>
  readonly terms: ReadonlySet<number>
  /** Indexes of the log. */
  readonly indexes: ReadonlySet<number>
  /** Keys, services, sessions and other things that requests and commands name. */
  readonly names: ReadonlySet<string>
}

/** Shorter names occur in many texts by chance. */
const nameMin = 3

/**
 * The things of a violation: those that its text names, and those of the commands by which it is judged. `nodes`:
 * machines of the run. `judgedBy`: the events that the law names.
 */
export function thingsOf(text: string, nodes: readonly string[], judgedBy: readonly TraceRecord[]): Things {
  const words = text.split(/[\s,;()]+/).map((word) => word.replace(/^['"`]|['"`:.]+$/g, '').replace(/['"`]$/g, ''))
  const numbers = (pattern: RegExp): number[] => [...text.matchAll(pattern)].map((match) => Number(match[1]))
  const known = new Set(nodes)
  const terms = numbers(/\bterms?[ =](\d+)/g)
  const indexes = numbers(/\b(?:entry|entries|index|lastIndex)[ =](\d+)/g)
  const names = words.filter(
    (word) => word.length >= nameMin && /[\d/-]/.test(word) && !/=/.test(word) && !known.has(word),
  )
  for (const [, other] of text.matchAll(/\bentries \d+ and (\d+)/g)) indexes.push(Number(other))
  const quoted = [...text.matchAll(/'([^']+)'/g)].map((match) => match[1] as string)
  for (const event of judgedBy) {
    const committed = /^commits up to entry (\d+)/.exec(event.kind === 'note' ? event.text : '')
    if (committed !== null) indexes.push(Number(committed[1]))
    for (const meaning of meaningsIn(event)) names.push(...namesIn(meaning))
  }
  return {
    nodes: new Set(words.filter((word) => known.has(word))),
    terms: new Set(terms),
    indexes: new Set(indexes),
    names: new Set([...names, ...quoted].filter(isName)),
  }
}

/** Neither a number or a duration, nor the words of a message. */
function isName(text: string): boolean {
  return text.length >= nameMin && !/^\d+(?:\.\d+)?(?:[mu]?s|m|h)?$/.test(text) && !/\s/.test(text)
}

/** The names in a message or record. */
function namesIn(meaning: Meaning): readonly string[] {
  return aboutsOf(meaning).flatMap((about) => Object.values(about).flat())
}

function aboutsOf(meaning: Meaning): readonly About[] {
  const own = 'about' in meaning && meaning.about !== undefined ? [meaning.about] : []
  return meaning.layer === 'raft' && meaning.name === 'append-request'
    ? meaning.entries.flatMap(({ about }) => about ?? [])
    : own
}

/** Whether a message or record names one of these things. */
export function namesThing(meaning: Meaning, { names }: Things): boolean {
  if (namesIn(meaning).some((name) => names.has(name))) return true
  const target = meaning.layer === 'http' ? meaning.target : meaning.layer === 'dns' ? meaning.question : undefined
  return target !== undefined && [...names].some((name) => target.includes(name))
}

/** Whether it is the entry itself at one of these indexes, which the law names or by whose commit it judges. */
export function isEntryOf(meaning: Meaning, { indexes }: Things): boolean {
  return meaning.layer === 'log' && meaning.name === 'entry' && indexes.has(meaning.index)
}

/** Whether a message or record is about one of these terms or indexes. */
export function isOfPlace(meaning: Meaning, things: Things): boolean {
  const { terms, indexes } = things
  if (meaning.layer === 'raft' && meaning.name === 'append-request') {
    const { prev, count } = meaning
    return [...indexes].some((index) => index > prev && index <= prev + count)
  }
  if (meaning.layer === 'log' && meaning.name === 'truncate') return [...indexes].some((at) => at >= meaning.from)
  if (meaning.layer === 'log' && meaning.name === 'entry') return isEntryOf(meaning, things)
  const isOfIndex = 'index' in meaning && meaning.index !== undefined && indexes.has(meaning.index)
  return isOfIndex || ('term' in meaning && terms.has(meaning.term))
}
