import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { projectRoot } from '../tools/planted.ts'

export const simScript = join(projectRoot, 'bin/svc-sim.js')

/** A port from this one on that is free, and no other test's; those behind it are mostly free as well. */
export async function freeBase(from: number): Promise<number> {
  for (let base = from + (process.pid % 40) * 250; ; base += 250) {
    const server = createServer().listen(base, '127.0.0.1')
    const [event] = await Promise.race([once(server, 'listening').then(() => ['free']), once(server, 'error')])
    if (event !== 'free') continue
    server.close()
    await once(server, 'close')
    return base
  }
}

/**
 * A command of svc-sim that serves until SIGINT, once it has printed a line that begins so. Rejects with what it said
 * if it ends before.
 */
export async function simProcess(args: readonly string[], { from, ready }: { from: number; ready: string }) {
  const base = await freeBase(from)
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
