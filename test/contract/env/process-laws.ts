import { expect } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { metricsIntervalMs } from '../../../src/env/observe.ts'
import type { Law } from './law-world.ts'
import { got, pause } from './observed.ts'

/** Small programs that each world has: the simulated one as scripts, in the first word of what they are to do. */
export const shell = '/bin/sh'
export const scripts = {
  exits: 'exit 3',
  prints: 'printf out; printf err >&2',
  sleeps: 'exec sleep 60',
  echoes: 'exec cat',
  tells: 'printf %s "$SVC_WORD"',
  dies: 'kill -9 $$',
  printsLate: 'sleep 0.2; printf late',
} as const

export function processLaws(law: Law): void {
  const options = { timeoutMs: 10_000, outputBytesMax: 1000 }

  law('a program has an exit code, or a signal that ended it', async ({ env }) => {
    const exited = await got(env.processes.run([shell, '-c', scripts.exits], options))
    expect(exited).toMatchObject({ exit: 3, timedOut: false })
    const killed = await got(env.processes.run([shell, '-c', scripts.dies], options))
    expect(killed).toMatchObject({ exit: 'SIGKILL', timedOut: false })
  })

  law('both outputs of a program are kept, and of a long one the end', async ({ env }) => {
    const whole = await got(env.processes.run([shell, '-c', scripts.prints], options))
    expect(textOf(whole.output)).toBe('outerr')
    const input = utf8(`${'x'.repeat(5000)}the end`)
    const tail = await got(env.processes.run([shell, '-c', scripts.echoes], { ...options, outputBytesMax: 7, input }))
    expect(textOf(tail.output)).toBe('the end')
  })

  law('a program gets its input and its environment', async ({ env }) => {
    const echoed = await got(env.processes.run([shell, '-c', scripts.echoes], { ...options, input: utf8('said') }))
    expect(textOf(echoed.output)).toBe('said')
    const environment = new Map([['SVC_WORD', 'heard']])
    const told = await got(env.processes.run([shell, '-c', scripts.tells], { ...options, environment }))
    expect(textOf(told.output)).toBe('heard')
  })

  law('a program that takes too long is killed', async ({ env }) => {
    const ended = await got(env.processes.run([shell, '-c', scripts.sleeps], { ...options, timeoutMs: 50 }))
    expect(ended).toMatchObject({ exit: 'SIGKILL', timedOut: true })
  })

  law('the caller gets what a program prints, including output that is not kept', async ({ env }) => {
    const heard: string[] = []
    const onOutput = (piece: Uint8Array): void => {
      heard.push(textOf(piece))
    }
    const input = utf8('all of it')
    const run = await got(
      env.processes.run([shell, '-c', scripts.echoes], { timeoutMs: 10_000, outputBytesMax: 2, input, onOutput }),
    )
    expect([heard.join(''), textOf(run.output)]).toEqual(['all of it', 'it'])
  })

  law('a program is killed once it is no more wanted', async ({ env }) => {
    const unwanted = env.deferred<void>()
    const running = env.processes.run([shell, '-c', scripts.sleeps], { ...options, until: unwanted.promise })
    env.timers.after(20, () => unwanted.resolve())
    expect(await got(running)).toMatchObject({ exit: 'SIGKILL', timedOut: false })
  })

  law('a program that was killed prints nothing any more', async ({ env }) => {
    const heard: string[] = []
    const unwanted = env.deferred<void>()
    const settings = {
      ...options,
      until: unwanted.promise,
      onOutput: (piece: Uint8Array): void => void heard.push(textOf(piece)),
    }
    const running = env.processes.run([shell, '-c', scripts.printsLate], settings)
    env.timers.after(20, () => unwanted.resolve())
    expect(await got(running)).toMatchObject({ exit: 'SIGKILL', timedOut: false })
    await pause(env, 400)
    expect(heard).toEqual([])
  })

  law('a program that is no more wanted may end by itself first, where it is given the time', async ({ env }) => {
    const unwanted = env.deferred<void>()
    const settings = { ...options, timeoutMs: Number.POSITIVE_INFINITY, until: unwanted.promise, graceMs: 60_000 }
    const running = env.processes.run([shell, '-c', scripts.sleeps], settings)
    env.timers.after(20, () => unwanted.resolve())
    expect(await got(running)).toMatchObject({ exit: 'SIGTERM', timedOut: false })
  })

  law('a program that is not there is not found', async ({ env }) => {
    const run = await env.processes.run(['/no/such/program'], options)
    expect(run).toMatchObject({ ok: false, error: { kind: 'not-found', program: '/no/such/program' } })
  })

  law('a machine says what it is', async ({ env, host }) => {
    expect(env.machine.hostName).not.toBe('')
    expect(env.machine.cpuCount).toBeGreaterThan(0)
    // The loopback has the whole network 127.0.0.0/8, and names its first address.
    const named = host.startsWith('127.') ? '127.0.0.1' : host
    expect(env.machine.interfaces().map(({ address }) => address)).toContain(named)
    const { memory, processors, uptimeS, disk } = env.machine.condition()
    expect(memory.total).toBeGreaterThanOrEqual(memory.available)
    expect(memory.available).toBeGreaterThan(0)
    expect(processors.length).toBeGreaterThan(0)
    expect(uptimeS).toBeGreaterThanOrEqual(0)
    if (disk !== undefined) expect(disk.total).toBeGreaterThanOrEqual(disk.free)
  })

  law('log and metrics take what they are given', async ({ env }) => {
    env.log.write('info', 'contract', 'a line', { text: 'a b', number: 1, big: 2n, yes: true, none: undefined })
    expect(env.log.enabled('error')).toBe(true)
    env.metrics.count('contract.count')
    env.metrics.gauge('contract.gauge', 1)
    env.metrics.sample('contract.sample', 2.5)
    for (const { startMs } of env.metrics.snapshot()) expect(startMs % metricsIntervalMs).toBe(0)
  })

  law('a follower of the log gets the lines of its level, recent ones first, until it leaves', async ({ env }) => {
    env.log.write('error', 'contract', 'before')
    const heard: string[] = []
    const followed = env.log.follow('warn', (line) => heard.push(line))
    env.log.write('info', 'contract', 'beneath')
    env.log.write('warn', 'contract', 'after')
    followed.close()
    followed.close()
    env.log.write('error', 'contract', 'later')
    const ends = (lines: readonly string[]) => lines.map((line) => line.split(' ').at(-1))
    expect([ends(followed.recent).at(-1), ends(heard)]).toEqual(['before', ['after']])
  })
}
