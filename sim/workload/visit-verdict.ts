import { textOf } from '../../src/base/bytes.ts'
import type { HttpClientResponse } from '../../src/env/http.ts'
import { headerSaid } from '../../src/model/naming/names.ts'
import type { Visit } from '../checkers/access/access-facts.ts'
import type { VisitRequest } from './visit-request.ts'

/**
 * What an answer says about rights; undefined: nothing. Before 1.0, a read without rights is a 404, as for a key that
 * does not exist.
 */
export function toldBy(
  { status, headers, body }: HttpClientResponse,
  request: VisitRequest,
): Pick<Visit, 'said' | 'needs' | 'words'> | undefined {
  const text = textOf(body)
  const index = Number(headerSaid(headers, 'index') ?? Number.NaN)
  if (!Number.isNaN(index)) request.indexed?.(index)
  if (status === 200) {
    request.done?.(text)
    const denied = request.denied?.(text) ?? []
    if (denied.length > 0) return { said: 'denied', needs: denied }
    return { said: 'allowed', needs: [...request.needs, ...(request.shown?.(text) ?? [])] }
  }
  if (status === 409 && request.refused !== undefined) {
    const needs = request.refused(text)
    return needs.length === 0 ? undefined : { said: 'denied', needs }
  }
  if (status === 404 || (status === 500 && /Unknown session/.test(text))) {
    const needs = request.hidden?.()
    return needs === undefined ? undefined : { said: 'denied', needs }
  }
  const needs = request.refusedWithout ?? request.needs
  if (isUnexplained(status, text, request)) return { said: 'denied', needs, words: `${status} ${text.trim()}` }
  if (status !== 403) return undefined
  return { said: text.includes('ACL not found') ? 'not found' : 'denied', needs }
}

/** The names of what an answer with a list shows; undefined: it has no list. */
export function namesShown(
  { status, body }: HttpClientResponse,
  { lists }: VisitRequest,
): ReadonlySet<string> | undefined {
  if (status !== 200 && status !== 404) return undefined
  return new Set(status === 404 ? [] : lists?.names(textOf(body)))
}

/** A refusal that speaks of something else than rights, although nothing else is wrong. */
function isUnexplained(status: number, text: string, { explained }: VisitRequest): boolean {
  if (status === 400) return explained?.() !== true
  // Visits leave the destinations of intentions as they are.
  return status === 500 && text.includes('has changed meanwhile')
}
