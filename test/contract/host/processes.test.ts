import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { ChildExit, ChildOptions } from '../../../src/env/process.ts'
import { isAlive, parseProcessStat } from '../../../src/host/lock-holder.ts'
import { quietEnv } from './quiet-env.ts'

const usual: ChildOptions = { timeoutMs: 20_000, outputBytesMax: 4096 }

async function run(argv: readonly [string, ...string[]], options: Partial<ChildOptions> = {}): Promise<ChildExit> {
  const ran = await quietEnv().processes.run(argv, { ...usual, ...options })
  if (!ran.ok) throw new Error(ran.error.message)
  return ran.value
}

/**
 * Runs a program that is killed when its time is over. A busy machine may not have brought it to where it says `said`
 * by then: then it is run again with more time.
 */
async function runInTime(
  argv: readonly [string, ...string[]],
  options: (timeMs: number) => Partial<ChildOptions>,
  said: RegExp,
): Promise<ChildExit> {
  for (let timeMs = 300; ; timeMs *= 4) {
    const exit = await run(argv, options(timeMs))
    if (said.test(textOf(exit.output)) || timeMs > 10_000) return exit
  }
}

const shell = (script: string): readonly [string, ...string[]] => ['/bin/sh', '-c', script]

describe('a child process', () => {
  it('runs without a shell and gives its code and what it wrote', async () => {
    const exit = await run(['printf', '%s|', 'a b', '$HOME', '*'])
    expect(exit).toEqual({ exit: 0, output: utf8('a b|$HOME|*|'), timedOut: false })
    expect(Buffer.isBuffer(exit.output)).toBe(false)
    expect(await run(shell('echo out; echo err >&2; exit 3'))).toMatchObject({ exit: 3 })
    expect(textOf((await run(shell('echo err >&2'))).output)).toBe('err\n')
    expect(await run(shell('kill -TERM $$'))).toMatchObject({ exit: 'SIGTERM', timedOut: false })
  })

  it('keeps the last bytes of a long output', async () => {
    const { output } = await run(shell('seq 1 20000'), { outputBytesMax: 12 })
    expect(textOf(output)).toBe('19999\n20000\n')
  })

  it('is given input and environment, beside what the agent has', async () => {
    const exit = await run(shell('cat; printf %s "-$ADDED-${PATH:+path}"'), {
      input: utf8('given'),
      environment: new Map([['ADDED', 'yes']]),
    })
    expect(textOf(exit.output)).toBe('given-yes-path')
  })

  it('leaves nothing behind where what would end it lasts on, such as the life of the agent', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const until = new Promise<void>(() => undefined)
    const ran = async (): Promise<WeakRef<Uint8Array>> => {
      const input = new Uint8Array(1 << 20)
      expect(await run(['cat'], { input, until })).toMatchObject({ exit: 0 })
      return new WeakRef(input)
    }
    const input = await ran()
    // What is unreachable goes in a turn after that in which it was last looked at.
    for (let turns = 0; turns < 50 && input.deref() !== undefined; turns++) {
      await new Promise(setImmediate)
      collect()
    }
    expect(input.deref() === undefined).toBe(true)
    expect(until).toBeInstanceOf(Promise)
  })

  it('may leave its input unread, and has an empty one when given none', async () => {
    expect(await run(['true'], { input: new Uint8Array(1 << 20) })).toMatchObject({ exit: 0 })
    expect(await run(['cat'])).toMatchObject({ exit: 0, output: new Uint8Array(0) })
  })

  it('is killed past its time, with what it started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-child-'))
    const script = `sleep 1000 & echo $! > ${folder}/pid; echo started; wait`
    const exit = await runInTime(shell(script), (timeoutMs) => ({ timeoutMs }), /started/)
    expect(exit).toMatchObject({ exit: 'SIGKILL', timedOut: true, output: utf8('started\n') })
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    rmSync(folder, { recursive: true })
    await expect.poll(() => stateOf(pid)).toMatch(/^[ZX]?$/)
  })

  it('is killed where it does not end when it is asked to', async () => {
    let tell = (): void => undefined
    const script = "trap 'echo asked' TERM; echo ready; while :; do sleep 0.05; done"
    const settings = (graceMs: number): Partial<ChildOptions> => {
      const until = new Promise<void>((resolve) => {
        tell = resolve
      })
      return { until, graceMs, timeoutMs: Number.POSITIVE_INFINITY, onOutput: () => tell() }
    }
    const exit = await runInTime(shell(script), settings, /asked/)
    expect(exit).toMatchObject({ exit: 'SIGKILL', timedOut: false })
    expect(textOf(exit.output)).toMatch(/^ready\n(Terminated\n)?asked\n/)
  })

  it('may be tethered: its input is open as long as the agent is there', async () => {
    expect(await run(['cat'], { tether: true, timeoutMs: 300 })).toMatchObject({ exit: 'SIGKILL', timedOut: true })
    expect(await run(['cat'], { timeoutMs: 20_000 })).toMatchObject({ exit: 0 })
  })

  it('is over when it has ended, though something it started keeps its output open', async () => {
    const exit = await run(shell('sleep 1000 & echo $!'))
    process.kill(Number(textOf(exit.output)), 'SIGKILL')
    expect(exit).toMatchObject({ exit: 0, timedOut: false })
  })

  it('is killed when its Env is closed', async () => {
    const env = quietEnv()
    const running = env.processes.run(['sleep', '1000'], usual)
    setImmediate(() => env.close())
    expect(await running).toMatchObject({ value: { exit: 'SIGKILL', timedOut: false } })
  })

  it('says why it could not be started', async () => {
    const { processes } = quietEnv()
    expect(await processes.run(['/no/such/program'], usual)).toMatchObject({
      error: { kind: 'not-found', program: '/no/such/program' },
    })
    expect(await processes.run(['/etc/passwd'], usual)).toMatchObject({ error: { kind: 'permission' } })
    expect(await processes.run(['a\0b'], usual)).toMatchObject({ error: { kind: 'io' } })
  })
})

function stateOf(pid: number): string {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.state ?? ''
  } catch {
    return ''
  }
}

describe('the life of a process', () => {
  it('is over for one that has ended, and goes on for this one', async () => {
    const { started } = parseProcessStat(readFileSync('/proc/self/stat', 'utf8')) ?? { started: '' }
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    expect(await isAlive({ pid: process.pid, started, boot, nonce: '' })).toBe(true)
    expect(await isAlive({ pid: process.pid, started: '0', boot, nonce: '' })).toBe(false)
    expect(await isAlive({ pid: process.pid, started, boot: 'another', nonce: '' })).toBe(false)
    expect(await isAlive({ pid: process.pid, started: '', boot, nonce: '' })).toBe(true)
    expect(await isAlive({ pid: 2 ** 22 + 1, started: '', boot, nonce: '' })).toBe(false)
  })
})
