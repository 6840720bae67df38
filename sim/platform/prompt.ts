import { createInterface } from 'node:readline'
import type { LineReader } from '../cli/terminal.ts'

/** Maximum number of lines of piped input that wait to be requested: the rest waits in the pipe. */
const waitingMax = 1_000

/**
 * Lines of standard input, one after another. On a terminal they can be edited, with a history; from a pipe, each is
 * printed as it is read, so that the output looks as if it was typed.
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
