import { describe, expect, it } from 'vitest'
import type { ProgramCall, ProgramRun } from '../../../sim/env/machine.ts'
import type { SimMetrics } from '../../../sim/env/metrics.ts'
import type { SyslogSettings } from '../../../src/agent/settings/log-settings.ts'
import { Syslog } from '../../../src/agent/syslog/syslog.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, rest } from '../sim-world/in-simulation.ts'

const settings: SyslogSettings = { tag: 'svc', facility: 16, to: { kind: 'local', path: undefined } }
const troubles = 'log lines do not reach syslog'

/** What `logger` was given, run by run, and how it is to end. */
class Logger {
  readonly runs: string[] = []
  readonly argv: string[] = []
  way: ProgramRun = { afterMs: 3, exit: 0 }

  readonly program = ({ argv, input }: ProgramCall): ProgramRun => {
    this.argv.splice(0, this.argv.length, ...argv)
    this.runs.push(textOf(input))
    return this.way
  }

  get lines(): readonly string[] {
    return this.runs.flatMap((run) => run.trimEnd().split('\n'))
  }
}

interface Stand {
  readonly env: Env
  readonly logger: Logger
  /** What the log of the agent says of syslog. */
  readonly said: string[]
  install(): void
}

async function onMachine(use: (stand: Stand) => Promise<void>): Promise<void> {
  await inSimulation({}, async (simulation) => {
    const node = simulation.addNode({ name: 'a', host: '10.0.0.1' })
    const logger = new Logger()
    const install = (): void => void node.programs.set('logger', logger.program)
    await simulation.play(
      node,
      async (env) => {
        const said: string[] = []
        env.log.follow('info', (line) => {
          if (line.includes('] syslog: ')) said.push(line)
        })
        await use({ env, logger, said, install })
      },
      3_600_000,
    )
    if (simulation.failure !== undefined) throw simulation.failure.error ?? new Error(simulation.failure.message)
  })
}

function say(env: Env, text: string, count = 1): void {
  for (let at = 0; at < count; at++) env.log.write('info', 'test', text)
}

describe('the log on its way to syslog', () => {
  it('is given to logger in runs, with the priority of each line, from the level on that it was told', async () => {
    await onMachine(async ({ env, logger, said, install }) => {
      install()
      const syslog = new Syslog(env, { tag: 'svc', facility: 3, to: { kind: 'local', path: '/run/log' } }, 'info')
      env.log.write('debug', 'test', 'not this')
      env.log.write('info', 'test', 'one', { a: 1 })
      env.log.write('error', 'test', 'two')
      await rest(env, 1_000)
      expect(logger.runs).toEqual(['<29>test: one a=1\n<27>test: two\n'])
      expect(logger.argv).toEqual([...['logger', '--prio-prefix', '--socket-errors=on', '-t', 'svc', '-u', '/run/log']])
      syslog.setLevel('debug')
      env.log.write('debug', 'test', 'this too')
      await rest(env, 1_000)
      expect(logger.runs.at(-1)).toBe('<30>test: this too\n')
      await syslog.close()
      env.log.write('error', 'test', 'after the end')
      await rest(env, 60_000)
      expect(logger.runs).toHaveLength(2)
      expect(said).toEqual([])
    })
  })

  it('does not hold up an agent that has no logger: it says so once, and once that it is well again', async () => {
    await onMachine(async ({ env, logger, said, install }) => {
      const syslog = new Syslog(env, settings, 'info')
      say(env, 'first')
      await rest(env, 30_000)
      say(env, 'second')
      await rest(env, 15_000)
      expect(said).toHaveLength(1)
      expect(said[0]).toContain(`[WARN] syslog: ${troubles}`)
      expect(said[0]).toContain('no program of that name')
      install()
      await rest(env, 6_000)
      expect(logger.lines.filter((line) => line.includes('test:'))).toEqual(['<133>test: first', '<133>test: second'])
      expect(said.slice(1)).toEqual(['[INFO] syslog: log lines reach syslog again to=local socket'])
      await syslog.close()
    })
  })

  it('says what logger says, and when it does not end', async () => {
    await onMachine(async ({ env, logger, said, install }) => {
      install()
      logger.way = { afterMs: 1, exit: 1, output: 'logger: socket /dev/log: No such file or directory\n' }
      const first = new Syslog(env, settings, 'info')
      say(env, 'a line')
      await rest(env, 1_000)
      expect(said[0]).toContain('reason=logger: socket /dev/log: No such file or directory')
      logger.way = { afterMs: 1e9, exit: 0 }
      await first.close()
      const second = new Syslog(env, settings, 'info')
      say(env, 'a line')
      await rest(env, 6_000)
      expect(said[1]).toContain('reason=logger did not end within 5 s')
      await second.close()
    })
  })

  it('is bounded while the daemon takes nothing: what is dropped is counted, and told once a second', async () => {
    await onMachine(async ({ env, logger, said, install }) => {
      const syslog = new Syslog(env, settings, 'info')
      say(env, 'early')
      await rest(env, 400)
      for (let second = 0; second < 10; second++) {
        say(env, 'x'.repeat(900), 2_000)
        await rest(env, 1_000)
      }
      const dropped = said.filter((line) => line.includes('were dropped'))
      expect(dropped.length).toBeGreaterThanOrEqual(8)
      expect(dropped.length).toBeLessThanOrEqual(10)
      const counted = (env.metrics as SimMetrics).counters.get('syslog.dropped') ?? 0
      // No line is logged: then nothing more is dropped or reported.
      await rest(env, 10_000)
      const told = said.filter((line) => line.includes('were dropped'))
      expect(told.length).toBeLessThanOrEqual(dropped.length + 1)
      const lost = told.reduce((sum, line) => sum + Number(/lines=(\d+)/.exec(line)?.[1]), 0)
      expect(counted).toBeGreaterThan(10_000)
      expect(counted).toBeLessThanOrEqual(lost)
      install()
      await rest(env, 60_000)
      const arrived = logger.lines.filter((line) => line.includes('test:'))
      expect(arrived[0]).toBe('<133>test: early')
      expect(arrived.length).toBeGreaterThan(1_000)
      expect(arrived.length).toBeLessThanOrEqual(4_096)
      expect(arrived.length + lost).toBe(20_001)
      await syslog.close()
    })
  })

  it('gives up lines that cannot be carried for a minute, so that one of them is no end to it', async () => {
    await onMachine(async ({ env, logger, said, install }) => {
      install()
      logger.way = { afterMs: 1, exit: 1 }
      const syslog = new Syslog(env, settings, 'info')
      say(env, 'never')
      await rest(env, 70_000)
      logger.way = { afterMs: 1, exit: 0 }
      logger.runs.splice(0)
      say(env, 'later')
      await rest(env, 6_000)
      expect(logger.lines.filter((line) => line.includes('test:'))).toEqual(['<133>test: later'])
      // The line that was given up, and the warning of the trouble behind it.
      expect(said.filter((line) => line.includes('were dropped'))).toHaveLength(1)
      await syslog.close()
    })
  })

  it('has those lines carried, too, that are logged while the last ones are on their way', async () => {
    await onMachine(async ({ env, logger, install }) => {
      install()
      const syslog = new Syslog(env, settings, 'info')
      say(env, 'agent stops')
      env.timers.after(1, () => say(env, 'a request has failed'))
      await syslog.close()
      say(env, 'beyond the end')
      await rest(env, 1_000)
      expect(logger.lines).toEqual(['<133>test: agent stops', '<133>test: a request has failed'])
    })
  })

  it('has its last lines carried at the end, within two seconds', async () => {
    await onMachine(async ({ env, logger, install }) => {
      install()
      const syslog = new Syslog(env, settings, 'info')
      say(env, 'last words', 1_000)
      await syslog.close()
      expect(logger.lines).toHaveLength(1_000)
      logger.way = { afterMs: 1e9, exit: 0 }
      const stuck = new Syslog(env, settings, 'info')
      say(env, 'nobody reads this')
      const startedMs = env.clock.monoMs()
      await stuck.close()
      expect(env.clock.monoMs() - startedMs).toBeLessThan(2_100)
    })
  })
})
