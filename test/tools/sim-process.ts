import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { projectRoot } from './planted.ts'

export const simScript = join(projectRoot, 'bin/svc-sim.js')

/** What `serve` and `play` open for ten agents: their own port, and behind it HTTP and DNS of each. */
const opened = [0, ...Array.from({ length: 10 }, (_, at) => [at + 1, at + 101]).flat()]

/**
 * The first of a range of ports of which those that a small cluster opens are free, and no other test's. Begin below
 * 22,500: the system gives ports above 32,767 to any socket, so that one of two hundred in a row is often in use there.
 */
export async function freeBase(from: number): Promise<number> {
  // Workers of one run may be threads of one process.
  const worker = process.pid * 4 + Number(process.env['VITEST_POOL_ID'] ?? 0)
  for (let base = from + (worker % 40) * 250; ; base += 250) {
    const free = await Promise.all(opened.map((behind) => isFree(base + behind)))
    if (free.every((each) => each)) return base
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const isOpen = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ])
  if (!isOpen) return false
  server.close()
  await once(server, 'close')
  return true
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
