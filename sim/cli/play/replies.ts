import { utf8 } from '../../../src/base/bytes.ts'
import type { HttpResponse } from '../../../src/env/http.ts'
import type { PlayError } from '../../play/play-api.ts'

/** What is wrong with a request, as a text for its sender. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Nothing is cached, framed, or interpreted as another type. */
export const guards = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
] as const

export function answered(value: object, status = 200): HttpResponse {
  return {
    status,
    headers: [['Content-Type', 'application/json'], ...guards],
    body: utf8(`${JSON.stringify(value)}\n`),
  }
}

export function said(status: number, text: string): HttpResponse {
  return { status, headers: [['Content-Type', 'text/plain; charset=utf-8'], ...guards], body: utf8(text) }
}

/** The answer of `answer`, or why the request is refused. Rejects only for an error of this program. */
export async function orRefused(answer: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await answer()
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause
    const error: PlayError = { error: cause.message }
    return answered(error, cause.status)
  }
}
