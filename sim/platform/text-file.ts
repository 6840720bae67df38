import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { TextSink } from '../report/trace-writer.ts'

/** Size of the pieces that are passed on; with one piece waiting, the file is full. */
const pieceLength = 256 << 10

/**
 * A file that is written during a run, in limited memory; compressed if its name ends in `.gz`. Text is passed to
 * Node's streams only between turns: within one, their own work would trigger the tripwire.
 */
export function createTextFile(path: string): TextSink {
  const file = createWriteStream(path)
  const top: Writable = path.endsWith('.gz') ? createGzip() : file
  if (top !== file) top.pipe(file)
  const over = finished(file).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  )
  let failed: string | undefined
  void over.then((problem) => {
    failed = problem
  })
  let pieces: string[] = []
  let length = 0
  const handOver = async (): Promise<void> => {
    const text = pieces.join('')
    pieces = []
    length = 0
    if (text === '' || failed !== undefined) return
    // A stream that has failed calls no callback.
    await Promise.race([new Promise<void>((resolve) => void top.write(text, () => resolve())), over])
  }
  return {
    get isFull() {
      return length >= pieceLength
    },
    write: (text) => {
      pieces.push(text)
      length += text.length
    },
    settle: handOver,
    end: async () => {
      await handOver()
      top.end()
      return over
    },
  }
}
