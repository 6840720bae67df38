import { concatBytes } from '../../src/base/bytes.ts'
import { GzipWriter } from '../../src/base/gzip.ts'
import type { Timers } from '../../src/env/clock.ts'
import type { WebMachine } from './platform/platform.ts'

/** What a tab needs of its thread. */
export interface TabMachine extends WebMachine {
  readonly build: string
  readonly wallMs: () => number
  readonly after: Timers['after']
  /** Called when an error of the program ends the tab, with its words. */
  readonly onEnd: (words: string) => void
}

export function gzip(bytes: Uint8Array): Uint8Array {
  const writer = new GzipWriter()
  return concatBytes([writer.push(bytes), writer.end()])
}
