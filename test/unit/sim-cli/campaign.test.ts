import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCampaign } from '../../../sim/cli/campaign.ts'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { RunFlags } from '../../../sim/cli/run-flags.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type Reply, requestSchema } from '../../../sim/pool/messages.ts'
import { pageOf } from '../../../sim/pool/seed-runs.ts'
import { sentPage } from '../../../sim/pool/warm-worker.ts'
import type { Worker, WorkerSaid } from '../../../sim/pool/worker.ts'
import { type SeedVerdict, withoutRun } from '../../../sim/report/seed-record.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { junitProblems } from '../../tools/junit-shape.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-campaign-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const text = 'scenario: One\ncluster: { dc1: { servers: { count: 1 } } }\nlasts: 1s\n'
const loaded = loadScenario('one.yaml', text)
if (!loaded.ok) throw new Error('the page does not load')
const platform = createPlatform()
const page = sentPage(pageOf(loaded.value, platform), text, true)
platform.close()

/**
 * A worker that ends seeds as they pass, up to `last`; before the next one begins it ends itself, as the kernel does.
 */
function startWorker(last: number, verdict: SeedVerdict = 'passed'): Worker {
  const said: WorkerSaid[] = [{ line: '{"kind":"ready"}' }]
  const say = (reply: Reply): void => void said.push({ line: JSON.stringify(reply) })
  return {
    send: (line) => {
      const request = requestSchema.parse(JSON.parse(line))
      if (request.kind !== 'seed' || request.seed > last) return
      const of = { scenario: 'One', file: 'one.yaml', page: page.hash, seed: request.seed }
      say({ kind: 'begun', page: request.page, seed: request.seed })
      say({ kind: 'ended', record: withoutRun(of, verdict, [], { wallMs: 1, cpuMs: 1 }), runsBefore: 0 })
    },
    next: async () => said.shift() ?? { end: { code: undefined, signal: 'SIGKILL', errors: '' } },
    kill: () => undefined,
  }
}

async function campaign(last: number, flags: RunFlags, live = false) {
  const shown: string[] = []
  const { disk } = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  let tick = (): void => undefined
  const terminal: Pick<
    SimTerminal,
    'out' | 'error' | 'screen' | 'every' | 'disk' | 'environment' | 'buildHash' | 'wallMs' | 'cores' | 'startWorker'
  > = {
    out: (line) => {
      shown.push(`out ${line}`)
      tick()
    },
    error: (line) => void shown.push(`err ${line}`),
    screen: { live, columns: 80, colour: false },
    every: (_, call) => {
      tick = call
      return { close: () => (tick = () => undefined) }
    },
    disk,
    environment: new Map(),
    buildHash: () => 'ab'.repeat(32),
    wallMs: () => 0,
    cores: 1,
    startWorker: () => startWorker(last),
  }
  const seeds = { first: 1, last: 40 }
  return { exit: await runCampaign([page], seeds, flags, terminal as SimTerminal), shown }
}

describe('a campaign whose workers do not start any more', () => {
  it('says how far it came, ends its reports, and has no verdict', async () => {
    const [jsonl, junit] = [join(folder, 'a.jsonl'), join(folder, 'a.xml')]
    const { exit, shown } = await campaign(10, { jsonl, junit })
    expect(exit).toBe(5)
    expect(shown).toContain('out One: ended after 10 of 40 seeds, 0 failed\n')
    expect(shown.join('')).toContain('a worker ended twice before seed 11 of one.yaml began')
    expect(readFileSync(jsonl, 'utf8').trimEnd().split('\n')).toHaveLength(10)
    const report = readFileSync(junit, 'utf8')
    expect(junitProblems(report)).toEqual([])
    expect(report).toContain('tests="10"')
  })

  it.each<[number, RunFlags]>([
    [0, {}],
    [5, { json: true }],
  ])('says so where no page has a line of its own: after %i seeds, with %j', async (last, flags) => {
    const { exit, shown } = await campaign(last, flags)
    expect(exit).toBe(5)
    expect(shown.at(-1)).toBe(`${flags.json ? 'err' : 'out'} ended after ${last} of 40 seeds\n`)
  })
})

describe('what programs read of a campaign', () => {
  it('never stands behind the live line of a terminal', async () => {
    const { exit, shown } = await campaign(40, { json: true }, true)
    expect(exit).toBe(0)
    const erased = 'err \r\u001b[2K'
    const lines = shown.flatMap((text, at) => (text.startsWith('out {') ? [at] : []))
    expect(lines).toHaveLength(40)
    for (const at of lines.slice(1)) expect(shown[at - 1]).toBe(erased)
  })
})

async function explored(worker: () => Worker, seeds: string, jsonl: string) {
  const file = join(folder, 'explored.yaml')
  writeFileSync(file, text)
  const said = { out: '', error: '' }
  const { disk } = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  const terminal: Partial<SimTerminal> = {
    out: (line) => {
      said.out += line
    },
    error: (line) => {
      said.error += line
    },
    screen: { live: false, columns: 80, colour: false },
    every: () => ({ close: () => undefined }),
    disk,
    environment: new Map(),
    buildHash: () => 'ab'.repeat(32),
    version: '1.4.0',
    wallMs: () => 0,
    createPlatform,
    cores: 1,
    startWorker: worker,
  }
  const argv = ['explore', file, '--seeds', seeds, '--jsonl', jsonl, '--quiet']
  return { exit: await runSimCli(argv, terminal as SimTerminal), ...said }
}

describe('an exploration whose file could not be written whole', () => {
  it.each<[SeedVerdict, number]>([
    ['passed', 2],
    ['failed', 2],
    ['not deterministic', 3],
  ])('of a seed that is %s ends with %i', async (verdict, code) => {
    const { exit, error } = await explored(() => startWorker(1, verdict), '1..1', '/dev/full')
    expect({ exit, error }).toEqual({ exit: code, error: '/dev/full: was not written whole (full)\n' })
  })
})

describe('an exploration whose workers do not start any more', () => {
  it.each<[SeedVerdict, number]>([
    ['failed', 5],
    ['not deterministic', 3],
  ])('says what became of the seeds before, of which one is %s, and ends with %i', async (verdict, code) => {
    const file = join(folder, `${verdict}.jsonl`)
    const { exit, out, error } = await explored(() => startWorker(1, verdict), '1..3', file)
    expect(exit).toBe(code)
    expect(error).toContain('a worker ended twice before seed 2 of ')
    expect(out).toMatch(/^1 failure of kind [0-9a-f]{16}, in One$/m)
    expect(out).toMatch(/^total: 1 scenario, 1 run, 1 .*; CUT SHORT: 2 of 3 runs were not made$/m)
  })
})
