import { fromBase64, textOf } from '../../../src/base/bytes.ts'
import type { OwnRow, OwnTree } from './own-tree.ts'

/** A row that an answer must have. */
export interface ExpectedRow {
  readonly key: string
  readonly row: OwnRow
  /** The row of a write in a transaction, which has no value. */
  readonly isBare: boolean
}

/** What an answer must say. */
export interface Expected {
  readonly said: string
  readonly rows: readonly ExpectedRow[]
}

/** A row as an answer has it. */
export interface ToldRow {
  readonly key: string
  readonly value: string | null
  readonly flags: string
  readonly session: string
  readonly lockIndex: number
  readonly createIndex: number
  readonly modifyIndex: number
}

export interface Told {
  readonly said: string
  readonly rows: readonly ToldRow[]
  /** The ID of a session that was created. */
  readonly id?: string
  /** A lock that was acquired. */
  readonly lock?: { readonly key: string; readonly session: string; readonly fence: number }
}

/** A row as HTTP returns it, parsed by `parseRows`. */
export interface JsonRow {
  readonly Key: string
  readonly Value: string | null
  readonly Flags: string
  readonly Session?: string
  readonly LockIndex: number
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Parses JSON with rows: flags have 64 bits, more than a number of JavaScript. */
export function parseRows<T>(text: string): T {
  return JSON.parse(text.replaceAll(/"Flags":(\d+)/g, '"Flags":"$1"')) as T
}

export function toldRow({ Key, Value, Flags, Session = '', ...row }: JsonRow): ToldRow {
  return {
    key: Key,
    value: Value === null ? null : textOf(fromBase64(Value) ?? new Uint8Array()),
    flags: Flags,
    session: Session,
    lockIndex: row.LockIndex,
    createIndex: row.CreateIndex,
    modifyIndex: row.ModifyIndex,
  }
}

export function expectedText({ said, rows }: Expected): string {
  return [said, ...rows.map(({ key, row, isBare }) => wordsOf(key, row, isBare, row))].join('; ')
}

/**
 * The answer in the form of the expectation: an index that the client could not know is `?` if the told one is
 * possible.
 */
export function toldText({ said, rows }: Told, expected: Expected): string {
  /** The index of each request's rows. */
  const indexes = new Map<number, number>()
  const words = rows.map((told, at) => {
    const other = expected.rows[at]
    const isBare = told.value === null && other?.isBare === true
    if (other === undefined || other.key !== told.key) return wordsOf(told.key, told, isBare, told)
    return wordsOf(told.key, told, isBare, indexWords(told, other.row, indexes))
  })
  return [said, ...words].join('; ')
}

interface Indexes {
  readonly createIndex: number | string | undefined
  readonly modifyIndex: number | string | undefined
}

function indexWords(told: ToldRow, row: OwnRow, indexes: Map<number, number>): Indexes {
  if (row.modifyIndex !== undefined) return told
  const known = indexes.get(row.request) ?? told.modifyIndex
  indexes.set(row.request, known)
  const canBe = told.modifyIndex > row.after && told.modifyIndex === known
  const isCreate =
    row.createIndex !== undefined ||
    (row.isNew ? told.createIndex === told.modifyIndex : told.createIndex > 0 && told.createIndex < told.modifyIndex)
  return {
    modifyIndex: canBe ? undefined : `${told.modifyIndex}, where it is later than ${row.after}`,
    createIndex: row.createIndex === undefined && isCreate ? undefined : told.createIndex,
  }
}

interface Shown {
  readonly value: string | null
  readonly flags: string
  readonly session: string
  readonly lockIndex: number
}

/** Longer values are shown by their length and their end, which is unique. */
const shownMax = 60

function wordsOf(key: string, shown: Shown, isBare: boolean, { createIndex, modifyIndex }: Indexes): string {
  const value = shown.value ?? ''
  const short = value.length <= shownMax ? value : `${value.length} characters, ${value.slice(0, shownMax)}`
  const what = isBare ? key : `${key}='${short}'`
  const lock = shown.session === '' ? 'free' : `held by ${shown.session}`
  return `${what} flags ${shown.flags} lock ${shown.lockIndex} ${lock}, of ${createIndex ?? '?'}, at ${modifyIndex ?? '?'}`
}

/** Learns the indexes of rows from an answer that was as expected. */
export function learnAll(tree: OwnTree, { rows }: Expected, told: Told): void {
  for (const [at, { key, row }] of rows.entries()) {
    const found = told.rows[at]
    if (found !== undefined) tree.learn(key, row, found)
  }
}

/** An answer to a client about keys and sessions that only this client changes. */
export interface OwnAnswer {
  /** The client, and the asked agent. */
  readonly who: string
  readonly what: string
  /** What the answer must say, and what it says, in the same form. */
  readonly must: string
  readonly told: string
  /** The answer says that, or another thing that it may say as well. */
  readonly isAsExpected: boolean
  /** When the client began with these keys. */
  readonly beganUs: number
  /** The sessions that the client believes to be alive. */
  readonly sessions: readonly string[]
  /** Trace event of the request. */
  readonly calledIn: number
}
