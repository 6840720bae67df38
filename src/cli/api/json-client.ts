import type { z } from 'zod'
import { utf8 } from '../../base/bytes.ts'
import { type Json, jsonOrUndefined, writeJson } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { type ApiClient, type ApiResponse, type Query, unexpectedText } from './client.ts'

/** A request: method, path, and optional parts. */
export interface JsonRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Query
  /** Bytes are sent unchanged. */
  readonly body?: Json | Uint8Array
}

/** Sends a request whose answer must have status 200 and be JSON of this shape. The error says what came instead. */
export async function askJson<T>(
  client: ApiClient,
  request: JsonRequest,
  shape: z.ZodType<T>,
): Promise<Result<T, string>> {
  const answer = await askBytes(client, request)
  if (!answer.ok) return answer
  const read = shape.safeParse(jsonOrUndefined(answer.value))
  return read.success ? ok(read.data) : err(`the answer to ${request.method} ${request.path} cannot be read`)
}

/** As `askJson`, for an answer whose bytes are not examined. */
export async function askBytes(client: ApiClient, request: JsonRequest): Promise<Result<Uint8Array, string>> {
  const { method, path, query, body } = request
  const bytes = body === undefined || body instanceof Uint8Array ? body : utf8(writeJson(body))
  const answer = await client.send(method, path, query, bytes)
  if (!answer.ok) return answer
  if (answer.value.status === 200) return ok(answer.value.body)
  return err(notServed(answer.value, path) ?? unexpectedText(answer.value))
}

/** Whether an agent answered that it does not serve the path; an answer about a missing thing has another text. */
function notServed({ status, body }: Pick<ApiResponse, 'status' | 'body'>, path: string): string | undefined {
  if (status !== 404 || body.length > 0) return undefined
  return `the agent does not serve ${path}: its release does not have it`
}

/** JSON as the field's commands print it: indented by one tab for each level. */
export function indentedByTabs(value: Json): string {
  return writeJson(value, true).replace(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
}
