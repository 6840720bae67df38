import { byteString } from '../../base/bytes.ts'
import { type Json, writeJson } from '../../base/json.ts'
import type { JsonInput } from '../../base/json-input.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { kvValueBytesMax, transactionOperationsMax } from '../../model/limits.ts'
import { base64Bytes, decodeBody, decoder, list, nullable, object, text, uint64 } from '../http/json-body.ts'
import type { KeyOperation } from '../kv/operations.ts'

/** Maximum number of characters shown of a body. */
const shownMax = 200

const operations = list(
  object({
    KV: nullable(object({ Verb: text, Key: text, Value: base64Bytes, Flags: uint64, Index: uint64, Session: text })),
  }),
)

export const transactionBody: typeof operations = decoder(operations.accepts, (value, place, report) => {
  // The text for an empty object is that of a recorded exchange.
  if (isObject(value)) report.malformed(`unexpected raw type: ${value.size === 0 ? 'map[]' : shown(value)}`)
  return operations(value, place, report)
})

function isObject(value: JsonInput | undefined): value is ReadonlyMap<string, JsonInput> {
  return value instanceof Map
}

function shown(value: JsonInput): string {
  const text = writeJson(toJson(value))
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}

function toJson(value: JsonInput): Json {
  if (isObject(value)) return Object.fromEntries([...value].map(([name, member]) => [name, toJson(member)]))
  return Array.isArray(value) ? (value as readonly JsonInput[]).map(toJson) : (value as Json)
}

/** Parses the body of a transaction. Operations on anything but keys are ignored, as in the field. */
export function operationsOf(body: Uint8Array): Result<readonly KeyOperation[], Failure> {
  const decoded = decodeBody(body, transactionBody, 'Failed to parse body')
  if (!decoded.ok) return decoded
  const given = decoded.value.length
  if (given > transactionOperationsMax) {
    return tooLarge(`Transaction contains too many operations (${given} > ${transactionOperationsMax})`)
  }
  let size = 0
  const taken: KeyOperation[] = []
  for (const { KV } of decoded.value) {
    if (KV === null) continue
    const { length } = KV.Value
    if (length > kvValueBytesMax) {
      return tooLarge(`Value for key ${JSON.stringify(KV.Key)} is too large (${length} > ${kvValueBytesMax} bytes)`)
    }
    size += length
    taken.push({
      verb: KV.Verb,
      key: byteString(KV.Key),
      value: KV.Value,
      flags: KV.Flags,
      index: KV.Index,
      session: lowerAscii(KV.Session),
    })
  }
  if (size <= kvValueBytesMax) return ok(taken)
  return tooLarge(`Cumulative size of key data is too large (${size} > ${kvValueBytesMax} bytes)`)
}

function tooLarge(message: string): Result<never, Failure> {
  return err({ kind: 'too-large', message })
}
