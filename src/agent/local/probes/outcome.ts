import { isInside, textOf, withinBytes } from '../../../base/bytes.ts'
import type { HttpClientFailure } from '../../../env/http.ts'
import { endpointText } from '../../../env/net.ts'
import type { CheckStatus } from '../../../model/catalog.ts'

/** The result of one run of a check. */
export interface Outcome {
  readonly status: CheckStatus
  readonly output: string
}

/** Maximum length of a check's output. */
export const outputBytesMax = 4096

/** The last bytes as text; a character that is cut in the middle is dropped. */
export function lastText(bytes: Uint8Array): string {
  let from = Math.max(0, bytes.length - outputBytesMax)
  // A character has at most three further bytes; more are no text, and are shown as such.
  for (let step = 0; step < 3 && isInside(bytes[from]); step++) from++
  return textOf(bytes.subarray(from))
}

/** The first bytes, likewise. */
export function firstText(text: string): string {
  return withinBytes(text, outputBytesMax)
}

export function critical(output: string): Outcome {
  return { status: 'critical', output }
}

/** Why no answer came, in the field's own words. */
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
