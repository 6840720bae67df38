import { z } from 'zod'
import { isRecord } from '../../base/shape.ts'
import { firstChange, greater, isModifyIndex, type ModifyIndex } from '../../model/log-position.ts'
import { readBy, readWith } from './fields.ts'
import type { ReadMeta } from './reading.ts'

/**
 * Schemas of replies. A reply may come from an agent of another release, or from a broken one: the asking agent checks
 * it before anything reads its members. The check returns the reply itself and never a copy, so that members which only
 * a newer release knows do no harm, and a member that an older release lacks must be optional.
 */
export type Is<T> = (value: unknown) => value is T

/** Whether this is a reply of the endpoint. */
export function isReply<Reply>({ reply }: { readonly reply: z.ZodType<Reply> }, value: unknown): value is Reply {
  return readBy(reply, value).ok
}

/**
 * The schema of a reply with many rows, or of one that clients wait for: composed checks take a tenth of the time that
 * zod's objects take, which copy what they check.
 */
export function replyWith<T>(is: Is<T>): z.ZodType<T> {
  return readWith((value) => (is(value) ? value : undefined))
}

/** The same within another schema. */
export function checkedWith<T>(is: Is<T>): z.ZodType<T> {
  return z.custom<T>(is)
}

export const isText: Is<string> = (value) => typeof value === 'string'
export const isNumber: Is<number> = (value) => typeof value === 'number'
export const isFlag: Is<boolean> = (value) => typeof value === 'boolean'
export const isIndex: Is<ModifyIndex> = isModifyIndex

export function isOneOf<T extends string>(...texts: readonly T[]): Is<T> {
  const all: ReadonlySet<unknown> = new Set(texts)
  return (value): value is T => all.has(value)
}

/** A map with at least these members: one check for each member of `T`, or it does not compile. */
export function membersAre<T extends object>(checks: { readonly [Name in keyof T]-?: Is<T[Name]> }): Is<T> {
  const all: readonly (readonly [string, Is<unknown>])[] = Object.entries(checks)
  return (value): value is T => {
    if (typeof value !== 'object' || value === null) return false
    for (const [name, is] of all) if (!is(Reflect.get(value, name))) return false
    return true
  }
}

export function listOfAll<T>(is: Is<T>): Is<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(is)
}

export function orNull<T>(is: Is<T>): Is<T | null> {
  return (value): value is T | null => value === null || is(value)
}

export function orAbsent<T>(is: Is<T>): Is<T | undefined> {
  return (value): value is T | undefined => value === undefined || is(value)
}

const isPair: Is<readonly [string, string]> = (value): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && isText(value[1])

/** Pairs of text in order of key. */
export const arePairs = listOfAll(isPair)

/** Schemas of the replies that many endpoints have. */
export const flagReply = replyWith(isFlag)
export const textReply = replyWith(isText)
export const textsReply = replyWith(listOfAll(isText))
export const nothingReply = z.null()

/**
 * The metadata that comes with the answer of another agent to a query. Index 0, as of a server that has nothing of the
 * kind yet, counts as 1: a caller that waits for more than 0 does not wait.
 */
export const readMeta = readWith((given): ReadMeta | undefined => {
  if (!isRecord(given)) return undefined
  const { index, knownLeader, lastContactMs } = given
  if (!isModifyIndex(index) || typeof knownLeader !== 'boolean') return undefined
  if (typeof lastContactMs !== 'number' || !Number.isFinite(lastContactMs)) return undefined
  return { index: greater(index, firstChange), knownLeader, lastContactMs }
})
