import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As a shell reports a signal: 128 plus its number. */
export const exitOfSignal: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 }

const folders = new Set<string>()
const ends = new Set<() => void>()
let isWatched = false
let waiting = 0

/** A new empty folder outside the checkout. It is removed at the latest when this process ends, also by a signal. */
export function temporaryFolder(prefix: string): string {
  watchEnd()
  const folder = mkdtempSync(join(tmpdir(), prefix))
  folders.add(folder)
  return folder
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}

/**
 * `stop` is called when this process ends, also by a signal, before its folders are removed. Returns what is to be called
 * when there is nothing to stop any more.
 */
export function beforeEnd(stop: () => void): () => void {
  watchEnd()
  ends.add(stop)
  return () => ends.delete(stop)
}

/** Until what is returned is called, signals do not end this process: another one, which it waits for, ends by them. */
export function withoutSignals(): () => void {
  watchEnd()
  waiting++
  return () => {
    waiting--
  }
}

/** Handlers of signals are installed with the first use. */
function watchEnd(): void {
  if (isWatched) return
  isWatched = true
  process.once('exit', end)
  for (const [signal, code] of Object.entries(exitOfSignal))
    process.on(signal, () => {
      if (waiting === 0) process.exit(code)
    })
}

function end(): void {
  for (const stop of ends) stop()
  for (const folder of folders) removeFolder(folder)
}
