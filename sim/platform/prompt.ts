import { createInterface } from 'node:readline'
import type { LineReader } from '../cli/terminal.ts'

/** Lines that wait to be asked for, of input that is piped in: the rest waits in the pipe. */
const waitingMax = 1_000

/**
 * Lines of the standard input, one after the other. On a terminal they are edited, with the earlier ones at hand; from a
 * pipe each is written out as it is read, so that the output reads as if it was typed.
 */
export function readLines(prompt: string): LineReader {
  const { stdin: input, stdout: output } = process
  const isTyped = input.isTTY === true && output.isTTY === true
  const lines = createInterface({ input, output: isTyped ? output : undefined, prompt, terminal: isTyped })
  const read: string[] = []
  let take: ((line: string | undefined) => void) | undefined
  let isClosed = false
  const give = (line: string | undefined): void => {
    const taker = take
    take = undefined
    taker?.(line)
  }
  lines.on('line', (line) => {
    if (take !== undefined) give(line)
    else read.push(line)
    if (read.length >= waitingMax) lines.pause()
  })
  lines.on('close', () => {
    isClosed = true
    if (read.length === 0) give(undefined)
  })
  // Ctrl-C is for the program, not only for the line.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  return {
    next: () =>
      new Promise((resolve) => {
        const echoed = (line: string | undefined): void => {
          if (!isTyped && line !== undefined) output.write(`${prompt}${line}\n`)
          resolve(line)
        }
        const line = read.shift()
        if (line !== undefined || isClosed) return echoed(line)
        take = echoed
        lines.resume()
        if (isTyped) lines.prompt()
      }),
    close: () => {
      lines.close()
      give(undefined)
      input.destroy()
    },
  }
}
