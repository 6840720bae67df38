import { type Json, writeJson } from '../../src/base/json.ts'
import type { HttpResponse } from '../../src/env/http.ts'

/** Members of a JSON object. */
export type Members = Readonly<Record<string, Json>>

const noStore = ['Cache-Control', 'no-store'] as const
const json = ['Content-Type', 'application/json'] as const
const certificate = ['Content-Type', 'application/pkix-cert'] as const

/**
 * The common frame of all JSON answers. `warnings` empty: null. `top`: members that reads of `sys/` show a second time.
 */
export function frame(
  requestId: string,
  data: Members | null,
  { auth = null, warnings = [], top = {} }: { auth?: Members | null; warnings?: readonly string[]; top?: Members } = {},
): HttpResponse {
  const base = { request_id: requestId, lease_id: '', renewable: false, lease_duration: 0 }
  const rest = { wrap_info: null, warnings: warnings.length === 0 ? null : warnings, auth }
  return { status: 200, headers: [noStore, json], body: `${writeJson({ ...top, ...base, data, ...rest })}\n` }
}

export function plainJson(status: number, members: Members): HttpResponse {
  return { status, headers: [noStore, json], body: `${writeJson(members)}\n` }
}

export function errors(status: number, ...texts: readonly string[]): HttpResponse {
  return plainJson(status, { errors: texts })
}

/** An error in the form of a handler's errors. */
export function wrapped(status: number, text: string): HttpResponse {
  return errors(status, `1 error occurred:\n\t* ${text}\n\n`)
}

export const nothing: HttpResponse = { status: 204, headers: [noStore, json], body: '' }

/** PEM without a newline at its end; an empty text is answered with 204. */
export function certificateText(text: string): HttpResponse {
  return { status: text === '' ? 204 : 200, headers: [noStore, certificate], body: text }
}
