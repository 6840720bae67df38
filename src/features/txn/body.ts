import { byteString } from '../../base/bytes.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { kvValueBytesMax, transactionOperationsMax } from '../../model/limits.ts'
import { base64Bytes, decodeBody, decoder, list, nullable, object, text, uint64 } from '../json-body.ts'
import type { KeyOperation } from '../kv/operations.ts'

const operations = list(
  object({
    KV: nullable(object({ Verb: text, Key: text, Value: base64Bytes, Flags: uint64, Index: uint64, Session: text })),
  }),
)

export const transactionBody: typeof operations = decoder(operations.accepts, (value, place, report) => {
  if (value instanceof Map) report.malformed('unexpected raw type: map[]')
  return operations(value, place, report)
})

/** Reads the body of a transaction. What is no operation on a key is passed over, as in the field. */
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
