import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { freeBase } from './own-ports.ts'
import { projectRoot } from './planted.ts'

export const simScript = join(projectRoot, 'bin/svc-sim.js')

/** What `serve` and `play` open for ten agents: their own port, and behind it HTTP and DNS of each. */
const opened = [0, ...Array.from({ length: 10 }, (_, at) => [at + 1, at + 101]).flat()]

/** A port for `serve` or `play`, with those behind it. */
export function simPort(): Promise<number> {
  return freeBase(opened)
}

/**
 * A command of svc-sim that serves until SIGINT, once it has printed a line that begins so. Rejects with what it said
 * if it ends before.
 */
export async function simProcess(args: readonly string[], ready: string) {
  const base = await simPort()
  const [command = '', ...rest] = args
  const child = spawn(process.execPath, [simScript, command, '--port', String(base), ...rest])
  onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
  const lines: string[] = []
  const closed = once(child, 'close')
  await Promise.race([
    closed.then(() => Promise.reject(new Error(err))),
    new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line)
        if (line.startsWith(ready)) resolve()
      })
    }),
  ])
  const end = async () => {
    child.kill('SIGINT')
    const [exit] = await closed
    return { exit, last: lines.at(-1), err }
  }
  return { base, lines, end }
}
