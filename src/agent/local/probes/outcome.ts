import { textOf, utf8 } from '../../../base/bytes.ts'
import type { HttpClientFailure } from '../../../env/http.ts'
import { endpointText } from '../../../env/net.ts'
import type { CheckStatus } from '../../../model/catalog.ts'

/** What one run of a check found. */
export interface Outcome {
  readonly status: CheckStatus
  readonly output: string
}

/** Of what a check brings, so much is kept. */
export const outputBytesMax = 4096

/** The last of it, as text; where it was cut in the middle of a letter that letter is lost. */
export function lastText(bytes: Uint8Array): string {
  return textOf(bytes.subarray(Math.max(0, bytes.length - outputBytesMax)))
}

/** The first of it, likewise. */
export function firstText(text: string): string {
  const bytes = utf8(text)
  return bytes.length <= outputBytesMax ? text : textOf(bytes.subarray(0, outputBytesMax))
}

export function critical(output: string): Outcome {
  return { status: 'critical', output }
}

/** Why nobody answered, in the words that people know from the field. */
export function failureText(failure: HttpClientFailure): string {
  const dial = `dial tcp ${endpointText(failure.to)}`
  switch (failure.kind) {
    case 'refused':
      return `${dial}: connect: connection refused`
    case 'timeout':
      return `${dial}: i/o timeout`
    case 'unreachable':
      return `${dial}: connect: no route to host`
    default:
      return `${dial}: ${failure.message}`
  }
}
